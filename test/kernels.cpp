#include <lento/base/misuse.hpp>
#include <lento/kernel/kernel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

// Filters: unit mass, vanishing moments, regularity and frequency response, continuous and on the grid.
namespace {

using lento::cosine;
using lento::cubic;
using lento::exponential;
using lento::kernel;
using lento::mean_rule;
using lento::one_period_mean;
using lento::polynomial;
using lento::response;
using lento::support;
using lento::weights;

constexpr double pi = std::numbers::pi;
constexpr std::initializer_list<support> all_supports = {support::centred, support::forward, support::backward};

double evaluation_point(support where) { return where == support::centred ? 0 : where == support::forward ? -1 : 1; }

std::string describe(kernel const& k, support where) {
    auto const* each = std::get_if<polynomial>(&k);
    return std::string(name(k)) + ", " + std::to_string(lento::vanishing_moments(k)) + " moments" +
           (each != nullptr ? ", regularity " + std::to_string(each->regularity) : "") +
           ", x* = " + std::to_string(evaluation_point(where));
}

std::vector<kernel> all_polynomials() {
    std::vector<kernel> all;
    for (int p = 0; p <= 7; ++p)
        for (int q = 0; q <= 9; ++q) all.emplace_back(polynomial{p, q});
    return all;
}
/// The other kernels that correct their moments, with every number of them.
std::vector<kernel> all_corrected() {
    std::vector<kernel> all;
    for (int p = 0; p <= 7; ++p) {
        all.emplace_back(exponential{.moments = p});
        all.emplace_back(cubic{p});
        all.emplace_back(cosine{p});
    }
    return all;
}

/// The supports that a kernel is offered with.
std::vector<support> supports_of(kernel const& k) {
    auto const* each = std::get_if<cubic>(&k);
    if (lento::fixed_periods(k) > 0 || (each != nullptr && (each->moments == 1 || each->moments == 2)))
        return {support::centred};
    return all_supports;
}

/// Gauss-Legendre nodes and weights, found here once more: the library's own rule is not its own referee.
struct gauss_rule {
    std::vector<long double> x;
    std::vector<long double> w;
    explicit gauss_rule(int n) {
        for (int i = 1; i <= n; ++i) {
            long double s = std::cos(std::numbers::pi_v<long double> * (i - 0.25L) / (n + 0.5L));
            long double slope = 0;
            for (int k = 0; k < 20; ++k) {
                slope =
                    n *
                    (s * std::legendre(static_cast<unsigned>(n), s) - std::legendre(static_cast<unsigned>(n - 1), s)) /
                    (s * s - 1);
                s -= std::legendre(static_cast<unsigned>(n), s) / slope;
            }
            x.push_back(s);
            w.push_back(2 / ((1 - s * s) * slope * slope));
        }
    }
};

/// sum_j mass_j (x_j - x*)^power and the size of the terms in it, which says what rounding can spoil.
struct sum_and_size {
    double sum;
    double size;
};
template <class Terms> sum_and_size moment_of(Terms const& terms, int power) {
    long double sum = 0;
    long double size = 0;
    for (auto const& [distance, mass] : terms) {
        sum += mass * std::pow(distance, power);
        size += std::abs(mass * std::pow(distance, power));
    }
    return {static_cast<double>(sum), static_cast<double>(size)};
}
std::vector<std::pair<long double, long double>> on_grid(std::vector<double> const& w, support where) {
    std::vector<std::pair<long double, long double>> terms;
    auto const steps = static_cast<long double>(w.size() - 1);
    for (std::size_t i = 0; i < w.size(); ++i)
        terms.emplace_back(-1 + 2 * static_cast<long double>(i) / steps - evaluation_point(where), w[i]);
    return terms;
}

/// Extrapolating kernels (one-sided, many moments) have large weights of both signs: rounding them to double costs
/// eps times their size, whatever the method.
double allowed(sum_and_size const& m) { return std::max(1e-13, 1e-15 * m.size); }

void expect_unit_mass_and_moments(std::vector<std::pair<long double, long double>> const& terms, int moments) {
    for (int power = 0; power <= moments; ++power) {
        auto const m = moment_of(terms, power);
        EXPECT_NEAR(m.sum, power == 0 ? 1 : 0, allowed(m)) << "moment " << power;
    }
}

// docs/papers.md: 003.6
TEST(PolynomialKernel, HasUnitMassAndVanishingMomentsForEveryOrderAndRegularity) {
    gauss_rule const rule(20); // exact to degree 39; the highest here is 2 (9 + 1) + 7 + 7
    for (auto const& k : all_polynomials())
        for (auto const where : all_supports) {
            SCOPED_TRACE(describe(k, where));
            std::vector<std::pair<long double, long double>> terms;
            for (std::size_t i = 0; i < rule.x.size(); ++i) {
                auto const x = static_cast<double>(rule.x[i]);
                terms.emplace_back(x - evaluation_point(where), rule.w[i] * value(k, x, where));
            }
            expect_unit_mass_and_moments(terms, std::get<polynomial>(k).moments);
        }
}

TEST(PolynomialKernel, ReportsTheMomentsItHas) {
    for (auto const& k : all_polynomials()) {
        SCOPED_TRACE(describe(k, support::centred));
        int const p = std::get<polynomial>(k).moments;
        EXPECT_NEAR(moment(k, 0), 1, 1e-13);
        for (int power = 1; power <= p; ++power) EXPECT_NEAR(moment(k, power), 0, 1e-13);
        // the first moment that does not vanish; by symmetry the next even one
        EXPECT_GT(std::abs(moment(k, p % 2 == 0 ? p + 2 : p + 1)), 1e-5);
    }
}

TEST(PolynomialKernel, IsTheGegenbauerSumWithLambdaRegularityPlusThreeHalves) {
    auto const gegenbauer = [](int n, double lambda, double x) {
        double before = 1;
        double now = 2 * lambda * x;
        if (n == 0) return before;
        for (int k = 2; k <= n; ++k) {
            double const next = (2 * x * (k + lambda - 1) * now - (k + 2 * lambda - 2) * before) / k;
            before = now;
            now = next;
        }
        return now;
    };
    for (auto const& k : all_polynomials())
        for (auto const where : all_supports) {
            auto const [p, q] = std::get<polynomial>(k);
            double const lambda = q + 1.5;
            std::vector<double> differences;
            double largest = 0;
            for (double const x : {-0.97, -0.6, -0.25, 0., 0.1, 0.5, 0.8}) {
                double sum = 0;
                for (int j = 0; j <= p; ++j) {
                    double const square = pi * std::exp2(1 - 2 * lambda) * std::tgamma(j + 2 * lambda) /
                                          (std::tgamma(j + 1.) * (j + lambda) * std::pow(std::tgamma(lambda), 2));
                    sum += gegenbauer(j, lambda, evaluation_point(where)) * gegenbauer(j, lambda, x) / square;
                }
                double const expected = std::pow(1 - x * x, q + 1) * sum;
                differences.push_back(std::abs(value(k, x, where) - expected));
                largest = std::max(largest, std::abs(expected));
            }
            EXPECT_LT(*std::max_element(differences.begin(), differences.end()), 1e-12 * largest) << describe(k, where);
        }
}

// docs/papers.md: 003.7, 004.21
TEST(PolynomialKernel, HasTheRegularityThatItsResponseDecaysWith) {
    // |R| ~ |cos(radians/2 + phase)| radians^-(q+2): two points a quarter turn apart give the envelope
    auto const envelope = [](kernel const& k, double radians) {
        return std::hypot(response(k, radians).real(), response(k, radians + pi).real());
    };
    for (int p : {0, 1, 3, 6, 7})
        for (int q = 0; q <= 9; ++q) {
            kernel const k = polynomial{p, q};
            double const decay = std::log2(envelope(k, 200) / envelope(k, 400));
            EXPECT_NEAR(decay, q + 2, 0.25) << describe(k, support::centred);
        }
}

TEST(EveryKernel, HasUnitMassAndVanishingMomentsOnItsGrid) {
    auto kernels = all_polynomials();
    for (auto const& k : all_corrected()) kernels.push_back(k);
    for (auto const& k : kernels)
        for (auto const where : supports_of(k))
            for (int const steps : {22, 50, 204}) {
                SCOPED_TRACE(describe(k, where) + ", steps " + std::to_string(steps));
                auto const w = weights(k, steps, where);
                ASSERT_EQ(w.size(), static_cast<std::size_t>(steps) + 1);
                expect_unit_mass_and_moments(on_grid(w, where), lento::vanishing_moments(k));
            }
}

// docs/papers.md: 000.5
TEST(EveryKernel, HasUnitMassAndVanishingMomentsAsAFunction) {
    for (auto const& k : all_corrected())
        for (auto const where : supports_of(k)) {
            SCOPED_TRACE(describe(k, where));
            // four panels that end at the cubic's knots; the exponential is smooth but not analytic at the ends
            gauss_rule const rule(40);
            std::vector<std::pair<long double, long double>> terms;
            for (int panel = 0; panel < 4; ++panel)
                for (std::size_t i = 0; i < rule.x.size(); ++i) {
                    auto const x = static_cast<double>(-0.75L + 0.5L * panel + rule.x[i] / 4);
                    terms.emplace_back(x - evaluation_point(where), rule.w[i] / 4 * value(k, x, where));
                }
            expect_unit_mass_and_moments(terms, lento::vanishing_moments(k));
        }
}

// docs/papers.md: 004.7
TEST(EveryKernel, IsSymmetricWhenCentredAndMirroredWhenOneSided) {
    auto kernels = all_corrected();
    for (int q = 0; q <= 9; q += 3) kernels.emplace_back(polynomial{q % 8, q});
    for (auto const& k : kernels) {
        SCOPED_TRACE(describe(k, support::centred));
        auto const centred = weights(k, 40);
        for (std::size_t i = 0; i <= 40; ++i) EXPECT_NEAR(centred[i], centred[40 - i], 1e-15);
        if (supports_of(k).size() == 1) continue;
        auto const forward = weights(k, 40, support::forward);
        auto const backward = weights(k, 40, support::backward);
        double const size = *std::max_element(forward.begin(), forward.end());
        for (std::size_t i = 0; i <= 40; ++i) EXPECT_NEAR(forward[i], backward[40 - i], 1e-14 * size);
        EXPECT_GT(std::abs(value(k, -0.3, support::forward) - value(k, 0.3, support::forward)),
                  lento::vanishing_moments(k) > 0 ? 1e-3 : -1);
    }
}

TEST(EveryKernel, HasADiscreteResponseThatTendsToTheContinuousOne) {
    struct {
        kernel k;
        double within;
    } const cases[] = {
        {exponential{}, 1e-13},
        {exponential{.moments = 3}, 1e-13},
        {polynomial{3, 9}, 1e-13},
        {polynomial{7, 6}, 1e-12},
        {polynomial{1, 3}, 1e-11},
        {polynomial{1, 0}, 1e-5},
        {cosine{}, 1e-9},
        {cosine{3}, 1e-8},
        {cubic{}, 3e-6},
        {one_period_mean{1}, 1e-5},
        {one_period_mean{4}, 1e-5},
    };
    constexpr int steps = 2000;
    for (auto const& [k, within] : cases)
        for (auto const where : supports_of(k)) {
            SCOPED_TRACE(describe(k, where));
            auto const w = weights(k, steps, where);
            double size = 1;
            for (double const each : w) size += std::abs(each);
            for (double const radians : {0., 1., 7., 30., 100.}) {
                EXPECT_LT(std::abs(response(w, radians / steps, where) - response(k, radians, where)), within * size)
                    << radians;
            }
        }
}

// docs/papers.md: 003.7
TEST(EveryKernel, LetsASlowPolynomialPassAndTurnsNothingAtRest) {
    for (auto const& k : all_corrected())
        for (auto const where : supports_of(k))
            EXPECT_NEAR(std::abs(response(k, 0, where) - 1.), 0, 1e-12) << describe(k, where);
    // the phase is counted from the point of evaluation: a kernel with p moments has R = 1 + O(radians^(p+1))
    for (auto const where : all_supports) {
        kernel const k = polynomial{3, 2};
        double const rate = std::log2(std::abs(response(k, 0.2, where) - 1.) / std::abs(response(k, 0.1, where) - 1.));
        EXPECT_NEAR(rate, 4, 0.1) << describe(k, where);
    }
}

// docs/papers.md: 001.5
TEST(ExponentialKernel, LeaksWhatTheNotesOfPaper001Say) {
    struct {
        double periods;
        double leak;
        double relative;
    } const printed[] = {
        {10, 3.6e-5, 0.02}, {20, 2.2e-7, 0.03}, {40, 4.4e-11, 0.02}, {50, 2.5e-12, 0.03}, {80, 7e-16, 0.1}};
    for (auto const& [periods, leak, relative] : printed) {
        EXPECT_NEAR(std::abs(response(exponential{}, 2 * pi * periods)), leak, relative * leak) << periods;
        // and so do the weights of a window with 50 steps per period, down to their own rounding
        auto const w = weights(exponential{}, static_cast<int>(50 * periods));
        EXPECT_NEAR(std::abs(response(w, 2 * pi / 50)), leak, relative * leak + 2e-16) << periods;
    }
}

// docs/papers.md: 004.9
TEST(ExponentialKernel, HasTheMassOfPaper004) {
    // K(0) = exp(-5)/0.00473764369784 (notes of 004), and the papers' kernel is the one with one moment
    EXPECT_NEAR(value(exponential{}, 0), std::exp(-5.) / 0.00473764369784, 1e-11);
    EXPECT_NEAR(2 * value(exponential{}, 0.5) / value(exponential{}, 0), 2 * std::exp(5 / (0.25 - 1) + 5), 1e-14);
    EXPECT_EQ(value(exponential{}, 1), 0);
    EXPECT_EQ(value(exponential{}, 1.5), 0);
}

TEST(OnePeriodMean, RemovesEveryHarmonicBelowTheSamplingRate) {
    for (auto const rule : {mean_rule::trapezoid, mean_rule::uniform})
        for (int boxes = 1; boxes <= 8; ++boxes)
            for (int samples : {3, 4, 7, 16, 33, 80}) {
                int const steps = boxes * (rule == mean_rule::uniform ? samples - 1 : samples);
                if (steps % 2 != 0) continue;
                auto const w = weights(one_period_mean{boxes, rule}, steps);
                EXPECT_NEAR(std::abs(response(w, 0) - 1.), 0, 1e-15);
                for (int harmonic = 1; harmonic < samples; ++harmonic)
                    EXPECT_LT(std::abs(response(w, 2 * pi * harmonic / samples)), 1e-14)
                        << boxes << " boxes, " << samples << " samples, harmonic " << harmonic;
            }
}

TEST(OnePeriodMean, HasZerosAsManifoldAsItsBoxes) {
    constexpr int samples = 17;
    for (auto const rule : {mean_rule::trapezoid, mean_rule::uniform})
        for (int boxes = 1; boxes <= 8; ++boxes) {
            int const steps = boxes * (rule == mean_rule::uniform ? samples - 1 : samples);
            if (steps % 2 != 0) continue;
            auto const w = weights(one_period_mean{boxes, rule}, steps);
            for (int harmonic : {1, 2}) {
                auto const near_zero = [&](double off) {
                    return std::abs(response(w, 2 * pi * (harmonic + off) / samples)) +
                           std::abs(response(w, 2 * pi * (harmonic - off) / samples));
                };
                EXPECT_NEAR(std::log2(near_zero(0.1) / near_zero(0.05)), boxes, 0.4) << boxes << ", " << harmonic;
            }
        }
}

TEST(OnePeriodMean, IsASplineOfItsBoxesAsAFunction) {
    for (int boxes = 1; boxes <= 8; ++boxes) {
        kernel const k = one_period_mean{boxes};
        EXPECT_EQ(lento::fixed_periods(k), boxes);
        EXPECT_NEAR(moment(k, 0), 1, 1e-13);
        EXPECT_NEAR(moment(k, 1), 0, 1e-13);
        EXPECT_NEAR(moment(k, 2), 1. / (3 * boxes), 1e-13); // the variance of a sum of boxes of width 2/boxes
        for (int harmonic = 1; harmonic < 6; ++harmonic)
            EXPECT_LT(std::abs(response(k, 2 * pi * harmonic * boxes)), 1e-15);
        double const sinc = std::sin(0.4) / 0.4;
        EXPECT_NEAR(response(k, 0.8 * boxes).real(), std::pow(sinc, boxes), 1e-14);
    }
}

/// The kernel of paper 003, section 5.2, as printed.
double published_cubic(double x) {
    double const s = std::abs(x);
    if (s <= 0.5) return 2 - 2 * s - 8 * s * s + 8 * s * s * s;
    return 2 - 22 * s / 3 + 8 * s * s - 8 * s * s * s / 3;
}

TEST(CubicKernel, NeedsNoCorrectionOnEvenHalfCountsAndGetsItOnOddOnes) {
    double worst = 0;
    for (int half = 3; half <= 24; ++half) {
        double mass = 0;
        double second = 0;
        auto const w = weights(cubic{}, 2 * half);
        double correction = 0;
        for (int k = -half; k <= half; ++k) {
            double const x = static_cast<double>(k) / half;
            double const published = published_cubic(x) / half;
            mass += published;
            second += published * x * x;
            correction = std::max(correction, std::abs(w[static_cast<std::size_t>(k + half)] - published));
        }
        if (half % 2 == 0) {
            EXPECT_NEAR(mass, 1, 1e-15) << half;
            EXPECT_NEAR(second, 0, 1e-15) << half;
            EXPECT_LT(correction, 1e-15) << half;
        } else {
            EXPECT_GT(std::abs(mass - 1), 1e-6) << half;
            EXPECT_GT(correction, 1e-6) << half;
        }
        if (half == 5) worst = std::abs(mass - 1);
    }
    EXPECT_GT(worst, 1e-3);
}

// docs/papers.md: 003.5
TEST(CubicKernel, IsThePublishedOne) {
    for (double const x : {-0.9, -0.5, -0.2, 0., 0.3, 0.7, 0.99})
        EXPECT_NEAR(value(cubic{}, x), published_cubic(x), 1e-13);
}

TEST(CosineKernel, IsTheRaisedCosine) {
    for (double const x : {-0.9, -0.4, 0., 0.3, 1.}) EXPECT_NEAR(value(cosine{}, x), (1 + std::cos(pi * x)) / 2, 1e-13);
    // its response vanishes at all whole turns but the first
    EXPECT_NEAR(std::abs(response(cosine{}, 2 * pi)), 0.5, 1e-14);
    for (int turns = 2; turns < 9; ++turns) EXPECT_LT(std::abs(response(cosine{}, 2 * pi * turns)), 1e-15);
}

template <class Action> void expect_misuse(Action const& action, std::vector<std::string> const& words) {
    try {
        action();
        ADD_FAILURE() << "nothing was thrown; expected a sentence with: " << words.front();
    } catch (lento::misuse const& error) {
        for (auto const& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                << '"' << error.what() << "\" lacks " << word;
    }
}

TEST(Kernels, RefuseParametersOutOfRangeAndNameThem) {
    expect_misuse([] { check(polynomial{8, 3}); }, {"vanishing moments", "between 0 and 7", "8"});
    expect_misuse([] { check(polynomial{-1, 3}); }, {"vanishing moments", "-1"});
    expect_misuse([] { check(exponential{.moments = 9}); }, {"vanishing moments", "9"});
    expect_misuse([] { check(cubic{8}); }, {"vanishing moments", "8"});
    expect_misuse([] { check(cosine{-2}); }, {"vanishing moments", "-2"});
    expect_misuse([] { check(polynomial{1, 10}); }, {"regularity", "between 0 and 9", "10"});
    expect_misuse([] { check(polynomial{1, -1}); }, {"regularity", "-1"});
    expect_misuse([] { check(exponential{.strength = -2}); }, {"strength", "positive", "-2"});
    expect_misuse([] { check(exponential{.strength = std::nan("")}); }, {"strength", "nan"});
    expect_misuse([] { check(one_period_mean{0}); }, {"boxes", "between 1 and 8", "0"});
    expect_misuse([] { check(one_period_mean{9}); }, {"boxes", "9"});
    EXPECT_NO_THROW(check(polynomial{7, 9}, support::forward));
}

TEST(Kernels, CheckThemselvesWhereverTheyAreUsed) {
    polynomial const wrong{8, 3};
    expect_misuse([&] { static_cast<void>(value(wrong, 0)); }, {"8"});
    expect_misuse([&] { static_cast<void>(moment(wrong, 0)); }, {"8"});
    expect_misuse([&] { static_cast<void>(response(wrong, 1)); }, {"8"});
    expect_misuse([&] { static_cast<void>(weights(wrong, 40)); }, {"8"});
}

TEST(Kernels, RefuseOneSidedOnePeriodMeans) {
    for (auto const side : {support::forward, support::backward})
        expect_misuse([&] { static_cast<void>(weights(one_period_mean{}, 40, side)); }, {"centre", "polynomial"});
}

TEST(Kernels, RefuseAOneSidedCubicWithMomentsThatItsShapeCannotHave) {
    for (int const moments : {1, 2}) {
        expect_misuse([=] { static_cast<void>(weights(cubic{moments}, 40, support::forward)); },
                      {"one-sided", std::to_string(moments) + " vanishing"});
        EXPECT_NO_THROW(static_cast<void>(weights(cubic{moments}, 40)));
    }
}

TEST(Kernels, RefuseGridsThatCannotCarryThem) {
    expect_misuse([] { static_cast<void>(weights(exponential{}, 41)); }, {"even", "41"});
    expect_misuse([] { static_cast<void>(weights(exponential{}, 0)); }, {"positive", "0"});
    expect_misuse([] { static_cast<void>(weights(exponential{}, -4, support::forward)); }, {"positive", "-4"});
    expect_misuse([] { static_cast<void>(weights(polynomial{7, 3}, 6)); }, {"6 steps", "7 vanishing moments"});
    expect_misuse([] { static_cast<void>(weights(one_period_mean{4}, 42)); }, {"4 periods", "42"});
    expect_misuse([] { static_cast<void>(response(exponential{}, std::nan(""))); }, {"finite", "nan"});
    // one-sided windows may have odd numbers of steps
    EXPECT_NO_THROW(static_cast<void>(weights(exponential{}, 41, support::forward)));
}

TEST(Kernels, AreListedUnderTheirNames) {
    for (kernel const& k : {kernel(exponential{}), kernel(polynomial{}), kernel(cubic{}), kernel(cosine{}),
                            kernel(one_period_mean{}), kernel(lento::chebyshev{})}) {
        auto const known = lento::kernels();
        EXPECT_EQ(std::count_if(known.begin(), known.end(), [&](auto const& each) { return each.name == name(k); }), 1)
            << name(k);
    }
}

// ---- Chebyshev's low-pass ----

std::vector<lento::chebyshev> low_passes() {
    std::vector<lento::chebyshev> all;
    for (int moments : {0, 1, 2, 3, 5, 7})
        for (double attenuation : {1e-2, 1e-4, 1e-6, 1e-10}) all.push_back({attenuation, moments});
    return all;
}

TEST(ChebyshevKernel, HasUnitMassAndVanishingMomentsOnEveryGrid) {
    for (auto const& k : low_passes())
        for (int const steps : {10, 16, 50, 400}) {
            SCOPED_TRACE(std::to_string(k.moments) + " moments, " + std::to_string(steps) + " steps");
            auto const w = weights(k, steps);
            expect_unit_mass_and_moments(on_grid(w, support::centred), k.moments);
            for (std::size_t i = 0; i < w.size(); ++i) EXPECT_EQ(w[i], w[w.size() - 1 - i]);
        }
}

TEST(ChebyshevKernel, LeavesItsAttenuationFromTheEdgeToTheSamplingRateAndMoreBefore) {
    for (auto const& k : low_passes())
        for (int const steps : {24, 150}) {
            SCOPED_TRACE(std::to_string(k.moments) + " moments, " + std::to_string(steps) + " steps, attenuation " +
                         std::to_string(k.attenuation));
            auto const w = weights(k, steps);
            double const edge = stop_band(k, steps);
            double largest = 0;
            constexpr int probes = 3000;
            for (int i = 0; i <= probes; ++i)
                largest = std::max(largest, std::abs(response(w, edge + (pi - edge) * i / probes)));
            EXPECT_NEAR(largest, k.attenuation, 1e-3 * k.attenuation + 1e-15);
            EXPECT_GT(std::abs(response(w, 0.95 * edge)), k.moments < 2 ? k.attenuation : 0);
        }
}

TEST(ChebyshevKernel, NoOtherKernelOfItsLengthAndMomentsRemovesSoMuch) {
    for (int const moments : {1, 3}) {
        lento::chebyshev const low{1e-6, moments};
        constexpr int steps = 60;
        double const edge = stop_band(low, steps);
        for (kernel const& other : {kernel(exponential{.moments = moments}), kernel(polynomial{moments, 3}),
                                    kernel(polynomial{moments, 9}), kernel(cosine{moments})}) {
            auto const w = weights(other, steps);
            double largest = 0;
            for (int i = 0; i <= 300; ++i)
                largest = std::max(largest, std::abs(response(w, edge + (pi - edge) * i / 300)));
            EXPECT_GT(largest, 2e-6) << name(other) << ", " << moments << " moments";
        }
    }
}

TEST(ChebyshevKernel, KnowsTheFewestStepsForAFrequency) {
    for (auto const& k : low_passes())
        for (double const angle : {0.05, 0.3, 1.2}) {
            int const steps = steps_to_stop(k, angle);
            EXPECT_EQ(steps % 2, 0);
            EXPECT_LE(stop_band(k, steps), angle);
            if (steps / 2 - 1 > k.moments / 2) { EXPECT_GT(stop_band(k, steps - 2), angle); }
        }
}

TEST(ChebyshevKernel, RefusesWhatItIsNotMadeFor) {
    auto const message = [](auto const& call) -> std::string {
        try {
            (void)call();
        } catch (lento::misuse const& error) { return error.what(); }
        return {};
    };
    EXPECT_NE(message([] { return weights(lento::chebyshev{.attenuation = 0}, 20); }).find("attenuation"),
              std::string::npos);
    EXPECT_NE(message([] { return weights(lento::chebyshev{.moments = 7}, 6); }).find("more steps"), std::string::npos);
    EXPECT_NE(message([] { return weights(lento::chebyshev{}, 20, support::forward); }).find("centre"),
              std::string::npos);
    EXPECT_NE(message([] { return lento::value(lento::chebyshev{}, 0.); }).find("grid"), std::string::npos);
    EXPECT_NE(message([] { return lento::filter(lento::chebyshev{}).power(); }).find("flows"), std::string::npos);
    EXPECT_NE(message([] { return steps_to_stop(lento::chebyshev{}, 1e-4); }).find("larger steps"), std::string::npos);
}

} // namespace

// Split systems x' = f1(x)/eps + f0(x, t): the fast flow, filters, backward-forward HMM and what it refuses.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <lento/lento.hpp>
#include <lento/model/split.hpp>

namespace {

using namespace lento;
using four = std::array<double, 4>;

constexpr double pi = std::numbers::pi;

template <class V> double largest_difference(V const& a, V const& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])));
    return largest;
}

template <class System> auto rate_at(System const& system, vector_of<System> const& x) {
    auto work = system.work();
    auto out = x;
    system.rate(0, x, out, work);
    return out;
}

std::string misuse_of(auto const& action) {
    try {
        action();
    } catch (misuse const& error) { return error.what(); }
    return {};
}

// ---- the fast flow ----

std::array<double, 2> turned(linear_flow const& flow, double t, std::array<double, 2> const& x) {
    std::vector<double> values;
    std::vector<long double> scratch;
    flow.exponential(t, values, scratch);
    std::array<double, 2> y{};
    flow.apply(values, x, y);
    return y;
}

TEST(LinearFlow, TurnsASkewMatrixExactlyAlsoAfterManyTurns) {
    linear_flow const flow({{0, 3}, {-3, 0}});
    double const t = 1e6;
    auto const x = turned(flow, t, {1, 0});
    EXPECT_NEAR(x[0], static_cast<double>(std::cos(3.0L * 1e6L)), 1e-12);
    EXPECT_NEAR(x[1], -static_cast<double>(std::sin(3.0L * 1e6L)), 1e-12);
}

TEST(LinearFlow, KnowsOscillatorsThatAreNotSkewAndJordanBlocks) {
    linear_flow const oscillator({{0, 1}, {-9, 0}});
    auto const x = turned(oscillator, 0.7, {1, 2});
    EXPECT_NEAR(x[0], std::cos(2.1) + 2. / 3 * std::sin(2.1), 1e-14);
    linear_flow const drift({{0, 1}, {0, 0}});
    EXPECT_NEAR(turned(drift, 5, {1, 2})[0], 11, 1e-13);
}

TEST(LinearFlow, IsAGroupForCoupledBlocks) {
    linear_flow const flow({{0, 1, 0.3L, 0}, {-1, 0, 0, 0.2L}, {-0.3L, 0, 0, 2}, {0, -0.2L, -2, 0}});
    std::vector<double> half;
    std::vector<double> whole;
    std::vector<long double> scratch;
    flow.exponential(0.4L, half, scratch);
    flow.exponential(0.8L, whole, scratch);
    four const x = {1, -2, 0.5, 0.3};
    four once{};
    four twice{};
    four at_once{};
    flow.apply(half, x, once);
    flow.apply(half, once, twice);
    flow.apply(whole, x, at_once);
    EXPECT_LT(largest_difference(twice, at_once), 1e-14);
    EXPECT_TRUE(flow.not_oscillatory().empty());
}

TEST(LinearFlow, NamesAnEigenvalueThatDoesNotOscillate) {
    linear_flow const flow({{0.25L, 1}, {-1, 0.25L}});
    EXPECT_NE(flow.not_oscillatory().find("0.25"), std::string::npos) << flow.not_oscillatory();
}

// ---- filters ----

class EveryFilter : public testing::TestWithParam<std::pair<int, int>> {};

// docs/papers.md: 002.7
TEST_P(EveryFilter, KeepsTheMeansOfPolynomialsAndVanishesSmoothlyAtBothEnds) {
    auto const [p, q] = GetParam();
    filter const f(polynomial{.moments = p, .regularity = q});
    for (int r = 0; r <= p; ++r) {
        long double sum = 0;
        int const n = 4000; // the trapezoidal rule converges fast: the filter is flat at its ends
        for (int i = 1; i < n; ++i) {
            long double const s = static_cast<long double>(i) / n;
            sum += f.weight(s) * std::pow(s, static_cast<long double>(r)) / n;
        }
        EXPECT_NEAR(static_cast<double>(sum), 1. / (r + 1), q == 0 ? 1e-6 : 1e-9) << "moment " << r;
    }
    // K(s) ~ s^(q+1): halving s divides it by 2^(q+1)
    double const ratio = static_cast<double>(f.weight(2e-5L) / f.weight(1e-5L));
    EXPECT_NEAR(std::log2(ratio), q + 1, 0.01);
    EXPECT_NEAR(static_cast<double>(f.ramp(0.5L)), 0.5, p == 0 || p == 1 ? 1e-14 : 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Regularities, EveryFilter,
                         testing::Values(std::pair{0, 1}, std::pair{1, 1}, std::pair{1, 5}, std::pair{1, 9},
                                         std::pair{3, 2}, std::pair{5, 4}, std::pair{5, 9}));

// docs/papers.md: 002.20
TEST(Filters, LeakLikeAPowerOfTheirRegularity) {
    for (int const q : {1, 3, 5}) {
        kernel const k = polynomial{.moments = 1, .regularity = q};
        auto const envelope = [&](double radians) {
            double largest = 0;
            for (int i = 0; i < 32; ++i)
                largest = std::max(largest, std::abs(response(k, radians + 2 * pi * i / 32, support::mean)));
            return largest;
        };
        EXPECT_NEAR(std::log2(envelope(400) / envelope(800)), q + 2, 0.2) << "q = " << q;
    }
}

// docs/papers.md: 002.8
TEST(Filters, TheCosineLeaksHalfAtOneTurnAndNothingAtTwoOrThree) {
    EXPECT_NEAR(std::abs(response(cosine{}, 2 * pi, support::mean)), 0.5, 1e-12);
    EXPECT_NEAR(std::abs(response(cosine{}, 4 * pi, support::mean)), 0, 1e-12);
    EXPECT_NEAR(std::abs(response(cosine{}, 6 * pi, support::mean)), 0, 1e-12);
}

TEST(Filters, AWindowTooShortForItsRegularityIsWarnedOf) {
    auto const system = model::stellar_orbits{}.system();
    auto const warned = [&](double delta, int q) {
        auto const slow =
            effective(interaction_picture(system),
                      backward_forward{path_window{.delta = delta, .filter = polynomial{1, q}, .steps = 20}});
        return !slow.work().warnings.empty();
    };
    EXPECT_TRUE(warned(7, 5));
    EXPECT_TRUE(warned(7, 1));
    EXPECT_FALSE(warned(60, 5));
}

// ---- backward-forward ----

TEST(BackwardForward, StaysPutWithoutAPerturbation) {
    auto const still = split<2>({.epsilon = 1e-4}, linear({{0, 2}, {-2, 0}}),
                                [](auto const&, auto) { return std::array<double, 2>{}; });
    path_window const path{.delta = 20, .filter = polynomial{1, 3}, .steps = 80};
    std::array<double, 2> const x = {0.3, -0.8};
    // differences of 1e-16 are divided by delta = 2e-3
    EXPECT_LT(max_norm(rate_at(effective(still, backward_forward{path}), x)), 1e-11);
    EXPECT_LT(max_norm(rate_at(effective(interaction_picture(still), backward_forward{path}), x)), 1e-15);
}

// docs/papers.md: 002.3
TEST(BackwardForward, HasTheOrderOfItsDifferenceInDelta) {
    // e^{t} grows along every orbit alike: the path's slope is sinh(delta)/delta to second order, and so on
    auto const spiral = model::expanding_spiral{.epsilon = 1e-2}.system();
    std::array<double, 2> const x = {1, 0};
    for (int const points : {1, 2, 3}) {
        auto const error = [&](double delta) {
            auto const slow = effective(interaction_picture(spiral),
                                        backward_forward{path_window{.delta = delta, .points = points, .steps = 200}});
            return std::abs(rate_at(slow, x)[0] - 1);
        };
        EXPECT_NEAR(std::log2(error(40) / error(20)), 2 * points, 0.15) << points << " points to either side";
    }
}

// docs/papers.md: 002.4
TEST(BackwardForward, TurnsRoundWithTime) {
    model::stellar_orbits const stars{.epsilon = 1e-3};
    auto const reversed =
        split<4>({.epsilon = 1e-3}, linear({{0, -2, 0, 0}, {2, 0, 0, 0}, {0, 0, 0, -1}, {0, 0, 1, 0}}),
                 [](auto const& x, auto) { return four{0, -x[2] * x[2] / 2, 0, -2 * x[0] * x[2]}; });
    path_window const path{.delta = 40, .filter = polynomial{1, 4}, .steps = 200};
    four const x = {0.9, 0.2, 0.7, -0.4};
    auto const ahead = rate_at(effective(stars.system(), backward_forward{path}), x);
    auto back = rate_at(effective(reversed, backward_forward{path}), x);
    for (auto& component : back) component = -component;
    EXPECT_LT(largest_difference(ahead, back), 1e-10);
    EXPECT_GT(max_norm(ahead), 0.1);
}

// docs/papers.md: 002.17
TEST(BackwardForward, FollowsSlowExplicitTime) {
    // half of 2 cos(3 t) x is left of the mean over a turn: the radius is exp(sin(3 t)/3)
    auto const system = split<2>({.epsilon = 1e-4}, linear({{0, 1}, {-1, 0}}), [](auto const& x, auto t) {
        return std::array<double, 2>{2 * std::cos(3 * t) * x[0], 0};
    });
    auto const slow =
        effective(system, backward_forward{path_window{.delta = 40, .filter = polynomial{1, 4}, .steps = 400}});
    auto const run = solve(slow, rk4{.step = 0.1}, {.state = {1, 0}}, {.end = 2});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(std::hypot(run.state.back()[0], run.state.back()[1]), std::exp(std::sin(6.) / 3), 1e-4);
}

TEST(BackwardForward, DoesNotCareAboutTheFastPhaseOnceItIsFiltered) {
    // turning the start and turning the rate back changes nothing but what the filter leaves
    double const epsilon = 1e-4;
    auto const turning = interaction_picture(model::stellar_orbits{.epsilon = epsilon}.system());
    auto const defect = [&](path_window const& path) {
        auto const slow = effective(turning, backward_forward{path});
        auto work = turning.work();
        four x = {0.9, 0.2, 0.7, -0.4};
        auto const straight = rate_at(slow, x);
        turning.turn_by(1.1 * epsilon, x, work);
        auto turned = rate_at(slow, x);
        turning.turn_by(-1.1 * epsilon, turned, work);
        return largest_difference(straight, turned);
    };
    double const plain = defect({.delta = 60, .steps = 240});
    double const filtered = defect({.delta = 60, .filter = polynomial{1, 5}, .steps = 240});
    EXPECT_LT(plain, 2. / 60);
    EXPECT_LT(filtered, 0.05 * plain);
    EXPECT_LT(filtered, 3 * epsilon);
}

/// Slow variables of a backward-forward run and of a direct one at the end.
template <class System> auto slow_ends(System const& system, double end, int known) {
    auto const slow = effective(system, backward_forward{path_window{.delta = 60, .filter = polynomial{1, 5}},
                                                         dormand_prince{.rtol = 1e-8, .atol = 1e-8}});
    auto const run = solve(slow, rk4{.step = end / 20}, {.state = model::stellar_orbits::start()}, {.end = end});
    auto const direct = solve(system, dormand_prince{.rtol = 1e-9, .atol = 1e-9},
                              {.state = model::stellar_orbits::start()}, {.end = end});
    EXPECT_TRUE(run) << run.message;
    auto const found = model::stellar_orbits::slow_variables(run.state.back());
    auto const exact = model::stellar_orbits::slow_variables(direct.state.back());
    double error = 0;
    for (int i = 0; i < known; ++i)
        error = std::max(error, std::abs(found[static_cast<std::size_t>(i)] - exact[static_cast<std::size_t>(i)]));
    return std::pair{error, std::abs(exact[0] - 1)};
}

// docs/papers.md: 002.40
TEST(BackwardForward, FollowsTheSlowVariablesInResonanceAndOutOfIt) {
    // nothing tells the method which case it is in: in resonance three slow variables move, out of it two stand still
    auto const [resonant_error, resonant_change] = slow_ends(model::stellar_orbits{.epsilon = 1e-3}.system(), 3, 3);
    EXPECT_LT(resonant_error, 0.02);
    EXPECT_GT(resonant_change, 0.2);
    auto const [other_error, other_change] =
        slow_ends(model::stellar_orbits{.epsilon = 1e-3, .b = std::numbers::sqrt2}.system(), 3, 2);
    EXPECT_LT(other_error, 0.01);
    EXPECT_LT(other_change, 0.01);
}

// docs/papers.md: 002.18
TEST(BackwardForward, NeedsNoLinearFastPartAndTakesAdaptiveMacroSteps) {
    // every circle turns with a frequency of its own; the radius grows like e^t all the same. delta^2 epsilon, by which
    // the phases of the two flows drift apart, is small here.
    auto const system = split<2>(
        {.epsilon = 1e-4},
        [](auto const& x) {
            auto const frequency = 1 + x[0] * x[0] + x[1] * x[1];
            return std::array<double, 2>{-frequency * x[1], frequency * x[0]};
        },
        [](auto const& x, auto) { return std::array<double, 2>{2 * x[0], 0}; });
    auto const slow =
        effective(system, backward_forward{path_window{.delta = 20, .filter = polynomial{1, 3}, .steps = 60},
                                           fixed_dormand_prince_8{}});
    auto const run = solve(slow, dormand_prince{.rtol = 1e-4, .atol = 1e-4}, {.state = {0.5, 0}}, {.end = 0.8});
    ASSERT_TRUE(run) << run.message;
    EXPECT_NEAR(std::hypot(run.state.back()[0], run.state.back()[1]), 0.5 * std::exp(0.8), 0.01);
    EXPECT_LT(run.statistics.macro_steps, 100U);
}

TEST(BackwardForward, TwoFiltersAndARampGoBeyondFirstOrder) {
    auto const error = [](double epsilon, bool improved) {
        auto const system = model::stellar_orbits{.epsilon = epsilon}.system();
        path_window path{.delta = 60, .filter = polynomial{1, 4}, .steps = 90};
        if (improved) {
            path.extrapolate = polynomial{1, 7};
            path.ramp = true;
        }
        auto const slow = effective(interaction_picture(system), backward_forward{path});
        auto const run = solve(slow, rk4{.step = 0.1}, {.state = model::stellar_orbits::start()},
                               {.end = 2, .output_times = {2}, .report = reported_state::full});
        auto const direct = solve(system, dormand_prince_8{.rtol = 1e-11, .atol = 1e-12},
                                  {.state = model::stellar_orbits::start()}, {.end = 2});
        return largest_difference(run.state.back(), direct.state.back());
    };
    EXPECT_LT(error(2e-4, true), 0.1 * error(2e-4, false));
    EXPECT_GT(std::log2(error(4e-4, true) / error(2e-4, true)), 1.5);
}

// docs/papers.md: 002.41
TEST(BackwardForward, VerletKeepsTheEnergyOfTheSprings) {
    model::fermi_pasta_ulam<3> const fpu{.epsilon = 5e-3};
    std::vector<std::size_t> const y = {0, 1, 2};
    std::vector<std::size_t> const u = {6, 7, 8};
    auto const slow = effective(interaction_picture(frozen(fpu.system(), y)),
                                backward_forward{path_window{.delta = 6 * pi, .filter = cosine{}, .steps = 30}});
    auto const run = solve(slow, drift_kick{0.1, y, u}, {.state = fpu.start()}, {.end = 50});
    ASSERT_TRUE(run) << run.message;
    for (auto const& z : run.state) EXPECT_NEAR(fpu.energy(z), fpu.energy(fpu.start()), 0.03);
}

TEST(Flavors, ConvergesSlowlyWhereBackwardForwardIsRight) {
    model::expanding_spiral const spiral{.epsilon = 1e-4};
    auto const error = [&](double step) {
        auto const run =
            solve(spiral.system(), flavors{{.step = step, .delta = 1, .steps = 10}}, {.state = {1, 0}}, {.end = 1});
        return std::abs(std::hypot(run.state.back()[0], run.state.back()[1]) / spiral.radius(1, 1) - 1);
    };
    EXPECT_LT(error(0.01), 1e-3);
    EXPECT_LT(error(0.005), error(0.01));
}

TEST(Models, TheForcedOscillatorFollowsItsAmplitudeEquation) {
    model::forced_oscillator const oscillator{};
    auto const slow = effective(interaction_picture(oscillator.system()), picard{.points = 7});
    auto const run = solve(slow, dormand_prince{.rtol = 1e-9, .atol = 1e-10}, {.state = oscillator.start},
                           {.end = 10, .output_count = 21});
    for (std::size_t i = 0; i < run.t.size(); ++i)
        EXPECT_NEAR(std::hypot(run.state[i][0], run.state[i][1]), oscillator.amplitude(run.t[i]),
                    3 * oscillator.epsilon);
}

// docs/papers.md: 000.43
TEST(Models, CoupledOscillatorsExchangeTheirEnergy) {
    model::coupled_oscillators const pair{.epsilon = 1e-3};
    auto const slow = effective(interaction_picture(pair.system()), picard{.points = 7, .passes = 3});
    auto const run = solve(slow, rk4{.step = 0.1}, {.state = pair.start},
                           {.end = 3, .output_count = 31, .report = reported_state::full});
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        auto const exact = pair.positions(run.t[i]);
        EXPECT_NEAR(run.state[i][0], exact[0], 2e-5);
        EXPECT_NEAR(run.state[i][2], exact[1], 2e-5);
        EXPECT_NEAR(run.state[i][0] * run.state[i][0] + run.state[i][1] * run.state[i][1], pair.first_share(run.t[i]),
                    3e-3);
    }
}

// ---- what is refused ----

auto const quiet = [](auto const& x, auto) { return x; };

TEST(BadSplitting, SenselessNumbersAreNamed) {
    auto const fast = linear({{0, 1}, {-1, 0}});
    EXPECT_NE(misuse_of([&] { (void)split<2>({.epsilon = -1e-3}, fast, quiet); }).find("-0.001"), std::string::npos);
    EXPECT_NE(misuse_of([&] { (void)split<2>({.epsilon = 0}, fast, quiet); }).find("epsilon"), std::string::npos);
    EXPECT_NE(misuse_of([&] { (void)split<3>({.epsilon = 1e-3}, fast, quiet); }).find("3"), std::string::npos);
    auto const system = split<2>({.epsilon = 1e-3}, fast, quiet);
    auto const path = [&](path_window const& options) {
        return misuse_of([&] { (void)effective(system, backward_forward{options}); });
    };
    EXPECT_NE(path({.delta = -7, .steps = 10}).find("-7"), std::string::npos);
    EXPECT_NE(path({.delta = 7, .steps = 0}).find("0"), std::string::npos);
    EXPECT_NE(path({.delta = 7, .points = 9, .steps = 10}).find("9"), std::string::npos);
    EXPECT_NE(path({.delta = 7, .filter = polynomial{1, 3}, .steps = 10, .ramp = true}).find("interaction"),
              std::string::npos);
    EXPECT_NE(
        path({.delta = 7, .filter = polynomial{1, 3}, .steps = 10, .extrapolate = polynomial{1, 3}}).find("different"),
        std::string::npos);
    EXPECT_NE(misuse_of([&] { (void)effective(system, stroboscopic{{.order = 2}}); }).find("period"),
              std::string::npos);
}

TEST(BadSplitting, AFastPartThatGrowsDoesNotApply) {
    auto const system = split<2>({.epsilon = 1e-3}, linear({{0.5L, 1}, {-1, 0.5L}}), quiet);
    auto const slow =
        effective(system, backward_forward{path_window{.delta = 20, .filter = polynomial{1, 2}, .steps = 50}});
    auto const run = solve(slow, rk4{.step = 0.1}, {.state = {1, 0}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_EQ(exit_code(run.result), 5);
    EXPECT_NE(run.message.find("0.5"), std::string::npos) << run.message;
}

TEST(BadSplitting, AFunctionIsUsedInTheInteractionPictureOnlyWhenItIsLinear) {
    auto const linear_function = split<2>(
        {.epsilon = 1e-3, .period = 2 * pi}, [](auto const& x) { return std::array<double, 2>{-x[1], x[0]}; }, quiet);
    auto const turning = interaction_picture(linear_function);
    EXPECT_EQ(turning.flow().frequencies(), std::vector<double>{1});
    statistics counts;
    turning.count(turning.work(), counts);
    EXPECT_EQ(counts.force_evaluations, 4U); // two unit vectors and two tests
    auto const bent = split<2>(
        {.epsilon = 1e-3}, [](auto const& x) { return std::array<double, 2>{-x[1], x[0] * (1 + x[0] * x[0])}; }, quiet);
    EXPECT_NE(misuse_of([&] { (void)interaction_picture(bent); }).find("component 2"), std::string::npos);
}

TEST(BadSplitting, ARateThatIsNotFiniteEndsTheRunWithItsTime) {
    auto const system =
        split<2>({.epsilon = 1e-3, .period = 2 * pi}, linear({{0, 1}, {-1, 0}}),
                 [](auto const& x, auto t) { return std::array<double, 2>{x[0], t > 0.5 ? std::nan("") : x[1]}; });
    for (bool const filtered : {true, false}) {
        auto const run = filtered ? solve(effective(system, backward_forward{path_window{
                                                                .delta = 30, .filter = polynomial{1, 2}, .steps = 60}}),
                                          rk4{.step = 0.1}, {.state = {1, 0}}, {.end = 1})
                                  : solve(effective(interaction_picture(system), stroboscopic{{.steps = 8}}),
                                          rk4{.step = 0.1}, {.state = {1, 0}}, {.end = 1});
        EXPECT_EQ(run.result, outcome::non_finite);
        EXPECT_GT(run.end, 0.3);
        EXPECT_LT(run.end, 0.6);
        EXPECT_FALSE(run.t.empty());
    }
}

TEST(BadSplitting, WindowsMustBeShortAgainstTheStepAndTheRun) {
    auto const slow = effective(model::expanding_spiral{.epsilon = 1e-2}.system(),
                                backward_forward{path_window{.delta = 60, .filter = polynomial{1, 3}, .steps = 240}});
    auto const covered = solve(slow, rk4{.step = 0.1}, {.state = {1, 0}}, {.end = 1});
    EXPECT_EQ(covered.result, outcome::no_scale_separation);
    auto const longer = solve(slow, rk4{.step = 0.5}, {.state = {1, 0}}, {.end = 3});
    ASSERT_FALSE(longer.warnings.empty());
    EXPECT_EQ(longer.warnings.front().code, "window_longer_than_step");
}

} // namespace

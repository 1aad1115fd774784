// The moving spectral mean of split systems, in the interaction picture.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <lento/effective/interaction.hpp>
#include <lento/effective/path_picard.hpp>
#include <lento/model/split.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/system/split.hpp>

namespace {

using namespace lento;

// ---- systems, by epsilon ----

constexpr long double turn = 2 * std::numbers::pi_v<long double>;

struct van_der_pol {
    double epsilon;
    template <class T> [[nodiscard]] auto system() const {
        return split<2, T>({.epsilon = T(epsilon), .period = T(turn)}, linear({{0, 1}, {-1, 0}}),
                           [](auto const& x, auto) { return std::array<T, 2>{T(0), (1 - x[0] * x[0]) * x[1]}; });
    }
    template <class T> [[nodiscard]] static std::array<T, 2> start() { return {T(0.5), T(0)}; }
    static constexpr double end = 4;
};

struct one_to_two {
    double epsilon;
    template <class T> [[nodiscard]] auto system() const {
        return split<4, T>({.epsilon = T(epsilon), .period = T(turn)},
                           linear({{0, 2, 0, 0}, {-2, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, -1, 0}}), [](auto const& x, auto) {
                               return std::array<T, 4>{T(0), T(0.6) * x[2] * x[2], T(0), T(1.1) * x[0] * x[2]};
                           });
    }
    template <class T> [[nodiscard]] static std::array<T, 4> start() { return {T(1), T(0), T(0.8), T(0.3)}; }
    static constexpr double end = 6;
};

struct one_to_two_to_three {
    double epsilon;
    template <class T> [[nodiscard]] auto system() const {
        return split<6, T>({.epsilon = T(epsilon), .period = T(turn)},
                           linear({{0, 1, 0, 0, 0, 0},
                                   {-1, 0, 0, 0, 0, 0},
                                   {0, 0, 0, 2, 0, 0},
                                   {0, 0, -2, 0, 0, 0},
                                   {0, 0, 0, 0, 0, 3},
                                   {0, 0, 0, 0, -3, 0}}),
                           [](auto const& x, auto) {
                               return std::array<T, 6>{T(0), -x[0] * x[2] / 2 - x[2] * x[4],
                                                       T(0), -x[0] * x[0] / 2 - x[0] * x[4],
                                                       T(0), -x[0] * x[2] - T(0.3) * x[4] * x[4] * x[4]};
                           });
    }
    template <class T> [[nodiscard]] static std::array<T, 6> start() {
        return {T(0.8), T(0), T(0.5), T(0.3), T(-0.4), T(0.2)};
    }
    static constexpr double end = 5;
};

struct stars {
    double epsilon;
    template <class T> [[nodiscard]] auto system() const {
        return model::stellar_orbits{.epsilon = epsilon}.template system<T>();
    }
    template <class T> [[nodiscard]] static auto start() { return model::stellar_orbits::start<T>(); }
    static constexpr double end = 5;
};

struct springs {
    double epsilon;
    template <class T> [[nodiscard]] auto system() const {
        return model::fermi_pasta_ulam<3>{.epsilon = epsilon}.template system<T>();
    }
    template <class T> [[nodiscard]] static auto start() { return model::fermi_pasta_ulam<3>::symmetric_start<T>(); }
    static constexpr double end = 5;
};

/// Explicit slow time, and a force that is not a polynomial.
struct slowly_forced {
    double epsilon;
    template <class T> [[nodiscard]] auto system() const {
        return split<2, T>({.epsilon = T(epsilon), .period = T(turn)}, linear({{0, 1}, {-1, 0}}),
                           [](auto const& x, auto t) {
                               using std::cos, std::sin;
                               return std::array<T, 2>{T(0), -sin(x[0]) * (1 + sin(t) / 2) - x[1] / 10};
                           });
    }
    template <class T> [[nodiscard]] static std::array<T, 2> start() { return {T(1), T(0.2)}; }
    static constexpr double end = 5;
};

template <class Model> class SplitMovingMean : public testing::Test {};
using models = testing::Types<van_der_pol, one_to_two, one_to_two_to_three, stars, springs, slowly_forced>;
TYPED_TEST_SUITE(SplitMovingMean, models);

template <class T, class Model> auto full(Model const& of, picard const& closure, double tolerance) {
    return solve(effective(interaction_picture(of.template system<T>()), closure),
                 dormand_prince_8{.rtol = tolerance, .atol = tolerance / 10}, {Model::template start<T>()},
                 {.end = Model::end, .output_count = 4, .report = reported_state::full});
}
template <class A, class B> double distance(A const& a, B const& b) {
    double worst = 0;
    for (std::size_t k = 0; k < a.t.size(); ++k)
        for (std::size_t i = 0; i < a.state[k].size(); ++i)
            worst = std::max(worst, static_cast<double>(std::abs(a.state[k][i] - b.state[k][i])));
    return worst;
}

// ---- laws ----

/// Beside the spectral mean of order 0 with as many points as it needs.
TYPED_TEST(SplitMovingMean, LeavesAHundredthAndATenthOfAThousandthOfTheError) {
    using real = long double;
    for (double const epsilon : {0.02, 0.005}) {
        TypeParam const of{epsilon};
        auto const truth = solve(of.template system<real>(), dormand_prince_8{.rtol = 1e-14, .atol = 1e-15},
                                 {TypeParam::template start<real>()}, {.end = TypeParam::end, .output_count = 4});
        ASSERT_TRUE(truth) << truth.message;
        auto const error = [&](picard const& closure, double tolerance) {
            auto const run = full<double>(of, closure, tolerance);
            EXPECT_TRUE(run) << run.message;
            return run ? distance(run, truth) : 1;
        };
        double const plain = error({.points = 17, .passes = 3}, 1e-9);
        EXPECT_LT(error({.order = 2}, 1e-12), 1e-2 * plain) << "epsilon = " << epsilon << ", order 0: " << plain;
        EXPECT_LT(error({.order = 4}, 1e-12), 1e-4 * plain + 1e-12)
            << "epsilon = " << epsilon << ", order 0: " << plain;
    }
}

/// Where a direct solution is too dear, the orders agree to what rounding leaves.
TYPED_TEST(SplitMovingMean, AgreesWithTheNextOrderAtSmallEpsilon) {
    for (double const epsilon : {1e-3, 1e-5}) {
        TypeParam const of{epsilon};
        auto const plain = full<double>(of, {.points = 17, .passes = 3}, 1e-9);
        auto const second = full<double>(of, {.order = 2}, 1e-12);
        auto const fourth = full<double>(of, {.order = 4}, 1e-12);
        ASSERT_TRUE(second) << second.message;
        ASSERT_TRUE(fourth) << fourth.message;
        EXPECT_LT(distance(second, fourth), 1e-2 * distance(plain, fourth) + 3e-11) << "epsilon = " << epsilon;
    }
}

TYPED_TEST(SplitMovingMean, CostsTheSameAtEveryEpsilon) {
    for (int const order : {2, 4}) {
        std::vector<std::vector<std::uint64_t>> counts;
        for (double const epsilon : {1e-5, 1e-6, 1e-8}) { // the f0 of springs has harmonics of O(epsilon)
            auto const run = solve(
                effective(interaction_picture(TypeParam{epsilon}.template system<double>()), picard{.order = order}),
                rk4{.step = TypeParam::end / 20}, {TypeParam::template start<double>()},
                {.end = TypeParam::end, .output_count = 3, .report = reported_state::full});
            ASSERT_TRUE(run) << run.message;
            counts.push_back({run.statistics.force_evaluations, run.statistics.effective_evaluations});
        }
        EXPECT_EQ(counts[0], counts[1]);
        EXPECT_EQ(counts[0], counts[2]);
    }
}

TYPED_TEST(SplitMovingMean, LiftsBackWhatItLowers) {
    for (double const epsilon : {0.02, 1e-4})
        for (int const order : {2, 4}) {
            auto const slow =
                effective(interaction_picture(TypeParam{epsilon}.template system<double>()), picard{.order = order});
            auto work = slow.work();
            auto const physical = TypeParam::template start<double>();
            point<std::remove_const_t<decltype(physical)>> x{physical};
            slow.lower(0.3, x, work);
            EXPECT_NE(x.state, physical);
            slow.lift(0.3, x, work);
            for (std::size_t i = 0; i < physical.size(); ++i) EXPECT_NEAR(x.state[i], physical[i], 1e-11);
        }
}

/// Four powers of epsilon with order 2, six with order 4.
TEST(PowersOfEpsilon, AreTwoPerOrder) {
    using real = long double;
    std::vector<std::array<double, 2>> errors;
    for (double const epsilon : {0.04, 0.01}) {
        van_der_pol const of{epsilon};
        auto const truth = solve(of.system<real>(), dormand_prince_8{.rtol = 1e-16, .atol = 1e-18}, {of.start<real>()},
                                 {.end = 4, .output_count = 4});
        errors.push_back({distance(full<real>(of, {.order = 2}, 1e-15), truth),
                          distance(full<real>(of, {.order = 4}, 1e-15), truth)});
    }
    EXPECT_GT(std::log2(errors[0][0] / errors[1][0]) / 2, 3.5) << errors[0][0] << ", " << errors[1][0];
    EXPECT_GT(std::log2(errors[0][1] / errors[1][1]) / 2, 5.5) << errors[0][1] << ", " << errors[1][1];
}

TEST(MovingMeanRefuses, ARateThatIsNotSmooth) {
    auto const rubbing = split<2>({.epsilon = 1e-4, .period = 2 * std::numbers::pi}, linear({{0, 1}, {-1, 0}}),
                                  [](auto const& x, auto) { return std::array{0., x[1] > 0 ? -0.2 : 0.2}; });
    auto const run =
        solve(effective(interaction_picture(rubbing), picard{.order = 2}), rk4{.step = 0.1}, {{1., 0.}}, {.end = 1});
    EXPECT_EQ(run.result, outcome::not_applicable);
    EXPECT_NE(run.message.find("not smooth"), std::string::npos) << run.message;
    EXPECT_TRUE(
        solve(effective(interaction_picture(rubbing), picard{.points = 33}), rk4{.step = 0.1}, {{1., 0.}}, {.end = 1}));
}

} // namespace

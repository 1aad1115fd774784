// The limit of hard springs, and its corrections: exact motions, two powers of omega per order, counts that do not know
// omega, digits that omega = 1e8 does not take.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/lento.hpp>
#include <lento/model/chains.hpp>
#include <lento/model/springs.hpp>

namespace {

using namespace lento;
template <std::size_t N> using state_in = motion<std::array<double, N>>;

template <class Solution> bool warns_of(Solution const& run, std::string const& code) {
    return std::any_of(run.warnings.begin(), run.warnings.end(), [&](auto const& each) { return each.code == code; });
}
template <class Rows, class Others> double distance(Rows const& a, Others const& b) {
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
        for (std::size_t i = 0; i < a[k].size(); ++i) largest = std::max(largest, std::abs(a[k][i] - b[k][i]));
    return largest;
}
/// The slow point of a start.
template <class System, class State> State slow_point_of(System const& system, State x) {
    auto const slow = effective(system, limit{.order = 2});
    auto work = slow.work();
    slow.begin(0, x, work);
    slow.lower(0, x, work);
    EXPECT_FALSE(work.failed.happened()) << work.failed.message;
    return x;
}
/// Looked at on the way; the last point of a run is not put back under its loads.
template <class State> auto until(double end) {
    solve_options<State> options{.end = 1.05 * end};
    for (int k = 0; k <= 10; ++k) options.output_times.push_back(end * k / 10);
    return options;
}

// ---- systems without fast energy ----

constexpr auto length_of_first = [](auto const& q) {
    using std::sqrt;
    return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
};
constexpr auto length_of_second = [](auto const& q) {
    using std::sqrt;
    auto const x = q[2] - q[0];
    auto const y = q[3] - q[1];
    return sqrt(x * x + y * y) - 1.;
};

struct pendulum {
    static constexpr char const* name = "pendulum";
    static constexpr state_in<2> start{{1, 0}, {0, 0.5}};
    static auto of(double omega) {
        return stiff<2>([](auto const& q, auto) { return std::array{0.3 + 0 * q[0], -2 + 0 * q[0]}; },
                        spring{omega, length_of_first});
    }
};
struct two_springs {
    static constexpr char const* name = "two springs";
    static constexpr state_in<4> start{{1, 0, 1.6, 0.8}, {0, -0.5, 0.4, 0.3}};
    static auto of(double omega) {
        auto const weight = [](auto const& q, auto) {
            return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
        };
        return stiff<4>(weight, spring{omega, length_of_first}, spring{omega, length_of_second});
    }
};
struct hard_and_harder {
    static constexpr char const* name = "springs 1 : 3";
    static constexpr state_in<4> start = two_springs::start;
    static auto of(double omega) {
        auto const force = [](auto const& q, auto) {
            return std::array{0 * q[0], -1 + 0 * q[0], -0.5 * q[2], -1 + 0 * q[0]};
        };
        return stiff<4>(force, spring{omega, length_of_first}, spring{3 * omega, length_of_second});
    }
};
struct ellipsoid_with_drag {
    static constexpr char const* name = "ellipsoid with drag";
    static constexpr state_in<3> start{{1.5, 0.5, 0.43301270189221935}, {0, 0.6, -0.2}};
    static auto of(double omega) {
        auto const force = [](auto const& q, auto const& v, auto t) {
            using std::cos;
            return std::array{-0.5 * q[0] - 0.1 * v[0], 0.2 * cos(t) - 0.1 * v[1], -1 - 0.1 * v[2]};
        };
        return stiff<3>(with_velocity(force), spring{omega, [](auto const& q) {
                                                         return (q[0] * q[0] / 4 + q[1] * q[1] + q[2] * q[2] - 1) / 2;
                                                     }});
    }
};
struct moving_surfaces {
    static constexpr char const* name = "springs in time, full mass";
    static constexpr state_in<3> start{{1, 0.4, 0.4}, {0, 0, 0}};
    static auto of(double omega) {
        auto const force = [](auto const& q, auto t) {
            using std::sin;
            return std::array{-q[0] + 0 * t, 0 * q[1], sin(q[2])};
        };
        auto const first = [](auto const& q, auto const& t) {
            using std::sin;
            return q[0] * q[1] - q[2] - sin(t);
        };
        return stiff<3>(mass({{2., 0.5, 0.}, {0.5, 3., 0.2}, {0., 0.2, 5.}}), force, spring{omega, with_time(first)},
                        spring{2 * omega, [](auto const& q) { return q[1] + q[2] * q[2] / 4. - 0.5; }});
    }
};
/// A chain of four heavy masses with hard springs between them, of run-time size.
struct hanging_chain {
    static constexpr char const* name = "hanging chain";
    static inline motion<std::vector<double>> const start{{1, 1.6, 1.8, 1.2, 0, -0.8, -1.77, -2.57},
                                                          {0, 0, 0, 0, 0.2, 0, 0, 0.1}};
    static auto of(double omega) {
        auto const weight = [](auto const&, auto, auto& force) {
            for (std::size_t i = 0; i < 4; ++i) {
                force[i] = 0;
                force[i + 4] = -1;
            }
        };
        auto const where = [](std::size_t i) {
            return std::array{i > 0 ? i - 1 : nowhere, i > 0 ? i + 3 : nowhere, i, i + 4};
        };
        auto const stretch = [](std::size_t, auto const& q) {
            using std::sqrt;
            return sqrt((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1])) - 1.;
        };
        return stiff(dynamic(8), weight, spring{4 * omega, family<4>(4, where, stretch)});
    }
};

/// The largest error of an order against the direct motion from the slow point.
template <class Problem> double error_of(int order, double omega, double end, double rtol) {
    auto const system = Problem::of(omega);
    auto const start = slow_point_of(system, Problem::start);
    using state = std::remove_const_t<decltype(start)>;
    auto const direct =
        solve(system, dormand_prince_8{.rtol = rtol / 100, .atol = rtol / 1e3}, start, until<state>(end));
    auto const slow =
        solve(effective(system, limit{.order = order}),
              dormand_prince_8{.rtol = rtol, .atol = rtol / 100, .max_step = 0.05}, start, until<state>(end));
    EXPECT_TRUE(direct && slow) << slow.message;
    return distance(slow.position, direct.position);
}

template <class Problem> struct LimitOf : testing::Test {};
using problems =
    testing::Types<pendulum, two_springs, hard_and_harder, ellipsoid_with_drag, moving_surfaces, hanging_chain>;
TYPED_TEST_SUITE(LimitOf, problems);

TYPED_TEST(LimitOf, GainsTwoPowersOfOmegaPerOrder) {
    for (int const order : {0, 1, 2}) {
        double const few = error_of<TypeParam>(order, 100, 1.5, 1e-11);
        double const many = error_of<TypeParam>(order, 200, 1.5, 1e-11);
        double const power = std::log2(few / many);
        if (many < 1e-11) continue; // rounding of the reference
        EXPECT_GT(power, 2 * (order + 1) - 0.5) << TypeParam::name << " " << order << ": " << few << " " << many;
        EXPECT_LT(power, 2 * (order + 1) + 1.5) << TypeParam::name << " " << order << ": " << few << " " << many;
    }
}
TYPED_TEST(LimitOf, CountsTheSameAtEveryOmega) {
    for (int const order : {0, 1, 2}) {
        using state = std::remove_cvref_t<decltype(TypeParam::start)>;
        auto const counted = [&](double omega) {
            auto const run = solve(effective(TypeParam::of(omega), limit{.order = order}),
                                   dormand_prince_8{.rtol = 1e-6, .atol = 1e-9}, TypeParam::start, until<state>(2));
            EXPECT_TRUE(run) << run.message;
            return run.statistics;
        };
        auto const at = counted(1e3);
        for (double const omega : {1e5, 1e8}) {
            auto const there = counted(omega);
            EXPECT_EQ(there.force_evaluations, at.force_evaluations) << TypeParam::name << " " << order << " " << omega;
            EXPECT_EQ(there.macro_steps, at.macro_steps) << TypeParam::name << " " << order << " " << omega;
        }
    }
}
TYPED_TEST(LimitOf, LosesNoDigitsAtOmega1e8) {
    // where the limit itself is off by 1e-16
    using state = std::remove_cvref_t<decltype(TypeParam::start)>;
    auto const start = slow_point_of(TypeParam::of(1e8), TypeParam::start);
    auto const exact = solve(underlying(TypeParam::of(1).limit()), dormand_prince_8{.rtol = 1e-13, .atol = 1e-14},
                             start, until<state>(2));
    for (int const order : {0, 1, 2}) {
        auto const run =
            solve(effective(TypeParam::of(1e8), limit{.order = order}),
                  dormand_prince_8{.rtol = 1e-11, .atol = 1e-13, .max_step = 0.05}, start, until<state>(2));
        ASSERT_TRUE(run && exact) << run.message << exact.message;
        EXPECT_LT(distance(run.position, exact.position), 1e-9) << TypeParam::name << " " << order;
    }
}

} // namespace

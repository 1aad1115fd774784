// A run written down as numbers: values come back to the last bit, and what goes on from them goes on exactly.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/base/archive.hpp>
#include <lento/effective/corrected.hpp>
#include <lento/lento.hpp>
#include <lento/model/chains.hpp>
#include <lento/model/constrained.hpp>
#include <lento/model/linkage.hpp>
#include <lento/model/pendulum.hpp>
#include <lento/model/split.hpp>
#include <lento/model/springs.hpp>
#include <lento/stepper/foreign.hpp>

namespace {

using namespace lento;

// ---- values ----

template <class X> X through_numbers(X const& x, X into = {}) {
    archive made;
    made.write(x);
    archive back(made.numbers());
    back.read(into);
    EXPECT_TRUE(back.at_end());
    return into;
}

TEST(Archive, KeepsEveryBitOfADouble) {
    using limits = std::numeric_limits<double>;
    for (double const x : {0., -0., 0.1, -1e300, limits::denorm_min(), limits::max(), limits::infinity(),
                           -limits::infinity(), limits::quiet_NaN()})
        EXPECT_EQ(std::bit_cast<std::uint64_t>(through_numbers(x)), std::bit_cast<std::uint64_t>(x)) << x;
}

TEST(Archive, KeepsALongDoubleExactly) {
    using limits = std::numeric_limits<long double>;
    long double const odd = 1 + limits::epsilon();
    for (long double const x : {0.L, -0.L, 0.1L, -odd, odd * 1e-300L, odd * 1e300L, limits::min() * odd,
                                limits::denorm_min(), limits::max(), limits::infinity(), -limits::infinity()}) {
        EXPECT_EQ(through_numbers(x), x);
        EXPECT_EQ(std::signbit(through_numbers(x)), std::signbit(x));
    }
    EXPECT_TRUE(std::isnan(through_numbers(limits::quiet_NaN())));
}

TEST(Archive, KeepsWholeNumbersTextsAndLists) {
    for (std::uint64_t const x : {0UL, 1UL, (1UL << 53U) + 1, ~0UL}) EXPECT_EQ(through_numbers(x), x);
    for (int const x : {0, -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
        EXPECT_EQ(through_numbers(x), x);
    for (bool const x : {false, true}) EXPECT_EQ(through_numbers(x), x);
    EXPECT_EQ(through_numbers(outcome::not_applicable), outcome::not_applicable);
    std::string const text("the \u03b8 \0 of it", 12);
    EXPECT_EQ(through_numbers(text), text);
    std::optional<double> const none;
    EXPECT_EQ(through_numbers(none, std::optional(2.)), none);
    EXPECT_EQ(through_numbers(std::optional(3.)), 3.);
    std::vector<std::array<std::vector<double>, 2>> const lists{{{{1, 2}, {}}}, {{{3}, {4, 5, 6}}}};
    EXPECT_EQ(through_numbers(lists), lists);
    failure const told{outcome::non_finite, 0.5, "here"};
    auto const again = through_numbers(told);
    EXPECT_EQ(again.result, told.result);
    EXPECT_EQ(again.time, told.time);
    EXPECT_EQ(again.message, told.message);
}

TEST(Archive, RefusesNumbersOfSomethingElse) {
    std::vector<double> list;
    std::array<double, 2> two{};
    double one = 0;
    EXPECT_THROW(archive(std::vector<double>{}).read(one), misuse);
    EXPECT_THROW(archive({0, 3, 1, 2}).read(list), misuse);
    EXPECT_THROW(archive({0, 3, 1, 2, 4}).read(two), misuse);
    EXPECT_THROW(archive({0, 0.5}).read(list), misuse);
    EXPECT_THROW(archive({-1, 0}).read(list), misuse);
    EXPECT_THROW(archive({1e300, 0}).read(list), misuse);
    EXPECT_THROW(archive({0, std::numeric_limits<double>::quiet_NaN()}).read(list), misuse);
}

// ---- runs ----

/// A stepper at work on a system, as `solve` drives it, with steps of one length.
template <class System, class Stepper> struct journey {
    System const& system;
    Stepper const& stepper;
    state_of<System> x;
    double h;
    int steps = 0;
    work_of<System> work = system.work();
    memory_of<Stepper, System> memory = stepper.start(system);

    void begin() {
        if constexpr (requires { system.begin(0., x, work); }) system.begin(0., x, work);
        if constexpr (requires { system.lower(0., x, work); }) system.lower(0., x, work);
        stepper.prepare(system, 0., x, memory, work);
    }
    void go(int count) {
        for (int const end = steps + count; steps < end;) {
            double const t = steps * h;
            stepper.advance(system, t, h, x, memory, work);
            ++steps;
            if constexpr (requires { system.revise(t, x, work); } && !requires { Stepper::settles; })
                if (system.revise(t + h, x, work)) memory.fresh = false;
            stepper.prepare(system, t + h, x, memory, work);
        }
    }
    [[nodiscard]] std::vector<double> numbers() const {
        archive made;
        made.write(x);
        made.write(memory);
        made.write(work);
        return made.numbers();
    }
    void take(std::vector<double> const& numbers) {
        archive from(numbers);
        from.read(x);
        from.read(memory);
        from.read(work);
        EXPECT_TRUE(from.at_end());
    }
};

/// The same bits, as numbers that may be NaN.
void expect_same_bits(std::vector<double> const& a, std::vector<double> const& b, char const* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << what << ", number " << i;
}

template <class System, class Stepper> void expect_goes_on(System const& system, Stepper const& stepper,
                                                           state_of<System> const& start, double h, char const* what) {
    static_assert(storable<work_of<System>>);
    static_assert(storable<memory_of<Stepper, System>>);
    for (int const cut : {1, 13}) { // while a multistep method starts, and later
        journey<System, Stepper> whole{system, stepper, start, h};
        whole.begin();
        whole.go(cut);
        journey<System, Stepper> again{system, stepper, start, h, cut};
        again.take(whole.numbers());
        expect_same_bits(again.numbers(), whole.numbers(), what);
        whole.go(12);
        again.go(12);
        expect_same_bits(again.numbers(), whole.numbers(), what);
        EXPECT_TRUE(all_finite(whole.x)) << what;
        statistics a, b;
        system.count(whole.work, a);
        system.count(again.work, b);
        for (auto const& each : statistics::counts()) EXPECT_EQ(a.*each.member, b.*each.member) << what << each.name;
    }
}

auto swinging() {
    return plain<2>([](auto const& q, auto t) { return std::array{-sin(q[0]) + q[1], q[0] - 2 * q[1] + cos(t)}; });
}

TEST(WrittenDown, EveryStepperOfMotionsGoesOnExactly) {
    motion<std::array<double, 2>> const x{{0.3, 0.5}, {0, 1}};
    auto const expect = [&](auto const& stepper, char const* what) {
        expect_goes_on(swinging(), stepper, x, 0.05, what);
    };
    expect(verlet{}, "verlet");
    expect(symplectic_euler{}, "symplectic Euler");
    expect(rk4{}, "rk4");
    expect(fixed_dormand_prince_8{}, "dormand-prince-8");
    expect(fixed_dop853{}, "dop853");
    expect(adams{}, "adams");
    expect(adams{.order_wanted = 3}, "adams of order 3");
    expect(rkn4{}, "rkn4");
    expect(rkn8{}, "rkn8");
    expect(fixed_rkn12{}, "rkn12");
    expect(stormer6{}, "stormer6");
    expect(cowell8{}, "cowell8");
    expect(composition4{}, "composition4");
    expect(implicit_midpoint{}, "implicit midpoint");
    expect(trapezoid{}, "trapezoid");
}

TEST(WrittenDown, SteppersOverSpringsGoOnExactly) {
    auto const springs = oscillatory<2>(
        {{4, -1}, {-1, 400}}, [](auto const& q, auto) { return std::array{-q[0] * q[0] * q[0], q[0] - q[1] * q[1]}; });
    motion<std::array<double, 2>> const x{{0.3, 0.01}, {0, 0.1}};
    expect_goes_on(springs, gautschi{.step = 0.1}, x, 0.1, "gautschi");
    expect_goes_on(springs, deuflhard{.step = 0.1}, x, 0.1, "deuflhard");
    expect_goes_on(springs, impulse{.step = 0.1}, x, 0.1, "impulse");
}

TEST(WrittenDown, ConstrainedMotionsGoOnExactly) {
    auto const expect = [](auto const& system, auto const& x) {
        expect_goes_on(system, shake{}, x, 0.01, "shake");
        expect_goes_on(system, rattle{}, x, 0.01, "rattle");
        expect_goes_on(system, lobatto4{}, x, 0.01, "lobatto4");
        expect_goes_on(underlying(system), rk4{}, x, 0.01, "underlying");
    };
    expect(model::two_springs{.omega_1 = 1e3, .omega_2 = 1e3}.both_hard().limit(),
           model::two_springs::on_constraints());
    model::hanging_chain const chain{.n = 6, .g = 1};
    expect(chain.system(), motion<std::vector<double>>{chain.straight(0.5), std::vector<double>(12)});
}

TEST(WrittenDown, VibratedSystemsGoOnExactly) {
    model::vibrated_pendulum const pendulum{.omega = 1e4};
    auto const system = pendulum.system();
    motion<std::array<double, 1>> const x{{0.3}, {0.1}};
    window const forty{.periods = 40, .steps_per_period = 20};
    expect_goes_on(effective(system, asynchronous{one_period{.steps = 40}}), verlet{}, x, 0.02, "asynchronous");
    expect_goes_on(effective(system, asynchronous{forty, rk4{}}), stormer4{}, x, 0.02, "rk4 inside");
    expect_goes_on(effective(system, centred{one_period{.steps = 40}}), adams{}, x, 0.02, "centred");
    expect_goes_on(effective(system, synchronous{forty}), rk4{}, x, 0.02, "synchronous");
    expect_goes_on(effective(system, corrected{centred{one_period{.steps = 40}}}), rk4{}, x, 0.02, "corrected");
    expect_goes_on(effective(system, picard{}), rkn4{}, x, 0.02, "picard");
    expect_goes_on(effective(system, picard{.order = 2}), rk4{}, x, 0.02, "picard of order 2");
    expect_goes_on(effective(system, picard{.points = 9, .order = 4}), adams{}, x, 0.02, "picard of order 4");
    expect_goes_on(effective(system, stroboscopic{{.order = 2, .steps = 16}}), rk4{}, {{0.3, 0.1}}, 0.02,
                   "stroboscopic");
    auto const linked = model::double_pendulum(1e4);
    expect_goes_on(effective(linked.vibrated_system(), asynchronous{one_period{.steps = 40}, shake{}}), rattle{},
                   {linked.place({0.2, 0.1}), {}}, 0.01, "with constraints");
}

TEST(WrittenDown, StiffSystemsGoOnExactly) {
    double const omega = 1e3;
    double const period = 2 * std::numbers::pi / omega;
    window const view{.kernel = exponential{.moments = 3}, .length = 40 * period, .step = period / 8};
    projection_options const fast{
        .tolerance = 1e-5, .iterations = 1, .notch_steps = projection_options::fitted, .loads = 4};
    auto const expect = [&](auto const& system, auto const& x) {
        double const h = 1. / 64;
        expect_goes_on(effective(system, force_averaging{view}), rk4{}, x, h, "averaged");
        expect_goes_on(effective(system, force_averaging{view, verlet{}, projection{.every = 0.1, .drift = 0.1}}),
                       rk4{}, x, h, "averaged and projected back");
        expect_goes_on(effective(system, slow_manifold{cubic_window(omega)}), rk4{}, x, h, "slow manifold");
        expect_goes_on(effective(system, slow_manifold{cubic_window(omega), fast}), adams{}, x, h, "loads, adams");
        expect_goes_on(effective(system, slow_manifold{cubic_window(omega), fast}), rk4{}, x, h, "loads, rk4");
        for (int const order : {0, 1, 2})
            expect_goes_on(effective(system, limit{.order = order}), rk4{}, x, h, "limit");
        if (!system.are_few()) return;
        auto const energetic = effective(system, adiabatic{});
        expect_goes_on(energetic, rk4{}, energetic.extended(x), h, "adiabatic");
    };
    model::two_springs const springs{.omega_1 = omega, .omega_2 = omega};
    expect(springs.both_hard(), springs.stretched_second());
    expect_goes_on(effective(springs.both_hard(), force_averaging<verlet, long double>{view}), rk4{},
                   springs.stretched_second(), 1. / 64, "long double");
    for (std::size_t const pairs : {4U, 40U}) {
        model::alternating_chain const chain{.pairs = pairs, .omega = omega};
        expect(chain.system(), motion<std::vector<double>>{chain.mode(1), chain.mode(2)});
    }
}

TEST(WrittenDown, SplitSystemsGoOnExactly) {
    auto const stars = model::stellar_orbits{.epsilon = 1e-3}.system();
    auto const turning = interaction_picture(stars);
    point<std::array<double, 4>> const x{{1, 0, 1, 0}};
    expect_goes_on(effective(turning, stroboscopic{{.order = 2, .steps = 16}}), rk4{}, x, 0.1, "stroboscopic");
    expect_goes_on(effective(turning, picard{.points = 9}), adams{}, x, 0.1, "picard");
    expect_goes_on(effective(turning, picard{.order = 2}), adams{}, x, 0.1, "picard of order 2");
    path_window const path{.delta = 20, .filter = exponential{}, .steps = 100};
    expect_goes_on(effective(turning, backward_forward{path}), rk4{}, x, 0.1, "backward-forward");
    expect_goes_on(effective(stars, backward_forward{path}), rk4{}, x, 0.1, "backward-forward, not turned");
    expect_goes_on(stars, flavors{{.step = 0.1, .delta = 6, .steps = 60}}, x, 0.1, "flavors");
}

TEST(WrittenDown, ForeignCodesBeginAnew) {
    using system = decltype(swinging());
    EXPECT_FALSE((storable<memory_of<cvode_adams, system>>));
    EXPECT_FALSE((storable<memory_of<odeint_dormand_prince, system>>));
}

} // namespace

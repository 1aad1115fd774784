// Formulas, and other forces that bring their own scratch, as the forces of the systems of C++.

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lento/expression/expression.hpp>
#include <lento/lento.hpp>
#include <lento/system/oscillatory.hpp>
#include <lento/system/turning_force.hpp>

namespace {

using namespace lento;
using expression::compiled_formula;
using expression::engine_kind;
using expression::formula;
using vector = std::vector<double>;

std::vector<engine_kind> engines() {
    std::vector<engine_kind> all{engine_kind::bytecode};
    if (expression::llvm_is_there()) all.push_back(engine_kind::llvm);
    return all;
}

/// Formulas of coordinates (or variables), and one or more phases.
formula written(std::vector<std::string> const& coordinates, std::vector<std::string> const& texts,
                std::size_t phases = 1) {
    expression::formula_reader book;
    for (auto const& each : coordinates) book.coordinate(each);
    book.phases(phases);
    std::vector<expression::statement> all;
    for (std::size_t i = 0; i < texts.size(); ++i) all.push_back(output(i, book.scalar(texts[i])));
    return {std::make_shared<expression::graph>(book.formulas()), all, texts.size()};
}

template <class Solution> void expect_equal(Solution const& a, Solution const& b, std::string const& what) {
    EXPECT_EQ(a.result, outcome::success) << a.message << what;
    EXPECT_EQ(a.t, b.t) << what;
    if constexpr (requires { a.position; }) {
        EXPECT_EQ(a.position, b.position) << what;
        EXPECT_EQ(a.velocity, b.velocity) << what;
    } else {
        EXPECT_EQ(a.state, b.state) << what;
    }
    EXPECT_EQ(a.statistics.force_evaluations, b.statistics.force_evaluations) << what;
    EXPECT_EQ(a.statistics.micro_steps, b.statistics.micro_steps) << what;
}

// ---- the same systems with the force in C++ ----

TEST(FormulaForce, GivesTheBitsOfCxxInPlainSystems) {
    auto const by_hand = [](auto const& q, double t) {
        return std::array{-q[0] + 0.5 * (q[1] * std::cos(t)), -(q[1] * (q[0] * q[0]))};
    };
    auto const rubbed = [](auto const& q, auto const& v, double t) {
        return std::array{-q[0] - 0.1 * v[0], -q[1] + 0.5 * (v[0] * std::cos(t))};
    };
    auto const free = written({"x", "y"}, {"-x + 0.5*y*cos(t)", "-y*x^2"});
    auto const damped = written({"x", "y"}, {"-x - 0.1*x'", "-y + 0.5*x'*cos(t)"});
    for (auto const engine : engines()) {
        auto const force = free.compile(engine), friction = damped.compile(engine);
        solve_options<motion<std::array<double, 2>>> const options{.end = 3, .output_count = 4};
        motion<std::array<double, 2>> const start{{1, 0.5}, {0, 0.3}};
        for (auto const& masses : {std::vector<double>{1, 1}, {2, 0.7}}) {
            expect_equal(solve(plain<2>(mass(masses), by_hand), rk4{.step = 0.01}, start, options),
                         solve(plain<2>(mass(masses), force), rk4{.step = 0.01}, start, options), "in registers");
            expect_equal(solve(plain<2>(mass(masses), with_velocity(rubbed)), dormand_prince{}, start, options),
                         solve(plain<2>(mass(masses), with_velocity(friction)), dormand_prince{}, start, options),
                         "with friction");
        }
        auto const in_arrays = solve(plain<2>(force), rk4{.step = 0.01}, start, options);
        auto const in_vectors = solve(plain(dynamic(2), any_mass(), force), rk4{.step = 0.01},
                                      motion<vector>{{1, 0.5}, {0, 0.3}}, {.end = 3, .output_count = 4});
        for (std::size_t row = 0; row < in_arrays.position.size(); ++row)
            EXPECT_EQ(in_vectors.position[row], vector(in_arrays.position[row].begin(), in_arrays.position[row].end()));
    }
}

TEST(FormulaForce, GivesTheBitsOfCxxInFirstOrderAndSplitSystems) {
    auto const turning = [](vector const& x, vector& out) { out = {x[1], -x[0]}; };
    auto const slow = [](vector const& x, double t, vector& out) { out = {0.1 * x[0], std::sin(t)}; };
    auto const fast_formula = written({"x", "y"}, {"y", "-x"}), slow_formula = written({"x", "y"}, {"0.1*x", "sin(t)"});
    point<vector> const start{{1, 0.2}};
    solve_options<point<vector>> const options{.end = 1, .output_count = 3};
    for (auto const engine : engines()) {
        auto const f1 = fast_formula.compile(engine), f0 = slow_formula.compile(engine);
        expect_equal(solve(plain_first_order(dynamic(2), slow), rk4{.step = 0.01}, start, options),
                     solve(plain_first_order(dynamic(2), f0), rk4{.step = 0.01}, start, options), "first order");
        splitting<double> const small{.epsilon = 0.01, .period = two_pi<double>};
        auto const by_hand = split(dynamic(2), small, turning, slow);
        auto const formulas = split(dynamic(2), small, f1, f0);
        expect_equal(solve(by_hand, rk4{.step = 0.001}, start, options),
                     solve(formulas, rk4{.step = 0.001}, start, options), "split");
        stroboscopic const look{strobe{.order = 2, .steps = 128}};
        expect_equal(solve(effective(by_hand, look), rk4{.step = 0.1}, start, options),
                     solve(effective(formulas, look), rk4{.step = 0.1}, start, options), "once per period");
        auto const matrix = linear({{0, 1}, {-1, 0}});
        expect_equal(solve(split(dynamic(2), small, matrix, slow), rk4{.step = 0.001}, start, options),
                     solve(split(dynamic(2), {.epsilon = 0.01}, matrix, f0).returning_after(0.01 * two_pi<double>),
                           rk4{.step = 0.001}, start, options),
                     "a matrix");
    }
}

/// Windows of compiled formulas, in one piece where the engine has it, whatever the mass and the space.
template <class Mass> void compare_windows(Mass const& mass, std::string const& what) {
    constexpr double omega = 1e3;
    auto const by_hand = [](vector const& q, double theta, double t, vector& out) {
        out = {-q[0] + 1000 * (q[1] * std::cos(theta)), -q[1] + std::sin(t)};
    };
    auto const force = written({"x", "y"}, {"-x + 1000*y*cos(theta)", "-y + sin(t)"});
    window const view{.kernel = exponential{}, .periods = 12, .steps_per_period = 20, .unchecked = true};
    motion<vector> const start{{1, 0.5}, {0, 0.3}};
    solve_options<motion<vector>> const options{.end = 0.5, .output_count = 3};
    for (auto const engine : engines()) {
        auto const run = [&](auto const& f, auto const& micro) {
            auto const system = vibrated(dynamic(2), {.frequency = omega}, mass, with_time(f));
            return solve(effective(system, asynchronous(view, micro)), verlet{.step = 0.05}, start, options);
        };
        auto const formulas = force.compile(engine);
        expect_equal(run(by_hand, verlet{}), run(formulas, verlet{}), what + " by verlet");
        expect_equal(run(by_hand, rk4{}), run(formulas, rk4{}), what + " by rk4");
    }
}
TEST(FormulaForce, GivesTheBitsOfCxxInWindowsOfEveryMass) {
    compare_windows(unit_mass{}, "of mass 1");
    compare_windows(mass(2.5), "of one mass");
    compare_windows(mass(std::vector<double>{2, 0.7}), "of two masses");
    compare_windows(mass(std::vector<std::vector<double>>{{2, 1}, {1, 2}}), "of a matrix");
    for (any_mass::form const& each :
         {any_mass::form(unit_mass{}), any_mass::form(mass(2.5)), any_mass::form(mass(std::vector<double>{2, 0.7})),
          any_mass::form(mass(std::vector<std::vector<double>>{{2, 1}, {1, 2}}))})
        compare_windows(any_mass(each, 2), "of any mass, form " + std::to_string(each.index()));
}

TEST(FormulaForce, GivesTheBitsOfCxxWithSeveralPhasesInAFixedSpace) {
    auto const by_hand = [](auto const& q, auto const& theta) {
        return std::array{100 * (q[1] * std::cos(theta[0])), -q[1] + std::sin(theta[1])};
    };
    auto const force = written({"x", "y"}, {"100*y*cos(theta1)", "-y + sin(theta2)"}, 2);
    vibration<2, double> const turning{.frequencies = {1e3, 1.4e3}};
    motion<std::array<double, 2>> const start{{1, 0.5}, {0, 0.3}};
    solve_options<motion<std::array<double, 2>>> const options{.end = 0.5, .output_count = 3};
    window const view{.kernel = exponential{}, .periods = 12, .steps_per_period = 20, .unchecked = true};
    for (auto const engine : engines())
        expect_equal(
            solve(effective(vibrated<2, 2>(turning, by_hand), centred(view)), verlet{.step = 0.05}, start, options),
            solve(effective(vibrated<2, 2>(turning, force.compile(engine)), centred(view)), verlet{.step = 0.05}, start,
                  options),
            "two phases");
}

TEST(FormulaForce, TurnsWithTheTimeWhereEveryVibrationIsResolved) {
    auto const force = written({"x"}, {"100*cos(theta1)*x - sin(theta2)"}, 2).compile(engine_kind::bytecode);
    vibration<2, double> const turning{.frequencies = {1e3, 1.4e3}, .phases = {0.1, 0.2}};
    motion<std::array<double, 1>> const start{{1}, {0}};
    solve_options<motion<std::array<double, 1>>> const options{.end = 0.05, .output_count = 3};
    expect_equal(solve(vibrated<1, 2>(turning, force), rk4{.step = 1e-4}, start, options),
                 solve(plain<1>(turning_force(force, {1e3, 1.4e3}, {0.1, 0.2})), rk4{.step = 1e-4}, start, options),
                 "as a plain system");
}

TEST(FormulaForce, IsTheSlowVelocityOfSynchronousWindows) {
    auto const by_hand = [](vector const& q, vector const& v, double theta, vector& out) {
        out = {v[0] - 20 * (std::sin(theta) * std::sin(q[0]))};
    };
    auto const map = written({"q"}, {"q' - 20*sin(theta)*sin(q)"});
    auto const system = vibrated(dynamic(1), {.frequency = 1e3}, [](vector const& q, double theta, vector& out) {
        out = {(9.8 + 4e3 * std::cos(theta)) * std::sin(q[0]) / 0.2};
    });
    window const view{.kernel = exponential{}, .periods = 12, .steps_per_period = 20, .unchecked = true};
    solve_options<motion<vector>> const options{.end = 0.5, .output_count = 3};
    for (auto const engine : engines())
        expect_equal(
            solve(effective(system, synchronous(view, by_hand)), rk4{.step = 0.05}, {{0.5}, {0}}, options),
            solve(effective(system, synchronous(view, map.compile(engine))), rk4{.step = 0.05}, {{0.5}, {0}}, options),
            "a slow velocity");
}

// ---- formulas that are shared ----

TEST(Formula, SaysWhatItUses) {
    using expression::source;
    auto const force = written({"x", "y"}, {"x*cos(theta)", "y'"});
    EXPECT_TRUE(force.uses(source::position));
    EXPECT_TRUE(force.uses(source::velocity));
    EXPECT_TRUE(force.uses(source::phase));
    EXPECT_FALSE(force.uses(source::time));
    EXPECT_FALSE(formula());
    EXPECT_TRUE(force);
}

TEST(Formula, CompilingChangesNothingThatOthersShare) {
    expression::formula_reader book;
    book.coordinate("x[1..6]");
    auto const energy = book.scalar("sum(i, 1, 5, 1/(x[i+1]-x[i])^2 + sin(x[i])/(2 + x[i+1]))");
    auto const statements = expression::gradient(book.formulas(), energy, expression::source::position, -1);
    auto const shared = std::make_shared<expression::graph const>(book.formulas());
    formula const force(shared, statements, 6);
    auto const size = shared->size();
    vector const x{0.1, 0.7, 1.1, 2.3, 2.9, 4.2};
    // as they are compiled in the formula_reader itself, among everything else
    auto& g = book.formulas();
    for (auto const engine : engines()) {
        auto const code = compile(g, make_schedule(g, unroll_short_loops(g, statements), 6), engine);
        vector expected(6), out(6);
        code->evaluate({.position = x}, expected, *code->work());
        for (int again = 0; again < 2; ++again) {
            auto const made = force.compile(engine);
            auto work = made.work();
            made({.position = x}, out, work);
            EXPECT_EQ(out, expected);
        }
    }
    EXPECT_EQ(shared->size(), size);
}

TEST(Formula, APartOfAGraphIsWhatIsNeededAndNothingElse) {
    expression::formula_reader book;
    book.coordinate("x[1..100]");
    book.scalar("sum(i, 1, 100, sin(x[i])^3)");
    std::vector<expression::statement> needed{output(0, book.scalar("sum(i, 1, 99, x[i]*x[i+1]) + cos(x[7])"))};
    auto const whole = book.formulas().needed_by(std::vector{needed[0].value});
    auto const part = book.formulas().part(needed);
    EXPECT_EQ(part.size(), whole.size());
    EXPECT_LT(part.size(), book.formulas().size());
    vector x(100);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
    double by_hand = 0;
    for (std::size_t i = 0; i < 99; ++i) by_hand += x[i] * x[i + 1];
    EXPECT_EQ(expression::evaluate<double>(part, needed[0].value, {.position = x}), by_hand + std::cos(x[6]));
}

// ---- works that are copied ----

TEST(EngineWork, ACopyGoesOnAsTheOriginalWould) {
    // about 1e6 steps an evaluation: the change to LLVM comes after a few dozen
    expression::formula_reader book;
    book.coordinate("x[1..100000]");
    auto const statements = book.assign("x[i]", "-sin(x[i]) + x[i]^3/(1 + x[i]^2)").statements;
    auto const force = formula(std::make_shared<expression::graph>(book.formulas()), statements, 100'000)
                           .compile(engine_kind::automatic);
    auto const& code = *force.code();
    vector x(100'000, 0.3), out(100'000), copied(100'000);
    expression::engine_work work(code.work());
    int before = 0;
    for (; code.function(*work) == nullptr && before < 500; ++before) {
        auto probe = work; // works that are copied at every evaluation do not put the change off
        code.evaluate({.position = x}, copied, *probe);
        work = std::move(probe);
    }
    EXPECT_EQ(before < 500, expression::llvm_is_there());
    expression::engine_work fresh(code.work());
    int alone = 0;
    for (; code.function(*fresh) == nullptr && alone < 500; ++alone) code.evaluate({.position = x}, out, *fresh);
    EXPECT_EQ(before, alone);
    EXPECT_EQ(out, copied);
}

TEST(EngineWork, CopiesShareNothing) {
    auto const force = written({"x", "y"}, {"x*y + sin(x)", "y/x"}).compile(engine_kind::bytecode);
    std::array<double, 2> const here{1, 2}, there{3, 4};
    std::array<double, 2> a{}, b{}, again{};
    auto first = force.work();
    force({.position = here}, a, first);
    auto second = first;
    force({.position = there}, b, second);
    force({.position = here}, again, first);
    EXPECT_EQ(a, again);
    EXPECT_NE(a, b);
}

TEST(EngineWork, MayOutliveItsEngine) {
    for (auto const engine : engines()) {
        auto force = std::make_unique<compiled_formula>(written({"x"}, {"sin(x)"}).compile(engine));
        auto work = force->work();
        force.reset();
        auto const copy = work;
    }
}

// ---- forces in C++ that bring their own scratch ----

/// Remembers in its work how often it was called, and what it saw.
struct remembering {
    double factor;
    struct work_type {
        std::uint64_t calls = 0;
        std::array<std::size_t, 3> sizes{};
    };
    [[nodiscard]] static work_type work() { return {}; }
    void operator()(force_point<double> const& at, std::span<double> out, work_type& work) const {
        ++work.calls;
        work.sizes = {at.position.size(), at.velocity.size(), at.phase.size()};
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = factor * at.position[i];
    }
};

template <class System> void expect_called(System const& system, std::array<std::size_t, 3> const& sizes) {
    auto work = system.work();
    auto x = origin(system);
    auto out = x.velocity;
    evaluate(system, 0.5, x, out, work);
    auto other = work;
    evaluate(system, 0.5, x, out, other);
    EXPECT_EQ(work.force.calls, 1U);
    EXPECT_EQ(other.force.calls, 2U);
    EXPECT_EQ(work.force.sizes, sizes);
}

TEST(ForceWithWork, KeepsItsScratchInTheWorkOfItsSystem) {
    remembering const f{-2};
    expect_called(plain<3>(f), {3, 0, 0});
    expect_called(plain(dynamic(3), with_velocity(f)), {3, 3, 0});
    expect_called(vibrated<3>({.frequency = 10}, f), {3, 0, 1});
    expect_called(vibrated<3>({.frequency = 10}, with_time(f)), {3, 0, 1});
    expect_called(vibrated<3, 2>({.frequencies = {10, 11}}, with_velocity(f)), {3, 3, 2});

    auto const parts = split(dynamic(2), {.epsilon = 0.1}, f, remembering{3});
    auto work = parts.work();
    vector out(2);
    parts.rate(0, {1, 2}, out, work);
    EXPECT_EQ(out, (vector{-17, -34}));
    parts.fast_rate({1, 2}, out, work);
    EXPECT_EQ(work.fast_part.calls, 2U);
    EXPECT_EQ(work.slow_part.calls, 1U);

    auto const springs = oscillatory<1>({{4}}, f);
    auto spring_work = springs.work();
    std::array<double, 1> pull{};
    springs.acceleration(0, {1}, pull, spring_work);
    EXPECT_EQ(pull[0], -6);
    EXPECT_EQ(spring_work.slow_part.calls, 1U);

    auto const rate = plain_first_order<2>(f);
    auto rate_work = rate.work();
    std::array<double, 2> moving{};
    rate.rate(0, {1, 2}, moving, rate_work);
    EXPECT_EQ(moving, (std::array<double, 2>{-2, -4}));
    EXPECT_EQ(rate_work.rate.calls, 1U);
}

/// A window in one piece that does nothing but say that it was asked.
struct with_window : remembering {
    template <class System, class Micro, class View, class State, class Memory, class Sum>
    std::uint64_t fused_window(System const&, Micro const&, View const&, double, int steps, State&, Memory&,
                               work_type& work, Sum&) const {
        work.calls = 1000;
        return 3 * static_cast<std::uint64_t>(steps);
    }
};
TEST(ForceWithWork, MayBringWindowsInOnePiece) {
    auto const system = vibrated<1>({.frequency = 100}, with_window{{-1}});
    auto const slow = effective(system, asynchronous(window{.kernel = one_period_mean{}, .steps_per_period = 10}));
    auto work = slow.work();
    std::array<double, 1> out{};
    slow.acceleration(0, {1}, out, work);
    EXPECT_GE(work.inner.force.calls, 1000U);
    EXPECT_GT(work.micro_steps, 0U);
    EXPECT_GE(work.inner.force_evaluations, 3 * work.micro_steps);
}

TEST(ForceWithWork, CostsNothingWhereThereIsNone) {
    auto const force = [](auto const& q, auto) { return -q[0]; };
    static_assert(sizeof(plain<1>(force).work()) == sizeof(std::uint64_t));
    static_assert(sizeof(vibrated<1>({.frequency = 1}, force).work()) == sizeof(std::uint64_t));
    SUCCEED();
}

} // namespace

#include <lento/solve/solve.hpp>
#include <lento/stepper/composition.hpp>
#include <lento/stepper/dop853.hpp>
#include <lento/stepper/implicit.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/nystrom_pair.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/stormer.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/plain.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

// Steppers: their order (states and dense output), geometry, adaptivity and exact costs.
namespace {

using lento::solve;
using real = long double;
using fixed_dormand_prince = lento::runge_kutta<lento::dormand_prince_method>;

// ---- problems: one type each, so that each stepper is instantiated once per problem ----

/// Kepler's problem with a push that depends on time.
struct pushed_kepler {
    template <class V, class T> V operator()(V const& q, T t) const {
        using std::cos;
        using std::sqrt;
        T const square = q[0] * q[0] + q[1] * q[1];
        T const cube = square * sqrt(square);
        return {-q[0] / cube + cos(2 * t) / 5, -q[1] / cube};
    }
    template <class T> void operator()(std::vector<T> const& q, T t, std::vector<T>& out) const {
        auto const a = (*this)(std::array<T, 2>{q[0], q[1]}, t);
        out = {a[0], a[1]};
    }
};
/// A pendulum with drag and a push: the force depends on the velocity.
struct dragged_pendulum {
    template <class V, class T> V operator()(V const& q, V const& v, T t) const {
        using std::cos;
        using std::sin;
        return {-sin(q[0]) - v[0] * v[0] * v[0] / 5 + cos(t) / 2};
    }
};
/// Lotka and Volterra's fish, with seasons: a first-order system.
struct seasonal_fish {
    template <class V, class T> V operator()(V const& x, T t) const {
        using std::sin;
        return {x[0] * (1 - x[1] + sin(t) / 4), x[1] * (x[0] - 1)};
    }
};
/// Henon and Heiles' two degrees of freedom, or a pendulum: conservative, not linear.
template <std::size_t N> struct conservative {
    template <class V, class T> V operator()(V const& q, T) const {
        using std::sin;
        if constexpr (N == 1) return {-sin(q[0])};
        else return {-q[0] - 2 * q[0] * q[1], -q[1] - q[0] * q[0] + q[1] * q[1]};
    }
};

auto const kepler = lento::plain<2, real>(pushed_kepler{});
auto const kepler_in_double = lento::plain<2>(pushed_kepler{});
auto const pendulum = lento::plain<1, real>(lento::with_velocity(dragged_pendulum{}));
auto const fish = lento::plain_first_order<2, real>(seasonal_fish{});
template <std::size_t N> auto const free_motion = lento::plain<N, real>(conservative<N>{});

template <class S> lento::state_of<S> start_of(S const&) {
    if constexpr (lento::first_order<S>) return {{1.5L, 0.75L}};
    else if constexpr (lento::vector_of<S>{}.size() == 1) return {{1}, {0.5L}};
    else return {{1, 0}, {0, 1.125L}};
}

constexpr double horizon = 2;
/// Between the points of all grids below, at many phases of their steps.
std::vector<double> const off_grid = [] {
    std::vector<double> times;
    for (int k = 0; k < 60; ++k) times.push_back((67 * k + 1) / 2048.);
    return times;
}();

template <class V> real distance(V const& a, V const& b) {
    real largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// `steps` steps with the stepper itself, without the time loop around it.
template <class S, class Stepper>
lento::state_of<S> stepped(S const& system, Stepper const& stepper, lento::state_of<S> x, real t, real h, int steps) {
    auto work = system.work();
    auto memory = stepper.start(system);
    for (int k = 0; k < steps; ++k) stepper.advance(system, t + real(k) * h, h, x, memory, work);
    return x;
}

/// The state at the off-grid times and at the end: from node to node of a grid fine enough for the stepper, and from
/// there to each time by one shorter step.
template <class S> std::vector<lento::state_of<S>> const& truth(S const& system) {
    static std::vector<lento::state_of<S>> const states = [&] {
        using stepper = std::conditional_t<lento::separable<S>, lento::rkn8, fixed_dormand_prince>;
        int const a_unit = lento::separable<S> ? 64 : 1024;
        real const h = real(1) / a_unit;
        auto times = off_grid;
        times.push_back(horizon);
        std::vector<lento::state_of<S>> found;
        auto x = start_of(system);
        int node = 0;
        for (double const t : times) {
            int const next = static_cast<int>(t * a_unit);
            x = stepped(system, stepper{}, x, node * h, h, next - node);
            node = next;
            found.push_back(stepped(system, stepper{}, x, node * h, t - node * h, 1));
        }
        return found;
    }();
    return states;
}

/// Errors in position and velocity (or in the state and 0).
struct both {
    real position = 0;
    real velocity = 0;
};
template <class State> both difference(State const& a, State const& b) {
    if constexpr (State::is_motion) return {distance(a.position, b.position), distance(a.velocity, b.velocity)};
    else return {distance(a.state, b.state), 0};
}
/// Root mean square: the maximum would depend on the phases of the steps that happen to be met.
class mean_error {
public:
    void add(both const& e) {
        sum_.position += e.position * e.position;
        sum_.velocity += e.velocity * e.velocity;
        ++count_;
    }
    [[nodiscard]] both root() const { return {std::sqrt(sum_.position / count_), std::sqrt(sum_.velocity / count_)}; }

private:
    both sum_;
    real count_ = 0;
};

/// Errors at the end of a run, in output between the steps, and in `at` between the steps.
struct errors {
    both at_end;
    both in_output;
    both in_between;
};
template <class S, class Stepper> errors errors_of(S const& system, Stepper const& stepper) {
    auto const& exact = truth(system);
    auto times = off_grid;
    times.push_back(horizon);
    auto const run = solve(system, stepper, start_of(system), {.end = horizon, .output_times = times, .dense = true});
    auto const row = [&run](std::size_t i) -> lento::state_of<S> {
        if constexpr (lento::state_of<S>::is_motion) return {run.position.at(i), run.velocity.at(i)};
        else return {run.state.at(i)};
    };
    mean_error in_output;
    mean_error in_between;
    for (std::size_t i = 0; i < off_grid.size(); ++i) {
        in_output.add(difference(row(i), exact[i]));
        in_between.add(difference(run.at(off_grid[i]), exact[i]));
    }
    return {difference(row(off_grid.size()), exact.back()), in_output.root(), in_between.root()};
}

/// The order that two errors show, the second at half the step.
double shown_order(real coarse, real fine) { return static_cast<double>(std::log2(coarse / fine)); }

void expect_order_in(char const* what, int order, both const& coarse, both const& fine, double below, double above) {
    for (auto const part : {&both::position, &both::velocity}) {
        if (coarse.*part == 0 && fine.*part == 0) continue; // first-order systems have no velocity
        double const shown = shown_order(coarse.*part, fine.*part);
        EXPECT_GT(shown, order - below) << what << (part == &both::position ? ", position" : ", velocity");
        EXPECT_LT(shown, order + above) << what << (part == &both::position ? ", position" : ", velocity");
    }
}
void expect_order_of(errors const& coarse, errors const& fine, int order, double within) {
    expect_order_in("at the end", order, coarse.at_end, fine.at_end, within, within);
    // interpolation may be better than the method for a while, never worse
    expect_order_in("in output between steps", order, coarse.in_output, fine.in_output, within, 1.5);
    expect_order_in("in at(t)", order, coarse.in_between, fine.in_between, within, 1.5);
    // and it is as accurate as the method up to a modest factor
    real const method = std::max(fine.at_end.position, fine.at_end.velocity);
    for (auto const& between : {fine.in_output, fine.in_between})
        EXPECT_LT(std::max(between.position, between.velocity), 10 * method);
}

/// Halves the step once and compares the order with the promised one, in everything that `errors` measures.
template <class S, class Stepper> void expect_order(S const& system, Stepper stepper, double within = 0.3) {
    SCOPED_TRACE(std::string(Stepper::name) + ", step " + std::to_string(stepper.step));
    auto const coarse = errors_of(system, stepper);
    stepper.step /= 2;
    expect_order_of(coarse, errors_of(system, stepper), lento::order_of(stepper), within);
}

/// The same without what is between steps, where these are long.
template <class S, class Stepper> void expect_order_at_end(S const& system, Stepper stepper) {
    auto const coarse = errors_of(system, stepper);
    stepper.step /= 2;
    expect_order_in(Stepper::name.data(), Stepper::order, coarse.at_end, errors_of(system, stepper).at_end, 0.5, 0.5);
}

TEST(Reference, IsExactToSeventeenDigits) {
    auto const other = stepped(kepler, lento::composition8{}, start_of(kepler), 0, 1 / 128.L, 256);
    EXPECT_LT(distance(other.position, truth(kepler).back().position), 1e-17L);
    EXPECT_LT(distance(other.velocity, truth(kepler).back().velocity), 1e-17L);
}

TEST(LowOrderSteppers, ConvergeAtTheirOrder) {
    expect_order(kepler, lento::euler{.step = 1. / 64});
    expect_order(kepler, lento::symplectic_euler{.step = 1. / 64});
    expect_order(kepler, lento::midpoint{.step = 1. / 32});
    expect_order(kepler, lento::verlet{.step = 1. / 32});
    expect_order(kepler, lento::verlet{.step = 1. / 32, .fitted_to = 3});
}
TEST(RungeKutta, ConvergesAtItsOrder) {
    expect_order(kepler, lento::rk4{.step = 1. / 32});
    expect_order(kepler, fixed_dormand_prince{.step = 1. / 64});
    expect_order(kepler, lento::fixed_dormand_prince_8{.step = 1. / 8});
    expect_order(kepler, lento::fixed_dop853{.step = 1. / 16});
}
TEST(RungeKuttaNystrom, ConvergesAtItsOrder) {
    expect_order(kepler, lento::rkn4{.step = 1. / 16});
    expect_order(kepler, lento::rkn6{.step = 1. / 16});
    expect_order(kepler, lento::rkn8{.step = 1. / 8}, 0.4); // smaller steps meet the rounding of long double
}
TEST(RungeKuttaNystrom, OfOrder12ConvergesAtItsOrderAtStepsAndBetween) {
    auto const coarse = errors_of(kepler, lento::fixed_rkn12{.step = 1. / 3});
    auto const fine = errors_of(kepler, lento::fixed_rkn12{.step = 1. / 6});
    expect_order_in("at the end", 12, coarse.at_end, fine.at_end, 0.5, 1.5);
    expect_order_in("in output between steps", 12, coarse.in_output, fine.in_output, 0.5, 1.5);
    EXPECT_LT(fine.in_output.position, 3 * fine.at_end.position); // shorter steps from the beginning of each
    EXPECT_LT(fine.in_output.velocity, 3 * fine.at_end.velocity);
}
TEST(ImplicitRules, ConvergeAtTheirOrder) {
    expect_order(kepler, lento::implicit_midpoint{.step = 1. / 32});
    expect_order(kepler, lento::trapezoid{.step = 1. / 32});
    expect_order(pendulum, lento::implicit_midpoint{.step = 1. / 32});
    expect_order(fish, lento::trapezoid{.step = 1. / 32});
}
TEST(ImplicitRules, CountTheirIterationsAndWhatTheyEvaluate) {
    for (double const tolerance : {1e-6, 1e-12}) {
        auto const middle = solve(kepler, lento::implicit_midpoint{.step = 1. / 32, .tolerance = tolerance},
                                  start_of(kepler), {.end = 1, .output_times = {1}});
        EXPECT_GT(middle.statistics.newton_iterations, 2 * 32U);
        EXPECT_EQ(middle.statistics.force_evaluations, middle.statistics.newton_iterations + 32);
        auto const ends = solve(kepler, lento::trapezoid{.step = 1. / 32, .tolerance = tolerance}, start_of(kepler),
                                {.end = 1, .output_times = {1}});
        EXPECT_EQ(ends.statistics.force_evaluations, ends.statistics.newton_iterations + 1);
    }
}
TEST(ImplicitRules, SayWhenTheirIterationDoesNotConverge) {
    auto const stiff = lento::plain<1>([](auto const& q, auto) { return -1e4 * q[0]; });
    auto const middle = solve(stiff, lento::implicit_midpoint{.step = 0.1}, {.position = {1}}, {.end = 1});
    EXPECT_EQ(middle.result, lento::outcome::not_applicable);
    EXPECT_NE(middle.message.find("a step of 0.1"), std::string::npos) << middle.message;
    EXPECT_EQ(middle.end, 0);
    auto const ends = solve(stiff, lento::trapezoid{.step = 0.1}, {.position = {1}}, {.end = 1});
    EXPECT_EQ(ends.result, lento::outcome::not_applicable);
    // while a force that is not finite is called one
    auto const leaving = lento::plain<1>([](auto const& q, auto) { return std::sqrt(q[0] - 0.9) - 1; });
    auto const left = solve(leaving, lento::implicit_midpoint{.step = 0.1}, {.position = {1}}, {.end = 5});
    EXPECT_EQ(left.result, lento::outcome::non_finite) << left.message;
}
TEST(Composition, ConvergesAtItsOrder) {
    expect_order(kepler, lento::composition4{.step = 1. / 16});
    expect_order(kepler, lento::composition6{.step = 1. / 16});
    expect_order(kepler, lento::composition8{.step = 1. / 8});
}
TEST(Stormer, ConvergesAtItsOrder) {
    expect_order(kepler, lento::stormer4{.step = 1. / 64});
    expect_order(kepler, lento::stormer5{.step = 1. / 64});
    expect_order(kepler, lento::stormer6{.step = 1. / 64});
    expect_order(kepler, lento::stormer7{.step = 1. / 64});
    expect_order(kepler, lento::stormer8{.step = 1. / 64});
}

TEST(Cowell, ConvergesAtItsOrder) {
    expect_order(kepler, lento::cowell4{.step = 1. / 64});
    expect_order(kepler, lento::cowell5{.step = 1. / 64});
    expect_order(kepler, lento::cowell6{.step = 1. / 64});
    expect_order(kepler, lento::cowell7{.step = 1. / 64});
    expect_order(kepler, lento::cowell8{.step = 1. / 64}, 0.4);
}

TEST(Cowell, IsFarMoreAccurateThanStormerForTheSameWork) {
    auto const error = [](auto const& stepper) { return errors_of(kepler, stepper).at_end.position; };
    EXPECT_LT(error(lento::cowell6{.step = 1. / 64}), error(lento::stormer6{.step = 1. / 64}) / 5);
    EXPECT_LT(error(lento::cowell8{.step = 1. / 64}), error(lento::stormer8{.step = 1. / 64}) / 5);
}

TEST(ExplicitRungeKutta, ConvergesAtTheOrderOfAUsersTable) {
    // Heun's third-order method and Kutta's 3/8 rule
    lento::explicit_rk_table<double, 3> const heun{
        .a = {{{}, {1. / 3}, {0, 2. / 3}}}, .b = {1. / 4, 0, 3. / 4}, .order = 3};
    lento::explicit_rk_table<double, 4> const three_eighths{
        .a = {{{}, {1. / 3}, {-1. / 3, 1}, {1, -1, 1}}}, .b = {1. / 8, 3. / 8, 3. / 8, 1. / 8}, .order = 4};
    auto const expect = [](auto const& table) {
        auto const error = [&table](double step) {
            auto const run =
                solve(kepler_in_double, explicit_rk(table, step), {.position = {1, 0}, .velocity = {0, 1.125}},
                      {.end = horizon, .output_times = off_grid});
            real worst = 0;
            for (std::size_t i = 0; i < run.t.size(); ++i)
                for (std::size_t c = 0; c < 2; ++c)
                    worst = std::max(worst, std::abs(run.position[i][c] - truth(kepler)[i].position[c]));
            return worst;
        };
        EXPECT_NEAR(shown_order(error(1. / 64), error(1. / 128)), table.order, 0.3);
    };
    expect(heun);
    expect(three_eighths);
}

TEST(RungeKutta, ConvergesAtItsOrderOnFirstOrderSystems) {
    expect_order(fish, lento::euler{.step = 1. / 64});
    expect_order(fish, lento::midpoint{.step = 1. / 32});
    expect_order(fish, lento::rk4{.step = 1. / 32});
    expect_order(fish, fixed_dormand_prince{.step = 1. / 32});
    expect_order_at_end(fish, lento::fixed_dop853{.step = 1. / 8});
}

TEST(SteppersThatTakeThem, ConvergeAtTheirOrderOnForcesThatDependOnVelocity) {
    expect_order(pendulum, lento::euler{.step = 1. / 64});
    expect_order(pendulum, lento::symplectic_euler{.step = 1. / 64});
    expect_order(pendulum, lento::verlet{.step = 1. / 32});
    expect_order(pendulum, lento::midpoint{.step = 1. / 64});
    expect_order(pendulum, lento::rk4{.step = 1. / 32});
    expect_order(pendulum, fixed_dormand_prince{.step = 1. / 64});
    expect_order_at_end(pendulum, lento::fixed_dop853{.step = 1. / 8});
}

TEST(Verlet, FittedToAFrequencyIsExactForThatForcing) {
    double const w = 40;
    auto const forced = lento::plain<1>([w](auto const&, auto t) { return std::cos(w * t); });
    double const step = 2 * std::numbers::pi / w / 3; // three steps per period
    auto const run =
        solve(forced, lento::verlet{.step = step, .fitted_to = w}, {.position = {-1 / (w * w)}}, {.end = 1});
    ASSERT_GT(run.t.size(), 10U);
    for (std::size_t i = 0; i + 1 < run.t.size(); ++i)
        EXPECT_NEAR(run.position[i][0], -std::cos(w * run.t[i]) / (w * w), 1e-15);
    auto const plain = solve(forced, lento::verlet{.step = step}, {.position = {-1 / (w * w)}}, {.end = 1});
    EXPECT_GT(std::abs(plain.position[5][0] - run.position[5][0]), 1e-5);
}

// ---- dynamic spaces ----

auto const dynamic_kepler = lento::plain<real>(lento::dynamic(2), pushed_kepler{});

template <class Stepper> void expect_same_numbers_in_a_dynamic_space(Stepper const& stepper) {
    auto const fixed = solve(kepler, stepper, start_of(kepler), {.end = 1, .output_count = 24});
    auto const dynamic =
        solve(dynamic_kepler, stepper, {.position = {1, 0}, .velocity = {0, 1.125L}}, {.end = 1, .output_count = 24});
    SCOPED_TRACE(Stepper::name);
    ASSERT_EQ(fixed.t, dynamic.t);
    bool same = true;
    for (std::size_t i = 0; i < fixed.t.size(); ++i)
        for (std::size_t c = 0; c < 2; ++c)
            same = same && fixed.position[i][c] == dynamic.position[i][c] &&
                   fixed.velocity[i][c] == dynamic.velocity[i][c];
    EXPECT_TRUE(same);
    EXPECT_EQ(fixed.statistics.force_evaluations, dynamic.statistics.force_evaluations);
}

TEST(EveryStepper, GivesTheSameNumbersInADynamicSpace) {
    expect_same_numbers_in_a_dynamic_space(lento::symplectic_euler{.step = 1. / 40});
    expect_same_numbers_in_a_dynamic_space(lento::verlet{.step = 1. / 40});
    expect_same_numbers_in_a_dynamic_space(lento::rk4{.step = 1. / 40});
    expect_same_numbers_in_a_dynamic_space(lento::rkn8{.step = 1. / 40});
    expect_same_numbers_in_a_dynamic_space(lento::composition6{.step = 1. / 40});
    expect_same_numbers_in_a_dynamic_space(lento::stormer8{.step = 1. / 40});
    expect_same_numbers_in_a_dynamic_space(lento::dormand_prince{.rtol = 1e-8});
    expect_same_numbers_in_a_dynamic_space(lento::adaptive_rkn8{.rtol = 1e-8});
    expect_same_numbers_in_a_dynamic_space(lento::rkn12{.rtol = 1e-8});
    expect_same_numbers_in_a_dynamic_space(lento::dop853{.rtol = 1e-8});
}

// ---- geometry ----

template <std::size_t N> lento::motion<std::array<real, N>> lively_start() {
    if constexpr (N == 1) return {{1.2L}, {0.3L}};
    else return {{0.1L, 0.25L}, {0.2L, -0.1L}};
}

/// How far from its start a motion ends that goes `steps` forward and, with its velocity turned round, as many back.
template <std::size_t N, class Stepper> real return_error(Stepper const& stepper, real h, int steps) {
    auto const start = lively_start<N>();
    auto x = stepped(free_motion<N>, stepper, start, 0, h, steps);
    for (auto& v : x.velocity) v = -v;
    x = stepped(free_motion<N>, stepper, x, 0, h, steps);
    for (auto& v : x.velocity) v = -v;
    return std::max(distance(x.position, start.position), distance(x.velocity, start.velocity));
}

TEST(SymmetricSteppers, RunBackToWhereTheyStarted) {
    EXPECT_LT(return_error<1>(lento::verlet{}, 0.125L, 400), 1e-16L);
    EXPECT_LT(return_error<2>(lento::verlet{}, 0.125L, 400), 1e-16L);
    EXPECT_LT(return_error<2>(lento::verlet{.fitted_to = 2}, 0.125L, 400), 1e-16L);
    EXPECT_LT(return_error<2>(lento::composition4{}, 0.125L, 400), 1e-16L);
    EXPECT_LT(return_error<2>(lento::composition6{}, 0.125L, 400), 1e-16L);
    EXPECT_LT(return_error<2>(lento::composition8{}, 0.125L, 400), 1e-16L);
    EXPECT_LT(return_error<2>(lento::implicit_midpoint{}, 0.125L, 400), 1e-16L);
    EXPECT_LT(return_error<2>(lento::trapezoid{}, 0.125L, 400), 1e-16L);
    // while others do not
    EXPECT_GT(return_error<2>(lento::rk4{}, 0.125L, 400), 1e-8L);
    EXPECT_GT(return_error<2>(lento::symplectic_euler{}, 0.125L, 400), 1e-4L);
}

/// The largest entry of J^T Omega J - Omega, J the derivative of a few steps by central differences.
template <std::size_t N, class Stepper> real symplectic_defect(Stepper const& stepper, real h, int steps) {
    constexpr std::size_t dimension = 2 * N;
    real const shift = 1e-5L;
    std::array<std::array<real, dimension>, dimension> j{};
    auto const component = [](auto& x, std::size_t i) -> real& { return i < N ? x.position[i] : x.velocity[i - N]; };
    for (std::size_t column = 0; column < dimension; ++column) {
        auto ahead = lively_start<N>();
        auto behind = ahead;
        component(ahead, column) += shift;
        component(behind, column) -= shift;
        ahead = stepped(free_motion<N>, stepper, ahead, 0, h, steps);
        behind = stepped(free_motion<N>, stepper, behind, 0, h, steps);
        for (std::size_t row = 0; row < dimension; ++row)
            j[row][column] = (component(ahead, row) - component(behind, row)) / (2 * shift);
    }
    real worst = 0;
    for (std::size_t r = 0; r < dimension; ++r)
        for (std::size_t c = 0; c < dimension; ++c) {
            real sum = 0;
            for (std::size_t i = 0; i < N; ++i) sum += j[i][r] * j[i + N][c] - j[i + N][r] * j[i][c];
            real const omega = c == r + N ? 1 : r == c + N ? -1 : 0;
            worst = std::max(worst, std::abs(sum - omega));
        }
    return worst;
}

TEST(SymplecticSteppers, KeepTheSymplecticFormOfOneAndTwoDegreesOfFreedom) {
    auto const expect = [](auto const& stepper) {
        EXPECT_LT(symplectic_defect<1>(stepper, 0.25L, 8), 1e-8L) << stepper.name;
        EXPECT_LT(symplectic_defect<2>(stepper, 0.25L, 8), 1e-8L) << stepper.name;
    };
    expect(lento::symplectic_euler{});
    expect(lento::verlet{});
    expect(lento::verlet{.fitted_to = 3});
    expect(lento::composition4{});
    expect(lento::composition6{});
    expect(lento::composition8{});
    expect(lento::implicit_midpoint{});
}

TEST(RungeKutta, IsNotSymplectic) {
    EXPECT_GT(symplectic_defect<1>(lento::rk4{}, 0.25L, 8), 1e-6L);
    EXPECT_GT(symplectic_defect<2>(lento::rk4{}, 0.25L, 8), 1e-6L);
    EXPECT_GT(symplectic_defect<2>(lento::rkn4{}, 0.25L, 8), 1e-6L);
    EXPECT_GT(symplectic_defect<2>(lento::euler{}, 0.25L, 8), 1e-2L);
}

/// The drift of the pendulum's energy over a run (a linear fit) and how far it swings about that.
template <class Stepper> std::array<double, 2> energy_drift_and_swing(Stepper const& stepper, double end) {
    auto const swinging = lento::plain<1>(conservative<1>{});
    std::vector<double> energies;
    auto const measure = [&](double, auto const& x) {
        energies.push_back(x.velocity[0] * x.velocity[0] / 2 - std::cos(x.position[0]));
    };
    static_cast<void>(solve(swinging, stepper, {.position = {1.2}, .velocity = {0.3}},
                            {.end = end, .output_count = 1, .observer = measure}));
    auto const n = static_cast<double>(energies.size());
    double mean = 0;
    for (double const e : energies) mean += e / n;
    double top = 0;
    double bottom = 0;
    for (std::size_t i = 0; i < energies.size(); ++i) {
        double const s = (static_cast<double>(i) + 0.5) / n - 0.5;
        top += s * (energies[i] - mean);
        bottom += s * s;
    }
    auto const [low, high] = std::minmax_element(energies.begin(), energies.end());
    return {std::abs(top / bottom), *high - *low};
}

TEST(Verlet, HasNoDriftInTheEnergy) {
    auto const [drift, swing] = energy_drift_and_swing(lento::verlet{.step = 0.1}, 10'000);
    EXPECT_GT(swing, 1e-4); // it swings, so there is something to compare with
    EXPECT_LT(swing, 1e-2);
    EXPECT_LT(drift, 0.01 * swing);
    auto const [drift_of_rk4, swing_of_rk4] = energy_drift_and_swing(lento::rk4{.step = 0.1}, 10'000);
    EXPECT_GT(drift_of_rk4, 0.5 * swing_of_rk4);
}

/// Collects positions as a window would.
struct path {
    static constexpr bool wants_velocity = false;
    std::vector<double> positions;
    template <class V, class State> void operator()(int, V const&, State const& x) {
        positions.push_back(x.position[0]);
    }
};

TEST(Verlet, MarchesThroughTheSamePositionsInLeapfrogForm) {
    auto const swinging = lento::plain<1>(conservative<1>{});
    lento::verlet const stepper;
    for (double const h : {0.05, -0.05}) {
        auto work = swinging.work();
        auto memory = stepper.start(swinging);
        lento::motion<std::array<double, 1>> x{{1.2}, {0.3}};
        path taken;
        lento::take_steps(stepper, swinging, 0., h, 100, x, memory, work, taken);
        EXPECT_EQ(work.force_evaluations, 101U);
        auto again = swinging.work();
        auto fresh = stepper.start(swinging);
        lento::motion<std::array<double, 1>> y{{1.2}, {0.3}};
        for (std::size_t k = 0; k < 100; ++k) {
            stepper.advance(swinging, 0., h, y, fresh, again);
            EXPECT_NEAR(taken.positions.at(k), y.position[0], 1e-13);
        }
        EXPECT_NEAR(x.velocity[0], y.velocity[0], 1e-13);
        EXPECT_NEAR(memory.derivative()[0], fresh.derivative()[0], 1e-13);
    }
}

// ---- adaptive steps ----

TEST(DormandPrince, HasAnErrorProportionalToItsTolerance) {
    std::vector<double> logs;
    for (double const rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
        auto const run = solve(kepler_in_double, lento::dormand_prince{.rtol = rtol, .atol = rtol / 10},
                               {.position = {1, 0}, .velocity = {0, 1.125}}, {.end = horizon, .output_count = 1});
        real worst = 0;
        for (std::size_t c = 0; c < 2; ++c)
            worst = std::max(worst, std::abs(run.position[0][c] - truth(kepler).back().position[c]));
        EXPECT_LT(worst, 20 * rtol);
        EXPECT_GT(worst, rtol / 1000);
        logs.push_back(std::log10(static_cast<double>(worst)));
    }
    EXPECT_NEAR(logs.front() - logs.back(), 6, 1); // decades of error for six of tolerance
}

/// A push that comes suddenly: steps grow in the quiet, then must shrink.
struct sudden_push {
    template <class V, class T> V operator()(V const& q, T t) const {
        return {t > 5 ? 1000 * (5 - t) * q[0] : 0 * q[0]};
    }
};
auto const quiet_then_pushed = lento::plain<1>(sudden_push{});

template <class Stepper>
std::vector<double> step_lengths(Stepper const& stepper, double end, lento::statistics* counts = nullptr) {
    std::vector<double> lengths;
    double before = 0;
    auto const note = [&](double t, auto const&) {
        lengths.push_back(t - before);
        before = t;
    };
    auto const run = solve(quiet_then_pushed, stepper, {.position = {1}, .velocity = {0.1}},
                           {.end = end, .output_count = 1, .observer = note});
    EXPECT_TRUE(run) << run.message;
    if (counts != nullptr) *counts = run.statistics;
    return lengths;
}

TEST(DormandPrince, CountsRejectedSteps) {
    lento::statistics counts;
    auto const lengths = step_lengths(lento::dormand_prince{}, 8, &counts);
    EXPECT_EQ(counts.macro_steps, lengths.size());
    EXPECT_GT(counts.macro_rejected, 1U);
    EXPECT_EQ(counts.force_evaluations, 1 + 6 * (counts.macro_steps + counts.macro_rejected));
    EXPECT_EQ(counts.micro_steps, 0U);
}

TEST(DormandPrince, NeverTakesALargerStepThanAllowed) {
    auto const longest = [](auto const& lengths) { return *std::max_element(lengths.begin(), lengths.end()); };
    EXPECT_GT(longest(step_lengths(lento::dormand_prince{}, 8)), 0.5); // it would
    EXPECT_LE(longest(step_lengths(lento::dormand_prince{.max_step = 0.25}, 8)), 0.25 * (1 + 1e-12));
    EXPECT_LE(longest(step_lengths(lento::dormand_prince{.first_step = 2, .max_step = 0.25}, 8)), 0.25 * (1 + 1e-12));
}

TEST(DormandPrince, StartsWithTheStepItIsTold) {
    EXPECT_DOUBLE_EQ(step_lengths(lento::dormand_prince{.first_step = 1e-3}, 1).front(), 1e-3);
}

TEST(DormandPrince, TakesNoSmallerStepThanAllowedButTheLast) {
    // its own first guess would be a tenth of the run
    auto lengths = step_lengths(lento::dormand_prince{.min_step = 0.3}, 1);
    ASSERT_GT(lengths.size(), 1U);
    lengths.pop_back();
    EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), 0.3 * (1 - 1e-12));
}

TEST(DormandPrince, StopsWhereItNeedsASmallerStepThanAllowed) {
    auto const run = solve(quiet_then_pushed, lento::dormand_prince{.rtol = 1e-10, .min_step = 0.05},
                           {.position = {1}, .velocity = {0.1}}, {.end = 8});
    EXPECT_EQ(run.result, lento::outcome::step_too_small);
    EXPECT_LE(run.end, 5.1);
    EXPECT_GT(run.end, 4);
    EXPECT_GT(run.t.size(), 2U);
}

TEST(DormandPrince, ReachesTheEndExactlyAndForgetsTheShortLastStep) {
    auto const lengths = step_lengths(lento::dormand_prince{.max_step = 0.3}, 1);
    double sum = 0;
    for (double const h : lengths) sum += h;
    EXPECT_NEAR(sum, 1, 1e-15);
}

// ---- costs ----

TEST(EveryStepper, CostsExactlyItsEvaluations) {
    std::uint64_t const n = 32;
    auto const evaluations = [n](auto const& stepper, std::size_t rows = 7) {
        auto const run = solve(kepler, stepper, start_of(kepler), {.end = 1, .output_count = rows});
        EXPECT_EQ(run.statistics.macro_steps, n) << stepper.name;
        EXPECT_EQ(run.statistics.macro_rejected, 0U);
        return run.statistics.force_evaluations;
    };
    double const step = 1. / 32;
    EXPECT_EQ(evaluations(lento::euler{.step = step}), n);
    EXPECT_EQ(evaluations(lento::symplectic_euler{.step = step}), n);
    EXPECT_EQ(evaluations(lento::verlet{.step = step}), n + 1);
    EXPECT_EQ(evaluations(lento::midpoint{.step = step}), 2 * n);
    EXPECT_EQ(evaluations(lento::rk4{.step = step}), 4 * n);
    EXPECT_EQ(evaluations(fixed_dormand_prince{.step = step}), 6 * n + 1);
    EXPECT_EQ(evaluations(lento::rkn4{.step = step}), 3 * n);
    EXPECT_EQ(evaluations(lento::rkn6{.step = step}), 5 * n);
    EXPECT_EQ(evaluations(lento::composition4{.step = step}), 5 * n + 1);
    EXPECT_EQ(evaluations(lento::composition6{.step = step}), 9 * n + 1);
    // rows between long steps of a high order cost something: see rows.cpp
    EXPECT_EQ(evaluations(lento::rkn8{.step = step}, 2), 8 * n + 1);
    EXPECT_EQ(evaluations(lento::fixed_rkn12{.step = step}, 2), 17 * n);
    EXPECT_EQ(evaluations(lento::fixed_dop853{.step = step}, 2), 12 * n);
    EXPECT_EQ(evaluations(lento::composition8{.step = step}, 2), 17 * n + 1);
    // multistep schemes look for the fastest mode at the start: 12 iterations from one evaluation
    std::uint64_t const look = 13;
    // one per step, once the starter has given the first order - 1 points beside the initial one
    EXPECT_EQ(evaluations(lento::stormer4{.step = step}, 2), look + 1 + 3 * 3 + (n - 3));
    EXPECT_EQ(evaluations(lento::stormer5{.step = step}, 2), look + 1 + 4 * 5 + (n - 4));
    EXPECT_EQ(evaluations(lento::stormer6{.step = step}, 2), look + 1 + 5 * 5 + (n - 5));
    EXPECT_EQ(evaluations(lento::stormer7{.step = step}, 2), look + 1 + 6 * 8 + (n - 6));
    EXPECT_EQ(evaluations(lento::stormer8{.step = step}, 2), look + 1 + 7 * 8 + (n - 7));
    // Cowell's correction makes do with one point less
    EXPECT_EQ(evaluations(lento::cowell4{.step = step}, 2), look + 1 + 2 * 3 + (n - 2));
    EXPECT_EQ(evaluations(lento::cowell6{.step = step}, 2), look + 1 + 4 * 5 + (n - 4));
    EXPECT_EQ(evaluations(lento::cowell8{.step = step}, 2), look + 1 + 6 * 8 + (n - 6));
}

TEST(EveryStepper, HasItsNameOfProblemFiles) {
    EXPECT_EQ(lento::euler::name, "euler");
    EXPECT_EQ(lento::symplectic_euler::name, "symplectic-euler");
    EXPECT_EQ(lento::midpoint::name, "midpoint");
    EXPECT_EQ(lento::verlet::name, "verlet");
    EXPECT_EQ(lento::rk4::name, "rk4");
    EXPECT_EQ(lento::rkn4::name, "rkn4");
    EXPECT_EQ(lento::rkn6::name, "rkn6");
    EXPECT_EQ(lento::rkn8::name, "rkn8");
    EXPECT_EQ(lento::adaptive_rkn8::name, "rkn8");
    EXPECT_EQ(lento::rkn12::name, "rkn12");
    EXPECT_EQ(lento::dop853::name, "dop853");
    EXPECT_EQ(lento::composition4::name, "composition4");
    EXPECT_EQ(lento::composition6::name, "composition6");
    EXPECT_EQ(lento::composition8::name, "composition8");
    EXPECT_EQ(lento::stormer4::name, "stormer4");
    EXPECT_EQ(lento::stormer6::name, "stormer6");
    EXPECT_EQ(lento::stormer8::name, "stormer8");
    EXPECT_EQ(lento::cowell4::name, "cowell4");
    EXPECT_EQ(lento::cowell8::name, "cowell8");
    EXPECT_EQ(lento::dormand_prince::name, "dormand-prince");
    EXPECT_EQ(lento::implicit_midpoint::name, "implicit-midpoint");
    EXPECT_EQ(lento::trapezoid::name, "trapezoid");
}

} // namespace

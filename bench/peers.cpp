/// The vibrated pendulum of paper 001 at omega = 1e4, solved over one second by Lento and by its peers in one run:
/// right-hand sides and seconds at equal error of the slow motion. The peers, and Lento itself where it says "direct",
/// resolve every vibration.
///
/// The slow motion of a physical state is X = x - xi(X, theta), xi the oscillation of zero mean around X: `lower` of
/// Lento's effective systems. It agrees with filtering over some periods to O(1/omega^2). The truth is the slow motion
/// of a direct solution at rtol 1e-13; an error is the largest difference from it at 1,001 equidistant times. A closure
/// reports the slow motion itself; a direct solution is lowered at those times.
#include "timing.hpp"

#include <lento/lento.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#ifdef LENTO_HAS_BOOST
#include <boost/numeric/odeint.hpp>
#endif
#ifdef LENTO_HAS_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.hpp>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

namespace {

constexpr double omega = 1e4;
constexpr double end = 1;
constexpr std::size_t samples = 1001;
constexpr double start_angle = 0.5;

double acceleration(double angle, double theta) { return (9.8 + 4 * omega * std::cos(theta)) * std::sin(angle) / 0.2; }
auto vibrated_pendulum() {
    return lento::vibrated<1>({.frequency = omega},
                              [](auto const& q, auto theta) { return acceleration(q[0], theta); });
}

using grid = std::vector<double>;
using phase_point = std::array<double, 2>; ///< angle and its velocity

/// One way to solve the problem. `setting` is what its user tunes: a tolerance, or steps.
struct result {
    std::vector<phase_point> states; ///< at the asked times; fewer when the run failed
    std::uint64_t right_hand_sides = 0;
};
struct contestant {
    std::string name;
    bool slow; ///< its states are slow ones already
    std::string setting_name;
    std::vector<double> settings; ///< from cheap to dear
    std::function<result(double setting, grid const& times)> solve;
};

/// Equidistant times, both ends included.
grid equidistant(std::size_t count) {
    grid t;
    for (std::size_t i = 0; i < count; ++i) t.push_back(end * static_cast<double>(i) / static_cast<double>(count - 1));
    return t;
}

/// Makes slow states of physical ones.
void lower(std::vector<phase_point>& states, grid const& times) {
    auto const slow = lento::effective(vibrated_pendulum(), lento::picard{});
    auto work = slow.work();
    for (std::size_t i = 0; i < states.size(); ++i) {
        lento::motion<std::array<double, 1>> x{{states[i][0]}, {states[i][1]}};
        slow.lower(times[i], x, work);
        states[i] = {x.position[0], x.velocity[0]};
    }
}

// ---- Lento ----

template <class System, class Stepper>
result by_lento(System const& system, Stepper const& stepper, grid const& times) {
    auto const run = lento::solve(system, stepper, {.position = {start_angle}}, {.end = end, .output_times = times});
    result r{{}, run.statistics.force_evaluations};
    for (std::size_t i = 0; i < run.t.size(); ++i) r.states.push_back({run.position[i][0], run.velocity[i][0]});
    return r;
}
template <class Stepper> result directly(Stepper const& stepper, grid const& times) {
    return by_lento(vibrated_pendulum(), stepper, times);
}

std::vector<double> tolerances() {
    std::vector<double> list;
    for (int i = 14; i <= 44; ++i) list.push_back(std::pow(10, -0.25 * i));
    return list;
}
std::vector<double> numbers_of_steps(double from, double to, double factor) {
    std::vector<double> list;
    for (double n = from; n <= to; n = std::ceil(n * factor)) list.push_back(n);
    return list;
}

template <class Closure, class Stepper>
contestant slow_contestant(std::string name, Closure const& closure, Stepper const& stepper) {
    return {std::move(name), true, "steps", numbers_of_steps(6, 700, 1.1), [=](double n, grid const& times) {
                auto with_step = stepper;
                with_step.step = end / n;
                return by_lento(lento::effective(vibrated_pendulum(), closure), with_step, times);
            }};
}

void add_lento(std::vector<contestant>& all) {
    lento::verlet const fitted{.fitted_to = omega};
    lento::picard const spectral{.points = 4};
    all.push_back(slow_contestant("Lento, asynchronous, 80 steps, Verlet",
                                  lento::asynchronous{lento::one_period{.steps = 80}}, lento::verlet{}));
    all.push_back(slow_contestant("Lento, centred, 3 means of 8, rkn4",
                                  lento::centred{lento::one_period{.steps = 8, .boxes = 3}, fitted}, lento::rkn4{}));
    all.push_back(slow_contestant("Lento, picard of 4, Verlet", spectral, lento::verlet{}));
    all.push_back(slow_contestant("Lento, picard of 4, stormer6", spectral, lento::stormer6{}));
    all.push_back(slow_contestant("Lento, picard of 4, rkn8", spectral, lento::rkn8{}));
    all.push_back(
        {"Lento, picard of 4, Dormand-Prince", true, "rtol", tolerances(), [=](double rtol, grid const& times) {
             return by_lento(lento::effective(vibrated_pendulum(), spectral),
                             lento::dormand_prince{.rtol = rtol, .atol = rtol}, times);
         }});
    all.push_back({"Lento direct, Verlet", false, "steps", numbers_of_steps(5e4, 1e6, 1.25),
                   [](double n, grid const& times) { return directly(lento::verlet{.step = end / n}, times); }});
    all.push_back({"Lento direct, Dormand-Prince", false, "rtol", tolerances(), [](double rtol, grid const& times) {
                       return directly(lento::dormand_prince{.rtol = rtol, .atol = rtol}, times);
                   }});
}

// ---- Boost.odeint ----

#ifdef LENTO_HAS_BOOST
template <class Stepper> result by_odeint(Stepper stepper, grid const& times) {
    std::uint64_t evaluations = 0;
    auto const rate = [&](phase_point const& x, phase_point& dxdt, double t) {
        ++evaluations;
        dxdt = {x[1], acceleration(x[0], omega * t)};
    };
    std::vector<phase_point> states;
    phase_point x{start_angle, 0};
    boost::numeric::odeint::integrate_times(stepper, rate, x, times.begin(), times.end(), 1e-5,
                                            [&](phase_point const& now, double) { states.push_back(now); });
    return {std::move(states), evaluations};
}

void add_odeint(std::vector<contestant>& all) {
    namespace odeint = boost::numeric::odeint;
    using dormand_prince = odeint::runge_kutta_dopri5<phase_point>;
    using fehlberg = odeint::runge_kutta_fehlberg78<phase_point>;
    all.push_back(
        {"Boost.odeint, Dormand-Prince, controlled", false, "rtol", tolerances(), [](double rtol, grid const& times) {
             return by_odeint(odeint::make_controlled<dormand_prince>(rtol, rtol), times);
         }});
    all.push_back(
        {"Boost.odeint, Dormand-Prince, dense", false, "rtol", tolerances(), [](double rtol, grid const& times) {
             return by_odeint(odeint::make_dense_output<dormand_prince>(rtol, rtol), times);
         }});
    all.push_back(
        {"Boost.odeint, Fehlberg 7(8), controlled", false, "rtol", tolerances(), [](double rtol, grid const& times) {
             return by_odeint(odeint::make_controlled<fehlberg>(rtol, rtol), times);
         }});
}
#else
void add_odeint(std::vector<contestant>&) {}
#endif

// ---- SUNDIALS ----

#ifdef LENTO_HAS_SUNDIALS
int cvode_rate(sunrealtype t, N_Vector x, N_Vector dxdt, void*) {
    sunrealtype const* const from = N_VGetArrayPointer(x);
    sunrealtype* const to = N_VGetArrayPointer(dxdt);
    to[0] = from[1];
    to[1] = acceleration(from[0], omega * t);
    return 0;
}

result by_cvode(int method, double rtol, grid const& times) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector x = N_VNew_Serial(2, context);
    N_VGetArrayPointer(x)[0] = start_angle;
    N_VGetArrayPointer(x)[1] = 0;
    void* cvode = CVodeCreate(method, context);
    CVodeInit(cvode, cvode_rate, 0, x);
    CVodeSStolerances(cvode, rtol, rtol);
    CVodeSetMaxNumSteps(cvode, 100'000'000);
    SUNNonlinearSolver fixed_point = nullptr;
    SUNMatrix matrix = nullptr;
    SUNLinearSolver linear = nullptr;
    if (method == CV_ADAMS) {
        fixed_point = SUNNonlinSol_FixedPoint(x, 0, context);
        CVodeSetNonlinearSolver(cvode, fixed_point);
    } else {
        matrix = SUNDenseMatrix(2, 2, context);
        linear = SUNLinSol_Dense(x, matrix, context);
        CVodeSetLinearSolver(cvode, linear, matrix);
    }

    std::vector<phase_point> states{{start_angle, 0}};
    for (std::size_t i = 1; i < times.size(); ++i) {
        sunrealtype reached = 0;
        if (CVode(cvode, times[i], x, &reached, CV_NORMAL) < 0) break;
        states.push_back({N_VGetArrayPointer(x)[0], N_VGetArrayPointer(x)[1]});
    }
    long evaluations = 0;
    long for_jacobian = 0;
    CVodeGetNumRhsEvals(cvode, &evaluations);
    if (linear != nullptr) CVodeGetNumLinRhsEvals(cvode, &for_jacobian);

    CVodeFree(&cvode);
    if (fixed_point != nullptr) SUNNonlinSolFree(fixed_point);
    if (linear != nullptr) SUNLinSolFree(linear);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    N_VDestroy(x);
    SUNContext_Free(&context);
    return {std::move(states), static_cast<std::uint64_t>(evaluations + for_jacobian)};
}

void add_sundials(std::vector<contestant>& all) {
    for (auto const& [name, method] : {std::pair{"SUNDIALS CVODE, Adams", CV_ADAMS}, {"SUNDIALS CVODE, BDF", CV_BDF}})
        all.push_back({name, false, "rtol", tolerances(),
                       [method = method](double rtol, grid const& times) { return by_cvode(method, rtol, times); }});
}
#else
void add_sundials(std::vector<contestant>&) {}
#endif

// ---- the comparison ----

double error(std::vector<phase_point> const& slow, std::vector<phase_point> const& truth) {
    if (slow.size() != truth.size()) return INFINITY;
    double largest = 0;
    for (std::size_t i = 0; i < slow.size(); ++i) {
        double const difference = std::abs(slow[i][0] - truth[i][0]);
        if (!(difference <= largest)) largest = difference; // a NaN wins
    }
    return largest == largest ? largest : INFINITY;
}

struct trial {
    double setting;
    double error;
    std::uint64_t right_hand_sides;
};

/// Runs a contestant from cheap to dear settings until it is clearly better than the smallest target.
std::vector<trial> scan(contestant const& who, std::vector<phase_point> const& truth, double smallest_target) {
    auto const times = equidistant(samples);
    std::vector<trial> trials;
    for (double const setting : who.settings) {
        auto run = who.solve(setting, times);
        if (!who.slow) lower(run.states, times);
        trials.push_back({setting, error(run.states, truth), run.right_hand_sides});
        if (trials.size() > 2 && trials.back().error < smallest_target / 2) break;
    }
    return trials;
}

/// The cheapest setting from which on every dearer one that was tried keeps below the target, too: no lucky hit.
trial const* cheapest(std::vector<trial> const& trials, double target) {
    trial const* found = nullptr;
    for (auto it = trials.rbegin(); it != trials.rend() && it->error <= target; ++it) found = &*it;
    return found;
}

/// Median seconds of every contestant that reaches the target, in turn; of all others 0.
std::vector<double> measure(std::vector<contestant> const& all, std::vector<trial const*> const& found,
                            grid const& times) {
    constexpr int repetitions = 7;
    std::vector<std::vector<double>> seconds(all.size());
    for (int repetition = 0; repetition < repetitions; ++repetition)
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const work = [&] { static_cast<void>(all[i].solve(found[i]->setting, times)); };
            int const calls = found[i] != nullptr && found[i]->right_hand_sides < 20000 ? 20 : 1;
            seconds[i].push_back(found[i] == nullptr ? 0 : bench::seconds(calls, work) / calls);
        }
    std::vector<double> medians;
    for (auto const& each : seconds) medians.push_back(bench::median(each));
    return medians;
}

void print_table(std::vector<contestant> const& all, std::vector<std::vector<trial>> const& trials, double target) {
    std::vector<trial const*> found;
    for (auto const& each : trials) found.push_back(cheapest(each, target));
    auto const bare = measure(all, found, equidistant(2));
    auto const sampled = measure(all, found, equidistant(samples));

    std::printf("\nerror at most %.0e\n%-41s %15s %9s %16s %10s %14s\n", target, "", "setting", "error",
                "right-hand sides", "seconds", "1,001 outputs");
    for (std::size_t i = 0; i < all.size(); ++i) {
        char const* const name = all[i].name.c_str();
        if (found[i] != nullptr) {
            std::printf("%-41s %6s %8.3g %9.1e %16llu %10.2e %14.2e\n", name, all[i].setting_name.c_str(),
                        found[i]->setting, found[i]->error, static_cast<unsigned long long>(found[i]->right_hand_sides),
                        bare[i], sampled[i]);
        } else {
            double floor = INFINITY;
            for (auto const& each : trials[i]) floor = std::min(floor, each.error);
            std::printf("%-41s %15s %9.1e      not reached\n", name, "best", floor);
        }
    }
}

} // namespace

int main() {
    auto const times = equidistant(samples);
    auto truth = directly(lento::dormand_prince{.rtol = 1e-13, .atol = 1e-13}, times).states;
    lower(truth, times);
    constexpr std::array targets{1e-3, 1e-4};

    std::vector<contestant> all;
    add_lento(all);
    add_odeint(all);
    add_sundials(all);
    std::vector<std::vector<trial>> trials;
    for (auto const& who : all) trials.push_back(scan(who, truth, targets.back()));

    std::printf(
        "The pendulum at omega = 1e4 for one second: work for an error of the slow motion, 1,001 times compared\n");
    for (double const target : targets) print_table(all, trials, target);
    std::printf(
        "\nSettings are the cheapest of a scan from which on all tried are good enough. Right-hand sides are of the\n"
        "run with 1,001 outputs. Seconds are processor time, medians of 7 runs in turn: a run that gives the end\n"
        "only, and one that gives 1,001 states.\n");
}

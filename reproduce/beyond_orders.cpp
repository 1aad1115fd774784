// Beyond the papers: what the orders of the closures without windows leave, against the separation of the scales.

#include "reproduce/experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <lento/effective/adiabatic.hpp>
#include <lento/effective/limit.hpp>
#include <lento/lento.hpp>
#include <lento/model/pendulum.hpp>

namespace lento::reproduce {
namespace {

/// The largest difference of positions, beside the largest position; not a number where a run has failed.
template <class Run, class Truth> double distance(Run const& run, Truth const& truth) {
    if (!run || !truth) return std::nan("");
    double worst = 0;
    double size = 0;
    for (std::size_t k = 0; k < truth.t.size(); ++k)
        for (std::size_t i = 0; i < truth.position[k].size(); ++i) {
            worst = std::max(worst, std::abs(run.position[k][i] - truth.position[k][i]));
            size = std::max(size, std::abs(truth.position[k][i]));
        }
    return worst / size;
}

/// Errors of some closures over separations: a table, a panel, and the powers at which they fall.
class course {
public:
    course(report& r, figure& drawn, std::string name, std::string separation, std::vector<std::string> closures)
        : r_(r), drawn_(drawn), separation_(std::move(separation)), closures_(std::move(closures)) {
        errors_ = {.name = std::move(name), .columns = {separation_}, .rows = {}};
        errors_.columns.insert(errors_.columns.end(), closures_.begin(), closures_.end());
    }
    /// One separation. A bar of 0 is none.
    void add(double separation, std::vector<double> const& errors, std::vector<double> const& bars) {
        errors_.rows.push_back({separation});
        errors_.rows.back().insert(errors_.rows.back().end(), errors.begin(), errors.end());
        for (std::size_t i = 0; i < errors.size(); ++i) {
            auto const column = fmt::format("{} = {:.4g}", separation_, separation);
            if (bars[i] > 0) r_.bound(row(i), column, errors[i], bars[i]);
            else r_.show(row(i), column, errors[i]);
        }
    }
    /// The power at which a closure's error falls between two of the separations, at least nearly so high.
    void fall(std::size_t closure, double power, std::size_t from, std::size_t to) {
        double const falls = std::log(error(from, closure) / error(to, closure));
        double const found = falls / std::log(errors_.rows[to][0] / errors_.rows[from][0]);
        r_.bound(row(closure), "power it lacks", power - found, 0.5).note =
            fmt::format("it falls like the power {:.2f}, {} by theory", found, power);
    }
    void draw(std::string title) {
        panel made{std::move(title), {separation_, true}, {"largest error", true}, {}};
        for (auto const& each : closures_)
            made.curves.push_back({errors_.name, separation_, each, each, stroke::circles});
        drawn_.panels.push_back(std::move(made));
        r_.tables.push_back(std::move(errors_));
    }

private:
    [[nodiscard]] std::string row(std::size_t closure) const { return errors_.name + ", " + closures_[closure]; }
    [[nodiscard]] double error(std::size_t at, std::size_t closure) const { return errors_.rows[at][closure + 1]; }

    report& r_;
    figure& drawn_;
    std::string separation_;
    std::vector<std::string> closures_;
    table errors_;
};

std::vector<std::string> const moving_orders{"order 0", "order 2", "order 4"};

/// Errors of the full motion of orders 0, 2 and 4 from a physical start.
template <class System> std::vector<double> moving_errors(System const& system, state_of<System> const& start,
                                                          double end, std::size_t outputs, std::optional<int> points) {
    auto const truth =
        solve(system, dormand_prince_8{.rtol = 1e-13, .atol = 1e-15}, start, {.end = end, .output_count = outputs});
    std::vector<double> errors;
    for (int const order : {0, 2, 4})
        errors.push_back(distance(solve(effective(system, picard{.points = points, .order = order}),
                                        dormand_prince_8{.rtol = 1e-11, .atol = 1e-12}, start,
                                        {.end = end, .output_count = outputs, .report = reported_state::full}),
                                  truth));
    return errors;
}

/// Paper 001's pendulum to t = 5, with 8 points.
void vibrated_pendulum(report& r, figure& f) {
    struct bar {
        double omega, second, fourth;
    };
    course all(r, f, "vibrated pendulum", "omega", moving_orders);
    for (auto const& [omega, second, fourth] :
         {bar{200, 3e-3, 4e-4}, {500, 1e-4, 2e-6}, {1000, 8e-6, 3e-8}, {2000, 0, 0}})
        all.add(omega, moving_errors(model::vibrated_pendulum{.omega = omega}.system(), {{0.5}, {0}}, 5, 26, 8),
                {0, second, fourth});
    all.fall(0, 2, 1, 3);
    all.fall(1, 4, 1, 3);
    all.fall(2, 6, 0, 2);
    all.draw("paper 001's pendulum, t = 5");
}

/// x'' = (omega^2 q/2) cos(theta) x, Mathieu's equation, over five periods of the secular motion, whose frequency is 1.
void paul_trap(report& r, figure& f) {
    struct bar {
        double q, second, fourth;
    };
    course all(r, f, "Paul trap", "omega", moving_orders);
    for (auto const& [q, second, fourth] :
         {bar{0.3, 8e-2, 6e-3}, {0.2, 1.5e-2, 5e-4}, {0.1, 1e-3, 1e-5}, {0.05, 0, 0}, {0.03, 1e-5, 1e-8}}) {
        double const omega = 2 * std::numbers::sqrt2 / q;
        double const strength = omega * omega * q / 2;
        auto const system = vibrated<1>({.frequency = omega},
                                        [=](auto const& x, auto theta) { return strength * std::cos(theta) * x[0]; });
        all.add(omega, moving_errors(system, {{1}, {0}}, 10 * std::numbers::pi, 61, {}), {0, second, fourth});
    }
    all.fall(0, 2, 2, 4);
    all.fall(1, 4, 2, 4);
    all.fall(2, 6, 1, 3);
    all.draw("ion in a Paul trap, q = 0.3 ... 0.03, five secular periods");
}

/// Van der Pol's oscillator to t = 4 in the interaction picture, in long double.
void van_der_pol(report& r, figure& f) {
    using real = long double;
    course all(r, f, "Van der Pol", "1/epsilon", moving_orders);
    for (double const epsilon : {0.05, 0.02, 0.01, 0.005}) {
        auto const system = split<2, real>(
            {.epsilon = real(epsilon), .period = 2 * std::numbers::pi_v<real>}, linear({{0, 1}, {-1, 0}}),
            [](auto const& x, auto) { return std::array<real, 2>{0, (1 - x[0] * x[0]) * x[1]}; });
        point<std::array<real, 2>> const start{{0.5L, 0}};
        auto const truth =
            solve(system, dormand_prince_8{.rtol = 1e-17, .atol = 1e-18}, start, {.end = 4, .output_count = 5});
        std::vector<double> errors;
        for (int const order : {0, 2, 4}) {
            picard const closure{.points = order == 0 ? std::optional(17) : std::nullopt, .order = order};
            auto const run =
                solve(effective(interaction_picture(system), closure), dormand_prince_8{.rtol = 1e-16, .atol = 1e-17},
                      start, {.end = 4, .output_count = 5, .report = reported_state::full});
            double worst = run && truth ? 0 : std::nan("");
            for (std::size_t k = 0; k < run.t.size() && run; ++k)
                for (std::size_t i = 0; i < 2; ++i)
                    worst = std::max(worst, static_cast<double>(std::abs(run.state[k][i] - truth.state[k][i])));
            errors.push_back(worst);
        }
        bool const small = epsilon <= 0.02;
        all.add(1 / epsilon, errors, {0, small ? 1e-2 * errors[0] : 0, small ? 1e-4 * errors[0] : 0});
    }
    all.fall(0, 2, 1, 3);
    all.fall(1, 4, 1, 3);
    all.fall(2, 6, 0, 2); // beyond, it is 5e-15, whatever the tolerances
    all.draw("Van der Pol's oscillator, t = 4");
}

/// Times until t = 5; the last point of a run is not put back under its loads, so that it ends a little later.
template <class State> solve_options<State> to_five() {
    solve_options<State> made{.end = 5.1};
    for (int k = 0; k <= 10; ++k) made.output_times.push_back(0.5 * k);
    return made;
}

/// Two hard springs under gravity, from their slow point, and the orders of the limit.
void two_springs(report& r, figure& f) {
    course all(r, f, "two hard springs", "omega", {"order 0", "order 1", "order 2"});
    for (double const omega : {30., 100., 300., 1000.}) {
        auto const weight = [](auto const& q, auto) {
            return std::array{0 * q[0], -1 + 0 * q[0], 0 * q[0], -1 + 0 * q[0]};
        };
        auto const first = [](auto const& q) {
            using std::sqrt;
            return sqrt(q[0] * q[0] + q[1] * q[1]) - 1.;
        };
        auto const second = [](auto const& q) {
            using std::sqrt;
            return sqrt((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1])) - 1.;
        };
        auto const system = stiff<4>(weight, spring{omega, first}, spring{omega, second});
        motion<std::array<double, 4>> start{{1, 0, 1.6, 0.8}, {0, -0.5, 0.4, 0.3}};
        auto const best = effective(system, limit{.order = 2});
        auto work = best.work();
        best.begin(0, start, work);
        best.lower(0, start, work);
        auto const to = to_five<motion<std::array<double, 4>>>();
        auto const truth = solve(system, dormand_prince_8{.rtol = 1e-13, .atol = 1e-14}, start, to);
        std::vector<double> errors;
        for (int const order : {0, 1, 2})
            errors.push_back(
                distance(solve(effective(system, limit{.order = order}),
                               dormand_prince_8{.rtol = 1e-11, .atol = 1e-13, .max_step = 0.05}, start, to),
                         truth));
        all.add(omega, errors, {0, omega == 100 ? 1e-4 : omega == 1000 ? 2e-8 : 0, 0});
    }
    for (std::size_t order = 0; order < 3; ++order) all.fall(order, 2. * static_cast<double>(order + 1), 1, 2);
    all.draw("two hard springs without fast energy, t = 5");
}

/// A pendulum on a hard spring that is struck along it: the limit ignores the energy.
void struck_spring(report& r, figure& f) {
    course all(r, f, "struck spring", "omega", {"limit, order 2", "with fast energy, full motion"});
    for (double const omega : {100., 300., 1000., 3000.}) {
        auto const system = stiff<2>([](auto const& q, auto) { return std::array{0.3 + 0 * q[0], -2 + 0 * q[0]}; },
                                     spring{omega, [](auto const& q) {
                                                using std::sqrt;
                                                return (sqrt(q[0] * q[0] + q[1] * q[1]) - 1.) * (1. + q[1] / 2.);
                                            }});
        motion<std::array<double, 2>> const start{{1, 0}, {0.6, 0.5}};
        auto const truth = solve(system, dormand_prince_8{.rtol = 1e-12, .atol = 1e-13}, start,
                                 to_five<motion<std::array<double, 2>>>());
        dormand_prince_8 const stepper{.rtol = 1e-10, .atol = 1e-12, .max_step = 0.05};
        auto const slow = effective(system, adiabatic{});
        auto to = to_five<std::remove_cvref_t<decltype(slow.extended(start))>>();
        to.report = reported_state::full;
        all.add(omega,
                {distance(solve(effective(system, limit{.order = 2}), stepper, start,
                                to_five<motion<std::array<double, 2>>>()),
                          truth),
                 distance(solve(slow, stepper, slow.extended(start), to), truth)},
                {0, 0});
    }
    all.fall(1, 2, 0, 2);
    all.draw("a hard spring that is struck, t = 5");
}

} // namespace

report orders_beyond() {
    report r{.id = "beyond/orders",
             .title = "errors of the closures without windows against the separation of the scales, for all orders"};
    figure f{"beyond/orders", "every order is a straight line: two powers of the separation each", {}, 2};
    vibrated_pendulum(r, f);
    paul_trap(r, f);
    van_der_pol(r, f);
    two_springs(r, f);
    struck_spring(r, f);
    r.figures.push_back(std::move(f));
    r.remarks.emplace_back("largest errors of the positions at the output times, beside the largest position (Van der "
                           "Pol: of the state itself), against direct solutions by DP8 from the same start");
    r.remarks.emplace_back("steps are those of DP8 at rtol = 1e-11, so that the closure's own error is seen");
    return r;
}

} // namespace lento::reproduce

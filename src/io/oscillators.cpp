#include "io/oscillators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/matrix_functions.hpp"

#include <lento/system/linear_flow.hpp>
#include <lento/system/misuse.hpp>

namespace lento::detail {
namespace {

using vector = std::vector<double>;

constexpr std::size_t most = 400; // matrices are taken apart as a whole
constexpr double rounding = 1e-12;

/// Numbers between 1/2 and 3/2 without a pattern, so that nothing vanishes by accident.
vector scattered(std::size_t size, double seed) {
    vector out(size);
    for (std::size_t i = 0; i < size; ++i) {
        double const wild = 43758.5453 * std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * seed);
        out[i] = 0.5 + wild - std::floor(wild);
    }
    return out;
}

/// Places near and far, on all sides and at the start: what is linear is the same at each of them.
std::vector<vector> places(problem const& what) {
    std::vector<vector> made = {what.position};
    for (double const scale : {1., -1., 100., -100., 0.01, -0.01, 1e4, -1e4}) {
        made.push_back(scattered(what.size, 2 + scale));
        for (double& x : made.back()) x *= scale;
    }
    return made;
}

bool same(double a, double b) { return std::abs(a - b) <= rounding * (std::abs(a) + std::abs(b)); }

oscillators refused(std::string why) {
    oscillators none;
    none.lacking = std::move(why);
    return none;
}

std::string const too_large = "the stiffness matrix is taken apart as a whole, which is done for up to 400 coordinates";

// ---- stiff problems ----

/// g' at a place, by rows.
std::vector<vector> gradients(problem const& what, vector const& q) {
    auto const& springs = what.springs;
    vector parts(springs.places.size());
    springs.gradients->evaluate({.position = q, .time = what.start}, parts, *springs.gradients->work());
    std::vector<vector> rows(springs.count, vector(what.size));
    for (std::size_t k = 0; k < parts.size(); ++k) {
        auto const& [row, column] = springs.places[k];
        if (row < springs.count) rows[row][column] += parts[k];
    }
    return rows;
}

/// Where the springs pull least: the least squares of all omega_j g_j.
vector resting_place(problem const& what, std::vector<vector> const& slope, vector const& at_origin) {
    std::vector<vector> weighted = slope;
    vector wanted(slope.size());
    for (std::size_t j = 0; j < slope.size(); ++j) {
        for (double& each : weighted[j]) each *= what.omegas[j];
        wanted[j] = -what.omegas[j] * at_origin[j];
    }
    return least_squares(weighted, wanted);
}

oscillators of_stiff(problem const& what) {
    if (what.size > most) return refused(too_large);
    if (what.springs.uses_time) return refused("a spring depends on the time, so that its motion is not known exactly");
    auto const slope = gradients(what, scattered(what.size, 1));
    for (vector const& place : places(what)) {
        auto const elsewhere = gradients(what, place);
        for (std::size_t j = 0; j < slope.size(); ++j)
            for (std::size_t i = 0; i < what.size; ++i)
                if (!same(slope[j][i], elsewhere[j][i]))
                    return refused("spring " + std::to_string(j + 1) +
                                   " is not linear in the coordinates: its derivative by " + what.coordinate_name(i) +
                                   " is not constant");
    }
    oscillators made;
    std::vector<double> inverse(what.size, 1);
    bool const full = std::visit(
        [&](auto const& mass) {
            if constexpr (requires { mass.inverse(0); })
                for (std::size_t i = 0; i < what.size; ++i) inverse[i] = mass.inverse(i);
            return std::is_same_v<std::remove_cvref_t<decltype(mass)>, full_mass<double>>;
        },
        what.mass);
    if (full) return refused("the mass is a full matrix; this method takes one mass for each coordinate");
    for (double const each : inverse) made.root_mass.push_back(1 / std::sqrt(each));
    vector at_origin(slope.size());
    vector const origin(what.size);
    what.springs.values->evaluate({.position = origin, .time = what.start}, at_origin, *what.springs.values->work());
    made.rest = resting_place(what, slope, at_origin);
    made.stiffness.assign(what.size, std::vector<long double>(what.size));
    for (std::size_t j = 0; j < slope.size(); ++j)
        for (std::size_t r = 0; r < what.size; ++r)
            for (std::size_t c = 0; slope[j][r] != 0 && c < what.size; ++c)
                made.stiffness[r][c] += static_cast<long double>(what.omegas[j]) * what.omegas[j] * slope[j][r] *
                                        slope[j][c] / made.root_mass[r] / made.root_mass[c];
    return made;
}

// ---- split problems ----

/// The slow part of a split problem around a place: its values and their derivatives by differences, which are exact
/// to rounding where they are constant.
class slow_part {
public:
    explicit slow_part(problem const& what) : what_(what), work_(what.slow->work()) {}
    [[nodiscard]] vector operator()(vector const& x, double later = 0) const {
        vector out(what_.size);
        what_.slow->evaluate({.position = x, .time = what_.start + later}, out, *work_);
        return out;
    }

private:
    problem const& what_;
    std::unique_ptr<expression::engine::workspace> work_;
};

/// The one variable that the whole rate of variable i is a multiple of, or the number of variables.
std::size_t driven_by(problem const& what, std::size_t i, slow_part const& slow, double& rate) {
    vector const x = scattered(what.size, 1);
    auto const whole = [&](vector const& at, double later = 0) {
        double sum = slow(at, later)[i];
        for (std::size_t j = 0; j < what.size; ++j)
            sum += static_cast<double>(what.fast_matrix[i][j]) / what.epsilon * at[j];
        return sum;
    };
    double const here = whole(x);
    std::size_t driver = what.size;
    for (std::size_t j = 0; j < what.size; ++j) {
        vector moved = x;
        moved[j] += 0.25;
        if (whole(moved) == here) continue;
        if (driver != what.size) return what.size;
        driver = j;
    }
    if (driver == what.size || driver == i) return what.size;
    rate = here / x[driver];
    for (vector const& y : places(what))
        if (!same(whole(y, 0.37), rate * y[driver])) return what.size;
    return driver;
}

oscillators of_split(problem const& what) {
    if (what.fast_matrix.empty()) return refused("the fast part is not linear in the variables");
    if (what.size > most) return refused(too_large);
    slow_part const slow(what);
    oscillators made;
    std::vector<bool> taken(what.size);
    for (std::size_t i = 0; i < what.size; ++i) {
        double rate = 0;
        std::size_t const j = taken[i] ? what.size : driven_by(what, i, slow, rate);
        if (j == what.size || taken[j]) continue;
        taken[i] = taken[j] = true;
        made.positions.push_back(i);
        made.velocities.push_back(j);
        made.rates.push_back(rate);
    }
    auto const alone = std::find(taken.begin(), taken.end(), false);
    std::string const pairs = "this method needs variables in pairs, x' a multiple of v, and v' = -k x/epsilon and "
                              "what does not depend on any v";
    if (alone != taken.end())
        return refused(pairs + "; " + what.coordinate_name(static_cast<std::size_t>(alone - taken.begin())) +
                       " is in no such pair");
    for (vector x : places(what)) {
        vector const before = slow(x);
        for (std::size_t const v : made.velocities) x[v] = -2 * x[v] + 1;
        vector const after = slow(x);
        for (std::size_t const v : made.velocities) {
            bool depends = before[v] != after[v];
            for (std::size_t const other : made.velocities) depends = depends || what.fast_matrix[v][other] != 0;
            if (depends)
                return refused(pairs + "; the rate of " + what.coordinate_name(v) + " does depend on velocities");
        }
    }
    std::size_t const n = made.rates.size();
    made.rest.assign(n, 0);
    for (double const rate : made.rates) made.root_mass.push_back(1 / std::sqrt(std::abs(rate)));
    made.stiffness.assign(n, std::vector<long double>(n));
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) {
            long double const pull = -what.fast_matrix[made.velocities[r]][made.positions[c]] / what.epsilon;
            made.stiffness[r][c] = (made.rates[r] < 0 ? -pull : pull) / made.root_mass[r] / made.root_mass[c];
        }
    return made;
}

} // namespace

double oscillators::fastest() const {
    double largest = 0;
    linear_flow const springs(stiffness);
    for (auto const& value : springs.eigenvalues()) largest = std::max(largest, value.real());
    return std::sqrt(largest);
}

bool steps_over_springs(std::string_view method) {
    return method == "deuflhard" || method == "gautschi" || method == "impulse" || method == "mollified-impulse";
}

oscillators find_oscillators(problem const& what) {
    if (what.kind == problem_kind::split) return of_split(what);
    if (what.kind == problem_kind::stiff)
        return what.uses_velocity ? refused("the force depends on the velocity") : of_stiff(what);
    return refused("nothing says which part of the force is fast: write hard springs as the kind stiff, or the fast "
                   "part of a split system");
}

} // namespace lento::detail

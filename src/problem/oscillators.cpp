#include "problem/oscillators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/matrix_functions.hpp"

#include <lento/base/misuse.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/system/linear_flow.hpp>

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
std::vector<vector> gradients(problem const& what, stiff_kind const& kind, vector const& q) {
    auto const& springs = kind.springs;
    vector parts(springs.places.size());
    auto const slopes = springs.gradients.compile(expression::engine_kind::bytecode);
    auto work = slopes.work();
    slopes.evaluate({.position = q, .time = what.start}, parts, work);
    std::vector<vector> rows(springs.count, vector(what.size));
    for (std::size_t k = 0; k < parts.size(); ++k) {
        auto const& [row, column] = springs.places[k];
        if (row < springs.count) rows[row][column] += parts[k];
    }
    return rows;
}

/// Where the springs pull least: the least squares of all omega_j g_j.
vector resting_place(stiff_kind const& kind, std::vector<vector> const& slope, vector const& at_origin) {
    std::vector<vector> weighted = slope;
    vector wanted(slope.size());
    for (std::size_t j = 0; j < slope.size(); ++j) {
        for (double& each : weighted[j]) each *= kind.omegas[j];
        wanted[j] = -kind.omegas[j] * at_origin[j];
    }
    return least_squares(weighted, wanted);
}

oscillators of_stiff(problem const& what, stiff_kind const& kind) {
    if (what.size > most) return refused(too_large);
    if (kind.springs.uses_time) return refused("a spring depends on the time, so that its motion is not known exactly");
    auto const slope = gradients(what, kind, scattered(what.size, 1));
    for (vector const& place : places(what)) {
        auto const elsewhere = gradients(what, kind, place);
        for (std::size_t j = 0; j < slope.size(); ++j)
            for (std::size_t i = 0; i < what.size; ++i)
                if (!same(slope[j][i], elsewhere[j][i]))
                    return refused("spring " + std::to_string(j + 1) +
                                   " is not linear in the coordinates: its derivative by " + what.coordinate_name(i) +
                                   " is not constant");
    }
    oscillators made;
    auto const inverse = what.mass.inverses();
    if (!inverse) return refused("the mass is a full matrix; this method takes one mass for each coordinate");
    for (std::size_t i = 0; i < what.size; ++i)
        made.root_mass.push_back(inverse->empty() ? 1 : 1 / std::sqrt((*inverse)[i]));
    vector at_origin(slope.size());
    vector const origin(what.size);
    auto const stretch = kind.springs.values.compile(expression::engine_kind::bytecode);
    auto work = stretch.work();
    stretch.evaluate({.position = origin, .time = what.start}, at_origin, work);
    made.rest = resting_place(kind, slope, at_origin);
    made.stiffness.assign(what.size, std::vector<long double>(what.size));
    for (std::size_t j = 0; j < slope.size(); ++j)
        for (std::size_t r = 0; r < what.size; ++r)
            for (std::size_t c = 0; slope[j][r] != 0 && c < what.size; ++c)
                made.stiffness[r][c] += static_cast<long double>(kind.omegas[j]) * kind.omegas[j] * slope[j][r] *
                                        slope[j][c] / made.root_mass[r] / made.root_mass[c];
    return made;
}

// ---- stiff potentials ----

/// V'' at a place, by columns.
std::vector<vector> hessian(problem const& what, stiff_potential_kind const& kind, vector const& q) {
    auto const bend = kind.bend.compile(expression::engine_kind::bytecode);
    auto work = bend.work();
    std::vector<vector> columns(what.size, vector(what.size));
    for (std::size_t i = 0; i < what.size; ++i) {
        vector direction(what.size);
        direction[i] = 1;
        bend.evaluate({.position = q, .time = what.start, .direction = direction}, columns[i], work);
    }
    return columns;
}

oscillators of_potential(problem const& what, stiff_potential_kind const& kind) {
    if (what.size > most) return refused(too_large);
    if (kind.fast_force.uses(expression::source::time))
        return refused("the stiff potential depends on the time, so that its motion is not known exactly");
    auto const stiffness = hessian(what, kind, scattered(what.size, 1));
    for (vector const& place : places(what)) {
        auto const elsewhere = hessian(what, kind, place);
        for (std::size_t i = 0; i < what.size; ++i)
            for (std::size_t j = 0; j < what.size; ++j)
                if (!same(stiffness[i][j], elsewhere[i][j]))
                    return refused("the stiff potential is not quadratic in the coordinates");
    }
    auto const inverse = what.mass.inverses();
    if (!inverse) return refused("the mass is a full matrix; this method takes one mass for each coordinate");
    oscillators made;
    for (std::size_t i = 0; i < what.size; ++i)
        made.root_mass.push_back(inverse->empty() ? 1 : 1 / std::sqrt((*inverse)[i]));
    vector at_origin(what.size);
    auto const pull = kind.fast_force.compile(expression::engine_kind::bytecode);
    auto work = pull.work();
    pull.evaluate({.position = vector(what.size), .time = what.start}, at_origin, work);
    made.rest = least_squares(stiffness, at_origin);
    made.stiffness.assign(what.size, std::vector<long double>(what.size));
    for (std::size_t r = 0; r < what.size; ++r)
        for (std::size_t c = 0; c < what.size; ++c)
            made.stiffness[r][c] = static_cast<long double>(stiffness[c][r]) / made.root_mass[r] / made.root_mass[c];
    return made;
}

// ---- split problems ----

/// The slow part of a split problem around a place: its values and their derivatives by differences, which are exact
/// to rounding where they are constant.
class slow_part {
public:
    slow_part(problem const& what, split_kind const& kind)
        : what_(what), slow_(kind.slow.compile(expression::engine_kind::bytecode)), work_(slow_.work()) {}
    [[nodiscard]] vector operator()(vector const& x, double later = 0) {
        vector out(what_.size);
        slow_.evaluate({.position = x, .time = what_.start + later}, out, work_);
        return out;
    }

private:
    problem const& what_;
    expression::compiled_formula slow_;
    expression::compiled_formula::work_type work_;
};

/// The one variable that the whole rate of variable i is a multiple of, or the number of variables.
std::size_t driven_by(problem const& what, split_kind const& kind, std::size_t i, slow_part& slow, double& rate) {
    vector const x = scattered(what.size, 1);
    auto const whole = [&](vector const& at, double later = 0) {
        double sum = slow(at, later)[i];
        for (std::size_t j = 0; j < what.size; ++j)
            sum += static_cast<double>(kind.fast_matrix[i][j]) / kind.epsilon * at[j];
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

oscillators of_split(problem const& what, split_kind const& kind) {
    if (kind.fast_matrix.empty()) return refused("the fast part is not linear in the variables");
    if (what.size > most) return refused(too_large);
    slow_part slow(what, kind);
    oscillators made;
    std::vector<bool> taken(what.size);
    for (std::size_t i = 0; i < what.size; ++i) {
        double rate = 0;
        std::size_t const j = taken[i] ? what.size : driven_by(what, kind, i, slow, rate);
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
            for (std::size_t const other : made.velocities) depends = depends || kind.fast_matrix[v][other] != 0;
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
            long double const pull = -kind.fast_matrix[made.velocities[r]][made.positions[c]] / kind.epsilon;
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

oscillators find_oscillators(problem const& what) {
    if (auto const* kind = what.as<split_kind>()) return of_split(what, *kind);
    if (auto const* kind = what.as<stiff_kind>())
        return what.uses_velocity() ? refused("the force depends on the velocity") : of_stiff(what, *kind);
    if (auto const* kind = what.as<stiff_potential_kind>())
        return what.uses_velocity() ? refused("the force depends on the velocity") : of_potential(what, *kind);
    return refused("nothing says which part of the force is fast: write hard springs as the kind stiff, or the fast "
                   "part of a split system");
}

} // namespace lento::detail

#include "problem/potential_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>

#include <lento/base/misuse.hpp>

namespace lento::detail {
namespace {

using vector = std::vector<double>;

constexpr std::size_t most = 200;     // the Hessian is taken apart as a whole
constexpr double separated = 100;     // squares of frequencies, at the start
constexpr double still_separated = 4; // later on

/// C of C C^T = M^-1, by rows; none where the mass is 1.
vector factor_of(any_mass const& mass, std::size_t n) {
    if (auto const inverses = mass.inverses(); inverses && inverses->empty()) return {};
    vector c(n * n);
    for (std::size_t j = 0; j < n; ++j) {
        vector column(n);
        column[j] = 1;
        mass.divide(column);
        for (std::size_t i = j; i < n; ++i) c[i * n + j] = column[i];
    }
    for (std::size_t j = 0; j < n; ++j) { // Cholesky, in place
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < n; ++i) c[i * n + j] -= c[i * n + k] * c[j * n + k];
        double const root = std::sqrt(c[j * n + j]);
        for (std::size_t i = j; i < n; ++i) c[i * n + j] /= root;
    }
    return c;
}

/// How many of these, the largest first, stand above the widest gap; what is slower than the run counts as slow.
struct gap {
    std::size_t above = 0;
    double ratio = 0;
};
gap widest_gap(vector const& values, double slow) {
    gap found;
    for (std::size_t k = 0; k < values.size(); ++k) {
        double const next = k + 1 < values.size() ? std::max(values[k + 1], slow) : slow;
        double const ratio = std::max(values[k], slow) / next;
        if (ratio > found.ratio) found = {k + 1, ratio};
    }
    return found;
}

std::string frequency_of(double square) {
    return square >= 0 ? show(std::sqrt(square)) : "an imaginary " + show(std::sqrt(-square));
}

} // namespace

potential_modes::potential_modes(problem const& what, stiff_potential_kind const& kind, expression::engine_kind with)
    : size_(what.size)
    , mass_(what.mass)
    , pull_(kind.pull.compile(with))
    , bend_(kind.bend.compile(with))
    , rate_(kind.pull_rate.compile(with))
    , turn_(kind.turn.compile(with))
    , scales_(what.size, 1) {
    if (size_ > most)
        throw does_not_apply("the Hessian of a stiff potential is taken apart as a whole, which is done for up to " +
                             std::to_string(most) + " coordinates, and there are " + std::to_string(size_) +
                             "; give hard springs as stiff = [...], or use the method direct");
    factor_ = factor_of(mass_, size_);
    auto work = start();
    find_modes(what.start, what.position, work);
    vector values;
    for (auto const m : work.order) values.push_back(work.values[m]);
    if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
        throw does_not_apply("the Hessian of the stiff potential at the start is not finite");
    double const rate = 2 * std::numbers::pi / (what.end - what.start);
    auto const found = widest_gap(values, rate * rate);
    if (!(found.ratio >= separated))
        throw does_not_apply("the stiff potential's Hessian at the start has frequencies from " +
                                 frequency_of(values.back()) + " to " + frequency_of(values.front()) +
                                 ", and no gap of a factor 10 between them tells fast modes from slow ones; use the "
                                 "method direct",
                             outcome::no_scale_separation);
    count_ = found.above;
    scales_.assign(size_, std::sqrt(values.front()));
}

potential_modes::work_type potential_modes::start() const {
    vector const zeros(size_);
    return {{},
            pull_.work(),
            bend_.work(),
            rate_.work(),
            turn_.work(),
            vector(count_),
            fast_modes(size_, size_),
            zeros,
            std::vector<std::size_t>(size_),
            vector(size_ * size_),
            zeros,
            zeros,
            zeros,
            zeros,
            zeros};
}

void potential_modes::to_load(std::span<double const> gradient, vector& load) const {
    if (factor_.empty()) {
        std::copy(gradient.begin(), gradient.end(), load.begin());
        return;
    }
    for (std::size_t j = 0; j < size_; ++j) {
        double sum = 0;
        for (std::size_t i = j; i < size_; ++i) sum += factor_[i * size_ + j] * gradient[i];
        load[j] = sum;
    }
}

void potential_modes::to_coordinates(std::span<double const> y, vector& x) const {
    if (factor_.empty()) {
        std::copy(y.begin(), y.end(), x.begin());
        return;
    }
    for (std::size_t i = 0; i < size_; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j <= i; ++j) sum += factor_[i * size_ + j] * y[j];
        x[i] = sum;
    }
}

vector const& potential_modes::multipliers_at(double t, vector const& q, work_type& work) const {
    ++work.evaluations;
    pull_.evaluate({.position = q, .time = t}, work.column, work.pull);
    to_load(work.column, work.lambda);
    return work.lambda;
}

vector const& potential_modes::stretch(double t, vector const& q, work_type& work) const {
    auto const& load = multipliers_at(t, q, work);
    for (std::size_t i = 0; i < size_; ++i) work.stretch[i] = load[i] / (scales_[i] * scales_[i]);
    return work.stretch;
}

vector const& potential_modes::stretch_rate(double t, vector const& q, vector const& v, work_type& work) const {
    ++work.evaluations;
    rate_.evaluate({.position = q, .velocity = v, .time = t}, work.column, work.rate);
    to_load(work.column, work.stretch_rate);
    for (std::size_t i = 0; i < size_; ++i) work.stretch_rate[i] /= scales_[i] * scales_[i];
    return work.stretch_rate;
}

/// Every mode of C^T V'' C, turned from where it was last.
void potential_modes::find_modes(double t, vector const& q, work_type& work) const {
    ++work.jacobians;
    auto& here = work.here;
    for (std::size_t m = 0; m < size_; ++m) { // V'' C e_m, and C^T of it as a row of the product
        to_coordinates(here.shape(m), work.direction);
        bend_.evaluate({.position = q, .time = t, .direction = work.direction}, work.column, work.bend);
        to_load(work.column, work.lambda);
        for (std::size_t k = 0; k < size_; ++k) work.matrix[k * size_ + m] = dot(here.shape(k), work.lambda);
    }
    turn_to_eigenvectors(work.matrix, here);
    for (std::size_t m = 0; m < size_; ++m) {
        work.values[m] = work.matrix[m * size_ + m];
        here.frequencies[m] = std::sqrt(std::max(work.values[m], 0.));
    }
    std::iota(work.order.begin(), work.order.end(), std::size_t{0});
    std::stable_sort(work.order.begin(), work.order.end(),
                     [&](std::size_t a, std::size_t b) { return work.values[a] > work.values[b]; });
}

std::span<double const> potential_modes::fast_band(double t, vector const& q, work_type& work) const {
    find_modes(t, q, work);
    double const slowest = work.values[work.order[count_ - 1]];
    double const beyond = count_ < size_ ? work.values[work.order[count_]] : 0;
    if (!(slowest > still_separated * std::max(beyond, 0.))) {
        if (!work.failed.happened())
            work.failed = {
                outcome::no_scale_separation, t,
                "at t = " + show(t) + " the Hessian of the stiff potential no longer tells " + std::to_string(count_) +
                    " fast modes from the slow ones: the slowest has the frequency " + frequency_of(slowest) +
                    ", the next one " + frequency_of(beyond) + ". Use the method direct."};
        std::fill(work.band.begin(), work.band.end(), std::numeric_limits<double>::quiet_NaN());
        return work.band;
    }
    for (std::size_t m = 0; m < count_; ++m) work.band[m] = std::sqrt(work.values[work.order[count_ - 1 - m]]);
    return work.band;
}

void potential_modes::excite(double t, vector const& q, spring_swing const& seen, fast_modes& modes,
                             work_type& work) const {
    find_modes(t, q, work);
    for (std::size_t m = 0; m < count_; ++m) {
        auto const shape = fast_shape(m, work);
        std::copy(shape.begin(), shape.end(), modes.shape(m).begin());
        double const frequency = modes.frequencies[m] = work.here.frequencies[work.order[m]];
        modes.actions[m] = 0;
        if (!(frequency > 0)) continue;
        // what is seen are loads and their rates over the scale: Omega^2 and so many times a displacement
        double const stretched = dot(shape, seen.stretch) * scales_[0] / frequency;
        double const moving = dot(shape, seen.rate) * scales_[0] / (frequency * frequency);
        modes.actions[m] = (stretched * stretched + moving * moving) / (2 * frequency);
    }
}

/// Takes modes along: into the space of the fast modes here, and there to eigenvectors, each keeping its number.
void potential_modes::carry(fast_modes& modes, work_type& work) const {
    vector& sum = work.column;
    for (std::size_t m = 0; m < count_; ++m) {
        std::fill(sum.begin(), sum.end(), 0.);
        auto const add = [&](std::span<double const> direction, double factor) {
            for (std::size_t i = 0; i < size_; ++i) sum[i] += factor * direction[i];
        };
        for (std::size_t f = 0; f < count_; ++f) add(fast_shape(f, work), dot(fast_shape(f, work), modes.shape(m)));
        for (std::size_t k = 0; k < m; ++k) add(modes.shape(k), -dot(modes.shape(k), sum));
        double const length = std::sqrt(dot(sum, sum));
        for (std::size_t i = 0; i < size_; ++i) modes.shape(m)[i] = sum[i] / length;
    }
    auto const matrix = std::span(work.matrix).first(count_ * count_);
    for (std::size_t k = 0; k < count_; ++k)
        for (std::size_t m = 0; m < count_; ++m) {
            double entry = 0;
            for (std::size_t f = 0; f < count_; ++f)
                entry += work.values[work.order[f]] * dot(fast_shape(f, work), modes.shape(k)) *
                         dot(fast_shape(f, work), modes.shape(m));
            matrix[k * count_ + m] = entry;
        }
    turn_to_eigenvectors(matrix, modes);
    for (std::size_t m = 0; m < count_; ++m) modes.frequencies[m] = std::sqrt(std::max(matrix[m * count_ + m], 0.));
}

double potential_modes::adiabatic_acceleration(double t, vector const& q, fast_modes& modes, work_type& work) const {
    find_modes(t, q, work);
    carry(modes, work);
    std::fill(work.stretch.begin(), work.stretch.end(), 0.);
    for (std::size_t m = 0; m < count_; ++m) {
        if (!(modes.frequencies[m] > 0)) continue;
        // the gradient of Omega_m = sqrt(d^T V'' d), its direction standing still
        to_coordinates(modes.shape(m), work.direction);
        turn_.evaluate({.position = q, .time = t, .direction = work.direction}, work.column, work.turn);
        ++work.evaluations;
        double const weight = modes.actions[m] / (2 * modes.frequencies[m]);
        for (std::size_t i = 0; i < size_; ++i) work.stretch[i] += weight * work.column[i];
    }
    // the acceleration by y, without what the fast modes take up
    vector& y = work.lambda;
    to_load(work.stretch, y);
    for (std::size_t f = 0; f < count_; ++f) {
        double const share = dot(fast_shape(f, work), y);
        for (std::size_t i = 0; i < size_; ++i) y[i] -= share * fast_shape(f, work)[i];
    }
    to_coordinates(y, work.direction);
    return std::sqrt(dot(work.direction, work.direction));
}

} // namespace lento::detail

#include "problem/stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <lento/base/arithmetic.hpp>

namespace lento::detail {
namespace {

/// Fewer evaluations are not worth another scheme.
constexpr double few = 2000;

/// Of explicit schemes, per unit of rate times time: 6 stages that are stable for 3.3, 12 for 6.1.
constexpr double evaluations_per_unit = 1.9;

double product(std::span<double const> a, std::span<double const> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// The larger root of x^2 = sum x + turn.
fastest_change larger_root(double sum, double constant) {
    double const half = sum / 2;
    double const square = half * half + constant;
    if (square < 0) return {half, std::sqrt(-square)};
    return {half + std::copysign(std::sqrt(square), half), 0};
}

} // namespace

double fastest_change::rate() const { return std::hypot(growth, turn); }

fastest_change fastest_of(std::span<double const> columns, std::size_t size) {
    std::vector<double> first(size);
    std::vector<double> second(size);
    std::vector<double> third(size);
    auto const apply = [&](std::vector<double> const& from, std::vector<double>& to) {
        std::ranges::fill(to, 0.);
        for (std::size_t j = 0; j < size; ++j)
            for (std::size_t i = 0; i < size; ++i) to[i] += columns[j * size + i] * from[j];
    };
    for (std::size_t i = 0; i < size; ++i) first[i] = 1 + 0.5 * std::sin(static_cast<double>(i + 1));
    fastest_change found;
    constexpr int most = 50;
    for (int turn = 0; turn < most; ++turn) {
        double const length = std::sqrt(product(first, first));
        if (!(length > 0) || !std::isfinite(length)) return {};
        for (double& each : first) each /= length;
        apply(first, second);
        apply(second, third);
        // third = sum second + constant first holds for whatever two eigenvalues dominate, complex ones too
        double const aa = 1;
        double const ab = product(first, second);
        double const bb = product(second, second);
        double const ac = product(first, third);
        double const bc = product(second, third);
        double const determinant = aa * bb - ab * ab;
        double const before = found.rate();
        if (determinant > 1e-12 * bb)
            found = larger_root((aa * bc - ab * ac) / determinant, (bb * ac - ab * bc) / determinant);
        else found = {ab, 0};
        if (turn > 2 && std::abs(found.rate() - before) <= 1e-2 * found.rate()) break;
        std::swap(first, third);
    }
    return std::isfinite(found.rate()) ? found : fastest_change{};
}

stiffness_watch::stiffness_watch(problem const& what, std::shared_ptr<rate_jacobian const> known, int order)
    : what_(what)
    , known_(std::move(known))
    , work_(known_->start())
    , stable_(order >= 8 ? 6.1 : 3.3)
    , y_(known_->size())
    , columns_(known_->size() * known_->size()) {}

void stiffness_watch::look(double t, std::span<double const> position, std::span<double const> velocity) {
    std::copy(velocity.begin(), velocity.end(), std::ranges::copy(position, y_.begin()).out);
    known_->evaluate(t, y_, columns_, *work_);
    ++looks_;
    rate_ = all_finite(columns_) ? fastest_of(columns_, y_.size()).rate() : 0;
    evaluations_ = evaluations_per_unit * rate_ * (what_.end - what_.start);
    // moved by the largest rate, what decays so fast stands still, and what grows or turns so fast is the largest
    for (std::size_t i = 0; i < y_.size(); ++i) columns_[i * y_.size() + i] += rate_;
    decays_ = rate_ > 0 && fastest_of(columns_, y_.size()).rate() < 1.25 * rate_;
}

void stiffness_watch::look_at_start() {
    look(what_.start, what_.position, what_.velocity);
    stiff_ = evaluations_ > few && decays_;
}

void stiffness_watch::after_step(double t, std::span<double const> position, std::span<double const> velocity) {
    ++steps_;
    if (2 * steps_ == next_look_) half_ = t;
    if (stiff_ || steps_ != next_look_) return;
    look(t, position, velocity);
    // what came before may have been a transient, whose steps were short for a reason
    double const step = (t - half_) / static_cast<double>(next_look_ / 2);
    half_ = t;
    next_look_ *= 2;
    bool const at_limit = step * rate_ > 0.5 * stable_;
    double const left = evaluations_ * (what_.end - t) / (what_.end - what_.start);
    stiff_ = decays_ && at_limit && left > few;
}

} // namespace lento::detail

#include "problem/sharp_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include <lento/base/arithmetic.hpp>

namespace lento::detail {
namespace {

using expression::node;
using expression::operation;

bool depends_on_motion(expression::graph const& in, node n) {
    using expression::source;
    return in.depends_on(n, source::position) || in.depends_on(n, source::velocity) || in.depends_on(n, source::time);
}

} // namespace

sharp_places::sharp_places(problem const& what, bool slow) : what_(what), slow_(slow), sizes_(what.size) {
    if (what.force.is_foreign()) return;
    std::vector<node> roots;
    for (auto const& each : what.force.statements()) roots.push_back(each.value);
    collect(what.force.graph(), what.force.graph().needed_by(roots));
    if (kinds_.empty()) return;
    force_.emplace(what.force.compile(expression::engine_kind::bytecode));
    force_work_ = force_->work();
}

/// The arguments become formulas of their own.
void sharp_places::collect(expression::graph const& in, std::span<node const> needed) {
    expression::graph with = in;
    std::vector<expression::statement> outputs;
    auto const add = [&](mark kind, node argument) {
        kinds_.push_back(kind);
        outputs.push_back(expression::output(outputs.size(), argument));
    };
    for (node const n : needed) {
        if (!in.free_variables(n).empty() || !depends_on_motion(in, n)) continue;
        switch (in.op(n)) {
        case operation::exp:
            add(mark::highest, in.first(n));
            add(mark::passing, in.first(n)); // beside a constant it is a switch
            break;
        case operation::tanh:
        case operation::atan:
        case operation::cosh: add(mark::passing, in.first(n)); break;
        case operation::invert:
        case operation::sqrt:
        case operation::log: add(mark::nearest, in.first(n)); break;
        case operation::power:
            add(mark::nearest, in.first(n));
            if (depends_on_motion(in, in.second(n))) // as exp(y log x)
                add(mark::highest, with.multiply(in.second(n), with.unary(operation::log, in.first(n))));
            break;
        case operation::abs:
        case operation::sign:
        case operation::step: add(mark::crossing, in.first(n)); break;
        case operation::min:
        case operation::max: add(mark::crossing, with.subtract(in.first(n), in.second(n))); break;
        default: break;
        }
    }
    if (kinds_.empty()) return;
    auto const count = outputs.size();
    auto kept = std::make_shared<expression::graph>(with.part(outputs));
    arguments_.emplace(
        expression::formula(std::move(kept), std::move(outputs), count).compile(expression::engine_kind::bytecode));
    argument_work_ = arguments_->work();
}

/// Not reduced: what is taken of them is smooth.
void sharp_places::set_phases(double t) {
    theta_.resize(what_.frequencies().size());
    for (std::size_t j = 0; j < theta_.size(); ++j)
        theta_[j] = what_.phases()[j] + (slow_ ? 0.3 : what_.frequencies()[j] * t);
}
void sharp_places::evaluate_arguments(point& at) {
    at.arguments.resize(kinds_.size());
    set_phases(at.t);
    arguments_->evaluate({.position = at.q, .velocity = at.v, .phase = theta_, .time = at.t}, at.arguments,
                         argument_work_);
    ++evaluations_;
}
void sharp_places::evaluate_force(point& at) {
    at.force.resize(what_.size);
    set_phases(at.t);
    force_->evaluate({.position = at.q, .velocity = at.v, .phase = theta_, .time = at.t}, at.force, force_work_);
    if (!what_.first_order) what_.mass.divide(at.force);
    ++evaluations_;
}

void sharp_places::look(double t, std::span<double const> q, std::span<double const> v) {
    std::swap(before_, now_);
    now_.t = t;
    now_.q.assign(q.begin(), q.end());
    now_.v.assign(v.begin(), v.end());
    now_.force.clear();
    if (what_.first_order && !kinds_.empty()) evaluate_force(now_); // the slope of the way
    if (!kinds_.empty()) evaluate_arguments(now_);
    for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i] = std::max(sizes_[i], std::abs(q[i]));
    if (!begun_) {
        begun_ = true;
        return;
    }
    if (!(length() > 0)) return;
    compare_lengths();
    compare_with_period();
    if (kinds_.empty()) return;
    between(0.5, middle_);
    evaluate_arguments(middle_);
    find_places(middle_);
    for (auto const& each : places_) examine(each);
}

/// The first steps feel their way, and the last is cut.
void sharp_places::compare_lengths() {
    constexpr int feeling = 5;
    if (++steps_ <= feeling || now_.t >= what_.end) return;
    shortest_length_ = std::min(shortest_length_, length());
    longest_length_ = std::max(longest_length_, length());
}

/// A vibration that matters somewhere on the way, and elsewhere is stepped over: where it begins to matter steps of
/// many periods see it by chance.
void sharp_places::compare_with_period() {
    if (what_.frequencies().empty() || slow_) return;
    constexpr double resolved = 2.5;
    constexpr double stepped_over = 8;
    constexpr int some = 20; // the first steps of a run are short anyway
    double const period = 2 * std::numbers::pi / std::ranges::max(what_.frequencies());
    resolving_ += length() < resolved * period ? 1 : 0;
    steps_over_ = steps_over_ || length() > stepped_over * period;
    if (resolving_ > some && steps_over_) longest_ = std::min(longest_, period);
}

/// Inside the step, by the cubic through its ends.
void sharp_places::between(double s, point& at) const {
    double const h = length();
    at.t = before_.t + s * h;
    at.q.resize(what_.size);
    at.v.resize(before_.v.size());
    auto const& slope0 = what_.first_order ? before_.force : before_.v;
    auto const& slope1 = what_.first_order ? now_.force : now_.v;
    for (std::size_t i = 0; i < at.q.size(); ++i) {
        double const across = now_.q[i] - before_.q[i];
        double const bend = (1 - s) * (h * slope0[i] - across) - s * (h * slope1[i] - across);
        at.q[i] = before_.q[i] + s * across + s * (1 - s) * bend;
        if (what_.first_order) continue;
        double const turn = 2 * across - h * (slope0[i] + slope1[i]); // of the bend, along the step
        at.v[i] = (across + (1 - 2 * s) * bend + s * (1 - s) * turn) / h;
    }
}
sharp_places::point sharp_places::between(double s) const {
    point at;
    between(s, at);
    return at;
}

void sharp_places::add_place(double share, double width, double least) {
    if (share > 0 && share < 1 && width < 0.5) places_.push_back({share, std::max(width, 1e-12), least});
}

/// The top of an argument, by parabolas through nearer and nearer places: it may be far narrower than the step.
void sharp_places::add_top(std::size_t k, double top) {
    constexpr double on_top = 0.3;
    auto const value = [&](double s) {
        point at = between(s);
        evaluate_arguments(at);
        return at.arguments[k];
    };
    double width = 0;
    for (double reach = 0.125; reach > 1e-7; reach /= 4) {
        double const u0 = value(top - reach);
        double const u = value(top);
        double const u1 = value(top + reach);
        double const c = (u0 - 2 * u + u1) / (2 * reach * reach);
        double const b = (u1 - u0) / (2 * reach);
        if (!std::isfinite(b + c) || c == 0) break;
        double const size = kinds_[k] == mark::highest ? 1 : std::abs(u);
        width = std::sqrt(size / std::abs(c));
        top += std::clamp(-b / (2 * c), -2 * reach, 2 * reach);
        if (!(top > 0 && top < 1)) return;
        if (reach < width) break;
    }
    if (width > 0) add_place(top, width, on_top);
}

/// Along a step an argument is nearly a parabola, u(s) = u0 + b s + c s^2.
void sharp_places::find_places(point const& middle) {
    constexpr double on_kink = 1;
    places_.clear();
    crossings_.clear();
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        double const u0 = before_.arguments[k];
        double const u1 = now_.arguments[k];
        double const c = 2 * (u0 - 2 * middle.arguments[k] + u1);
        double const b = u1 - u0 - c;
        double const top = c != 0 ? -b / (2 * c) : -1;
        double const at_top = u0 + 0.5 * top * b;
        double const near_ends = std::min(std::abs(u0), std::abs(u1));
        if (!std::isfinite(top) || !std::isfinite(u0 + u1)) continue;
        auto const roots = [&](auto const& use) {
            double const root = std::sqrt(b * b - 4 * c * u0);
            if (!std::isfinite(root)) return;
            double const q = -0.5 * (b + std::copysign(root, b));
            for (double const s : {c != 0 ? q / c : -1, q != 0 ? u0 / q : -1})
                if (s > 0 && s < 1) use(s, std::abs(b + 2 * c * s));
        };
        switch (kinds_[k]) {
        case mark::highest:
            if (c < 0 && at_top > std::max(u0, u1) + 1) add_top(k, top);
            break;
        case mark::nearest:
            if (at_top * c > 0 && std::abs(at_top) < 0.3 * near_ends) add_top(k, top);
            break;
        case mark::passing:
            roots([&](double s, double pace) {
                constexpr double slow = 2;
                constexpr double abrupt = 6;
                if (pace > slow) crossings_.push_back(s);
                met_kinks_ = met_kinks_ || pace > abrupt;
            });
            break;
        case mark::crossing:
            roots([&](double s, double) {
                crossings_.push_back(s);
                met_kinks_ = true;
            });
            break;
        }
    }
    std::ranges::sort(crossings_);
    for (std::size_t k = 0; k < crossings_.size(); ++k) {
        add_place(crossings_[k], 0.1, on_kink); // a narrow peak may stand on a kink
        if (k == 0) continue;
        double const apart = crossings_[k] - crossings_[k - 1];
        if (apart > 1e-9) add_place(crossings_[k] - apart / 2, apart / 2, on_kink); // a pulse between two jumps
    }
}

/// What the force there has beyond what it has on both sides.
sharp_places::numbers sharp_places::beyond(point const& at, point const& left, point const& right) const {
    numbers more(what_.size);
    for (std::size_t i = 0; i < more.size(); ++i) {
        auto const [least, most] = std::minmax(left.force[i], right.force[i]);
        more[i] = at.force[i] - std::clamp(at.force[i], least, most);
    }
    return more;
}
/// The rate at which the force itself takes back what an impulse has moved, as stiff ones do.
double sharp_places::taken_back(point const& at, numbers const& apart, double duration) {
    point moved = at;
    auto& to = what_.first_order ? moved.q : moved.v;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += apart[i] * duration;
    evaluate_force(moved);
    double back = 0;
    for (std::size_t i = 0; i < apart.size(); ++i) back = std::max(back, std::abs(moved.force[i] - at.force[i]));
    double const rate = back / (max_norm(apart) * duration);
    return std::isfinite(rate) ? rate : 0;
}

/// How far a force of this duration moves the motion until its end, in units of what is allowed.
double sharp_places::harm_of(numbers const& apart, double duration, double t, double rate) const {
    double most = 0;
    for (std::size_t i = 0; i < apart.size(); ++i) {
        double const allowed = std::max({what_.atol, what_.rtol * sizes_[i], 1e-300});
        double const kept = rate > 0 ? 1 / rate : std::numeric_limits<double>::infinity();
        double const impulse = std::abs(apart[i]) * std::min(duration, kept);
        double const time = std::max(std::min(what_.end - t, kept), duration);
        most = std::max(most, (what_.first_order ? impulse : impulse * time) / allowed);
    }
    return std::isfinite(most) ? most : 0;
}

void sharp_places::examine(place const& at) {
    constexpr double seen = 3;       // a step so many times as long as a feature has some of its stages in it
    constexpr double harmless = 0.1; // of what is allowed
    if (seen * at.width * length() >= longest_) return; // it is seen already
    // what else the force does along the step is not to hide it
    constexpr double beside_it = 4; // widths
    point left = between(std::max(at.share - beside_it * at.width, 0.));
    point right = between(std::min(at.share + beside_it * at.width, 1.));
    evaluate_force(left);
    evaluate_force(right);
    // where the force oscillates it may vanish just there
    double const turn =
        what_.frequencies().empty() || slow_ ? 0 : 1.6 / std::ranges::max(what_.frequencies()) / length();
    point here;
    numbers apart;
    double share = at.share;
    for (double const s : {at.share, at.share + turn}) {
        if (!apart.empty() && (turn == 0 || s >= 1)) break;
        point other = between(s);
        evaluate_force(other);
        auto const found = beyond(other, left, right);
        if (!apart.empty() && max_norm(found) <= max_norm(apart)) continue;
        share = s;
        apart = found;
        here = std::move(other);
    }
    if (!(harm_of(apart, length(), here.t) > harmless)) return;
    double const size = max_norm(apart);
    double across = 0; // what one side has of it, the other has not
    for (std::size_t i = 0; i < what_.size; ++i) across = std::max(across, std::abs(right.force[i] - left.force[i]));
    if (size < at.least * across) return; // no more than what the force changes by there anyway
    // how long the force is like that
    double width = std::min(0.5, beside_it * at.width);
    for (constexpr double smallest = 1e-9; width > smallest; width /= 2) {
        bool alike = false; // on one side: it may begin or end with a jump
        for (double const s : {std::max(share - width, 0.), std::min(share + width, 1.)}) {
            point beside = between(s);
            evaluate_force(beside);
            double change = 0;
            for (std::size_t i = 0; i < what_.size; ++i)
                change = std::max(change, std::abs(beside.force[i] - here.force[i]));
            alike = alike || change < 0.5 * size;
        }
        if (alike) break;
    }
    double const duration = width * length();
    if (4 * seen * width > 1) return;
    double const rate = taken_back(here, apart, duration);
    if (!(harm_of(apart, duration, here.t, rate) > harmless)) return;
    longest_ = std::min(longest_, seen * duration);
}

} // namespace lento::detail

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/kernel/kernel.hpp>
#include <lento/system/split.hpp>

namespace lento {

namespace detail {

/// Values that belong to times inside a window. The times repeat from window to window, so that what is found at the
/// cursor is nearly always right.
template <class T, class Value> class node_cache {
public:
    /// The value at a time, made on first use.
    template <class Make> Value const& at(T elapsed, bool keep, Make const& make) {
        for (std::size_t looked = 0; keep && looked < nodes_.size(); ++looked) {
            if (cursor_ >= nodes_.size()) cursor_ = 0;
            auto const& found = nodes_[cursor_++];
            if (found.first == elapsed) return found.second;
        }
        if (!keep || nodes_.size() >= most) {
            make(elapsed, spare_);
            return spare_;
        }
        nodes_.emplace_back(elapsed, Value{});
        cursor_ = nodes_.size();
        make(elapsed, nodes_.back().second);
        return nodes_.back().second;
    }

private:
    static constexpr std::size_t most = 4096;
    std::vector<std::pair<T, Value>> nodes_;
    std::size_t cursor_ = 0;
    Value spare_{};
};

/// The matrix of a fast part that is given as a function: its values at the unit vectors, tested at two more points.
/// `evaluations` is increased by what that took. Throws misuse when the function is not linear.
template <splits System>
[[nodiscard]] std::vector<std::vector<long double>> found_matrix(System const& system, std::uint64_t& evaluations) {
    using T = scalar_of<System>;
    using std::abs;
    auto work = system.work();
    std::size_t const n = system.space().size();
    auto x = system.space().template zeros<T>();
    auto image = x;
    std::vector<std::vector<long double>> rows(n, std::vector<long double>(n));
    T size(0);
    for (std::size_t j = 0; j < n; ++j) {
        x[j] = T(1);
        system.fast_rate(x, image, work);
        x[j] = T(0);
        for (std::size_t i = 0; i < n; ++i) rows[i][j] = image[i];
        size += max_norm(image);
    }
    for (int point = 1; point <= 2; ++point) {
        for (std::size_t j = 0; j < n; ++j) x[j] = T(std::sin(1. + 2.7 * point * static_cast<double>(j + 1)) * point);
        system.fast_rate(x, image, work);
        for (std::size_t i = 0; i < n; ++i) {
            T expected(0);
            for (std::size_t j = 0; j < n; ++j) expected += T(rows[i][j]) * x[j];
            if (!(abs(image[i] - expected) <= T(1e-13) * size))
                throw misuse("the interaction picture needs a linear fast part, but component " +
                             std::to_string(i + 1) + " of f1 differs from a linear function by " +
                             show(static_cast<double>(image[i] - expected)) + "; use the system as it is");
        }
    }
    evaluations += n + 2;
    return rows;
}

} // namespace detail

/// A split system with a linear fast part f1(x) = A x, seen from the frame that turns with it: x = e^{tA/epsilon} w,
/// w' = e^{-tA/epsilon} f0(e^{tA/epsilon} w, t), with exact rotations. Nothing is fast in it but the argument of f0,
/// and no error of a fast phase accumulates. Make one with `interaction_picture`.
template <splits System> class interaction_system {
public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = point<vector>;
    using given_type = System;

    struct turn {
        std::vector<scalar> there;
        std::vector<scalar> back;
        std::vector<long double> exact;
    };
    struct work_type {
        work_of<System> inner;
        vector turned;
        vector force;
        detail::node_cache<scalar, turn> turns;
        std::uint64_t applications = 0;
        static auto members(auto& self) { return std::tie(self.inner, self.applications); }
    };

    explicit interaction_system(System system) : system_(std::move(system)) {
        if constexpr (requires { system_.flow(); }) flow_ = system_.flow();
        else flow_ = linear_flow(detail::found_matrix(system_, setup_evaluations_));
    }

    [[nodiscard]] auto const& space() const { return system_.space(); }
    [[nodiscard]] work_type work() const {
        vector const zeros = space().template zeros<scalar>();
        return {system_.work(), zeros, zeros, {}, 0};
    }
    void count(work_type const& work, statistics& counts) const {
        system_.count(work.inner, counts);
        counts.force_evaluations += setup_evaluations_;
        counts.linear_flow_applications += work.applications;
    }
    [[nodiscard]] scalar epsilon() const { return system_.epsilon(); }
    [[nodiscard]] scalar period() const { return system_.period(); }
    [[nodiscard]] linear_flow const& flow() const { return flow_; }

    void rate(scalar t, vector const& w, vector& out, work_type& work) const {
        window_rate(scalar(0), t, scalar(1), false, w, out, work);
    }

    /// The rate a short time after a moment `start` at which both frames agree; `repeated` times are remembered.
    void window_rate(scalar start, scalar elapsed, scalar weight, bool repeated, vector const& w, vector& out,
                     work_type& work) const {
        if (weight == scalar(0)) { // a filter's end: nothing to evaluate
            set_scaled(out, scalar(0), w);
            return;
        }
        turn const& node = work.turns.at(elapsed, repeated, [this](scalar when, turn& made) { make(when, made); });
        flow_.apply(node.there, w, work.turned);
        system_.slow_rate(start + elapsed, work.turned, work.force, work.inner);
        flow_.apply(node.back, work.force, out);
        for (auto& component : out) component *= weight;
        work.applications += 2;
    }
    /// x = e^{elapsed A/epsilon} x
    void turn_by(scalar elapsed, vector& x, work_type& work) const {
        turn const& node = work.turns.at(elapsed, false, [this](scalar when, turn& made) { make(when, made); });
        flow_.apply(node.there, x, work.turned);
        x = work.turned;
        ++work.applications;
    }

private:
    void make(scalar elapsed, turn& made) const {
        long double const angle = static_cast<long double>(elapsed) / static_cast<long double>(system_.epsilon());
        flow_.exponential(angle, made.there, made.exact);
        flow_.exponential(-angle, made.back, made.exact);
    }

    System system_;
    linear_flow flow_;
    std::uint64_t setup_evaluations_ = 0;
};

/// `effective(interaction_picture(system), stroboscopic{...})`. The fast part may be a matrix, or a function that is
/// found to be linear.
template <splits System> [[nodiscard]] auto interaction_picture(System system) {
    return interaction_system<System>(std::move(system));
}

namespace detail {

template <class S> inline constexpr bool is_interaction = false;
template <class S> inline constexpr bool is_interaction<interaction_system<S>> = true;

} // namespace detail

/// A split system, as given or in the interaction picture.
template <class S>
concept flows_in_windows = splits<S> || detail::is_interaction<S>;

namespace detail {

/// How the perturbation f0 is weighed along a window.
enum class weighing { steady, off, filtered, fading, rising };

/// A split system seen from inside a window of length span: time is counted from the window's start, forward or back.
template <flows_in_windows System> struct flow_view {
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = point<vector>;

    struct work_type {
        work_of<System> inner;
        node_cache<scalar, scalar> weights;
        node_cache<scalar, scalar> second_weights;
        static auto members(auto& self) { return std::tie(self.inner); }
    };

    System const* system;
    scalar start{};
    scalar span{};
    weighing how = weighing::steady;
    filter const* shape = nullptr;
    bool second = false;   ///< the other of two filters
    bool repeated = false; ///< the same times come again and again

    [[nodiscard]] auto const& space() const { return system->space(); }
    [[nodiscard]] work_type work() const { return {system->work(), {}, {}}; }
    void count(work_type const& work, statistics& counts) const { system->count(work.inner, counts); }

    void rate(scalar elapsed, vector const& x, vector& out, work_type& work) const {
        scalar const weight = weight_at(elapsed, work);
        if constexpr (is_interaction<System>) system->window_rate(start, elapsed, weight, repeated, x, out, work.inner);
        else system->weighted_rate(start + elapsed, weight, x, out, work.inner);
    }

private:
    [[nodiscard]] scalar weight_at(scalar elapsed, work_type& work) const {
        if (how == weighing::steady) return scalar(1);
        if (how == weighing::off) return scalar(0);
        auto const make = [this](scalar when, scalar& made) {
            using std::abs;
            long double const s = static_cast<long double>(abs(when)) / static_cast<long double>(span);
            if (how == weighing::filtered) made = static_cast<scalar>(shape->weight(s));
            else made = static_cast<scalar>(how == weighing::fading ? shape->ramp(s) : shape->ramp(1 - s));
        };
        auto& cache = second ? work.second_weights : work.weights;
        return cache.at(elapsed, repeated && how == weighing::filtered, make);
    }
};

} // namespace detail
} // namespace lento

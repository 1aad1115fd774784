#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

#include <lento/base/arithmetic.hpp>
#include <lento/base/outcome.hpp>
#include <lento/base/space.hpp>
#include <lento/base/statistics.hpp>
#include <lento/solve/interpolation.hpp>
#include <lento/stepper/combination.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>

/// Whether a solution grows because a scheme is used beyond its stability.
namespace lento::detail {

// ---- the fastest motion of a system ----

/// What changes fastest near a point: x'' = square x of a motion, x' = (growth +- i turn) x else.
struct fastest_mode {
    double square = 0;
    double growth = 0;
    double turn = 0;
    /// What a step is multiplied with.
    [[nodiscard]] double frequency() const { return std::hypot(std::sqrt(std::abs(square)), growth, turn); }
};

/// The fastest mode by power iteration on the Jacobian of the force, each product by one more evaluation next to the
/// point. The direction is where to begin, and is left for the next time. At the origin the size of the motion is how
/// far it moves in some time.
template <class S, class V> [[nodiscard]] fastest_mode find_fastest(S const& system, scalar_of<S> t, state_of<S> x,
                                                                    double time, V& direction, int iterations,
                                                                    work_of<S>& work) {
    using T = scalar_of<S>;
    auto& moved = [&x]() -> V& {
        if constexpr (state_of<S>::is_motion) return x.position;
        else return x.state;
    }();
    V const at = moved;
    V there = at;
    evaluate(system, t, x, there, work); // a predictor's may be that of another point
    V product = at;
    T size = max_norm(at);
    if constexpr (state_of<S>::is_motion)
        if (size == T(0)) size = T(time) * max_norm(x.velocity);
    if (size == T(0)) size = T(1);
    T const little = size * std::sqrt(std::numeric_limits<T>::epsilon());
    double along = 0;
    double length = 0;
    for (int k = 0; k < iterations; ++k) {
        set_sum(moved, at, little / max_norm(direction), direction);
        T const scale = max_norm(direction) / little;
        evaluate(system, t, x, product, work);
        double squares = 0, products = 0, lengths = 0;
        for (std::size_t i = 0; i < product.size(); ++i) {
            product[i] = (product[i] - there[i]) * scale;
            auto const from = static_cast<double>(direction[i]);
            auto const to = static_cast<double>(product[i]);
            squares += from * from;
            products += from * to;
            lengths += to * to;
        }
        along = products / squares;
        length = std::sqrt(lengths / squares);
        if (!std::isfinite(length) || length == 0) return {};
        set_scaled(direction, T(1) / max_norm(product), product);
    }
    if constexpr (state_of<S>::is_motion) return {.square = along};
    else return {.growth = along, .turn = std::sqrt(std::max(0., length * length - along * along))};
}

// ---- schemes on one mode ----

/// x'' = square x.
struct mode_of_motion {
    using space_type = fixed<1>;
    using scalar = double;
    using vector = std::array<double, 1>;
    using state = motion<vector>;
    struct work_type {};
    double square = 0;
    [[nodiscard]] static space_type space() { return {}; }
    [[nodiscard]] static work_type work() { return {}; }
    static void count(work_type const&, statistics&) {}
    void acceleration(double, vector const& x, vector& out, work_type&) const { out[0] = square * x[0]; }
};
/// x' = (growth + i turn) x.
struct mode_of_rates {
    using space_type = fixed<2>;
    using scalar = double;
    using vector = std::array<double, 2>;
    using state = point<vector>;
    struct work_type {};
    double growth = 0;
    double turn = 0;
    [[nodiscard]] static space_type space() { return {}; }
    [[nodiscard]] static work_type work() { return {}; }
    static void count(work_type const&, statistics&) {}
    void rate(double, vector const& x, vector& out, work_type&) const {
        out = {growth * x[0] - turn * x[1], turn * x[0] + growth * x[1]};
    }
};

/// Whether some steps of unit length make the amplitude of a mode grow tenfold that does not grow.
template <class Stepper, class Mode, class State, class Amplitude> [[nodiscard]] bool
grows_on(Stepper const& stepper, Mode const& mode, State x, std::uint64_t steps, Amplitude const& amplitude) {
    auto memory = stepper.start(mode);
    auto work = mode.work();
    double const most = 10 * amplitude(x);
    for (std::uint64_t k = 0; k < steps; ++k) {
        stepper.advance(mode, static_cast<double>(k), 1., x, memory, work);
        if (!(amplitude(x) <= most)) return true;
    }
    return false;
}
template <bool OfMotion, class Stepper>
[[nodiscard]] bool is_unstable(Stepper const& stepper, fastest_mode const& mode, double h, std::uint64_t steps) {
    if constexpr (OfMotion) {
        if (!(mode.square < 0)) return false; // it does not oscillate
        double const w = h * std::sqrt(-mode.square);
        return grows_on(stepper, mode_of_motion{-w * w}, mode_of_motion::state{{1}, {0}}, steps,
                        [w](auto const& x) { return std::max(std::abs(x.position[0]), std::abs(x.velocity[0]) / w); });
    } else {
        if (!(mode.growth <= 0)) return false;
        return grows_on(stepper, mode_of_rates{h * mode.growth, h * mode.turn}, mode_of_rates::state{{1, 0}}, steps,
                        [](auto const& x) { return max_norm(x.state); });
    }
}

/// How many steps are tried over a span: what grows more slowly than these tell is seen when it has grown.
[[nodiscard]] inline std::uint64_t tried_steps(double span, double h) {
    constexpr double most = 20'000;
    return static_cast<std::uint64_t>(std::min(std::ceil(span / h), most));
}
/// The longest step with which such a scheme is stable over a span.
template <bool OfMotion, class Stepper>
[[nodiscard]] double longest_stable(Stepper const& stepper, fastest_mode const& mode, double h, double span) {
    double good = 0;
    for (int k = 0; k < 12; ++k) {
        double const middle = good + (h - good) / 2;
        (is_unstable<OfMotion>(stepper, mode, middle, tried_steps(span, middle)) ? h : good) = middle;
    }
    return good;
}

[[nodiscard]] failure beyond_stability(double t, double h, double longest, double frequency);
[[nodiscard]] failure grown_by_errors(double t, double since, double factor);

// ---- growth ----

/// Notices when a solution has grown a thousandfold, and tells whether its steps made it grow.
template <class State> class growth_watch {
public:
    using T = typename State::vector::value_type;

    /// Whether it is time to look.
    [[nodiscard]] bool due(std::uint64_t steps) const { return steps >= next_look_; }
    /// Looks at a state: whether it has grown since the last time it did.
    [[nodiscard]] bool notices(std::uint64_t steps, T t, State const& x) {
        constexpr std::uint64_t often = 16;
        next_look_ = steps + often;
        if (size_ == T(0)) take(t, x);
        return size(x) > T(many) * size_;
    }
    /// Whether at least half of the growth is not that of the solution: some steps have made the motion so many times
    /// larger in a time than it would have become.
    [[nodiscard]] bool is_made_by_steps(T factor, T time, T now, State const& x) const {
        using std::abs, std::log;
        return log(factor) / time >= log(size(x) / size_) / abs(now - since_) / T(2);
    }
    void take(T t, State const& x) {
        since_ = t;
        size_ = size(x);
    }
    /// Of positions, or of a state.
    [[nodiscard]] static T size(State const& x) {
        if constexpr (State::is_motion) return max_norm(x.position);
        else return max_norm(x.state);
    }
    [[nodiscard]] double since() const { return static_cast<double>(since_); }
    [[nodiscard]] double factor(State const& x) const { return static_cast<double>(size(x) / size_); }
    static auto members(auto& self) { return std::tie(self.since_, self.size_, self.next_look_); }

private:
    static constexpr int many = 1000;

    T since_{};
    T size_{};
    std::uint64_t next_look_ = 16;
};

} // namespace lento::detail

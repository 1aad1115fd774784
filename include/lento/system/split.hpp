#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/force.hpp>
#include <lento/base/misuse.hpp>
#include <lento/base/space.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/linear_flow.hpp>

namespace lento {

/// How fast the fast part is. `period`, where it is known, is that of x' = f1(x): the fast flow of the system then
/// returns after epsilon times as long.
template <class T> struct splitting {
    T epsilon{};
    T period{};
};

/// A fast part f1(x) = A x.
struct linear_part {
    std::vector<std::vector<long double>> rows;
};
/// `linear({{0, 1}, {-1, 0}})`: the fast part as a matrix, by rows.
[[nodiscard]] inline linear_part linear(std::vector<std::vector<long double>> rows) { return {std::move(rows)}; }

namespace detail {

/// f1 given as a function, or as a matrix.
template <class Space, class T, class Fast> class fast_part {
    using vector = typename Space::template vector<T>;

public:
    static constexpr bool is_linear = false;
    using work_type = force_work<Fast>;
    fast_part(Space const&, Fast fast) : fast_(std::move(fast)) {}
    [[nodiscard]] work_type work() const { return work_for(fast_); }
    void operator()(vector const& x, vector& out, work_type& work) const {
        static_assert(force_fits<Space, vector, Fast, vector>,
                      "the fast part of a split system is called as f1(x); in a fixed space it returns an array (or a "
                      "number when there is one variable), in a dynamic one it writes into a last argument; one that "
                      "brings work() is called as f1(at, out, work)");
        call_with_work<Space>(fast_, work, force_point<T>{.position = x}, out, x);
    }

private:
    [[no_unique_address]] Fast fast_;
};
template <class Space, class T> class fast_part<Space, T, linear_part> {
    using vector = typename Space::template vector<T>;

public:
    static constexpr bool is_linear = true;
    using work_type = no_work;
    fast_part(Space const& space, linear_part const& part) : flow_(part.rows) {
        require_size("the fast matrix", flow_.size(), space.size());
        flow_.generator(values_);
    }
    [[nodiscard]] work_type work() const { return {}; }
    void operator()(vector const& x, vector& out, work_type&) const { flow_.apply(values_, x, out); }
    [[nodiscard]] linear_flow const& flow() const { return flow_; }

private:
    linear_flow flow_;
    std::vector<T> values_;
};

} // namespace detail

/// x' = f1(x)/epsilon + f0(x, t), f1 oscillatory (paper 002). Make one with `split`. As it stands it is an ordinary
/// first-order system; `effective` follows its drift across the orbits of the fast part.
template <class Space, class T, class Fast, class Slow> class split_system {
public:
    using space_type = Space;
    using scalar = T;
    using vector = typename Space::template vector<T>;
    using state = point<vector>;
    static constexpr bool is_linear = detail::fast_part<Space, T, Fast>::is_linear;

    struct work_type {
        vector slow;
        std::uint64_t force_evaluations = 0;
        [[no_unique_address]] typename detail::fast_part<Space, T, Fast>::work_type fast_part{};
        [[no_unique_address]] detail::force_work<Slow> slow_part{};
        static auto members(auto& self) { return std::tie(self.force_evaluations); }
    };

    split_system(Space space, splitting<T> const& options, Fast fast, Slow slow)
        : space_(space)
        , epsilon_(options.epsilon)
        , period_(options.period * options.epsilon)
        , fast_(space_, std::move(fast))
        , slow_(std::move(slow)) {
        require_positive("epsilon", static_cast<double>(options.epsilon));
        if (options.period != T(0))
            require_positive("the period of the fast flow", static_cast<double>(options.period));
    }

    [[nodiscard]] Space const& space() const { return space_; }
    [[nodiscard]] work_type work() const {
        return {space_.template zeros<T>(), 0, fast_.work(), detail::work_for(slow_)};
    }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    [[nodiscard]] T epsilon() const { return epsilon_; }
    /// The time after which the fast flow returns, or 0 when it is not known.
    [[nodiscard]] T period() const { return period_; }
    /// The same system with this time, where that is what is known, and not the period of x' = f1(x).
    [[nodiscard]] split_system returning_after(T time) const {
        require_positive("the time after which the fast flow returns", static_cast<double>(time));
        split_system known = *this;
        known.period_ = time;
        return known;
    }
    [[nodiscard]] linear_flow const& flow() const
        requires(is_linear)
    {
        return fast_.flow();
    }

    void rate(T t, vector const& x, vector& out, work_type& work) const { weighted_rate(t, T(1), x, out, work); }

    /// f1(x)/epsilon + weight f0(x, t): one evaluation.
    void weighted_rate(T t, T weight, vector const& x, vector& out, work_type& work) const {
        ++work.force_evaluations;
        T const factor = T(1) / epsilon_;
        fast_(x, out, work.fast_part);
        if (weight == T(0)) {
            for (auto& component : out) component *= factor;
            return;
        }
        call_slow(t, x, work.slow, work);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = factor * out[i] + weight * work.slow[i];
    }
    /// f1(x) alone, without the factor 1/epsilon.
    void fast_rate(vector const& x, vector& out, work_type& work) const {
        ++work.force_evaluations;
        fast_(x, out, work.fast_part);
    }
    /// f0(x, t) alone.
    void slow_rate(T t, vector const& x, vector& out, work_type& work) const {
        ++work.force_evaluations;
        call_slow(t, x, out, work);
    }

private:
    void call_slow(T t, vector const& x, vector& out, work_type& work) const {
        static_assert(detail::force_fits<Space, vector, Slow, vector, T>,
                      "the slow part of a split system is called as f0(x, t); in a fixed space it returns an array (or "
                      "a number when there is one variable), in a dynamic one it writes into a last argument; one that "
                      "brings work() is called as f0(at, out, work)");
        detail::call_with_work<Space>(slow_, work.slow_part, force_point<T>{.position = x, .time = t}, out, x, t);
    }

    [[no_unique_address]] Space space_;
    T epsilon_;
    T period_;
    detail::fast_part<Space, T, Fast> fast_;
    [[no_unique_address]] Slow slow_;
};

/// What the methods for split systems work on.
template <class S>
concept splits = first_order<S> &&
                 requires(S const& system, scalar_of<S> t, vector_of<S> const& x, vector_of<S>& out, work_of<S>& work) {
                     system.epsilon();
                     system.period();
                     system.weighted_rate(t, t, x, out, work);
                     system.fast_rate(x, out, work);
                     system.slow_rate(t, x, out, work);
                 };

/// A split system: `split<2>({.epsilon = 1e-4}, f1, f0)` with f1(x) or `linear(matrix)`, and f0(x, t).
template <std::size_t N, class T = double, class Fast, class Slow>
[[nodiscard]] auto split(std::type_identity_t<splitting<T>> const& options, Fast fast, Slow slow) {
    return split_system<fixed<N>, T, Fast, Slow>({}, options, std::move(fast), std::move(slow));
}
template <class T = double, class Fast, class Slow>
[[nodiscard]] auto split(dynamic space, std::type_identity_t<splitting<T>> const& options, Fast fast, Slow slow) {
    return split_system<dynamic, T, Fast, Slow>(space, options, std::move(fast), std::move(slow));
}

/// The same system with some variables' slow rates replaced by 0: what moves them slowly is left to the macro stepper.
template <class Space, class T, class Fast, class Slow> class frozen_system
    : public split_system<Space, T, Fast, Slow> {
    using base = split_system<Space, T, Fast, Slow>;

public:
    using typename base::vector;
    using typename base::work_type;

    frozen_system(base system, std::vector<std::size_t> variables)
        : base(std::move(system)), variables_(std::move(variables)) {
        for (std::size_t const i : variables_)
            if (i >= this->space().size()) throw misuse("there is no variable " + std::to_string(i + 1) + " to freeze");
    }

    void rate(T t, vector const& x, vector& out, work_type& work) const { weighted_rate(t, T(1), x, out, work); }
    void weighted_rate(T t, T weight, vector const& x, vector& out, work_type& work) const {
        base::weighted_rate(t, weight, x, out, work);
        if (weight != T(0))
            for (std::size_t const i : variables_) out[i] -= weight * work.slow[i];
    }
    void slow_rate(T t, vector const& x, vector& out, work_type& work) const {
        base::slow_rate(t, x, out, work);
        for (std::size_t const i : variables_) out[i] = T(0);
    }

private:
    std::vector<std::size_t> variables_;
};

/// `frozen(system, {0, 1, 2})`: variables counted from 0.
template <class Space, class T, class Fast, class Slow>
[[nodiscard]] auto frozen(split_system<Space, T, Fast, Slow> system, std::vector<std::size_t> variables) {
    return frozen_system<Space, T, Fast, Slow>(std::move(system), std::move(variables));
}

} // namespace lento

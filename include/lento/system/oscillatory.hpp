#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/force.hpp>
#include <lento/base/misuse.hpp>
#include <lento/base/space.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/linear_flow.hpp>

namespace lento {

namespace detail {

/// (x, v)' = (v, -K x) as one matrix. Throws misuse unless K is symmetric and has no negative eigenvalue.
[[nodiscard]] linear_flow oscillator_flow(std::vector<std::vector<long double>> const& stiffness);

} // namespace detail

/// x'' = -K x + g(x, t) with a constant stiffness matrix K: what trigonometric integrators and impulse methods know how
/// to take apart. Make one with `oscillatory`.
template <class Space, class T, class Slow> class oscillatory_system {
public:
    using space_type = Space;
    using scalar = T;
    using vector = typename Space::template vector<T>;
    using state = motion<vector>;

    struct work_type {
        vector stiff;
        std::uint64_t force_evaluations = 0;
        std::uint64_t applications = 0;
        [[no_unique_address]] detail::force_work<Slow> slow_part{};
        static auto members(auto& self) { return std::tie(self.force_evaluations, self.applications); }
    };

    oscillatory_system(Space space, std::vector<std::vector<long double>> const& stiffness, Slow slow)
        : space_(space), stiffness_(stiffness), flow_(detail::oscillator_flow(stiffness)), slow_(std::move(slow)) {
        require_size("the stiffness matrix", stiffness_.size(), space_.size());
        stiffness_.generator(values_);
    }

    [[nodiscard]] Space const& space() const { return space_; }
    [[nodiscard]] work_type work() const { return {space_.template zeros<T>(), 0, 0, detail::work_for(slow_)}; }
    void count(work_type const& work, statistics& counts) const {
        counts.force_evaluations += work.force_evaluations;
        counts.linear_flow_applications += work.applications;
    }

    void acceleration(T t, vector const& q, vector& out, work_type& work) const {
        slow_acceleration(t, q, out, work);
        stiffness_.apply(values_, q, work.stiff);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] -= work.stiff[i];
    }
    /// g(x, t) alone.
    void slow_acceleration(T t, vector const& q, vector& out, work_type& work) const {
        static_assert(
            detail::force_fits<Space, vector, Slow, vector, T>,
            "the slow force of an oscillatory system is called as g(q, t); in a fixed space it returns an "
            "array (or a number when there is one coordinate), in a dynamic one it writes into a last argument; one "
            "that brings work() is called as g(at, out, work)");
        ++work.force_evaluations;
        detail::call_with_work<Space>(slow_, work.slow_part, force_point<T>{.position = q, .time = t}, out, q, t);
    }
    /// -K x alone.
    void fast_acceleration(vector const& q, vector& out, work_type& work) const {
        ++work.force_evaluations;
        stiffness_.apply(values_, q, out);
        for (auto& component : out) component = -component;
    }

    /// K, for functions of its eigenvalues.
    [[nodiscard]] linear_flow const& stiffness() const { return stiffness_; }
    /// The flow of x'' = -K x in (x, v).
    [[nodiscard]] linear_flow const& flow() const { return flow_; }

private:
    [[no_unique_address]] Space space_;
    linear_flow stiffness_;
    linear_flow flow_;
    std::vector<T> values_;
    [[no_unique_address]] Slow slow_;
};

/// `oscillatory<2>({{w2, 0}, {0, 0}}, [](auto const& q, auto t) {...})`: K by rows, then the slow force.
template <std::size_t N, class T = double, class Slow>
[[nodiscard]] auto oscillatory(std::vector<std::vector<long double>> const& stiffness, Slow slow) {
    return oscillatory_system<fixed<N>, T, Slow>({}, stiffness, std::move(slow));
}
template <class T = double, class Slow>
[[nodiscard]] auto oscillatory(dynamic space, std::vector<std::vector<long double>> const& stiffness, Slow slow) {
    return oscillatory_system<dynamic, T, Slow>(space, stiffness, std::move(slow));
}

/// A force that comes in a slow and a fast part.
template <class S>
concept has_slow_force = second_order<S> && requires(S const& system, scalar_of<S> t, vector_of<S> const& q,
                                                     vector_of<S>& out, work_of<S>& work) {
    system.slow_acceleration(t, q, out, work);
    system.fast_acceleration(q, out, work);
};
/// ... the fast one linear.
template <class S>
concept has_linear_springs = has_slow_force<S> && requires(S const& system, work_of<S>& work) {
    system.stiffness();
    system.flow();
    work.applications;
};

} // namespace lento

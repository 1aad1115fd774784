#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <lento/base/force.hpp>
#include <lento/base/mass.hpp>
#include <lento/base/space.hpp>
#include <lento/system/concepts.hpp>

namespace lento {

/// M x'' = f(x, t), or f(x, x', t) when the force is wrapped by with_velocity. Make one with `plain`.
template <class Space, class T, class Mass, class Force> class plain_system {
    using traits = detail::force_traits<Force>;
    using function = typename traits::function;

public:
    using space_type = Space;
    using scalar = T;
    using vector = typename Space::template vector<T>;
    using state = motion<vector>;
    static constexpr bool uses_velocity = traits::velocity;

    struct work_type {
        std::uint64_t force_evaluations = 0;
        [[no_unique_address]] detail::force_work<function> force{};
        static auto members(auto& self) { return std::tie(self.force_evaluations); }
    };

    plain_system(Space space, Mass mass, Force force)
        : space_(space), mass_(std::move(mass)), force_(detail::bare_force(std::move(force))) {
        mass_.check(space_.size());
    }

    [[nodiscard]] Space const& space() const { return space_; }
    [[nodiscard]] Mass const& mass() const { return mass_; }
    [[nodiscard]] work_type work() const { return {0, detail::work_for(force_)}; }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    void acceleration(T t, vector const& q, vector& out, work_type& work) const
        requires(!uses_velocity)
    {
        static_assert(detail::force_fits<Space, vector, function, vector, T>,
                      "the force of a plain system is called as f(q, t), wrapped by with_velocity as f(q, v, t); in a "
                      "fixed space it returns an array (or a number when there is one coordinate), in a dynamic one it "
                      "writes into a last argument; one that brings work() is called as f(at, out, work)");
        ++work.force_evaluations;
        detail::call_with_work<Space>(force_, work.force, force_point<T>{.position = q, .time = t}, out, q, t);
        mass_.divide(out);
    }
    void acceleration(T t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(uses_velocity)
    {
        static_assert(detail::force_fits<Space, vector, function, vector, vector, T>,
                      "a force wrapped by with_velocity is called as f(q, v, t); in a fixed space it returns an array "
                      "(or a number when there is one coordinate), in a dynamic one it writes into a last argument; "
                      "one that brings work() is called as f(at, out, work)");
        ++work.force_evaluations;
        detail::call_with_work<Space>(force_, work.force, force_point<T>{.position = q, .velocity = v, .time = t}, out,
                                      q, v, t);
        mass_.divide(out);
    }

private:
    [[no_unique_address]] Space space_;
    [[no_unique_address]] Mass mass_;
    [[no_unique_address]] function force_;
};

/// A second-order system: `plain<2>([](auto const& q, auto t) {...})`.
template <std::size_t N, class T = double, class Force> [[nodiscard]] auto plain(Force force) {
    return plain_system<fixed<N>, T, unit_mass, Force>({}, {}, std::move(force));
}
template <std::size_t N, class T = double, class Mass, class Force> [[nodiscard]] auto plain(Mass mass, Force force) {
    return plain_system<fixed<N>, T, Mass, Force>({}, std::move(mass), std::move(force));
}
template <class T = double, class Force> [[nodiscard]] auto plain(dynamic space, Force force) {
    return plain_system<dynamic, T, unit_mass, Force>(space, {}, std::move(force));
}
template <class T = double, class Mass, class Force> [[nodiscard]] auto plain(dynamic space, Mass mass, Force force) {
    return plain_system<dynamic, T, Mass, Force>(space, std::move(mass), std::move(force));
}

/// x' = r(x, t). Make one with `plain_first_order`.
template <class Space, class T, class Rate> class first_order_system {
public:
    using space_type = Space;
    using scalar = T;
    using vector = typename Space::template vector<T>;
    using state = point<vector>;

    struct work_type {
        std::uint64_t force_evaluations = 0;
        [[no_unique_address]] detail::force_work<Rate> rate{};
        static auto members(auto& self) { return std::tie(self.force_evaluations); }
    };

    first_order_system(Space space, Rate rate) : space_(space), rate_(std::move(rate)) {}

    [[nodiscard]] Space const& space() const { return space_; }
    [[nodiscard]] work_type work() const { return {0, detail::work_for(rate_)}; }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    void rate(T t, vector const& x, vector& out, work_type& work) const {
        static_assert(
            detail::force_fits<Space, vector, Rate, vector, T>,
            "the right-hand side of a first-order system is called as r(x, t); in a fixed space it returns an "
            "array (or a number when there is one variable), in a dynamic one it writes into a last argument; one that "
            "brings work() is called as r(at, out, work)");
        ++work.force_evaluations;
        detail::call_with_work<Space>(rate_, work.rate, force_point<T>{.position = x, .time = t}, out, x, t);
    }

private:
    [[no_unique_address]] Space space_;
    [[no_unique_address]] Rate rate_;
};

/// A first-order system: `plain_first_order<2>([](auto const& x, auto t) {...})`.
template <std::size_t N, class T = double, class Rate> [[nodiscard]] auto plain_first_order(Rate rate) {
    return first_order_system<fixed<N>, T, Rate>({}, std::move(rate));
}
template <class T = double, class Rate> [[nodiscard]] auto plain_first_order(dynamic space, Rate rate) {
    return first_order_system<dynamic, T, Rate>(space, std::move(rate));
}

} // namespace lento

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "problem/potential_modes.hpp"

#include <lento/base/space.hpp>
#include <lento/constraint/hard_springs.hpp>
#include <lento/system/concepts.hpp>

namespace lento::detail {

/// A problem with a stiff potential: the whole force, and the potential's part of it as the load.
template <bool Velocity> class formula_potential : public potential_modes {
    using function = expression::compiled_formula;

public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;
    using multiplier_vector = std::vector<double>;
    using load_course = spring_loads<multiplier_vector>;
    static constexpr bool uses_velocity = Velocity;
    static constexpr bool sees_near = false; ///< nothing says where the potential has a given load

    struct place_in_time {
        double t{};
        vector q;
        multiplier_vector stretch;
    };
    struct work_type {
        function::work_type force;
        vector both; ///< the force, and after it the gradient of the potential
        multiplier_vector load;
        potential_modes::work_type springs;
        std::uint64_t force_evaluations = 0;
        static auto members(auto& self) { return std::tie(self.force_evaluations, self.load, self.springs); }
    };

    formula_potential(problem const& what, stiff_potential_kind const& kind, expression::engine_kind with)
        : potential_modes(what, kind, with), space_(what.size), force_(kind.loaded_force.compile(with)) {}

    [[nodiscard]] dynamic const& space() const { return space_; }
    [[nodiscard]] work_type work() const {
        std::size_t const n = space_.size();
        return {force_.work(), vector(2 * n), multiplier_vector(n), potential_modes::start()};
    }
    void count(work_type const& work, statistics& counts) const {
        counts.force_evaluations += work.force_evaluations;
        work.springs.count(counts);
    }

    void acceleration(double t, vector const& q, vector& out, work_type& work) const
        requires(!Velocity)
    {
        force_.evaluate({.position = q, .time = t}, work.both, work.force);
        hand_out(out, work);
    }
    void acceleration(double t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(Velocity)
    {
        force_.evaluate({.position = q, .velocity = v, .time = t}, work.both, work.force);
        hand_out(out, work);
    }

    [[nodiscard]] vector const& multipliers_at(double t, vector const& q, work_type& work) const {
        return potential_modes::multipliers_at(t, q, work.springs);
    }
    [[nodiscard]] vector const& stretch(double t, vector const& q, work_type& work) const {
        return potential_modes::stretch(t, q, work.springs);
    }
    [[nodiscard]] vector const& stretch_rate(double t, vector const& q, vector const& v, work_type& work) const {
        return potential_modes::stretch_rate(t, q, v, work.springs);
    }
    [[nodiscard]] std::span<double const> fast_band(double t, vector const& q, work_type& work) const {
        return potential_modes::fast_band(t, q, work.springs);
    }
    void excite(double t, vector const& q, spring_swing const& seen, fast_modes& modes, work_type& work) const {
        potential_modes::excite(t, q, seen, modes, work.springs);
    }
    [[nodiscard]] double adiabatic_acceleration(double t, vector const& q, fast_modes& modes, work_type& work) const {
        return potential_modes::adiabatic_acceleration(t, q, modes, work.springs);
    }

private:
    void hand_out(vector& out, work_type& work) const {
        ++work.force_evaluations;
        auto const middle = work.both.begin() + static_cast<std::ptrdiff_t>(out.size());
        std::copy(work.both.begin(), middle, out.begin());
        to_load(std::span(work.both).subspan(out.size()), work.load);
        mass().divide(out);
    }

    dynamic space_;
    function force_;
};

} // namespace lento::detail

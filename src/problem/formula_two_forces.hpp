#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/mass.hpp>
#include <lento/base/space.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/problem.hpp>
#include <lento/system/concepts.hpp>

namespace lento::detail {

/// A stiff problem with its force in two parts, whatever its springs: all that the impulse method asks.
class formula_two_forces {
    using function = expression::compiled_formula;

public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;

    struct work_type {
        function::work_type slow;
        function::work_type stretch;
        function::work_type slope;
        vector stretches;
        vector slopes;
        vector fast;
        std::uint64_t force_evaluations = 0;
        static auto members(auto& self) { return std::tie(self.force_evaluations); }
    };

    /// The springs do not depend on the time; formulas that could are evaluated at `start`.
    formula_two_forces(dynamic space, any_mass mass, function slow, compiled_functions springs,
                       std::vector<double> omegas, double start)
        : space_(space)
        , mass_(std::move(mass))
        , slow_(std::move(slow))
        , stretch_(springs.values)
        , slope_(springs.gradients)
        , places_(std::move(springs.places))
        , omegas_(std::move(omegas))
        , start_(start) {}

    [[nodiscard]] dynamic const& space() const { return space_; }
    [[nodiscard]] work_type work() const {
        return {slow_.work(),           stretch_.work(),        slope_.work(),
                vector(omegas_.size()), vector(places_.size()), vector(space_.size())};
    }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    void acceleration(double t, vector const& q, vector& out, work_type& work) const {
        slow_acceleration(t, q, out, work);
        fast_acceleration(q, work.fast, work);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += work.fast[i];
    }
    void slow_acceleration(double t, vector const& q, vector& out, work_type& work) const {
        ++work.force_evaluations;
        slow_({.position = q, .time = t}, out, work.slow);
        mass_.divide(out);
    }
    void fast_acceleration(vector const& q, vector& out, work_type& work) const {
        ++work.force_evaluations;
        stretch_({.position = q, .time = start_}, work.stretches, work.stretch);
        slope_({.position = q, .time = start_}, work.slopes, work.slope);
        for (std::size_t j = 0; j < omegas_.size(); ++j) work.stretches[j] *= omegas_[j] * omegas_[j];
        std::fill(out.begin(), out.end(), 0.);
        for (std::size_t k = 0; k < work.slopes.size(); ++k) {
            auto const& [spring, coordinate] = places_[k];
            if (spring < omegas_.size()) out[coordinate] -= work.stretches[spring] * work.slopes[k];
        }
        mass_.divide(out);
    }

private:
    dynamic space_;
    any_mass mass_;
    function slow_;
    function stretch_;
    function slope_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;
    std::vector<double> omegas_;
    double start_;
};

[[nodiscard]] inline formula_two_forces make_two_forces(problem const& what, stiff_kind const& kind,
                                                        expression::engine_kind with) {
    return {dynamic(what.size),          what.mass,   kind.slow_force.compile(with),
            compile(kind.springs, with), kind.omegas, what.start};
}

} // namespace lento::detail

#pragma once

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

/// A stiff problem with its force in two parts, whatever these are: all that the impulse method asks.
class formula_two_forces {
    using function = expression::compiled_formula;

public:
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = motion<vector>;

    struct work_type {
        function::work_type slow_work;
        function::work_type fast_work;
        vector fast;
        std::uint64_t force_evaluations = 0;
        static auto members(auto& self) { return std::tie(self.force_evaluations); }
    };

    /// The fast force does not depend on the time; formulas that could are evaluated at `start`.
    formula_two_forces(dynamic space, any_mass mass, function slow, function fast, double start)
        : space_(space), mass_(std::move(mass)), slow_(std::move(slow)), fast_(std::move(fast)), start_(start) {}

    [[nodiscard]] dynamic const& space() const { return space_; }
    [[nodiscard]] work_type work() const { return {slow_.work(), fast_.work(), vector(space_.size())}; }
    void count(work_type const& work, statistics& counts) const { counts.force_evaluations += work.force_evaluations; }

    void acceleration(double t, vector const& q, vector& out, work_type& work) const {
        slow_acceleration(t, q, out, work);
        fast_acceleration(q, work.fast, work);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += work.fast[i];
    }
    void slow_acceleration(double t, vector const& q, vector& out, work_type& work) const {
        ++work.force_evaluations;
        slow_({.position = q, .time = t}, out, work.slow_work);
        mass_.divide(out);
    }
    void fast_acceleration(vector const& q, vector& out, work_type& work) const {
        ++work.force_evaluations;
        fast_({.position = q, .time = start_}, out, work.fast_work);
        mass_.divide(out);
    }

private:
    dynamic space_;
    any_mass mass_;
    function slow_;
    function fast_;
    double start_;
};

template <class Kind>
[[nodiscard]] formula_two_forces make_two_forces(problem const& what, Kind const& kind, expression::engine_kind with) {
    return {dynamic(what.size), what.mass, kind.slow_force.compile(with), kind.fast_force.compile(with), what.start};
}

} // namespace lento::detail

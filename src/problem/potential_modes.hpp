#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include <lento/base/mass.hpp>
#include <lento/constraint/fast_band.hpp>
#include <lento/constraint/work.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/problem.hpp>

namespace lento::detail {

/// The fast modes of a stiff potential V, from its Hessian: what `hard_springs` is for springs that are known one by
/// one. Coordinates are seen as y with x = C y, C C^T = M^-1, in which the mass is 1 and modes are orthonormal. The
/// load is the gradient of V by y; over the square of the fastest frequency at the start it is a stretch.
class potential_modes {
    using function = expression::compiled_formula;
    using vector = std::vector<double>;

public:
    struct work_type : constraint_work {
        function::work_type pull;
        function::work_type bend;
        function::work_type rate;
        function::work_type turn;
        vector band;                    ///< ascending
        fast_modes here;                ///< all of the Hessian, where it was looked at last
        vector values;                  ///< its eigenvalues
        std::vector<std::size_t> order; ///< of them, the largest first
        vector matrix;
        vector direction;
        vector column;
        vector lambda;
        vector stretch;
        vector stretch_rate;
        static auto members(auto& self) {
            return std::tuple_cat(constraint_work::members(self), std::tie(self.band, self.here));
        }
    };

    /// Throws does_not_apply where the Hessian at the start does not tell fast modes from slow ones.
    potential_modes(problem const& what, stiff_potential_kind const& kind, expression::engine_kind with);

    [[nodiscard]] any_mass const& mass() const { return mass_; }
    /// The scale of loads, one number for each coordinate.
    [[nodiscard]] vector const& frequencies() const { return scales_; }
    [[nodiscard]] bool are_few() const { return size_ <= few; }
    [[nodiscard]] fast_modes modes() const { return {size_, count_}; }
    [[nodiscard]] work_type start() const;

    /// C^T of a gradient by x.
    void to_load(std::span<double const> gradient, vector& load) const;
    [[nodiscard]] vector const& multipliers_at(double t, vector const& q, work_type& work) const;
    [[nodiscard]] vector const& stretch(double t, vector const& q, work_type& work) const;
    [[nodiscard]] vector const& stretch_rate(double t, vector const& q, vector const& v, work_type& work) const;
    /// The fast frequencies at q, ascending. Not numbers where the Hessian there has no gap; the work says so.
    [[nodiscard]] std::span<double const> fast_band(double t, vector const& q, work_type& work) const;
    /// As those of `hard_springs`.
    void excite(double t, vector const& q, spring_swing const& seen, fast_modes& modes, work_type& work) const;
    [[nodiscard]] double adiabatic_acceleration(double t, vector const& q, fast_modes& modes, work_type& work) const;

private:
    static constexpr std::size_t few = 32;

    void find_modes(double t, vector const& q, work_type& work) const;
    [[nodiscard]] std::span<double const> fast_shape(std::size_t m, work_type const& work) const {
        return work.here.shape(work.order[m]);
    }
    /// C y
    void to_coordinates(std::span<double const> y, vector& x) const;
    void carry(fast_modes& modes, work_type& work) const;

    std::size_t size_;
    any_mass mass_;
    vector factor_; ///< C by rows, lower triangular; none where the mass is 1
    function pull_;
    function bend_;
    function rate_;
    function turn_;
    std::size_t count_ = 0; ///< of fast modes
    vector scales_;
};

} // namespace lento::detail

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/misuse.hpp>
#include <lento/constraint/fast_band.hpp>
#include <lento/constraint/work.hpp>

namespace lento {

/// The loads of springs and how they go on.
template <class Loads> struct spring_loads {
    Loads value;
    Loads rate;
    Loads bend;
    static auto members(auto& self) { return std::tie(self.value, self.rate, self.bend); }
};

/// Springs of frequencies omega_j where constraints g_j would be: how they are stretched, where they pull with a given
/// load, and their fast modes. The part that stiff systems of every size share; Springs is a set of constraints. The
/// scratch is a member `springs` of the system's work.
template <class Springs, class Mass> class hard_springs {
    using point = typename Springs::vector;
    using T = typename point::value_type;
    using linear = typename Springs::linear;

public:
    using multiplier_vector = typename Springs::multipliers;

    using load_course = spring_loads<multiplier_vector>;

    struct spring_work : Springs::work_type {
        typename Springs::linear at;
        multiplier_vector stretch;
        multiplier_vector rate;
        multiplier_vector lambda;
        point moved;
        point pull;
        std::vector<double> band; ///< ascending
        std::vector<double> matrix;
        std::vector<double> column;
        fast_modes here;                             ///< of few springs, where they were looked at last
        std::array<std::vector<double>, 3> iterates; ///< of many
        static auto members(auto& self) {
            return std::tuple_cat(constraint_work::members(self), std::tie(self.at, self.band, self.here));
        }
    };

    hard_springs(Springs springs, Mass mass, std::vector<double> omegas)
        : springs_(std::move(springs)), mass_(std::move(mass)), omegas_(std::move(omegas)) {
        require_size("the list of the springs' frequencies", omegas_.size(), springs_.size());
        for (std::size_t j = 0; j < omegas_.size(); ++j)
            require_positive("the frequency of spring " + std::to_string(j + 1), omegas_[j]);
        springs_.check(mass_);
    }

    [[nodiscard]] Mass const& mass() const { return mass_; }
    /// The springs as constraints.
    [[nodiscard]] Springs const& springs() const { return springs_; }
    [[nodiscard]] std::vector<double> const& frequencies() const { return omegas_; }
    /// Of few springs all modes are known, and it costs little to look at them; of many there is a band, and what a
    /// swing excites.
    [[nodiscard]] bool are_few() const { return is_fixed || omegas_.size() <= few; }

    /// g(q, t)
    template <class Work> [[nodiscard]] multiplier_vector const& stretch(T t, point const& q, Work& work) const {
        springs_.values(t, q, work.springs.stretch, work.springs);
        return work.springs.stretch;
    }
    /// dg/dt along a motion of velocity v
    template <class Work>
    [[nodiscard]] multiplier_vector const& stretch_rate(T t, point const& q, point const& v, Work& work) const {
        springs_.rate(t, q, v, work.springs.rate, work.springs);
        return work.springs.rate;
    }
    /// lambda_j = omega_j^2 g_j: the multipliers of the limit, where q is a slow point
    template <class Work> [[nodiscard]] multiplier_vector const& multipliers_at(T t, point const& q, Work& work) const {
        auto& lambda = work.springs.lambda;
        springs_.values(t, q, lambda, work.springs);
        for (std::size_t j = 0; j < lambda.size(); ++j) lambda[j] *= square(j);
        return lambda;
    }
    /// load becomes the g that has it.
    void to_stretch(multiplier_vector& load) const {
        for (std::size_t j = 0; j < load.size(); ++j) load[j] /= square(j);
    }

    /// Moves a point across the springs, along M^-1 g'^T, to where they pull with the given load, and its velocity to
    /// where the load changes at its rate. What is left is quadratic in the distance, twice. False where the gradients
    /// are dependent.
    template <class Work> [[nodiscard]] bool place(T t, point& q, point& v, load_course const& load, Work& work) const {
        auto& own = work.springs;
        springs_.values(t, q, own.stretch, own);
        if (!springs_.linearise(t, q, mass_, own.at, own)) return false;
        move_across(load.value, own.stretch, q, own);
        // the same factors again: what they missed is what the gradients changed on the way
        springs_.values_and_rates(t, q, v, own.stretch, own.rate, own);
        move_across(load.value, own.stretch, q, own);
        move_across(load.rate, own.rate, v, own);
        return true;
    }
    /// Moves an acceleration across the springs to what keeps such a motion, at the point placed last, under its load.
    template <class Work>
    void place_acceleration(T t, point const& q, point const& v, load_course const& load, point& a, Work& work) const {
        auto& own = work.springs;
        springs_.curvature(t, q, v, own.rate, own);
        springs_.along(own.at, a, own.stretch);
        for (std::size_t j = 0; j < own.rate.size(); ++j) own.stretch[j] += own.rate[j];
        move_across(load.bend, own.stretch, a, own);
    }

    /// The frequencies of the fast motion at q, ascending: roots of the eigenvalues of A = W g' M^-1 g'^T W. Of more
    /// than a few springs the slowest, the fastest, and some between them that stand for the rest. Not numbers where
    /// the gradients are dependent; the work says how.
    template <class Work> [[nodiscard]] std::span<double const> fast_band(T t, point const& q, Work& work) const {
        if (springs_.linearise(t, q, mass_, work.springs.at, work.springs)) return band_here(work);
        std::fill(work.springs.band.begin(), work.springs.band.end(), std::numeric_limits<double>::quiet_NaN());
        return work.springs.band;
    }
    /// The same where a point was placed last.
    template <class Work> [[nodiscard]] std::span<double const> band_here(Work& work) const {
        auto& own = work.springs;
        if (are_few()) {
            follow(own.here, own.at, own);
            std::copy(own.here.frequencies.begin(), own.here.frequencies.end(), own.band.begin());
            std::sort(own.band.begin(), own.band.end());
        } else {
            spread_band(own);
        }
        return own.band;
    }

    /// Rayleigh and Ritz: modes become eigenvectors within the space that they span, which of few springs is all.
    void follow(fast_modes& modes, linear const& at, spring_work& own) const {
        std::size_t const n = modes.count();
        for (std::size_t m = 0; m < n; ++m) {
            apply(modes.shape(m), own.column, at, own);
            for (std::size_t k = 0; k < n; ++k) own.matrix[k * n + m] = detail::dot(modes.shape(k), own.column);
        }
        detail::turn_to_eigenvectors(std::span(own.matrix).first(n * n), modes);
        for (std::size_t m = 0; m < n; ++m) modes.frequencies[m] = std::sqrt(std::max(own.matrix[m * n + m], 0.));
    }
    /// Of a mode at factors: W s, and its direction n = M^-1 g'^T W s/Omega, a unit one in the metric of the mass.
    void direct(fast_modes const& modes, std::size_t m, linear const& at, multiplier_vector& pull,
                point& direction) const {
        auto const shape = modes.shape(m);
        for (std::size_t j = 0; j < shape.size(); ++j) pull[j] = T(omegas_[j] * shape[j]);
        std::fill(direction.begin(), direction.end(), T(0));
        springs_.pull(at, T(-1 / modes.frequencies[m]), pull, direction);
    }

    /// Modes for `excite`, not yet excited.
    [[nodiscard]] fast_modes modes() const {
        return {omegas_.size(), are_few() ? omegas_.size() : std::min(most_excited, omegas_.size())};
    }
    /// The modes at q with the actions of a swing there, which are adiabatic invariants. Of many springs modes are
    /// approximated in the space that the swing spans with its first products with A: a few, which hold its whole
    /// energy, so that the work grows with the springs no faster.
    template <class Work>
    void excite(T t, point const& q, spring_swing const& seen, fast_modes& modes, Work& work) const {
        auto& own = work.springs;
        if (!springs_.linearise(t, q, mass_, own.at, own)) return;
        if (!are_few()) span_swing(seen, modes, own);
        follow(modes, own.at, own);
        for (std::size_t m = 0; m < modes.count(); ++m) {
            double const frequency = modes.frequencies[m];
            if (!(frequency > 0)) continue;
            double const stretched = detail::dot(modes.shape(m), seen.stretch);
            double const moving = detail::dot(modes.shape(m), seen.rate) / frequency;
            modes.actions[m] = (stretched * stretched + moving * moving) / (2 * frequency);
        }
    }
    /// Takes modes along to q, and finds the acceleration along g = 0 with which they act on the slow motion there: the
    /// gradient of sum_m J_m Omega_m (Rubin and Ungar 1957, Bornemann 1998). One gradient, and one more a mode.
    template <class Work>
    [[nodiscard]] double adiabatic_acceleration(T t, point const& q, fast_modes& modes, Work& work) const {
        auto& own = work.springs;
        if (!springs_.linearise(t, q, mass_, own.at, own)) return 0;
        follow(modes, own.at, own);
        std::fill(own.pull.begin(), own.pull.end(), T(0));
        for (std::size_t m = 0; m < modes.count(); ++m) {
            double const frequency = modes.frequencies[m];
            if (!(frequency > 0)) continue;
            // dOmega_m = W s_m . (dg' n_m), n_m = M^-1 g'^T W s_m/Omega_m
            spread(modes.shape(m), own.at, own);
            for (auto& component : own.moved) component /= T(frequency);
            for (auto& weight : own.lambda) weight *= T(modes.actions[m]);
            springs_.turn(t, q, own.moved, own.lambda, own.pull, own);
        }
        mass_.divide(own.pull);
        springs_.along(own.at, own.pull, own.rate);
        springs_.solve(own.at, own.rate);
        springs_.pull(own.at, T(1), own.rate, own.pull);
        double sum = 0;
        for (auto const& component : own.pull) sum += static_cast<double>(component * component);
        return std::sqrt(sum);
    }

protected:
    [[nodiscard]] spring_work start_springs(point const& coordinates) const {
        std::size_t const n = omegas_.size();
        auto const zeros = springs_.zeros();
        std::size_t const modes = modes_in(n);
        spring_work made{springs_.work(),
                         springs_.start(),
                         zeros,
                         zeros,
                         zeros,
                         coordinates,
                         coordinates,
                         std::vector<double>(are_few() ? n : few + 1),
                         std::vector<double>(modes * modes),
                         std::vector<double>(n),
                         fast_modes(n, are_few() ? n : 0),
                         {}};
        if (!are_few()) made.iterates.fill(std::vector<double>(n));
        return made;
    }

private:
    static constexpr bool is_fixed = detail::known_size<multiplier_vector> > 0;
    static constexpr std::size_t few = 32;
    static constexpr std::size_t most_excited = 8;

    [[nodiscard]] std::size_t modes_in(std::size_t n) const { return are_few() ? n : std::min(most_excited, n); }
    [[nodiscard]] T square(std::size_t j) const { return T(omegas_[j]) * T(omegas_[j]); }

    /// x moves so that what is stretched as found pulls as wanted.
    void move_across(multiplier_vector const& wanted, multiplier_vector const& found, point& x,
                     spring_work& own) const {
        for (std::size_t j = 0; j < found.size(); ++j) own.lambda[j] = wanted[j] / square(j) - found[j];
        springs_.solve(own.at, own.lambda);
        springs_.pull(own.at, T(-1), own.lambda, x);
    }
    /// W x and M^-1 g'^T W x
    void spread(std::span<double const> x, linear const& at, spring_work& own) const {
        for (std::size_t j = 0; j < x.size(); ++j) own.lambda[j] = T(omegas_[j] * x[j]);
        std::fill(own.moved.begin(), own.moved.end(), T(0));
        springs_.pull(at, T(-1), own.lambda, own.moved);
    }
    /// out = A x
    template <class Out> void apply(std::span<double const> x, Out& out, linear const& at, spring_work& own) const {
        spread(x, at, own);
        springs_.along(at, own.moved, own.lambda);
        for (std::size_t j = 0; j < x.size(); ++j) out[j] = omegas_[j] * static_cast<double>(own.lambda[j]);
    }
    /// An orthonormal basis of what a swing spans with its products with A; what is not needed is zero.
    void span_swing(spring_swing const& seen, fast_modes& modes, spring_work& own) const {
        std::fill(modes.shapes.begin(), modes.shapes.end(), 0.);
        std::fill(modes.actions.begin(), modes.actions.end(), 0.);
        std::size_t count = 0;
        auto const take = [&] { // the column, less what is spanned already
            double const whole = std::sqrt(detail::dot(own.column, own.column));
            for (int twice = 0; twice < 2; ++twice)
                for (std::size_t m = 0; m < count; ++m) {
                    double const share = detail::dot(modes.shape(m), own.column);
                    for (std::size_t j = 0; j < own.column.size(); ++j) own.column[j] -= share * modes.shape(m)[j];
                }
            double const left = std::sqrt(detail::dot(own.column, own.column));
            if (!(left > 1e-6 * whole)) return;
            for (std::size_t j = 0; j < own.column.size(); ++j) modes.shape(count)[j] = own.column[j] / left;
            ++count;
        };
        own.column = seen.stretch;
        take();
        own.column = seen.rate;
        take();
        for (std::size_t m = 0; m < count && count < modes.count(); ++m) {
            apply(modes.shape(m), own.column, own.at, own);
            take();
        }
    }
    /// Equidistant frequencies from the slowest to the fastest.
    void spread_band(spring_work& own) const {
        if constexpr (!is_fixed) {
            double const fastest = std::sqrt(detail::largest_eigenvalue(
                [&](std::vector<double> const& x, std::vector<double>& out) { apply(x, out, own.at, own); },
                own.iterates));
            double const slowest = 1 / std::sqrt(detail::largest_eigenvalue(
                                           [&](std::vector<double> const& x, std::vector<double>& out) {
                                               for (std::size_t j = 0; j < x.size(); ++j) out[j] = x[j] / omegas_[j];
                                               springs_.solve(own.at, out);
                                               for (std::size_t j = 0; j < x.size(); ++j) out[j] /= omegas_[j];
                                           },
                                           own.iterates));
            for (std::size_t k = 0; k <= few; ++k)
                own.band[k] = slowest + (fastest - slowest) * static_cast<double>(k) / static_cast<double>(few);
        } else {
            static_cast<void>(own);
        }
    }

    Springs springs_;
    Mass mass_;
    std::vector<double> omegas_;
};

} // namespace lento

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/force.hpp>
#include <lento/base/gradient.hpp>
#include <lento/base/increment.hpp>
#include <lento/base/mass.hpp>
#include <lento/base/misuse.hpp>
#include <lento/constraint/sparse_factor.hpp>
#include <lento/constraint/work.hpp>

namespace lento {

/// Stands for a coordinate that is always 0: the fixed end of a rod, say.
inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// `count` constraints alike, each of at most Reach coordinates: where(i) names those of the i-th (an array of Reach
/// numbers), g(i, local) or, wrapped by with_time, g(i, local, t) is its value. Their number is known at run time, and
/// the work grows with it as the sparsity allows: linearly for a chain.
template <std::size_t Reach, class Where, class G> struct constraint_family {
    std::size_t count;
    Where where;
    G function;
};
template <std::size_t Reach, class Where, class G>
[[nodiscard]] constraint_family<Reach, Where, G> family(std::size_t count, Where where, G function) {
    return {count, std::move(where), std::move(function)};
}

/// Many constraints of few coordinates each, for systems of run-time size.
template <std::size_t Reach, class G> class sparse_constraints {
    using traits = detail::force_traits<G>;
    using around = detail::work_around<typename traits::function>;
    using counts = typename around::counts;
    using T = double;

public:
    using vector = std::vector<T>;
    using multipliers = std::vector<T>;
    using work_type = typename around::type;

    struct linear {
        std::vector<std::array<T, Reach>> rows;
        sparse_factor factor;
        static auto members(auto& self) { return std::tie(self.rows, self.factor); }
    };

    template <class Where, class Given>
    sparse_constraints(std::size_t coordinates, constraint_family<Reach, Where, Given> given)
        : function_(detail::bare_force(std::move(given.function))) {
        detail::require_fewer_constraints(given.count, coordinates);
        for (std::size_t j = 0; j < given.count; ++j) {
            places_.push_back(given.where(j));
            for (std::size_t const place : places_.back())
                if (place != nowhere && place >= coordinates)
                    throw misuse("constraint " + std::to_string(j + 1) + " refers to coordinate " +
                                 std::to_string(place + 1) + ", but there are " + std::to_string(coordinates));
        }
        lay_out(coordinates);
        inverse_mass_.assign(coordinates, T(1));
    }

    [[nodiscard]] std::size_t size() const { return places_.size(); }
    [[nodiscard]] multipliers zeros() const { return multipliers(size()); }
    [[nodiscard]] linear start() const {
        return {std::vector<std::array<T, Reach>>(size()), sparse_factor(starts_, rows_)};
    }
    [[nodiscard]] work_type work() const { return around::make(function_); }
    template <class Mass> void check(Mass const& mass) {
        static_assert(!std::is_same_v<Mass, full_mass<T>>,
                      "a family of constraints needs a diagonal mass; with a full one nothing would be sparse");
        std::fill(inverse_mass_.begin(), inverse_mass_.end(), T(1));
        mass.divide(inverse_mass_);
    }

    /// Adds the accelerations -load_j M^-1 grad g_j of springs in place of constraints, load_j = s_j g_j: one sweep.
    void add_springs(T t, vector const& q, multipliers const& squares, vector& out, multipliers& load,
                     counts& work) const {
        using number = gradient<T, Reach>;
        for (std::size_t j = 0; j < size(); ++j) {
            auto const& places = places_[j];
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (places[k] != nowhere) local[k] = number::variable(q[places[k]], k);
            number const g = call(j, local, number(t), work);
            T const pull = squares[j] * g.value;
            load[j] = pull;
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places[k]; i != nowhere) out[i] -= pull * g.slope[k] * inverse_mass_[i];
        }
    }
    /// The same at a displacement d and a time dt from where the springs are stretched as given, without cancellation.
    void add_springs_near(T t, vector const& q, multipliers const& stretch, T dt, vector const& d,
                          multipliers const& squares, vector& out, multipliers& load, counts& work) const {
        using change = increment<T>;
        using number = gradient<change, Reach>;
        for (std::size_t j = 0; j < size(); ++j) {
            auto const& places = places_[j];
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places[k]; i != nowhere) local[k] = number::variable(change(q[i], d[i]), k);
            number const g = call(j, local, number(change(t, dt)), work);
            T const pull = squares[j] * (stretch[j] + g.value.change);
            load[j] = pull;
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places[k]; i != nowhere) out[i] -= pull * g.slope[k].end() * inverse_mass_[i];
        }
    }

    void values(T t, vector const& q, multipliers& out, counts& work) const {
        ++work.evaluations;
        for (std::size_t j = 0; j < size(); ++j) {
            std::array<T, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k) local[k] = places_[j][k] == nowhere ? T(0) : q[places_[j][k]];
            out[j] = call(j, local, t, work);
        }
    }
    void change(T t, vector const& q, T dt, vector const& d, multipliers& out, counts& work) const {
        ++work.evaluations;
        using number = increment<T>;
        for (std::size_t j = 0; j < size(); ++j) {
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere) local[k] = {q[i], d[i]};
            out[j] = number(call(j, local, number{t, dt}, work)).change;
        }
    }
    void rate(T t, vector const& q, vector const& v, multipliers& out, counts& work) const {
        ++work.evaluations;
        using number = dual<T>;
        for (std::size_t j = 0; j < size(); ++j) {
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere) local[k] = {q[i], v[i]};
            out[j] = number(call(j, local, number{t, T(1)}, work)).slope[0];
        }
    }
    void values_and_rates(T t, vector const& q, vector const& v, multipliers& values, multipliers& rates,
                          counts& work) const {
        ++work.evaluations;
        using number = dual<T>;
        for (std::size_t j = 0; j < size(); ++j) {
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere) local[k] = {q[i], v[i]};
            number const g = call(j, local, number{t, T(1)}, work);
            values[j] = g.value;
            rates[j] = g.slope[0];
        }
    }
    void curvature(T t, vector const& q, vector const& v, multipliers& out, counts& work) const {
        ++work.evaluations;
        using number = dual<dual<T>>;
        for (std::size_t j = 0; j < size(); ++j) {
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere)
                    local[k] = number(dual<T>{q[i], v[i]}, dual<T>{v[i], T(0)});
            out[j] = number(call(j, local, number(dual<T>{t, T(1)}, dual<T>{T(1), T(0)}), work)).slope[0].slope[0];
        }
    }

    void turn(T t, vector const& q, vector const& direction, multipliers const& weights, vector& out,
              counts& work) const {
        ++work.jacobians;
        using number = gradient<dual<T>, Reach>;
        for (std::size_t j = 0; j < size(); ++j) {
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere)
                    local[k] = number::variable(dual<T>(q[i], direction[i]), k);
            number const g = call(j, local, number(dual<T>(t)), work);
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere) out[i] += weights[j] * g.slope[k].slope[0];
        }
    }

    template <class Mass>
    [[nodiscard]] bool linearise(T t, vector const& q, Mass const&, linear& at, work_type& work) const {
        ++work.jacobians;
        using number = gradient<T, Reach>;
        for (std::size_t j = 0; j < size(); ++j) {
            std::array<number, Reach> local{};
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere) local[k] = number::variable(q[i], k);
            at.rows[j] = number(call(j, local, number(t), work)).slope;
        }
        auto& entries = at.factor.entries();
        std::fill(entries.begin(), entries.end(), T(0));
        for (term const& each : terms_)
            entries[each.entry] +=
                at.rows[each.row][each.in_row] * at.rows[each.column][each.in_column] * inverse_mass_[each.coordinate];
        auto const [which, share] = at.factor.factor(detail::rank_threshold);
        if (which == size()) return true;
        if (!all_finite(q)) return false; // that has its own story
        work.failed = square(at, which) > T(0)
                          ? detail::dependent_gradients(t, which, sharing(which), std::sqrt(std::max(share, 0.)))
                          : detail::vanishing_gradient(t, which);
        return false;
    }

    void solve(linear const& at, multipliers& x) const { at.factor.solve(x); }
    /// Newton's matrix is taken as that of the step's start, which is symmetric and factored already: the iteration
    /// then converges by a factor of O(h).
    void solve_between(T, vector const&, linear const& at, multipliers& x, counts&) const { at.factor.solve(x); }
    void pull(linear const& at, T c, multipliers const& lambda, vector& u) const {
        for (std::size_t j = 0; j < size(); ++j)
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere)
                    u[i] -= c * lambda[j] * at.rows[j][k] * inverse_mass_[i];
    }
    void along(linear const& at, vector const& v, multipliers& out) const {
        for (std::size_t j = 0; j < size(); ++j) {
            out[j] = T(0);
            for (std::size_t k = 0; k < Reach; ++k)
                if (std::size_t const i = places_[j][k]; i != nowhere) out[j] += at.rows[j][k] * v[i];
        }
    }
    [[nodiscard]] T square(linear const& at, std::size_t j) const {
        T sum(0);
        for (std::size_t k = 0; k < Reach; ++k)
            if (std::size_t const i = places_[j][k]; i != nowhere)
                sum += at.rows[j][k] * at.rows[j][k] * inverse_mass_[i];
        return sum;
    }

private:
    /// What a coordinate shared by two constraints adds to an entry of g' M^-1 g'^T.
    struct term {
        std::size_t entry;
        std::size_t row;
        std::size_t in_row;
        std::size_t column;
        std::size_t in_column;
        std::size_t coordinate;
    };

    template <class Number> [[nodiscard]] Number call(std::size_t j, std::array<Number, Reach> const& local,
                                                      Number const& t, counts& work) const {
        if constexpr (traits::time) return detail::call_with_scratch(function_, work, j, local, t);
        else return detail::call_with_scratch(function_, work, j, local);
    }

    /// The pattern of the matrix, from who shares a coordinate with whom.
    void lay_out(std::size_t coordinates) {
        struct use {
            std::size_t constraint;
            std::size_t local;
        };
        std::vector<std::vector<use>> users(coordinates);
        for (std::size_t j = 0; j < size(); ++j)
            for (std::size_t k = 0; k < Reach; ++k)
                if (places_[j][k] != nowhere) users[places_[j][k]].push_back({j, k});
        std::vector<std::vector<std::size_t>> below(size());
        for (std::size_t j = 0; j < size(); ++j) below[j].push_back(j);
        for (auto const& all : users)
            for (auto const& a : all)
                for (auto const& b : all)
                    if (a.constraint > b.constraint) below[b.constraint].push_back(a.constraint);
        starts_.push_back(0);
        for (auto& column : below) {
            std::sort(column.begin(), column.end());
            column.erase(std::unique(column.begin(), column.end()), column.end());
            for (std::size_t const row : column) rows_.push_back(static_cast<int>(row));
            starts_.push_back(static_cast<int>(rows_.size()));
        }
        for (std::size_t i = 0; i < coordinates; ++i)
            for (auto const& a : users[i])
                for (auto const& b : users[i]) {
                    if (a.constraint < b.constraint) continue;
                    auto const& column = below[b.constraint];
                    auto const place = std::lower_bound(column.begin(), column.end(), a.constraint) - column.begin();
                    terms_.push_back({static_cast<std::size_t>(starts_[b.constraint] + place), a.constraint, a.local,
                                      b.constraint, b.local, i});
                }
    }
    [[nodiscard]] std::vector<std::size_t> sharing(std::size_t which) const {
        std::vector<std::size_t> others;
        for (std::size_t column = 0; column < size(); ++column)
            for (int k = starts_[column]; k < starts_[column + 1]; ++k) {
                auto const row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)]);
                if (row == which && column != which) others.push_back(column);
                if (column == which && row != which) others.push_back(row);
            }
        return others;
    }

    [[no_unique_address]] typename traits::function function_;
    std::vector<std::array<std::size_t, Reach>> places_;
    std::vector<int> starts_;
    std::vector<int> rows_;
    std::vector<term> terms_;
    vector inverse_mass_;
};

/// The family as the constraints of a system, for `constrain`.
template <class System, std::size_t Reach, class Where, class G>
[[nodiscard]] auto constraints_on(System const& system, constraint_family<Reach, Where, G> given) {
    static_assert(!System::space_type::is_fixed && std::is_same_v<typename System::scalar, double>,
                  "a family of constraints needs a system of doubles whose size is known at run time");
    return sparse_constraints<Reach, G>(system.space().size(), std::move(given));
}

} // namespace lento

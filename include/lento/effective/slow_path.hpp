#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/constraint/hard_springs.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/stiff.hpp>

namespace lento {

namespace detail {

/// A polynomial through values at the whole numbers -reach ... reach, reach up to 2, and what it integrates to there.
class nodal_polynomial {
public:
    static constexpr int largest_reach = 2;
    static constexpr std::size_t most = 2 * largest_reach + 1;
    using matrix = std::array<std::array<double, most>, most>;

    explicit nodal_polynomial(int reach);
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t middle() const { return size_ / 2; }
    [[nodiscard]] double place(std::size_t k) const { return static_cast<double>(k) - static_cast<double>(middle()); }
    /// Row k times the values: the integral from 0 to node k, the same twice, the first and second derivative there.
    matrix once{};
    matrix twice{};
    matrix slope{};
    matrix bend{};

private:
    std::size_t size_;
};

} // namespace detail

/// The loads lambda with which hard springs carry a slow motion, and how they change along it, without any window and
/// without a product with omega^2. On the slow manifold g = W^-2 lambda, W = diag(omega_j), and
///
///     lambda = lambda_0 - A^-1 W^-2 lambda'',   lambda_0 = A^-1 (g' M^-1 F + g''[v, v]),   A = g' M^-1 g'^T,
///
/// where lambda'' is taken along that very motion. lambda_0 are the multipliers of the constrained limit; every further
/// order puts the loads before it on the right, and gains a factor omega^-2. The derivatives are those of polynomials
/// through 3 or 5 points of the motion, close to each other, which is found by sweeps: accelerations there, integrated.
template <springs_apart System> class slow_path {
    using T = scalar_of<System>;
    using V = vector_of<System>;
    using springs_type = std::remove_cvref_t<decltype(std::declval<System const&>().springs())>;

public:
    using loads = typename System::multiplier_vector;
    using linear = typename springs_type::linear;

    struct node {
        V q;
        V v;
        V force; ///< without springs, divided by the mass
        V acceleration;
        loads own;  ///< lambda_0
        loads load; ///< of one order more where there are five nodes
        linear at;
    };
    struct work_type {
        std::vector<node> nodes;
        spring_loads<loads> load; ///< at the middle: lambda, lambda', lambda'', each as well as the order knows it
        V acceleration;           ///< there
        loads bent;
        V change;
        T time = std::numeric_limits<T>::quiet_NaN(); ///< of the last look
        static auto members(auto& self) { return std::tie(self.load); }
    };

    explicit slow_path(int order) : order_(order), nodes_(order) {}

    [[nodiscard]] work_type work(System const& system) const {
        V const zeros = system.space().template zeros<T>();
        auto const none = system.springs().zeros();
        node const one{zeros, zeros, zeros, zeros, none, none, system.springs().start()};
        return {std::vector<node>(nodes_.size(), one), {none, none, none}, zeros, none, zeros};
    }

    /// Looks at the motion through a point, h apart. The force is called as force(t, q, v, factors at q, out). False
    /// where the springs' gradients are dependent; the work of the system says how.
    template <class Force> [[nodiscard]] bool look(System const& system, T t, V const& q, V const& v, T h,
                                                   Force const& force, work_type& work, work_of<System>& inner) const {
        auto& middle = work.nodes[nodes_.middle()];
        middle.q = q;
        middle.v = v;
        work.time = t;
        if (!linearise(system, t, middle, inner)) return false;
        force(t, middle.q, middle.v, middle.at, middle.force);
        find_own(system, t, middle, inner);
        if (order_ == 0) {
            work.load.value = middle.own;
            work.acceleration = middle.acceleration;
            return true;
        }
        for (auto& each : work.nodes)
            if (&each != &middle) each.acceleration = middle.acceleration;
        for (int sweep = 0; sweep < 2 * order_; ++sweep)
            if (!sweep_nodes(system, t, h, sweep % 2 == 0, force, work, inner)) return false;
        correct(system, h, order_ == 1 ? &node::own : &node::load, work);
        return true;
    }
    /// The factors where the motion was looked at last.
    [[nodiscard]] linear const& factors(work_type const& work) const { return work.nodes[nodes_.middle()].at; }
    /// Whether it was looked at there.
    [[nodiscard]] bool is_at(T t, V const& q, V const& v, work_type const& work) const {
        auto const& middle = work.nodes[nodes_.middle()];
        return t == work.time && q == middle.q && v == middle.v;
    }
    /// The largest acceleration there, with springs and without.
    [[nodiscard]] double size(work_type const& work) const {
        return static_cast<double>(std::max(max_norm(work.acceleration), max_norm(work.nodes[nodes_.middle()].force)));
    }
    /// How fast the motion changes there beside accelerations of a size: a frequency.
    [[nodiscard]] double pace(System const& system, T h, double acceleration, work_type& work) const {
        if (!(acceleration > 0)) return 0;
        V& change = work.change;
        set_sum(change, work.nodes.back().acceleration, T(-1), work.nodes.front().acceleration);
        double const turned = static_cast<double>(max_norm(change)) / (2 * order_ * static_cast<double>(h));
        std::fill(change.begin(), change.end(), T(0));
        system.springs().pull(factors(work), T(1), work.load.bend, change);
        double const bent = static_cast<double>(max_norm(change));
        return std::max(turned / acceleration, std::sqrt(bent / acceleration));
    }

    /// What the last order has changed beside accelerations of a size.
    [[nodiscard]] double correction(System const& system, double acceleration, work_type& work) const {
        auto const& middle = work.nodes[nodes_.middle()];
        auto const& before = order_ == 1 ? middle.own : middle.load;
        for (std::size_t j = 0; j < before.size(); ++j) work.bent[j] = work.load.value[j] - before[j];
        std::fill(work.change.begin(), work.change.end(), T(0));
        system.springs().pull(middle.at, T(1), work.bent, work.change);
        double const changed = static_cast<double>(max_norm(work.change));
        return acceleration > 0 ? changed / acceleration : 0;
    }

private:
    [[nodiscard]] bool linearise(System const& system, T t, node& at, work_of<System>& inner) const {
        return system.springs().linearise(t, at.q, system.mass(), at.at, inner.springs);
    }
    /// lambda_0 at a node, and the acceleration under it.
    void find_own(System const& system, T t, node& at, work_of<System>& inner) const {
        auto const& springs = system.springs();
        springs.curvature(t, at.q, at.v, at.load, inner.springs);
        springs.along(at.at, at.force, at.own);
        for (std::size_t j = 0; j < at.own.size(); ++j) at.own[j] += at.load[j];
        springs.solve(at.at, at.own);
        at.acceleration = at.force;
        springs.pull(at.at, T(1), at.own, at.acceleration);
    }
    /// All nodes but the middle one are moved to where their accelerations lead, and looked at again. Where a force of
    /// the position alone is known it need not be asked for again at once: a sweep later it is moved by h^2 less.
    template <class Force> [[nodiscard]] bool sweep_nodes(System const& system, T t, T h, bool displace,
                                                          Force const& force, work_type& work,
                                                          work_of<System>& inner) const {
        for (std::size_t k = 0; k < nodes_.size(); ++k)
            if (k != nodes_.middle()) move(k, h, displace, work);
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            if (k == nodes_.middle()) continue;
            node& at = work.nodes[k];
            T const then = t + T(nodes_.place(k)) * h;
            if (displace && !linearise(system, then, at, inner)) return false;
            if (displace || System::uses_velocity) force(then, at.q, at.v, at.at, at.force);
            find_own(system, then, at, inner);
        }
        if (order_ == 1) return true;
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            node& at = work.nodes[k];
            differentiate(nodes_.bend[k], &node::own, T(1) / (h * h), work, work.bent);
            add_less(system, at, work.bent, at.load);
            at.acceleration = at.force;
            system.springs().pull(at.at, T(1), at.load, at.acceleration);
        }
        return true;
    }
    void move(std::size_t k, T h, bool displace, work_type& work) const {
        node& at = work.nodes[k];
        node const& middle = work.nodes[nodes_.middle()];
        at.v = middle.v;
        if (displace) set_sum(at.q, middle.q, T(nodes_.place(k)) * h, middle.v);
        for (std::size_t l = 0; l < nodes_.size(); ++l) {
            add_scaled(at.v, T(nodes_.once[k][l]) * h, work.nodes[l].acceleration);
            if (displace) add_scaled(at.q, T(nodes_.twice[k][l]) * h * h, work.nodes[l].acceleration);
        }
    }
    void differentiate(std::array<double, detail::nodal_polynomial::most> const& weights, loads node::* which, T scale,
                       work_type const& work, loads& out) const {
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] = T(0);
            for (std::size_t l = 0; l < nodes_.size(); ++l) out[j] += T(weights[l]) * (work.nodes[l].*which)[j];
            out[j] *= scale;
        }
    }
    /// out = lambda_0 - A^-1 W^-2 bent
    void add_less(System const& system, node const& at, loads& bent, loads& out) const {
        system.to_stretch(bent);
        system.springs().solve(at.at, bent);
        for (std::size_t j = 0; j < out.size(); ++j) out[j] = at.own[j] - bent[j];
    }
    /// The loads at the middle, from the course of those of one order less.
    void correct(System const& system, T h, loads node::* which, work_type& work) const {
        std::size_t const m = nodes_.middle();
        differentiate(nodes_.slope[m], which, T(1) / h, work, work.load.rate);
        differentiate(nodes_.bend[m], which, T(1) / (h * h), work, work.load.bend);
        work.bent = work.load.bend;
        add_less(system, work.nodes[m], work.bent, work.load.value);
        work.acceleration = work.nodes[m].force;
        system.springs().pull(work.nodes[m].at, T(1), work.load.value, work.acceleration);
    }

    int order_;
    detail::nodal_polynomial nodes_;
};

} // namespace lento

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
        linear at; ///< the springs' factors there
        V force;   ///< without springs, divided by the mass
        V acceleration;
        loads own;   ///< lambda_0
        loads shift; ///< omega^2 times what g is off where the springs pull with their load; a force may set it
        loads load;  ///< omega^2 g: as the loads have it, of one order more where there are five nodes
        loads bent;  ///< its second derivative
    };
    struct work_type {
        std::vector<node> nodes;
        loads multipliers;        ///< at the middle: lambda
        spring_loads<loads> load; ///< omega^2 g, its rate and its second derivative, each as well as the order knows it
        V acceleration;
        loads less;
        V change;
        T time = std::numeric_limits<T>::quiet_NaN(); ///< of the last look
        static auto members(auto& self) { return std::tie(self.multipliers, self.load); }
    };

    /// For looks of order 0 and, where it is above, this one.
    explicit slow_path(int order) : order_(order), nodes_(order) {}

    [[nodiscard]] int order() const { return order_; }
    [[nodiscard]] work_type work(System const& system) const {
        V const zeros = system.space().template zeros<T>();
        auto const none = system.springs().zeros();
        node const one{zeros, zeros, system.springs().start(), zeros, zeros, none, none, none, none};
        return {std::vector<node>(nodes_.size(), one), none, {none, none, none}, zeros, none, zeros};
    }

    /// Looks at the motion through a point, h apart, for the loads of an order: 0 or the path's own. The force is
    /// called as force(t, node) and sets the node's. Order 2 takes sweeps more where asked. False where the springs'
    /// gradients are dependent; the work of the system says how.
    template <class Force> [[nodiscard]] bool look(System const& system, T t, V const& q, V const& v, T h,
                                                   Force const& force, int order, work_type& work,
                                                   work_of<System>& inner, int more = 0) const {
        auto& middle = work.nodes[nodes_.middle()];
        middle.q = q;
        middle.v = v;
        work.time = t;
        if (!linearise(system, t, middle, inner)) return false;
        force(t, middle);
        find_own(system, t, middle, inner);
        if (order == 0) {
            work.multipliers = middle.own;
            work.acceleration = middle.acceleration;
            return true;
        }
        for (auto& each : work.nodes)
            if (&each != &middle) each.acceleration = middle.acceleration;
        int const sweeps = 2 * order + (order > 1 ? more : 0);
        for (int sweep = 0; sweep < sweeps; ++sweep)
            if (!sweep_nodes(system, t, h, sweep % 2 == 0, force, work, inner)) return false;
        correct(system, h, work);
        return true;
    }
    [[nodiscard]] node const& middle(work_type const& work) const { return work.nodes[nodes_.middle()]; }
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
        system.springs().pull(middle(work).at, T(1), work.load.bend, change);
        double const bent = static_cast<double>(max_norm(change));
        return std::max(turned / acceleration, std::sqrt(bent / acceleration));
    }

    /// What the loads differ from those of the limit, beside accelerations of a size.
    [[nodiscard]] double correction(System const& system, double acceleration, work_type& work) const {
        if (!(acceleration > 0)) return 0;
        for (std::size_t j = 0; j < work.less.size(); ++j) work.less[j] = work.multipliers[j] - middle(work).own[j];
        std::fill(work.change.begin(), work.change.end(), T(0));
        system.springs().pull(middle(work).at, T(1), work.less, work.change);
        return static_cast<double>(max_norm(work.change)) / acceleration;
    }
    /// How far the springs' loads displace the point looked at last.
    [[nodiscard]] double displacement(System const& system, work_type& work) const {
        work.less = work.multipliers;
        system.to_stretch(work.less);
        system.springs().solve(middle(work).at, work.less);
        std::fill(work.change.begin(), work.change.end(), T(0));
        system.springs().pull(middle(work).at, T(1), work.less, work.change);
        return static_cast<double>(max_norm(work.change));
    }
    /// M^-1 (d g'/dt)^T x along the motion looked at last, for orders above 0.
    void turn(System const& system, T h, loads const& x, work_type const& work, V& out) const {
        std::fill(out.begin(), out.end(), T(0));
        T const share = T(1) / (T(2) * h);
        system.springs().pull(work.nodes[nodes_.middle() + 1].at, -share, x, out);
        system.springs().pull(work.nodes[nodes_.middle() - 1].at, share, x, out);
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
        set_sum(at.load, at.own, T(1), at.shift);
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
            if (displace || System::uses_velocity) force(then, at);
            find_own(system, then, at, inner);
        }
        if (order_ == 1) return true;
        node& middle = work.nodes[nodes_.middle()];
        set_sum(middle.load, middle.own, T(1), middle.shift); // it stays where it is, but had a better load
        for (std::size_t k = 0; k < nodes_.size(); ++k)
            differentiate(nodes_.bend[k], T(1) / (h * h), work, work.nodes[k].bent);
        for (node& at : work.nodes) {
            under_bent(system, at, at.bent, work.less);
            at.acceleration = at.force;
            system.springs().pull(at.at, T(1), work.less, at.acceleration);
            set_sum(at.load, work.less, T(1), at.shift);
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
    void differentiate(std::array<double, detail::nodal_polynomial::most> const& weights, T scale,
                       work_type const& work, loads& out) const {
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] = T(0);
            for (std::size_t l = 0; l < nodes_.size(); ++l) out[j] += T(weights[l]) * work.nodes[l].load[j];
            out[j] *= scale;
        }
    }
    /// out = lambda_0 - A^-1 W^-2 bent
    void under_bent(System const& system, node const& at, loads const& bent, loads& out) const {
        out = bent;
        system.to_stretch(out);
        system.springs().solve(at.at, out);
        for (std::size_t j = 0; j < out.size(); ++j) out[j] = at.own[j] - out[j];
    }
    /// The loads at the middle, from the course of those of one order less.
    void correct(System const& system, T h, work_type& work) const {
        std::size_t const m = nodes_.middle();
        differentiate(nodes_.slope[m], T(1) / h, work, work.load.rate);
        differentiate(nodes_.bend[m], T(1) / (h * h), work, work.load.bend);
        node const& at = work.nodes[m];
        under_bent(system, at, work.load.bend, work.multipliers);
        work.acceleration = at.force;
        system.springs().pull(at.at, T(1), work.multipliers, work.acceleration);
        set_sum(work.load.value, work.multipliers, T(1), at.shift);
    }

    int order_;
    detail::nodal_polynomial nodes_;
};

} // namespace lento

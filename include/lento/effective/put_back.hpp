#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <lento/effective/slow_manifold.hpp>

namespace lento {

/// The motion of a stiff system itself, every oscillation in it, put onto the slow manifold: a start that is lowered,
/// and the end of a step where the springs hold more than `drift` times the kinetic energy; 0: never (paper 003,
/// section 6.4). What is put back begins anew: see `solve_anew`.
template <class Micro = verlet, bool Watched = false> struct put_back {
    slow_manifold<Micro> onto;
    double drift;
    explicit put_back(slow_manifold<Micro> manifold)
        requires(!Watched)
        : onto(std::move(manifold)), drift(0) {}
    put_back(slow_manifold<Micro> manifold, double threshold)
        requires Watched
        : onto(std::move(manifold)), drift(threshold) {
        require_positive("the drift at which a motion is put back", drift);
    }
};
template <class Micro> put_back(slow_manifold<Micro>) -> put_back<Micro, false>;
template <class Micro> put_back(slow_manifold<Micro>, double) -> put_back<Micro, true>;

/// Made by `effective`.
template <stiff_motion System, class Micro, bool Watched> class motion_put_back {
    using manifold = projected_stiff<System, Micro, double>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;

    struct work_type {
        work_of<manifold> inner;
        work_of<System> motion;
        failure failed{};
        std::vector<warning> warnings{};
        static auto members(auto& self) { return std::tie(self.inner, self.motion, self.failed, self.warnings); }
    };

    motion_put_back(System system, put_back<Micro, Watched> const& closure)
        : manifold_(std::move(system), closure.onto), drift_(closure.drift) {}

    [[nodiscard]] auto const& space() const { return manifold_.space(); }
    [[nodiscard]] work_type work() const { return {manifold_.work(), manifold_.system().work()}; }
    void count(work_type const& work, statistics& counts) const {
        manifold_.count(work.inner, counts);
        manifold_.system().count(work.motion, counts);
    }

    void acceleration(scalar t, vector const& q, vector& out, work_type& work) const
        requires(!System::uses_velocity)
    {
        manifold_.system().acceleration(t, q, out, work.motion);
    }
    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const
        requires(System::uses_velocity)
    {
        manifold_.system().acceleration(t, q, v, out, work.motion);
    }

    /// Plans the windows of projections for the fast frequencies at the start.
    void begin(scalar t, state const& x, work_type& work) const {
        manifold_.begin(t, x, work.inner);
        work.failed = work.inner.failed;
    }
    void lower(scalar t, state& x, work_type& work) const {
        if (work.failed.happened()) return;
        manifold_.lower(t, x, work.inner);
        work.failed = work.inner.failed;
    }
    [[nodiscard]] bool revise(scalar t, state& x, work_type& work) const
        requires Watched
    {
        if (work.failed.happened() || !manifold_.has_drifted(t, x, drift_, work.inner)) return false;
        lower(t, x, work);
        return true;
    }

private:
    manifold manifold_;
    double drift_;
};

/// The stiff motion, put back onto its slow manifold: `effective(system,
/// put_back{slow_manifold{cubic_window(omega)}})`.
template <stiff_motion System, class Micro, bool Watched>
[[nodiscard]] auto effective(System system, put_back<Micro, Watched> const& closure) {
    return motion_put_back<System, Micro, Watched>(std::move(system), closure);
}

} // namespace lento

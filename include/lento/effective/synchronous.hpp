#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <lento/base/force.hpp>
#include <lento/effective/micro_window.hpp>
#include <lento/effective/oscillation.hpp>
#include <lento/effective/window.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/phase.hpp>

namespace lento {

/// The start velocity is found numerically: the one for which the filtered velocity is the slow one. A first window
/// sees by how much a start misses it; the velocity's own effect on that is O(1/omega), so one correction is enough.
struct found_numerically {
    int corrections = 1;
};

/// A map that brings work(), or none, known at run time only: then the start velocity is found numerically.
template <class Map> struct given_or_found : found_numerically {
    std::optional<Map> map;
    explicit given_or_found(std::optional<Map> given) : map(std::move(given)) {}
    [[nodiscard]] bool is_given() const { return map.has_value(); }
    [[nodiscard]] auto work() const {
        if (map) return map->work();
        return decltype(map->work()){};
    }
    template <class T, class Work> void operator()(force_point<T> const& at, std::span<T> out, Work& work) const {
        (*map)(at, out, work);
    }
};

/// Every window starts from the slow position and the velocity that belongs to the slow one there, at the phases of the
/// actual time (Algorithm 1 of paper 001, paper 004). `slow_velocity(q, v, theta)` gives the slow velocity of a
/// physical state (as one that brings work(), slow_velocity(at, out, work), without the time); without it the start
/// velocity is found numerically. Forces may depend on velocity and time.
template <class Map = found_numerically, class Micro = verlet> struct synchronous {
    lento::window window;
    Map slow_velocity;
    Micro micro;
    synchronous(lento::window over, Map map = {}, Micro stepper = {})
        : window(std::move(over)), slow_velocity(std::move(map)), micro(std::move(stepper)) {}
};

/// The slow motion of a vibrated system, its force averaged over windows that follow the true motion. Made by
/// `effective`.
template <vibrating System, class Map, class Micro> class synchronous_system {
    using runner = micro_window<System, Micro>;
    static constexpr bool may_be_given = !std::is_same_v<Map, found_numerically>;
    static constexpr bool may_be_found = std::is_base_of_v<found_numerically, Map>;

public:
    using space_type = typename System::space_type;
    using scalar = scalar_of<System>;
    using vector = vector_of<System>;
    using state = state_of<System>;
    static_assert(!constrained_motion<System>,
                  "with constraints use asynchronous or centred, and shake inside windows");

    struct work_type : runner::work_type {
        typename slow_state_map<System>::work_type map;
        vector start_velocity;
        vector slow;
        [[no_unique_address]] detail::force_work<Map> slow_velocity{};
        static auto members(auto& self) { return runner::work_type::members(self); }
    };

    synchronous_system(System system, synchronous<Map, Micro> const& closure)
        : window_(std::move(system), closure.window, closure.micro)
        , map_(window_.system())
        , slow_velocity_(closure.slow_velocity) {
        if (window_.plan().exact_mean)
            throw does_not_apply(
                "a one-period mean leaves an error of O(1) in a synchronous window, because the slow drift of "
                "the samples is not periodic; use a smooth kernel, or an asynchronous or centred start");
    }

    [[nodiscard]] auto const& space() const { return window_.system().space(); }
    [[nodiscard]] window_plan const& plan() const { return window_.plan(); }
    [[nodiscard]] double window_length() const { return window_.plan().length; }
    [[nodiscard]] double window_length(work_type const&) const { return window_length(); }
    [[nodiscard]] work_type work() const {
        vector const zeros = space().template zeros<scalar>();
        return {window_.work(), map_.work(window_.system()), zeros, zeros, detail::work_for(slow_velocity_)};
    }
    void count(work_type const& work, statistics& counts) const {
        window_.count(work, counts);
        counts.effective_evaluations = work.windows;
    }

    void acceleration(scalar t, vector const& q, vector const& v, vector& out, work_type& work) const {
        if (!work.failed.happened()) {
            ++work.windows;
            auto const theta = window_.system().phase_at(t);
            work.start_velocity = v;
            if constexpr (!may_be_given) seek(t, theta, q, v, out, work);
            else if constexpr (!may_be_found) apply_map(theta, q, v, work);
            else if (slow_velocity_.is_given()) apply_map(theta, q, v, work);
            else seek(t, theta, q, v, out, work);
            if (!work.failed.happened())
                window_.template average<false>({t, scalar(1), theta, q, work.start_velocity}, out, work);
        }
        detail::spoil_after_failure(out, work);
    }

    void lower(scalar t, state& x, work_type& work) const { map_.lower(window_.system(), t, x, work.map, work.inner); }
    void lift(scalar t, state& x, work_type& work) const { map_.lift(window_.system(), t, x, work.map, work.inner); }

private:
    template <class Angles>
    void seek(scalar t, Angles const& theta, vector const& q, vector const& v, vector& out, work_type& work) const {
        for (int round = 0; round < slow_velocity_.corrections && !work.failed.happened(); ++round) {
            window_.template average<true>({t, scalar(1), theta, q, work.start_velocity}, out, work);
            for (std::size_t i = 0; i < v.size(); ++i) work.start_velocity[i] += v[i] - work.velocity[i];
        }
    }

    /// Solves slow_velocity(q, v, theta) = given for v. The map is v plus something that hardly depends on v.
    template <class Angles>
    void apply_map(Angles const& theta, vector const& q, vector const& given, work_type& work) const {
        using space_type = typename System::space_type;
        for (int iteration = 0; iteration < 3; ++iteration) {
            force_point<scalar> const at{.position = q, .velocity = work.start_velocity, .phase = listed(theta)};
            detail::call_with_work<space_type>(slow_velocity_, work.slow_velocity, at, work.slow, q,
                                               work.start_velocity, theta);
            scalar largest(0);
            for (std::size_t i = 0; i < given.size(); ++i) {
                using std::abs;
                scalar const miss = given[i] - work.slow[i];
                work.start_velocity[i] += miss;
                largest = abs(miss) > largest ? abs(miss) : largest;
            }
            if (!(largest > scalar(0))) return;
        }
    }

    runner window_;
    slow_state_map<System> map_;
    [[no_unique_address]] Map slow_velocity_;
};

template <vibrating System, class Map, class Micro>
[[nodiscard]] auto effective(System system, synchronous<Map, Micro> const& closure) {
    return synchronous_system<System, Map, Micro>(std::move(system), closure);
}

} // namespace lento

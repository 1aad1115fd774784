#pragma once

#include <span>
#include <utility>
#include <vector>

#include <lento/solve/any_system.hpp>

/// An `any_system` in the shapes that schemes are written for. A scheme is compiled once for each shape in which it can
/// see a system, at most three, whatever the number of systems.
namespace lento {

namespace detail {

/// Another system, watched for the first evaluation that is not finite. It is an `any_system` like the one it watches,
/// so that no scheme is compiled a second time for it.
class watched_system final : public system_interface {
public:
    watched_system(any_system what, work& seen) : system_(std::move(what)), seen_(&seen) {}

    [[nodiscard]] std::unique_ptr<work> make_work() const override { return std::make_unique<watch>(); }
    void count(work const&, statistics&) const override {}
    void evaluate(double t, vector const& x, vector const& v, vector& out, work& w) const override {
        system_->evaluate(t, x, v, out, *seen_);
        auto& found = static_cast<watch&>(w).found;
        if (!found.happened() && !all_finite(out)) found = state_not_finite(t, first_non_finite(out), "force");
    }

private:
    struct watch final : work {
        failure found;
        [[nodiscard]] std::unique_ptr<work> clone() const override { return std::make_unique<watch>(*this); }
        [[nodiscard]] failure failed_inside() const override { return found; }
        void forgive() override {}
        void gather(std::vector<warning>&) const override {}
        [[nodiscard]] bool write(archive&) const override { return false; }
        void read(archive&) override {}
    };
    any_system system_;
    work* seen_;
};

/// What all shapes share.
template <class State> struct any_shape {
    using space_type = dynamic;
    using scalar = double;
    using vector = std::vector<double>;
    using state = State;

    any_system system;
    dynamic size;
    explicit any_shape(any_system what) : system(std::move(what)), size(system.facts().size) {}

    [[nodiscard]] dynamic const& space() const { return size; }
    [[nodiscard]] system_facts const& facts() const { return system.facts(); }
    [[nodiscard]] any_work work() const { return system.work(); }
    void count(any_work const& work, statistics& counts) const { system->count(*work, counts); }
    void begin(double t, State const& x, any_work& work) const { system->begin(t, x, *work); }
    void lower(double t, State& x, any_work& work) const { system->lower(t, x, *work); }
    void lift(double t, State& x, any_work& work) const { system->lift(t, x, *work); }
    void confirm(double t, State const& x, any_work& work) const { system->confirm(t, x, *work); }
    [[nodiscard]] double window_length(any_work const& work) const { return system->window_length(*work); }
    [[nodiscard]] failure verdict(double span, double step, any_work const& work) const {
        return system->verdict(span, step, *work);
    }
    [[nodiscard]] std::span<double const> multipliers(any_work const& work) const { return system->multipliers(*work); }
    [[nodiscard]] std::span<double const> mean_multipliers(any_work const& work) const {
        return system->mean_multipliers(*work);
    }

protected:
    void evaluate(double t, vector const& x, vector const& v, vector& out, any_work& work) const {
        system->evaluate(t, x, v, out, *work);
    }
    [[nodiscard]] any_system watching(any_work& work) const {
        return any_system(facts(), std::make_shared<watched_system>(system, *work));
    }
};

} // namespace detail

/// x'' = a(t, x)
struct separable_shape : detail::any_shape<any_motion> {
    using any_shape::any_shape;
    void acceleration(double t, vector const& q, vector& out, any_work& work) const { evaluate(t, q, q, out, work); }
    [[nodiscard]] bool revise(double t, any_motion& x, any_work& work) const { return system->revise(t, x, *work); }
    [[nodiscard]] separable_shape watched(any_work& work) const { return separable_shape(watching(work)); }
};

/// x'' = a(t, x, x'); one that does not feel the velocity can be seen so too.
struct general_shape : detail::any_shape<any_motion> {
    using any_shape::any_shape;
    void acceleration(double t, vector const& q, vector const& v, vector& out, any_work& work) const {
        evaluate(t, q, v, out, work);
    }
    void motion_rate(double t, any_motion const& x, any_motion& out, any_work& work) const {
        system->motion_rate(t, x, out, *work);
    }
    [[nodiscard]] bool revise(double t, any_motion& x, any_work& work) const { return system->revise(t, x, *work); }
    [[nodiscard]] general_shape watched(any_work& work) const { return general_shape(watching(work)); }
};

/// The same, and the point of evaluation is moved: only Adams's methods treat that differently.
struct moving_shape : general_shape {
    using general_shape::general_shape;
    void settle(double t, any_motion& x, any_motion& out, any_work& work) const { system->settle(t, x, out, *work); }
    [[nodiscard]] moving_shape watched(any_work& work) const { return moving_shape(watching(work)); }
};

/// x' = r(t, x)
struct flow_shape : detail::any_shape<any_point> {
    using any_shape::any_shape;
    void rate(double t, vector const& x, vector& out, any_work& work) const { evaluate(t, x, x, out, work); }
    [[nodiscard]] flow_shape watched(any_work& work) const { return flow_shape(watching(work)); }
};

/// The same, for the one scheme that compares two flows. It always fails with a reason of its own.
struct comparing_shape : detail::any_shape<any_point> {
    using any_shape::any_shape;
    void rate(double t, vector const& x, vector& out, any_work& work) const { evaluate(t, x, x, out, work); }
    void compare(double t, vector const& x, vector& unperturbed, vector& difference, any_work& work) const {
        system->compare(t, x, unperturbed, difference, *work);
    }
};

/// M q'' = F - g'^T lambda, g = 0
template <bool Velocity> struct constrained_shape : detail::any_shape<any_motion> {
    using any_shape::any_shape;
    using constraints_type = any_constraints;
    [[nodiscard]] any_constraints const& constraints() const { return system->constraints(); }
    [[nodiscard]] static mass_of_constraints mass() { return {}; }
    [[nodiscard]] static lento::constraint_work& constraint_work(any_work& work) { return *work->constraint; }
    void active_acceleration(double t, vector const& q, vector& out, any_work& work) const
        requires(!Velocity)
    {
        evaluate(t, q, q, out, work);
    }
    void active_acceleration(double t, vector const& q, vector const& v, vector& out, any_work& work) const
        requires(Velocity)
    {
        evaluate(t, q, v, out, work);
    }
};

} // namespace lento

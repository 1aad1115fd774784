#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/misuse.hpp>
#include <lento/base/option.hpp>
#include <lento/stepper/foreign_code.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/step_control.hpp>
#include <lento/stepper/stepper.hpp>
#include <lento/system/concepts.hpp>
#include <lento/system/newton.hpp>

/// SUNDIALS and Boost.odeint as steppers: they solve any system, also an effective one, as Lento's own methods do. They
/// choose their steps themselves; output, events and outcomes are those of `solve`.
namespace lento {
namespace detail {

/// A state as one row of numbers, and back.
template <class State> void pack(State const& x, double* y) {
    if constexpr (State::is_motion)
        std::copy(x.velocity.begin(), x.velocity.end(), std::ranges::copy(x.position, y).out);
    else std::copy(x.state.begin(), x.state.end(), y);
}
template <class State> void unpack(double const* y, State& x) {
    if constexpr (State::is_motion) {
        std::copy_n(y, x.position.size(), x.position.begin());
        std::copy_n(y + x.position.size(), x.velocity.size(), x.velocity.begin());
    } else {
        std::copy_n(y, x.state.size(), x.state.begin());
    }
}
template <class State> [[nodiscard]] auto& highest(State& slope) {
    if constexpr (std::remove_const_t<State>::is_motion) return slope.velocity;
    else return slope.state;
}

template <class State> struct foreign_memory {
    std::unique_ptr<foreign_code> code;
    State slope;                                     ///< at the current point
    State point;                                     ///< where the code evaluates
    State slope_there;                               ///< what it gets
    std::vector<double> y;                           ///< the current point as the code sees it
    std::vector<double> dydt;                        ///< its slope, the same way
    std::shared_ptr<rate_jacobian const> jacobian{}; ///< or none
    std::unique_ptr<rate_jacobian::work> jacobian_work{};
    double smallest = 0; ///< step of a difference where a number is zero
    std::uint64_t jacobians = 0;
    std::vector<double> between{};
    failure failed{};  ///< of the last step
    failure barrier{}; ///< an evaluation that was not finite, ahead of the current point
    bool fresh = false;
    bool moved = true; ///< from outside, so that the code must begin anew
    [[nodiscard]] auto const& derivative() const { return highest(slope); }
    void count(statistics& counts) const {
        auto const own = code->counts();
        counts.macro_rejected += own.rejected;
        counts.newton_iterations += own.newton_iterations;
        counts.jacobian_evaluations += jacobians;
    }
};

/// One step's view of a system for a code in C. No exception goes through it: what happens is kept here.
template <class S> struct foreign_call {
    S const& system;
    work_of<S>& work;
    foreign_memory<state_of<S>>& memory;
    double start;
    bool knows_start; ///< the first evaluation, at the start, has been made already
    std::exception_ptr thrown{};

    static int rate(double t, double const* y, double* out, void* data) noexcept {
        return kept(data, [&](foreign_call& call) { return call.evaluate(t, y, out); });
    }
    static int jacobian(double t, double const* y, double const* slope, double* columns, void* data) noexcept {
        return kept(data, [&](foreign_call& call) { return call.derive(t, y, slope, columns); });
    }

private:
    template <class Act> [[nodiscard]] static int kept(void* data, Act const& act) noexcept {
        auto& call = *static_cast<foreign_call*>(data);
        try {
            return act(call);
        } catch (...) {
            call.thrown = std::current_exception();
            return -1;
        }
    }
    /// Derivatives that are not finite, as that of a root at zero, are taken by differences.
    [[nodiscard]] int derive(double t, double const* y, double const* slope, double* columns) {
        std::size_t const n = memory.y.size();
        std::span<double> const all(columns, n * n);
        memory.jacobian->evaluate(t, {y, n}, all, *memory.jacobian_work);
        ++memory.jacobians;
        if (all_finite(all)) return 0;
        std::vector<double> beside(y, y + n);
        for (std::size_t j = 0; j < n; ++j) {
            auto const column = all.subspan(j * n, n);
            if (all_finite(column)) continue;
            double const root = std::sqrt(std::numeric_limits<double>::epsilon());
            beside[j] = y[j] + std::max(root * std::abs(y[j]), memory.smallest);
            if (int const met = evaluate(t, beside.data(), column.data()); met != 0) return met;
            for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - slope[i]) / (beside[j] - y[j]);
            beside[j] = y[j];
        }
        return 0;
    }
    [[nodiscard]] int evaluate(double t, double const* y, double* out) {
        if (std::exchange(knows_start, false) && t == start && std::equal(memory.y.begin(), memory.y.end(), y)) {
            std::ranges::copy(memory.dydt, out);
            return 0;
        }
        unpack(y, memory.point);
        if (!all_finite(memory.point)) return 1;
        whole_rate(system, t, memory.point, memory.slope_there, work);
        if (failure const inner = failure_inside(work); inner.happened()) {
            if (inner.result != outcome::non_finite) return -1;
            if (!memory.barrier.happened()) memory.barrier = inner;
            forgive(work);
            return 1;
        }
        if (!all_finite(memory.slope_there)) {
            if (!memory.barrier.happened())
                memory.barrier = state_not_finite(t, first_non_finite(highest(memory.slope_there)), "force");
            return 1;
        }
        pack(memory.slope_there, out);
        return 0;
    }
};

/// One step of a memory's code. What ends a run is an evaluation that was not finite where there was one ahead, else
/// what the code says, or that it no longer moves.
template <class Memory, class Call>
[[nodiscard]] double step_of(std::string_view name, double t, double guess, double limit, Memory& m, Call& call) {
    double reached = t;
    std::string why = m.code->step(guess, limit, reached, m.y.data(), m.dydt.data(), &call);
    if (call.thrown) std::rethrow_exception(call.thrown);
    if (why.empty() && reached < limit && !(reached - t > 4 * std::numeric_limits<double>::epsilon() * std::abs(t)))
        why = "its step has become " + show(reached - t);
    if (why.empty() && reached > m.barrier.time) m.barrier = {};
    if (!why.empty()) m.failed = m.barrier.happened() ? m.barrier : foreign_code_gave_up(name, reached, why);
    return reached;
}

template <class Stepper> [[nodiscard]] foreign_settings foreign_settings_of(Stepper const& stepper) {
    return {stepper.rtol, stepper.atol, stepper.first_step.value_or(0), stepper.min_step,
            stepper.max_step.value_or(std::numeric_limits<double>::infinity())};
}

/// What a code has to choose besides.
struct no_table {};
template <class Code> struct table_of {
    using type = no_table;
};
template <class Code>
    requires requires { typename Code::table; }
struct table_of<Code> {
    using type = typename Code::table;
};

/// Of codes that solve implicit equations.
struct no_jacobian {};
template <class Code> using jacobian_for = std::conditional_t<requires { requires Code::solves_equations; },
                                                              std::shared_ptr<rate_jacobian const>, no_jacobian>;

template <class S> inline constexpr bool in_double = std::is_same_v<scalar_of<S>, double>;

} // namespace detail

/// A code for y' = f(t, y) as a stepper. Code gives `make`, `name` and the highest `order`.
template <class Code> struct foreign_stepper {
    double rtol = 1e-6;
    double atol = 1e-9;
    std::optional<double> first_step{}; ///< left out: chosen
    double min_step = 0;
    std::optional<double> max_step{};
    [[no_unique_address]] typename detail::table_of<Code>::type table{}; ///< of codes that have several
    /// The derivatives of what is integrated, where they are known; else the code takes difference quotients.
    [[no_unique_address]] detail::jacobian_for<Code> jacobian{};

    static constexpr std::string_view name = Code::name;
    static constexpr int order = Code::order;
    static constexpr bool is_adaptive = true;
    static constexpr bool chooses_steps = true;
    static constexpr bool settles = true; ///< a point that is moved would make it begin anew, at its lowest order
    static constexpr bool has_tables = requires { typename Code::table; };
    static constexpr bool solves_equations = requires { requires Code::solves_equations; };
    static constexpr auto options() {
        if constexpr (has_tables)
            return std::tuple_cat(adaptive_options<foreign_stepper>(),
                                  std::tuple{option{"table", &foreign_stepper::table, "the method"}});
        else return adaptive_options<foreign_stepper>();
    }

    template <class S> using memory = detail::foreign_memory<state_of<S>>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(differential<S>, "this code needs an acceleration or a rate; constrained systems are for IDA");
        static_assert(detail::in_double<S>, "this code computes in double; so must the system");
        auto const zero = origin(system);
        std::size_t const size = system.space().size() * (state_of<S>::is_motion ? 2 : 1);
        auto settings = detail::foreign_settings_of(*this);
        memory<S> made{.code = {},
                       .slope = zero,
                       .point = zero,
                       .slope_there = zero,
                       .y = std::vector<double>(size),
                       .dydt = std::vector<double>(size)};
        if constexpr (solves_equations)
            if (jacobian) {
                require_size("the matrix of derivatives", jacobian->size(), size);
                settings.jacobian = detail::foreign_call<S>::jacobian;
                made.jacobian = jacobian;
                made.jacobian_work = jacobian->start();
                made.smallest = atol > 0 ? 1e-3 * atol : 1e-12;
            }
        made.code = made_for(size, detail::foreign_call<S>::rate, settings);
        return made;
    }
    template <class S>
    void prepare(S const& system, double t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        detail::whole_rate(system, t, x, m.slope, work);
        m.fresh = true;
        m.moved = true;
    }
    /// One step of the code's own choice, at most to `limit`. Returns where it ends; `m.failed` says why it could not.
    template <class S> [[nodiscard]] double advance(S const& system, double t, double guess, double limit,
                                                    state_of<S>& x, memory<S>& m, work_of<S>& work) const {
        prepare(system, t, x, m, work);
        detail::foreign_call<S> call{.system = system, .work = work, .memory = m, .start = t, .knows_start = m.moved};
        if (std::exchange(m.moved, false)) {
            detail::pack(x, m.y.data());
            detail::pack(m.slope, m.dydt.data());
            m.code->restart(t, m.y.data(), m.dydt.data());
        }
        double const reached = detail::step_of(name, t, guess, limit, m, call);
        if (m.failed.happened()) return t;
        detail::unpack(m.y.data(), x);
        detail::unpack(m.dydt.data(), m.slope);
        return reached;
    }
    /// The state inside the last step, by the code's own interpolant; false where it has none.
    template <class State> [[nodiscard]] bool inside(double t, State& out, detail::foreign_memory<State>& m) const {
        m.between.resize(m.y.size());
        if (m.moved || !m.code->inside(t, m.between.data())) return false;
        detail::unpack(m.between.data(), out);
        return true;
    }

private:
    [[nodiscard]] std::unique_ptr<detail::foreign_code> made_for(std::size_t size, detail::foreign_rate rate,
                                                                 detail::foreign_settings const& settings) const {
        if constexpr (has_tables) return Code::make(size, rate, settings, table);
        else return Code::make(size, rate, settings);
    }
};

namespace detail {

struct cvode_adams_code {
    static constexpr std::string_view name = "cvode-adams";
    static constexpr int order = 12;
    static constexpr auto make = make_cvode_adams;
};
struct cvode_bdf_code {
    static constexpr std::string_view name = "cvode-bdf";
    static constexpr int order = 5;
    static constexpr bool solves_equations = true;
    static constexpr auto make = make_cvode_bdf;
};
struct arkode_dormand_prince_code {
    static constexpr std::string_view name = "arkode-dormand-prince";
    static constexpr int order = 5;
    static constexpr auto make = make_arkode_dormand_prince;
};
struct arkode_implicit_code {
    using table = implicit_table;
    static constexpr std::string_view name = "arkode-implicit";
    static constexpr int order = 2;
    static constexpr bool solves_equations = true;
    static constexpr auto make = make_arkode_implicit;
};
struct odeint_dormand_prince_code {
    static constexpr std::string_view name = "odeint-dormand-prince";
    static constexpr int order = 5;
    static constexpr auto make = make_odeint_dormand_prince;
};

} // namespace detail

/// SUNDIALS CVODE, Adams's methods of orders 1 to 12 with functional iteration (Hindmarsh and others 2005).
using cvode_adams = foreign_stepper<detail::cvode_adams_code>;
/// SUNDIALS CVODE, backward differentiation of orders 1 to 5 with Newton's iteration: for stiff systems whose fast
/// motion is damped, or is to be.
using cvode_bdf = foreign_stepper<detail::cvode_bdf_code>;
/// SUNDIALS ARKODE, Dormand and Prince's pair of orders 5 and 4.
using arkode_dormand_prince = foreign_stepper<detail::arkode_dormand_prince_code>;
/// SUNDIALS ARKODE, implicit Runge-Kutta methods of orders 2 and 3 with Newton's iteration, by their `table`.
using arkode_implicit = foreign_stepper<detail::arkode_implicit_code>;
/// Boost.odeint, Dormand and Prince's pair of orders 5 and 4.
using odeint_dormand_prince = foreign_stepper<detail::odeint_dormand_prince_code>;

namespace detail {

/// The unknowns of the stabilised form are q, v, lambda, mu.
template <class S> struct ida_memory {
    std::unique_ptr<foreign_code> code;
    std::vector<double> y;
    std::vector<double> dydt;
    vector_of<S> position;
    vector_of<S> velocity;
    vector_of<S> acceleration;
    vector_of<S> correction;
    typename constraints_of<S>::linear at;
    multipliers_of<S> lambda;
    multipliers_of<S> scratch;
    newton_room<S> room;
    std::vector<double> between{};
    failure failed{};
    failure barrier{};
    bool fresh = false;
    bool moved = true;
    [[nodiscard]] auto const& derivative() const { return acceleration; }
    [[nodiscard]] auto const& multipliers() const { return lambda; }
    void count(statistics& counts) const {
        auto const own = code->counts();
        counts.macro_rejected += own.rejected;
        counts.newton_iterations += own.newton_iterations;
    }
};

template <class S> inline void active_acceleration(S const& system, double t, vector_of<S> const& q,
                                                   vector_of<S> const& v, vector_of<S>& out, work_of<S>& work) {
    if constexpr (separable_active<S>) system.active_acceleration(t, q, out, work);
    else system.active_acceleration(t, q, v, out, work);
}

template <class S> struct ida_call {
    S const& system;
    work_of<S>& work;
    ida_memory<S>& memory;
    std::exception_ptr thrown{};

    static int residual(double t, double const* y, double const* slope, double* out, void* data) noexcept {
        auto& call = *static_cast<ida_call*>(data);
        try {
            return call.evaluate(t, y, slope, out);
        } catch (...) {
            call.thrown = std::current_exception();
            return -1;
        }
    }

private:
    /// q' = v - M^-1 g'^T mu, v' = M^-1 F - M^-1 g'^T lambda, g = 0, dg/dt = 0
    [[nodiscard]] int evaluate(double t, double const* y, double const* slope, double* out) {
        auto& m = memory;
        auto const& constraints = system.constraints();
        auto& constraint = system.constraint_work(work);
        std::size_t const n = m.position.size();
        std::size_t const k = m.scratch.size();
        vector_of<S>& q = m.position;
        vector_of<S>& v = m.velocity;
        vector_of<S> a = m.correction;
        std::copy_n(y, n, q.begin());
        std::copy_n(y + n, n, v.begin());
        if (!all_finite(q) || !all_finite(v)) return 1;
        active_acceleration(system, t, q, v, a, work);
        if (!all_finite(a)) {
            if (!m.barrier.happened()) m.barrier = state_not_finite(t, first_non_finite(a), "force");
            return 1;
        }
        if (!constraints.linearise(t, q, system.mass(), m.at, constraint)) {
            failure const met = std::exchange(constraint.failed, {});
            if (!m.barrier.happened()) m.barrier = met;
            return 1;
        }
        vector_of<S> drift = v;
        std::copy_n(y + 2 * n, k, m.scratch.begin());
        constraints.pull(m.at, 1., m.scratch, a);
        std::copy_n(y + 2 * n + k, k, m.scratch.begin());
        constraints.pull(m.at, 1., m.scratch, drift);
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = slope[i] - drift[i];
            out[n + i] = slope[n + i] - a[i];
        }
        constraints.values(t, q, m.scratch, constraint);
        std::ranges::copy(m.scratch, out + 2 * n);
        constraints.rate(t, q, v, m.scratch, constraint);
        std::ranges::copy(m.scratch, out + 2 * n + k);
        return 0;
    }
};

} // namespace detail

/// SUNDIALS IDA on the stabilised index-2 form of a constrained system (Gear, Gupta and Leimkuhler 1985), backward
/// differentiation of orders 1 to 5. Its linear algebra is dense: for up to some hundred coordinates.
struct ida {
    double rtol = 1e-6;
    double atol = 1e-9;
    std::optional<double> first_step{}; ///< left out: chosen
    double min_step = 0;
    std::optional<double> max_step{};

    static constexpr std::string_view name = "ida";
    static constexpr int order = 5;
    static constexpr bool is_adaptive = true;
    static constexpr bool chooses_steps = true;
    static constexpr bool takes_apart = true;
    static constexpr auto options() { return adaptive_options<ida>(); }

    template <class S> using memory = detail::ida_memory<S>;
    template <class S> [[nodiscard]] memory<S> start(S const& system) const {
        static_assert(constrained_motion<S>, "IDA integrates constrained systems; use CVODE for this one");
        static_assert(detail::in_double<S>, "IDA computes in double; so must the system");
        std::size_t const n = system.space().size();
        std::size_t const size = 2 * n + 2 * system.constraints().size();
        auto const zeros = system.space().template zeros<double>();
        return {.code =
                    detail::make_ida(size, 2 * n, detail::ida_call<S>::residual, detail::foreign_settings_of(*this)),
                .y = std::vector<double>(size),
                .dydt = std::vector<double>(size),
                .position = zeros,
                .velocity = zeros,
                .acceleration = zeros,
                .correction = zeros,
                .at = system.constraints().start(),
                .lambda = system.constraints().zeros(),
                .scratch = system.constraints().zeros(),
                .room = make_newton_room(system)};
    }
    /// Acceleration and multipliers at a point of the constraints: consistent data to begin with.
    template <class S>
    void prepare(S const& system, double t, state_of<S> const& x, memory<S>& m, work_of<S>& work) const {
        if (m.fresh) return;
        m.fresh = true;
        m.moved = true;
        auto& constraint = system.constraint_work(work);
        detail::active_acceleration(system, t, x.position, x.velocity, m.acceleration, work);
        if (!system.constraints().linearise(t, x.position, system.mass(), m.at, constraint)) return;
        multipliers_at(system, t, x.position, x.velocity, m.acceleration, m.at, m.lambda, m.room, constraint);
        system.constraints().pull(m.at, 1., m.lambda, m.acceleration);
    }
    template <class S> [[nodiscard]] double advance(S const& system, double t, double guess, double limit,
                                                    state_of<S>& x, memory<S>& m, work_of<S>& work) const {
        prepare(system, t, x, m, work);
        std::size_t const n = x.position.size();
        if (std::exchange(m.moved, false)) {
            std::ranges::fill(m.y, 0.);
            std::ranges::fill(m.dydt, 0.);
            detail::pack(x, m.y.data());
            std::ranges::copy(m.lambda, m.y.data() + 2 * n);
            std::ranges::copy(x.velocity, m.dydt.data());
            std::ranges::copy(m.acceleration, m.dydt.data() + n);
            m.code->restart(t, m.y.data(), m.dydt.data());
        }
        detail::ida_call<S> call{.system = system, .work = work, .memory = m};
        double const reached = detail::step_of(name, t, guess, limit, m, call);
        if (m.failed.happened()) return t;
        detail::unpack(m.y.data(), x);
        std::copy_n(m.y.data() + 2 * n, m.lambda.size(), m.lambda.begin());
        std::copy_n(m.dydt.data() + n, n, m.acceleration.begin());
        return reached;
    }
    template <class State, class Memory> [[nodiscard]] bool inside(double t, State& out, Memory& m) const {
        m.between.resize(m.y.size());
        if (m.moved || !m.code->inside(t, m.between.data())) return false;
        detail::unpack(m.between.data(), out);
        return true;
    }
};

} // namespace lento

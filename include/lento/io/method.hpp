#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <lento/effective/backward_forward.hpp>
#include <lento/effective/picard.hpp>
#include <lento/effective/projection_options.hpp>
#include <lento/effective/stroboscopic.hpp>
#include <lento/effective/window.hpp>
#include <lento/expression/engine.hpp>
#include <lento/solve/adaptors.hpp>
#include <lento/stepper/adams.hpp>
#include <lento/stepper/composition.hpp>
#include <lento/stepper/implicit.hpp>
#include <lento/stepper/lobatto.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/rattle.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/shake.hpp>
#include <lento/stepper/stormer.hpp>
#include <lento/stepper/verlet.hpp>

/// The [method] of a problem: which of the program's methods, schemes and windows run it. Plain data.
namespace lento {

/// Every scheme that a problem file can name. Two of a name are one scheme with steps of its own choice and, given a
/// step, with that.
using scheme =
    std::variant<dormand_prince, euler, symplectic_euler, midpoint, verlet, rk4, rkn4, rkn6, rkn8, composition4,
                 composition6, composition8, stormer4, stormer6, stormer8, cowell4, cowell6, cowell8, dormand_prince_8,
                 fixed_dormand_prince_8, adams, turning_euler, shake, rattle, lobatto4, adaptive_lobatto4, cvode_adams,
                 cvode_bdf, arkode_dormand_prince, odeint_dormand_prince, ida, implicit_midpoint, trapezoid>;
/// Every scheme that can run inside a window.
using micro_scheme = std::variant<verlet, rk4, dormand_prince, shake, rattle>;
/// What a slow evaluation looks at: a window with a filter, samples of a period, a map over a period, flows with and
/// without the slow part.
using closure_view = std::variant<window, picard, strobe, path_window>;

/// How a window starts; `chosen` leaves it to the system.
enum class window_start { chosen, asynchronous, synchronous, centred };
[[nodiscard]] std::string_view name(window_start start);

/// What [method] and [accuracy] say. What is left out is chosen when the problem runs.
struct method_options {
    std::string name = "auto";
    std::string refusal; ///< why it does not apply to the problem it is given for; empty where it may
    double rtol = dormand_prince{}.rtol;
    double atol = dormand_prince{}.atol;
    std::optional<scheme> macro;
    std::uint64_t max_steps = 1'000'000'000;
    std::optional<micro_scheme> micro;
    std::optional<closure_view> view;
    window_start start = window_start::chosen;
    expression::engine_kind engine = expression::engine_kind::automatic; ///< what computes the formulas
    bool long_windows = false;                   ///< windows of stiff systems run in long double
    projection_options manifold{.tolerance = 0}; ///< how points are projected onto it; tolerance 0: chosen
    double project_every = 0;                    ///< how often an averaged motion is put back onto it; 0: never
    double project_drift = 0;                    ///< with how much of the kinetic energy in the springs; 0: never
    double relaxation = 0;                       ///< the frequency of springs that stand for constraints
    double epsilon = 0;                          ///< the unit of window.delta
    bool interaction = false; ///< a split system is seen from the frame that turns with its fast part
};

/// The name of a scheme in problem files.
[[nodiscard]] std::string scheme_name(scheme const& s);
[[nodiscard]] std::string scheme_name(micro_scheme const& s);
/// All names that a problem file may use here, for lists and hints.
[[nodiscard]] std::vector<std::string> known_schemes();

/// The method as a JSON object: {"name": ..., "macro": {...}, "micro": {...}, "window": {...}}.
[[nodiscard]] std::string to_json(method_options const& method);

} // namespace lento

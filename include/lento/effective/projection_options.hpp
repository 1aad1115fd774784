#pragma once

#include <limits>
#include <tuple>

#include <lento/base/option.hpp>

namespace lento {

/// How a point is taken to the slow manifold.
struct projection_options {
    double tolerance = 1e-9;      ///< stop when g and its rate change by less; with loads: when these do, relatively
    double stretch_tolerance = 0; ///< of g alone, that of its rate being the tolerance; 0: the same. Without loads
    int max_iterations = 30;
    int iterations = 0;       ///< filterings of a prediction of high order, untested; 0: until the tolerance is met
    int start_iterations = 0; ///< filterings of the start, whatever comes out; 0: until the tolerance is met
    int notch_steps = 0;      ///< with loads: windows with zeros at the local fast frequencies, so many steps a side;
                              ///< fitted: as few as keep the filter from amplifying, at every window
    int loads = 0;    ///< first put a point where the springs pull as extrapolated from so many windows before, 1 to 8
    double drift = 0; ///< ends of steps are put back only where springs hold more than this times the kinetic energy
    double longest = std::numeric_limits<double>::infinity(); ///< a run ends whose windows are longer in all

    static constexpr int fitted = -1;
    static constexpr auto options() {
        using own = projection_options;
        return std::tuple{
            option{"tolerance", &own::tolerance,
                   "the change of g and its rate at which a point is found; with loads: theirs, relatively",
                   limits{0, 1e6, true}},
            option{"stretch_tolerance", &own::stretch_tolerance,
                   "the same for g alone, where that of its rate is another; 0: there is one", between(0, 1e6)},
            option{"max_iterations", &own::max_iterations, "filterings until the projection has failed",
                   between(0, 1e6)},
            option{"iterations", &own::iterations,
                   "filterings of a multistep method's prediction, untested; 0: as many as it takes", between(0, 1e6)},
            option{"start_iterations", &own::start_iterations,
                   "filterings of the start, untested; 0: as many as it takes", between(0, 1e6)},
            option{"notch_steps", &own::notch_steps,
                   "steps to a side of windows with zeros at the fast frequencies; -1: fitted, 0: none",
                   between(fitted, 1e6)},
            option{"loads", &own::loads, "how many windows' loads are extrapolated; 0: none", between(0, 8)},
            option{"drift", &own::drift,
                   "ends of steps are put back when springs hold more than this times the kinetic energy; 0: always",
                   at_least(0)}};
    }
};

} // namespace lento

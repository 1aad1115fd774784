#pragma once

#include <lento/problem/any_stepper.hpp>
#include <lento/solve/integrator.hpp>

/// The time loop around a stepper and a system that are known at run time only, to stop in between or to look at every
/// step: `any_motion_integrator run(std::get<0>(stepper.on(system)), start, options)`. Compiled with the schemes.
namespace lento {

using any_motion_integrator = basic_integrator<stepping<any_motion>>;
using any_point_integrator = basic_integrator<stepping<any_point>>;

extern template class basic_integrator<stepping<any_motion>>;
extern template class basic_integrator<stepping<any_point>>;

} // namespace lento

#pragma once

#include <lento/problem/method.hpp>

namespace lento::detail {

/// A direct run of one to four coordinates by a Runge-Kutta scheme, compiled as one piece with its loop, so that the
/// coordinates stay in registers; none for other problems and schemes.
[[nodiscard]] decltype(prepared_run::in_one_piece) few_coordinates(problem const& what, any_stepper const& scheme,
                                                                   expression::engine_kind engine);

} // namespace lento::detail

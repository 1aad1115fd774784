#pragma once

#include <memory>

#include <lento/expression/engine.hpp>
#include <lento/problem/any_stepper.hpp>
#include <lento/problem/problem.hpp>
#include <lento/stepper/foreign_code.hpp>

/// The derivatives of a problem's motion as codes that solve implicit equations want them, from its formulas.
namespace lento::detail {

/// Those of the whole force, or the rate; none for functions of another language, and for so many unknowns that no
/// matrix is made of them.
[[nodiscard]] std::shared_ptr<rate_jacobian const> jacobian_of(problem const& what, expression::engine_kind with);

/// Whether a scheme solves implicit equations with the derivatives of what it integrates.
[[nodiscard]] bool uses_jacobian(any_stepper const& scheme);
/// Such a scheme, with the derivatives known to it, at work on a system.
[[nodiscard]] any_stepping at_work(any_stepper const& scheme, any_system const& system,
                                   std::shared_ptr<rate_jacobian const> known);

} // namespace lento::detail

#pragma once

#include "lento/expression/graph.hpp"
#include "lento/expression/schedule.hpp"
#include "lento/expression/step_loop.hpp"

#include <cstddef>
#include <set>
#include <string>

namespace lento::expression {

/// A function in LLVM's assembly language after the word define, without the declarations of what it calls.
struct llvm_text {
    std::string function;
    std::size_t depth = 0; ///< of loops inside loops; 0 without any
    [[nodiscard]] bool has_loops() const { return depth > 0; }
    std::set<operation> called; ///< elementary functions: each is called by its `outside_name`, with `attributes_of` it
};

/// A pointer to a type, as a version of LLVM spells it.
std::string pointer_to(std::string const& type, int version);
/// What a whole text begins with, for a version of LLVM: the type %numbers, a pointer to a double, so that functions
/// need not know the version; %bytes, and the function `clear`, which fills with zeros.
std::string preamble(int version);

/// The name under which an elementary function is called. LLVM does not know it, and so computes exactly what we do.
std::string outside_name(operation op);
/// The number of its attributes; #0 are those of our own functions, #1 those of calls to be written out in place.
std::string attributes_of(operation op);

/// `evaluate(position, velocity, phase, time, direction, parameter, out)`, as a schedule says.
llvm_text evaluation_text(graph const& g, schedule const& outputs);

/// `step_loop(arguments)`, whole functions: a loop of Verlet steps around `evaluate`, in the order of operations of
/// `lento::verlet`.
std::string step_loop_text(step_loop_kind const& kind, int version);

} // namespace lento::expression

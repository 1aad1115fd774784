#pragma once

#include <functional>

/// What a program finds when it starts, made such that nothing in it ends a run badly.
namespace lento::app {

/// Standard streams that were closed are opened so that what is printed there fails, instead of going into the next
/// file that is opened; and a file that grows beyond a limit is a failed write, not the end of the program.
void settle_surroundings();

/// Does the work with as much stack as reading deeply nested formulas takes, whatever the limit is.
[[nodiscard]] int with_enough_stack(std::function<int()> const& work);

/// Lets the program have so much memory and no more.
void limit_memory(double megabytes);

} // namespace lento::app

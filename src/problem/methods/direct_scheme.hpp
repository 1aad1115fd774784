#pragma once

#include <string>
#include <string_view>

#include <lento/problem/problem.hpp>

namespace lento::detail {

/// A scheme for a direct run without constraints, and why it is taken.
struct scheme_reason {
    std::string_view name;
    std::string reason;
};

/// The one that is predicted to take the least work for this error, relative to the size of the motion.
[[nodiscard]] scheme_reason direct_scheme_for(problem const& what, double error);

/// The one for a system whose explicit steps are set by stability alone; empty where this program has none, or no
/// force of such a system can be stiff.
[[nodiscard]] std::string_view stiff_scheme_for(problem const& what);

} // namespace lento::detail

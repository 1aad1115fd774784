#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <lento/io/problem.hpp>

namespace lento::detail {

/// Every method there is, in the order of the documents; without auto.
[[nodiscard]] std::vector<std::string> const& all_methods();
/// Those of them that a kind of system has.
[[nodiscard]] std::vector<std::string> methods_of(problem_kind kind);
/// Why a method does not apply to a problem, as far as that is seen without running anything; empty where it may.
[[nodiscard]] std::string why_not(problem const& what, std::string const& method);

} // namespace lento::detail

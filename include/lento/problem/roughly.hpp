#pragma once

#include <string>

namespace lento {

/// An error to one digit, as in "3e-7": no estimate is better.
[[nodiscard]] std::string roughly(double error);

} // namespace lento

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <lento/base/outcome.hpp>

namespace lento {

/// Thrown when something is asked that makes no sense; what() is a sentence with the offending value.
class misuse : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// Misuse of a special kind: what is asked makes sense, but the method does not apply (the program's exit status 5).
class does_not_apply : public misuse {
public:
    explicit does_not_apply(std::string const& why, outcome result = outcome::not_applicable)
        : misuse(why), result(result) {}
    outcome result;
};

/// Misuse of a special kind: a run cannot begin where it is to begin.
class bad_start : public misuse {
public:
    using misuse::misuse;
};

/// A number as people write it: six significant digits.
[[nodiscard]] std::string show(double value);

void require_finite(std::string_view what, double value);
void require_positive(std::string_view what, double value);
void require_size(std::string_view what, std::size_t given, std::size_t wanted);

} // namespace lento

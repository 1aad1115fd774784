#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lento::expression {

/// A place in a formula: byte offset and number of bytes.
struct place {
    std::size_t offset = 0;
    std::size_t length = 0;
};

/// What is wrong with a formula: a full sentence (`what()`), where, what was expected, and the nearest known name.
class formula_error : public std::runtime_error {
public:
    formula_error(std::string const& sentence, place where, std::string expected = {}, std::string nearest = {});

    std::size_t offset;   ///< first byte of the culprit inside `formula`
    std::size_t length;   ///< bytes of the culprit; 0 where something is missing
    std::string expected; ///< what would have been right there, or empty
    std::string nearest;  ///< the known name most like the unknown one, or empty
    std::string formula;  ///< the text that `offset` counts in
    std::string origin;   ///< empty, or the definition or parameter whose formula this is ("r[i]")

    /// The same error with its text, unless an inner formula has claimed it already.
    formula_error& in(std::string_view text, std::string_view from = {});

private:
    bool claimed_ = false;
};

/// The culprit's line of the formula with a caret under the culprit; long lines are shortened around it.
std::string with_caret(formula_error const& error);

/// The known name with the smallest edit distance, or empty when none is near enough to be meant.
std::string nearest_name(std::string_view wanted, std::span<std::string const> known);

} // namespace lento::expression

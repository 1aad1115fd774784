#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace lento {

/// What is wrong with a problem file. what() is ready to print: file, line, key, a sentence, and for formulas the
/// formula with a caret under the culprit.
class problem_error : public std::runtime_error {
public:
    problem_error(std::string source, std::size_t at_line, std::string at_key, std::string the_sentence,
                  std::string formula_with_caret = {});

    std::string file;     ///< the file, the built-in problem, or "--set KEY=VALUE"; empty where there is none
    std::size_t line;     ///< counted from 1; 0 when no line is meant
    std::string key;      ///< "system.force.q", or empty
    std::string sentence; ///< without the place
};

} // namespace lento

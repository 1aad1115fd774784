#include <lento/problem/problem_error.hpp>

#include <sstream>
#include <utility>

namespace lento {
namespace {

std::string message(std::string const& file, std::size_t line, std::string const& key, std::string const& sentence,
                    std::string const& formula) {
    std::string text = file;
    if (line > 0) text += ":" + std::to_string(line);
    if (!text.empty()) text += ": ";
    if (!key.empty()) text += key + ": ";
    text += sentence;
    std::istringstream lines(formula);
    for (std::string each; std::getline(lines, each);) text += "\n    " + each;
    return text;
}

} // namespace

problem_error::problem_error(std::string source, std::size_t at_line, std::string at_key, std::string the_sentence,
                             std::string formula_with_caret)
    : std::runtime_error(message(source, at_line, at_key, the_sentence, formula_with_caret))
    , file(std::move(source))
    , line(at_line)
    , key(std::move(at_key))
    , sentence(std::move(the_sentence)) {}

} // namespace lento

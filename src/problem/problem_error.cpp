#include <lento/problem/problem_error.hpp>

#include <sstream>
#include <utility>

#include <lento/base/printable.hpp>

namespace lento {
namespace {

std::string message(std::string const& file, std::size_t line, std::string const& key, std::string const& sentence,
                    std::string const& formula) {
    std::string text = printable_line(file);
    if (line > 0) text += ":" + std::to_string(line);
    if (!text.empty()) text += ": ";
    if (!key.empty()) text += printable_line(key) + ": ";
    text += printable_line(sentence);
    std::istringstream lines(formula);
    for (std::string each; std::getline(lines, each);) text += "\n    " + printable_line(each);
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

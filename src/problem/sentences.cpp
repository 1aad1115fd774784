#include "problem/sentences.hpp"

#include <lento/expression/error.hpp>

namespace lento::detail {

std::string as_sentence(std::string_view phrase) {
    std::string sentence(phrase);
    if (sentence.empty()) return sentence;
    if (sentence.front() >= 'a' && sentence.front() <= 'z')
        sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
    if (sentence.back() != '.') sentence += '.';
    return sentence;
}

std::string listed(std::vector<std::string> const& names) {
    std::string text;
    for (auto const& each : names) text += (text.empty() ? "" : ", ") + each;
    return text;
}

std::string hint(std::string_view given, std::vector<std::string> const& known) {
    std::string const nearest = expression::nearest_name(given, known);
    return nearest.empty() ? "" : " Is \"" + nearest + "\" meant?";
}

} // namespace lento::detail

#include "lento/expression/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace lento::expression {

formula_error::formula_error(std::string const& sentence, place where, std::string expected_, std::string nearest_)
    : std::runtime_error(sentence)
    , offset(where.offset)
    , length(where.length)
    , expected(std::move(expected_))
    , nearest(std::move(nearest_)) {}

formula_error& formula_error::in(std::string_view text, std::string_view from) {
    if (!claimed_) {
        claimed_ = true;
        formula = text;
        origin = from;
    }
    return *this;
}

namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Columns a piece of UTF-8 takes when every character is one column wide.
std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::ptrdiff_t common_beginning(std::string_view a, std::string_view b) {
    return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

} // namespace

std::string with_caret(formula_error const& error) {
    constexpr std::size_t margin = 50;
    std::string_view const text = error.formula;
    auto const at = std::min(error.offset, text.size());
    auto const previous = text.substr(0, at).rfind('\n');
    auto begin = previous == std::string_view::npos ? 0 : previous + 1;
    auto end = std::min(text.find('\n', at), text.size());
    auto const culprit_end = std::min(at + error.length, end);
    std::string before;
    std::string after;
    if (at - begin > margin + 3) {
        begin = at - margin;
        while (begin < at && continues_character(text[begin])) ++begin;
        before = "...";
    }
    if (end - at > margin + 3) {
        end = at + margin;
        while (end > at && continues_character(text[end])) --end;
        after = "...";
    }
    std::string line = before + std::string(text.substr(begin, end - begin)) + after;
    std::replace(line.begin(), line.end(), '\t', ' ');
    auto const indent = before.size() + columns(text.substr(begin, at - begin));
    auto const width = culprit_end > at ? columns(text.substr(at, std::min(culprit_end, end) - at)) : 1;
    return line + "\n" + std::string(indent, ' ') + std::string(std::max<std::size_t>(width, 1), '^');
}

std::string nearest_name(std::string_view wanted, std::span<std::string const> known) {
    constexpr std::size_t longest = 64;
    if (wanted.size() > longest) return {};
    std::string best;
    auto best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1; // one more than is near enough
    std::vector<std::size_t> row(wanted.size() + 1);
    for (auto const& name : known) {
        if (name.size() > wanted.size() + best_distance || wanted.size() > name.size() + best_distance) continue;
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= name.size(); ++i) {
            auto diagonal = std::exchange(row[0], i);
            for (std::size_t j = 1; j <= wanted.size(); ++j) {
                auto const changed = diagonal + (name[i - 1] == wanted[j - 1] ? 0 : 1);
                diagonal = std::exchange(row[j], std::min({changed, row[j] + 1, row[j - 1] + 1}));
            }
        }
        // A name of one letter is one change away from every other: only a real resemblance is a hint.
        if (row.back() >= std::min(name.size(), wanted.size())) continue;
        auto const closer =
            row.back() < best_distance || (row.back() == best_distance && !best.empty() &&
                                           common_beginning(name, wanted) > common_beginning(best, wanted));
        if (closer) {
            best_distance = row.back();
            best = name;
        }
    }
    return best;
}

} // namespace lento::expression

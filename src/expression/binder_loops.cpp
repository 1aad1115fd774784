// Sums and families: loops, and where they are cut.

#include "binder.hpp"
#include "expression/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lento::expression {

namespace {

constexpr long double most_terms_of_a_number = 1e8L;

} // namespace

node binder::sum(item const& what, std::uint32_t header) {
    std::string const name(text_->part(what.name));
    auto const taken =
        is_reserved(name) || book_.parameters_.contains(name) || book_.plain_coordinates_.contains(name) ||
        book_.indexed_.contains(name) || book_.abbreviations_.contains(name) ||
        std::any_of(indices_.begin(), indices_.end(), [&name](auto const& known) { return known.first == name; });
    if (taken)
        fail("The index of this sum cannot be called " + name + ", because that name is taken.", what.name,
             "another name, as i or j");
    auto const lower = index(header + 1, what.second_part);
    auto const upper = index(what.second_part, what.third_part);
    if (lower.kind == bound::choice::smallest)
        fail("The lower bound of a sum may be the largest of several indices, but not the smallest.",
             span_of(header + 1, what.second_part), "max(..., ...)");
    if (upper.kind == bound::choice::largest)
        fail("The upper bound of a sum may be the smallest of several indices, but not the largest.",
             span_of(what.second_part, what.third_part), "min(..., ...)");
    for (auto const& each : lower.of) require_computable(each, span_of(header + 1, what.second_part));
    for (auto const& each : upper.of) require_computable(each, span_of(what.second_part, what.third_part));
    auto const parts = pieces(name, {lower.of, upper.of}, [this, &what] { return value(what.third_part, what.end); });
    auto total = graph_.constant(0);
    for (auto const& part : parts)
        total = graph_.add(total, part.loop ? graph_.sum(*part.loop, part.value) : part.value);
    require_finite(total, span_of(header, what.end));
    return total;
}

std::vector<binder::piece> binder::pieces(std::string const& name, loop_bounds const& bounds,
                                          std::function<node()> const& body) try {
    struct pending {
        loop_bounds bounds;
        std::optional<affine> fixed;
    };
    std::vector<pending> waiting{{bounds, {}}}; // the next one is last
    std::vector<piece> done;
    while (!waiting.empty()) {
        auto now = std::move(waiting.back());
        waiting.pop_back();
        if (!tidied(now.bounds)) continue;
        auto const& [lower, upper] = now.bounds;
        if (lower.size() == 1 && lower == upper) {
            restored const indices(indices_);
            indices_.emplace_back(name, lower[0]);
            done.push_back({{}, lower[0], body()});
            continue;
        }
        require_filled(now.bounds);
        auto const v = graph_.loop(static_cast<std::uint32_t>(known_.size()), now.bounds);
        auto const index = now.fixed.value_or(to_affine(v));
        auto const terms = book_.terms_;
        try {
            done.push_back({v, index, piece_of_loop(name, index, v, now.bounds, body)});
        } catch (cut const& request) {
            if (request.loop != v) throw;
            book_.terms_ = terms;
            auto before = now.bounds;
            auto at = now.bounds;
            auto after = now.bounds;
            before.upper.push_back(request.at - to_affine(1));
            at.lower.push_back(request.at);
            at.upper.push_back(request.at);
            after.lower.push_back(request.at + to_affine(1));
            waiting.push_back({std::move(after), {}});
            waiting.push_back({std::move(at), request.at});
            waiting.push_back({std::move(before), {}});
        }
    }
    return done;
} catch (index_overflow const&) {
    fail("The indices of the loop over " + name + " are too large.", {0, text_->text.size()}, "smaller indices");
}

node binder::piece_of_loop(std::string const& name, affine const& index, variable v, loop_bounds const& bounds,
                           std::function<node()> const& body) {
    restored const indices(indices_);
    restored const known(known_);
    restored const local(local_definitions_);
    for (auto const* list : {&bounds.lower, &bounds.upper})
        for (auto const& bound : *list) require_computable(bound, {0, text_->text.size()}); // also those of cuts
    indices_.emplace_back(name, index);
    known_.push_back({v, bounds.lower, bounds.upper});
    auto const low = low_of(to_affine(v));
    auto const high = high_of(to_affine(v));
    if (low < -largest_index || high > largest_index)
        fail("The index " + name + " would go beyond 1e15.", {0, text_->text.size()}, "smaller indices");
    auto const terms = require_few_terms(name);
    local_definitions_.emplace_back();
    auto const made = body();
    book_.terms_ += terms;
    return made;
}

std::int64_t binder::low_of(affine const& index) const {
    if (!index.is_constant()) spend(known_.size() + 1);
    return smallest(index, known_);
}

std::int64_t binder::high_of(affine const& index) const {
    if (!index.is_constant()) spend(known_.size() + 1);
    return largest(index, known_);
}

bool binder::tidied(loop_bounds& bounds) const {
    auto const count = bounds.lower.size() + bounds.upper.size();
    spend(count * count * (known_.size() + 1));
    return tidy(bounds, known_);
}

/// Cuts a loop around this place where a loop inside it begins to be empty.
void binder::require_filled(loop_bounds const& bounds) const {
    for (auto const& lower : bounds.lower) {
        for (auto const& upper : bounds.upper) {
            auto const room = upper - lower;
            if (low_of(room) >= 0) continue;
            for (auto range = known_.rbegin(); range != known_.rend(); ++range) {
                auto const factor = room.coefficient(range->of);
                if (factor == 0) continue;
                auto const rest = room - to_affine(range->of) * factor;
                if (std::abs(factor) == 1) throw cut{range->of, rest * -factor - to_affine(factor)};
                // The last index with room: rest + factor*i >= 0, rounded towards it.
                if (rest.is_constant())
                    throw cut{range->of, to_affine(factor > 0 ? floor_quotient(-rest.constant - 1, factor)
                                                              : floor_quotient(rest.constant, -factor) + 1)};
                break;
            }
        }
    }
}

/// How many steps the loops around this place take.
long double binder::require_few_terms(std::string const& name) const {
    auto terms = 1.0L;
    for (auto const& range : known_) {
        auto count = static_cast<long double>(unbounded);
        for (auto const& lower : range.lower)
            for (auto const& upper : range.upper)
                count = std::min(count, static_cast<long double>(high_of(upper - lower)) + 1);
        terms *= count;
    }
    auto const constants_only = !allowed_.position && !allowed_.velocity && !allowed_.phase && !allowed_.time;
    place const all{0, text_->text.size()};
    if (terms > (constants_only ? most_terms_of_a_number : book_.most_terms_))
        fail("The loops over " + name + " and around it would take about " + shown_number(std::round(terms)) +
                 " steps.",
             all, "fewer terms");
    if (book_.terms_ + terms > book_.most_terms_)
        fail("The loops of all formulas together would take more than " + shown_number(book_.most_terms_) + " steps.",
             all, "fewer terms");
    return terms;
}

/// Throws a cut when the index can meet a value defined by hand inside a loop around this place.
void binder::separate(formula_reader::indexed_name const& meaning, affine const& index, std::int64_t low,
                      std::int64_t high, item const& what) const {
    if (index.is_constant()) return;
    for (auto special = meaning.special.lower_bound(low); special != meaning.special.end() && special->first <= high;
         ++special)
        if (auto const request = meeting(index, special->first, what)) throw cut{*request};
}

/// Where a loop must be cut before the index no longer meets a value; nothing where it never does. The outermost loop
/// is cut at a number where few of its indices can meet the value, as in lattices, where x[m*j+i] has one meaning of i
/// and j; else the innermost one, where the others say.
std::optional<binder::cut> binder::meeting(affine const& index, std::int64_t value, item const& what) const {
    constexpr std::int64_t few = 4, most = 64;
    auto apart = index - to_affine(value); // 0 where they meet
    std::int64_t divisor = 0;
    for (auto const& term : apart.terms) divisor = std::gcd(divisor, term.second);
    if (apart.constant % divisor != 0) return std::nullopt;
    apart.constant /= divisor;
    for (auto& term : apart.terms) term.second /= divisor;
    auto const in_apart = [&apart](known_range const& range) { return apart.coefficient(range.of) != 0; };
    auto const outer = std::find_if(known_.begin(), known_.end(), in_apart)->of;
    auto const inner = std::find_if(known_.rbegin(), known_.rend(), in_apart)->of;

    auto const inner_factor = apart.coefficient(inner);
    auto const solvable = std::abs(inner_factor) == 1;
    auto const at = solvable ? (apart - to_affine(inner) * inner_factor) * -inner_factor : affine{};
    if (solvable && (high_of(at - to_affine(inner)) < 0 || low_of(at - to_affine(inner)) > 0)) return std::nullopt;

    // factor * outer + rest = 0
    auto const factor = apart.coefficient(outer);
    auto const rest = apart - to_affine(outer) * factor;
    std::int64_t stride = 0;
    for (auto const& term : rest.terms) stride = std::gcd(stride, term.second);
    stride = std::max<std::int64_t>(stride, 1);
    auto const sign = factor > 0 ? 1 : -1;
    auto const low = std::max(low_of(to_affine(outer)), -floor_quotient(high_of(rest * sign), std::abs(factor)));
    auto const high = std::min(high_of(to_affine(outer)), floor_quotient(-low_of(rest * sign), std::abs(factor)));
    auto const first = low + remainder_of(wide{solved_modulo(factor, -rest.constant, stride)} - low, stride);
    if (first > high) return std::nullopt;
    auto const count = (high - first) / stride + 1;
    if (count <= (solvable ? few : most)) return cut{outer, to_affine(first)};
    if (solvable) return cut{inner, at};
    fail("The index " + shown(index) + " is too complicated to be met by a value that is defined by hand.", what.where,
         "an index in which the innermost variable has the factor 1 or -1");
}

} // namespace lento::expression

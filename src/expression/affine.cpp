#include "lento/expression/affine.hpp"

#include <algorithm>

namespace lento::expression {

namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) throw index_overflow();
    return result;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) throw index_overflow();
    return result;
}

} // namespace

std::int64_t affine::coefficient(variable of) const {
    for (auto const& [v, factor] : terms)
        if (v == of) return factor;
    return 0;
}

affine& affine::operator+=(affine const& other) {
    constant = sum(constant, other.constant);
    for (auto const& [v, factor] : other.terms) {
        auto const at = std::lower_bound(terms.begin(), terms.end(), v,
                                         [](auto const& term, variable w) { return term.first < w; });
        if (at == terms.end() || at->first != v) {
            terms.insert(at, {v, factor});
        } else {
            at->second = sum(at->second, factor);
            if (at->second == 0) terms.erase(at);
        }
    }
    return *this;
}

affine& affine::operator*=(std::int64_t factor) {
    constant = product(constant, factor);
    if (factor == 0) terms.clear();
    for (auto& term : terms) term.second = product(term.second, factor);
    return *this;
}

affine affine::with(variable replaced, affine const& by) const {
    auto const factor = coefficient(replaced);
    if (factor == 0) return *this;
    return *this - to_affine(replaced) * factor + by * factor;
}

} // namespace lento::expression

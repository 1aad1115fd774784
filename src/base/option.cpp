#include <lento/base/option.hpp>

#include <cmath>

#include <lento/base/misuse.hpp>

namespace lento {

std::string description(limits const& allowed) {
    bool const above = std::isfinite(allowed.lowest);
    bool const below = std::isfinite(allowed.highest);
    if (above && below && !allowed.open) return "between " + show(allowed.lowest) + " and " + show(allowed.highest);
    std::string made;
    if (above && allowed.lowest == 0 && allowed.open) made = "positive";
    else if (above) made = (allowed.open ? "above " : "at least ") + show(allowed.lowest);
    if (below) made += (above ? " and at most " : "at most ") + show(allowed.highest);
    return made;
}

void require_allowed(std::string_view name, std::string_view sentence, double value, limits const& allowed) {
    if (!allowed.contain(value))
        throw misuse(std::string(name) + ", " + std::string(sentence) + ", must be " + description(allowed) +
                     ", but it is " + show(value));
}

} // namespace lento

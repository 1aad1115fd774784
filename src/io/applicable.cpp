#include "io/applicable.hpp"

#include "io/oscillators.hpp"

#include <algorithm>

namespace lento::detail {

std::vector<std::string> const& all_methods() {
    static std::vector<std::string> const all = {
        "direct",       "hmm",     "ipa",       "underlying", "shake",   "rattle",           "backward-forward",
        "stroboscopic", "flavors", "deuflhard", "gautschi",   "impulse", "mollified-impulse"};
    return all;
}

std::vector<std::string> methods_of(problem_kind kind) {
    switch (kind) {
    case problem_kind::vibrated: return {"direct", "hmm", "stroboscopic"};
    case problem_kind::stiff:
        return {"direct", "hmm",       "ipa",      "underlying", "shake",
                "rattle", "deuflhard", "gautschi", "impulse",    "mollified-impulse"};
    case problem_kind::constrained: return {"direct", "hmm", "ipa", "underlying", "shake", "rattle"};
    case problem_kind::split:
        return {"direct",    "hmm",      "backward-forward", "stroboscopic",     "flavors",
                "deuflhard", "gautschi", "impulse",          "mollified-impulse"};
    case problem_kind::plain: break;
    }
    return {"direct", "stroboscopic"};
}

std::string why_not(problem const& what, std::string const& method) {
    if (method == "auto") return {};
    auto const known = methods_of(what.kind);
    if (std::find(known.begin(), known.end(), method) == known.end()) {
        if (steps_over_springs(method))
            return "the method " + method + " does not apply: " + find_oscillators(what).lacking;
        std::string list;
        for (auto const& each : known) list += (list.empty() ? "" : ", ") + each;
        return "the method " + method + " does not apply to systems of the kind " + std::string(name(what.kind)) +
               "; those that do are " + list;
    }
    bool const relaxed = what.kind == problem_kind::constrained && (method == "hmm" || method == "ipa");
    if (relaxed && what.omegas.empty())
        return "the method " + method +
               " follows stiff systems; relaxation = { omega = 1e4 } makes springs of the constraints";
    if (what.kind == problem_kind::vibrated && method == "stroboscopic") {
        if (what.constraints.count > 0) return "the stroboscope knows no constraints; use hmm";
        if (what.frequencies.size() > 1)
            return "the stroboscope needs one period, and there are several phases; use hmm";
    }
    return {};
}

} // namespace lento::detail

#include "problem/methods/direct_scheme.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <lento/base/misuse.hpp>
#include <lento/problem/schemes.hpp>

namespace lento::detail {
namespace {

/// What a scheme takes, beside one evaluation of dop853 for an error of 1.
struct candidate {
    std::string_view name;
    bool separable;     ///< needs a force that does not depend on the velocity
    double evaluations; ///< times error^(-1/order) of the force
    double order;       ///< as counts show it
    double sums;        ///< products and sums per coordinate and evaluation, for the arguments of the stages
};

/// Evaluations for errors of 1e-2 to 1e-10 of the whole run, fitted to the problems of auto/direct-scorecard that are
/// not kept back.
constexpr std::array candidates{
    candidate{"dormand-prince", false, 1.0, 5, 7},
    candidate{"dop853", false, 1.0, 8, 12},
    candidate{"rkn8", true, 0.53, 8, 5},
    candidate{"rkn12", true, 1.07, 14.6, 9},
};

/// Operations of the force for one coordinate.
double operations(problem const& what) {
    constexpr double unknown = 100; // a function of another language
    if (what.force.is_foreign()) return unknown;
    auto const statements = static_cast<double>(what.force.statements().size());
    return static_cast<double>(what.force.graph().size()) / std::max(1., statements);
}

std::string roughly(double value) {
    std::array<char, 16> text{};
    return {text.data(),
            std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 2).ptr};
}

} // namespace

scheme_reason direct_scheme_for(problem const& what, double error) {
    bool const separable = !what.first_order && !what.uses_velocity();
    double const digits = std::clamp(error, 1e-14, 0.1);
    constexpr double overhead = 10; // of the loop, in such operations
    double const force = operations(what) + overhead;
    candidate const* best = nullptr;
    double least = 0;
    double evaluations = 0;
    double usual = 0; // of the usual pair of orders 5 and 4
    for (auto const& each : candidates) {
        if (each.separable && !separable) continue;
        double const count = each.evaluations * std::pow(digits, -1 / each.order);
        double const work = count * (force + each.sums);
        if (usual == 0) usual = count;
        if (best != nullptr && work >= least) continue;
        best = &each;
        least = work;
        evaluations = count;
    }
    std::string const kind = what.first_order ? "of a system of first order"
                             : separable      ? "of a force that does not depend on the velocity"
                                              : "of a force that depends on the velocity";
    return {best->name, "predicted to take " + roughly(evaluations / usual) +
                            " of the evaluations that dormand-prince would, for errors of " + show(error) + " " + kind};
}

std::string_view stiff_scheme_for(problem const& what) {
    constexpr std::string_view implicit = "cvode-bdf";
    bool const damped = what.first_order || what.uses_velocity();
    if (!damped || what.constraints() != nullptr) return {};
    for (auto const& row : schemes())
        if (row.name == implicit && row.built) return implicit;
    return {};
}

} // namespace lento::detail

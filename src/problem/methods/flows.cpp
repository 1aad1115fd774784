#include "problem/methods/flows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lento::detail {
namespace {

constexpr std::array<flow_scheme_row, 2> all_flows{{
    {"rk4", "in equal steps", [] { return flow_scheme(equal_steps{}); }},
    {"dormand-prince", "with steps of its own choice", [] { return flow_scheme(dormand_prince{}); }},
}};

} // namespace

std::span<flow_scheme_row const> flow_schemes() { return all_flows; }
std::string_view name(flow_scheme const& scheme) { return all_flows[scheme.index()].name; }

void flow_settings::complete(method_text const& from) {
    auto* own = scheme.value ? std::get_if<dormand_prince>(&*scheme.value) : nullptr;
    if (own == nullptr) return;
    if (!from.has("micro.rtol")) own->rtol = from.what().rtol;
    if (!from.has("micro.atol")) own->atol = from.what().atol;
    for (auto const* key : {"micro.step", "micro.steps_per_period"})
        if (from.has(key)) from.fail(key, "dormand-prince chooses its steps; leave this out.");
}

int flow_settings::steps_over(double length, double period, double usual) {
    if (!scheme.value) scheme.value = flow_scheme(equal_steps{});
    double const steps = step ? length / *step : steps_per_period ? *steps_per_period * length / period : usual;
    constexpr double most = 1e8;
    if (!(steps >= 0.5 && steps <= most))
        throw does_not_apply("the micro steps make " + show(steps) + " steps of a length of " + show(length) +
                             "; there may be 1 to " + show(most));
    return static_cast<int>(std::lround(steps));
}

void require_linear(split_kind const& kind) {
    if (kind.fast_matrix.empty())
        throw does_not_apply("the interaction picture needs a fast part that is linear in the variables, and this one "
                             "is not; leave the picture out");
}

} // namespace lento::detail

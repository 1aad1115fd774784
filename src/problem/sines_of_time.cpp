#include "problem/sines_of_time.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <lento/base/misuse.hpp>
#include <lento/expression/compiled_formula.hpp>

namespace lento::detail {

std::vector<double> sines_of_time(problem const& what) {
    using expression::operation;
    if (what.force.is_foreign() || !what.uses_time()) return {};
    auto const& graph = what.force.graph();
    std::vector<expression::node> roots;
    for (auto const& each : what.force.statements()) roots.push_back(each.value);
    std::vector<expression::statement> arguments;
    for (auto const n : graph.needed_by(roots)) {
        bool const wave = graph.op(n) == operation::sin || graph.op(n) == operation::cos;
        if (wave && graph.free_variables(n).empty() && graph.depends_on(n, expression::source::time))
            arguments.push_back(expression::output(arguments.size(), graph.first(n)));
    }
    if (arguments.empty()) return {};
    auto const count = arguments.size();
    auto part = std::make_shared<expression::graph>(graph.part(arguments));
    auto const formulas =
        expression::formula(std::move(part), std::move(arguments), count).compile(expression::engine_kind::bytecode);
    auto work = formulas.work();
    std::vector<double> const theta(what.frequencies().size());
    struct course {
        std::vector<double> first, second, third;
    };
    double const h = 0.3 * (what.end - what.start);
    auto const along_time = [&](std::vector<double> const& q, std::vector<double> const& v) {
        auto const at = [&](double t) {
            std::vector<double> values(count);
            formulas.evaluate({.position = q, .velocity = v, .phase = theta, .time = t}, values, work);
            return values;
        };
        return course{at(what.start), at(what.start + h), at(what.start + 2 * h)};
    };
    auto const [first, second, third] = along_time(what.position, what.velocity);
    auto const elsewhere = [](std::vector<double> values) {
        for (double& each : values) each = 1.1 * each + 0.01;
        return values;
    };
    auto const moved = along_time(elsewhere(what.position), elsewhere(what.velocity));
    std::vector<double> found;
    for (std::size_t k = 0; k < count; ++k) {
        double const change = second[k] - first[k];
        double const bend = third[k] - second[k] - change;
        constexpr double rounding = 1e-9;
        double const most = std::abs(first[k]) + std::abs(third[k]) + std::abs(moved.third[k]);
        bool const is_linear = std::abs(bend) <= rounding * most;
        bool const is_same = std::abs(moved.second[k] - moved.first[k] - change) <= rounding * most; // wherever it is
        if (change != 0 && is_linear && is_same) found.push_back(std::abs(change) / h);
    }
    std::ranges::sort(found);
    auto const alike = std::ranges::unique(found, [](double a, double b) { return b - a <= 1e-9 * b; });
    found.erase(alike.begin(), alike.end());
    return found;
}

bool is_as_fast_as_phases(problem const& what, double frequency) {
    return !what.frequencies().empty() && frequency > 0.1 * std::ranges::min(what.frequencies());
}

void notice_fast_time(problem& what) {
    if (what.frequencies().empty() || !what.uses_time()) return;
    for (double const each : sines_of_time(what))
        if (is_as_fast_as_phases(what, each))
            what.notices.push_back("the force has a sine or cosine of t with the angular frequency " + show(each) +
                                   ", as fast as theta; is theta meant? What depends on t is followed as something "
                                   "slow, or step by step");
}

} // namespace lento::detail

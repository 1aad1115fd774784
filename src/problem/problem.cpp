#include <lento/problem/problem.hpp>

#include <algorithm>

#include "problem/sines_of_time.hpp"
#include "problem/system_reader.hpp"

#include <lento/base/misuse.hpp>

namespace lento {

std::string_view problem::kind_name() const {
    return std::visit([](auto const& each) { return each.name; }, kind);
}

std::span<double const> problem::frequencies() const {
    auto const* vibrated = as<vibrated_kind>();
    return vibrated != nullptr ? std::span<double const>(vibrated->frequencies) : std::span<double const>();
}
std::span<double const> problem::phases() const {
    auto const* vibrated = as<vibrated_kind>();
    return vibrated != nullptr ? std::span<double const>(vibrated->phases) : std::span<double const>();
}

function_formulas const* problem::constraints() const {
    if (auto const* constrained = as<constrained_kind>()) return &constrained->constraints;
    auto const* vibrated = as<vibrated_kind>();
    return vibrated != nullptr && vibrated->constraints.count > 0 ? &vibrated->constraints : nullptr;
}

std::string problem::coordinate_name(std::size_t slot) const {
    for (auto const& family : families)
        if (slot >= family.first_slot && slot - family.first_slot < family.size()) {
            if (!family.indexed) return family.name;
            return family.name + "[" +
                   std::to_string(family.lower + static_cast<std::int64_t>(slot - family.first_slot)) + "]";
        }
    throw misuse("there is no coordinate number " + std::to_string(slot + 1) + "; the problem has " +
                 std::to_string(size));
}

double problem::number(std::string_view formula) const {
    expression::formula_reader names;
    for (auto const& [name, value] : parameters) names.parameter(name, value);
    return static_cast<double>(names.number(std::string(formula)));
}

problem read_problem(entry root, std::string const& source) {
    auto made = detail::system_reader(std::move(root), source).read();
    detail::notice_fast_time(made);
    return made;
}

entry write(problem const& what) {
    if (what.force.is_foreign())
        throw misuse("the force of this problem is a function of another language, which cannot be written");
    std::vector<entry> tables{entry("title", what.title)};
    auto const named = [](entry table, char const* name) {
        table.key = name;
        return table;
    };
    if (!what.written_parameters.children.empty()) tables.push_back(named(what.written_parameters, "parameters"));
    tables.push_back(named(what.system, "system"));
    std::vector<entry> start;
    if (what.given == initial_state::slow) start.emplace_back("state", "slow");
    if (what.project == start_projection::constraints) start.emplace_back("project", true);
    if (what.project == start_projection::slow_manifold) start.emplace_back("project", "slow-manifold");
    for (std::size_t i = 0; i < what.size; ++i) start.emplace_back(what.coordinate_name(i), what.position[i]);
    for (std::size_t i = 0; i < what.velocity.size(); ++i)
        start.emplace_back(what.coordinate_name(i) + "'", what.velocity[i]);
    tables.emplace_back("initial", std::move(start));
    std::vector<entry> times;
    for (double const t : what.output_times) times.emplace_back("", t);
    tables.emplace_back("time",
                        std::vector<entry>{entry("start", what.start), entry("end", what.end),
                                           entry::list("output", std::move(times)),
                                           entry("report", what.report == reported_state::full ? "full" : "slow")});
    if (!what.written_observables.children.empty()) tables.push_back(named(what.written_observables, "observe"));
    tables.emplace_back("accuracy", std::vector<entry>{entry("rtol", what.rtol), entry("atol", what.atol),
                                                       entry("estimate", what.estimate)});
    if (!what.method.children.empty()) tables.push_back(named(what.method, "method"));
    return entry("", std::move(tables));
}

} // namespace lento

#include "problem/functions.hpp"
#include "problem/system_reader.hpp"

#include <lento/constraint/work.hpp>

namespace lento {

using namespace detail;

constrained_kind constrained_kind::read(system_reader& in, entry const& system) {
    in.allow(system, constrained_kind::keys);
    in.read_names(in.required(system, "coordinates", "it lists what moves, as in [\"x\", \"y\"]"));
    in.read_definitions(system);
    in.read_forces(system);
    in.read_mass(system.find("mass"));
    return constrained_kind{in.read_constraints(in.required(
        system, "constraints", "it lists what stays zero, as in [\"x^2 + y^2 - 1\"]; without any the kind is plain"))};
}

function_formulas system_reader::read_constraints(entry const& list) {
    std::vector<statement> all;
    std::size_t count = 0;
    for (auto const& each : from.list(list).children) {
        if (each.kind == entry_kind::table) from.allow_only(each, {"g", "for"});
        append(all, function_of_coordinates(each, count));
    }
    return from.guarded(list, [&] {
        require_fewer_constraints(count, made.size);
        return functions(from.growing(), all, count, made.size);
    });
}

std::vector<expression::statement> system_reader::function_of_coordinates(entry const& given, std::size_t& count) {
    constexpr permission allowed{.position = true, .velocity = false, .phase = false, .time = true};
    bool const table = given.kind == entry_kind::table;
    entry const& formula = table ? required(given, "g", "it is what stays zero, or nearly so") : given;
    auto const* range = table ? given.find("for") : nullptr;
    std::string const text = from.formula(formula);
    std::vector<statement> found;
    if (range == nullptr) {
        found.push_back(output(count++, from.guarded(formula, [&] { return from.book().scalar(text, allowed); })));
    } else {
        std::string const over = from.text(*range);
        auto const [low, high] = from.guarded(*range, [&] { return from.book().range(over); });
        if (high < low) from.fail(*range, "There is no index in this range.");
        found = from.guarded(formula, [&] { return from.book().for_all(over, text, count, allowed); });
        count += static_cast<std::size_t>(high - low + 1);
    }
    if (!depend_on(found, expression::source::position))
        from.fail(formula, "This does not depend on any coordinate, so that nothing can keep it zero.");
    return found;
}

} // namespace lento

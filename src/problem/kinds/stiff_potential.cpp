#include "problem/system_reader.hpp"

#include <lento/expression/derivative.hpp>

namespace lento {

using namespace detail;

bool stiff_potential_kind::reads(entry const& system) { return system.find("stiff_potential") != nullptr; }

stiff_potential_kind stiff_potential_kind::read(system_reader& in, entry const& system) {
    using expression::source;
    in.must_not_meet(system, "stiff", "stiff_potential");
    in.allow(system, stiff_potential_kind::keys);
    in.read_names(in.required(system, "coordinates", "it lists what moves, as in [\"x\", \"y\"]"));
    in.read_definitions(system);
    in.read_mass(system.find("mass"));
    auto const slow = in.forces(system, false);
    entry const& given = *system.find("stiff_potential");
    std::string const text = in.from.formula(given);
    return in.from.guarded(given, [&] {
        auto& graph = in.from.book().formulas();
        std::size_t const n = in.made.size;
        auto const energy = in.from.book().scalar(text, of_state);
        if (!graph.depends_on(energy, source::position))
            in.from.fail(given, "A stiff potential depends on the coordinates, but this one does not.");
        auto const pull = expression::gradient(graph, energy, source::position);
        auto const each = [&](auto const& made_of) {
            auto changed = pull;
            for (auto& one : changed) one.value = made_of(one.value);
            return in.formula(std::move(changed), n);
        };
        auto const along = [&](expression::node of) {
            return expression::derivative_along(graph, of, source::position, source::direction);
        };
        stiff_potential_kind made;
        made.slow_force = in.formula(slow, n);
        made.pull = in.formula(pull, n);
        made.fast_force = each([&](expression::node of) { return graph.negate(of); });
        made.bend = each(along);
        made.pull_rate = each([&](expression::node of) { return expression::time_derivative(graph, of); });
        made.turn = in.formula(expression::gradient(graph, along(along(energy)), source::position), n);
        auto whole = slow;
        in.append(whole, made.fast_force.statements());
        in.made.force = in.formula(whole, n);
        auto const after = expression::to_affine(static_cast<std::int64_t>(n));
        for (auto one : pull) {
            one.target = after + one.target;
            whole.push_back(std::move(one));
        }
        made.loaded_force = in.formula(std::move(whole), 2 * n);
        return made;
    });
}

} // namespace lento

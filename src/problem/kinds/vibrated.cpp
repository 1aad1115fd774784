#include "problem/system_reader.hpp"

#include "problem/force_probe.hpp"

#include <lento/system/phase.hpp>

namespace lento {

using namespace detail;

namespace {

void read_phases(system_reader& in, entry const& system, vibrated_kind& made) {
    auto& from = in.from;
    in.must_not_meet(system, "frequency", "frequencies");
    in.must_not_meet(system, "phase", "phases");
    auto const* one = system.find("frequency");
    auto const* several = system.find("frequencies");
    if (one == nullptr && several == nullptr)
        from.fail(system, "The key \"frequency\" is missing: theta = frequency * t + phase.");
    if (one != nullptr) made.frequencies = {from.positive(*one)};
    if (several != nullptr)
        for (auto const& each : from.list(*several).children) made.frequencies.push_back(from.positive(each));
    if (made.frequencies.empty() || made.frequencies.size() > most_phases)
        from.fail(*several, "A vibrated system has one to three frequencies here, but these are " +
                                std::to_string(made.frequencies.size()) + ".");
    auto const* phase = system.find("phase");
    auto const* phases = system.find("phases");
    if (phase != nullptr) {
        if (made.frequencies.size() > 1) from.fail(*phase, "There are several frequencies; give phases, one for each.");
        made.phases = {from.number(*phase)};
    } else if (phases != nullptr) {
        for (auto const& each : from.list(*phases).children) made.phases.push_back(from.number(each));
        if (made.phases.size() != made.frequencies.size())
            from.fail(*phases, "There are " + std::to_string(made.frequencies.size()) + " frequencies, but " +
                                   std::to_string(made.phases.size()) + " phases.");
    } else {
        made.phases.assign(made.frequencies.size(), 0);
    }
}

expression::formula read_slow_velocity(system_reader& in, entry const& map) {
    std::vector<expression::statement> all;
    for (auto const& each : in.from.table(map).children) in.append(all, in.assigned(each, of_motion, false));
    auto const covered = in.coverage(all);
    auto& graph = in.from.book().formulas();
    for (std::size_t i = 0; i < in.made.size; ++i) {
        auto const slot = expression::to_affine(static_cast<std::int64_t>(i));
        if (covered[i] == 0) all.push_back(output(i, graph.element(expression::source::velocity, slot)));
        if (covered[i] > 1) in.from.fail(map, "The slow velocity of " + in.name_of(i) + " is given more than once.");
    }
    return in.formula(all, in.made.size);
}

} // namespace

vibrated_kind vibrated_kind::read(system_reader& in, entry const& system) {
    in.allow(system, vibrated_kind::keys);
    vibrated_kind made;
    in.read_names(in.required(system, "coordinates", "it lists what moves, as in [\"q\"]"));
    read_phases(in, system, made);
    in.from.book().phases(made.frequencies.size());
    in.read_definitions(system);
    in.read_forces(system);
    in.read_mass(system.find("mass"));
    if (auto const* constraints = system.find("constraints")) made.constraints = in.read_constraints(*constraints);
    if (auto const* map = system.find("slow_velocity")) made.slow_velocity = read_slow_velocity(in, *map);
    if (auto const* even = system.find("even")) made.even = in.from.truth(*even);
    return made;
}

void detail::check_evenness(system_reader& in) {
    auto const* kind = in.made.as<vibrated_kind>();
    if (kind == nullptr || !kind->even) return;
    double const oddness = largest_odd_part(in.made);
    constexpr double rounding = 1e-12;
    if (oddness > rounding)
        in.from.fail(*in.made.system.find("even"), "The force is not even in theta: at opposite phases it differs by " +
                                                       show(oddness) +
                                                       " of its size. Take even out, or use a centred start.");
}

} // namespace lento

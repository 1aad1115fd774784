#include "io/problem_reader.hpp"

#include "io/force_probe.hpp"

namespace lento::detail {

void problem_reader::read_vibrated(entry const& system) {
    from_.allow_only(system, {"kind", "coordinates", "define", "mass", "force", "potential", "frequency", "frequencies",
                              "phase", "phases", "even", "slow_velocity", "constraints"});
    read_names(required(system, "coordinates", "it lists what moves, as in [\"q\"]"));
    read_phases(system);
    from_.book().phases(made_.frequencies.size());
    read_definitions(system);
    read_forces(system);
    read_mass(system.find("mass"));
    if (auto const* constraints = system.find("constraints")) read_constraints(*constraints);
    if (auto const* map = system.find("slow_velocity")) read_slow_velocity(*map);
    if (auto const* even = system.find("even")) must_be_even_ = from_.truth(*even) ? even : nullptr;
}

void problem_reader::read_phases(entry const& system) {
    must_not_meet(system, "frequency", "frequencies");
    must_not_meet(system, "phase", "phases");
    auto const* one = system.find("frequency");
    auto const* several = system.find("frequencies");
    if (one == nullptr && several == nullptr)
        from_.fail(system, "The key \"frequency\" is missing: theta = frequency * t + phase.");
    if (one != nullptr) made_.frequencies = {from_.positive(*one)};
    if (several != nullptr)
        for (auto const& each : from_.list(*several).children) made_.frequencies.push_back(from_.positive(each));
    constexpr std::size_t most = 3;
    if (made_.frequencies.empty() || made_.frequencies.size() > most)
        from_.fail(*several, "A vibrated system has one to three frequencies here, but these are " +
                                 std::to_string(made_.frequencies.size()) + ".");
    auto const* phase = system.find("phase");
    auto const* phases = system.find("phases");
    if (phase != nullptr) {
        if (made_.frequencies.size() > 1)
            from_.fail(*phase, "There are several frequencies; give phases, one for each.");
        made_.phases = {from_.number(*phase)};
    } else if (phases != nullptr) {
        for (auto const& each : from_.list(*phases).children) made_.phases.push_back(from_.number(each));
        if (made_.phases.size() != made_.frequencies.size())
            from_.fail(*phases, "There are " + std::to_string(made_.frequencies.size()) + " frequencies, but " +
                                    std::to_string(made_.phases.size()) + " phases.");
    } else {
        made_.phases.assign(made_.frequencies.size(), 0);
    }
}

void problem_reader::read_slow_velocity(entry const& map) {
    std::vector<statement> all;
    for (auto const& each : from_.table(map).children) append(all, assigned(each, of_motion, false));
    auto const covered = coverage(all);
    auto& graph = from_.book().formulas();
    for (std::size_t i = 0; i < made_.size; ++i) {
        auto const slot = expression::to_affine(static_cast<std::int64_t>(i));
        if (covered[i] == 0) all.push_back(output(i, graph.element(expression::source::velocity, slot)));
        if (covered[i] > 1) from_.fail(map, "The slow velocity of " + name_of(i) + " is given more than once.");
    }
    made_.slow_velocity = compiled(all, made_.size);
}

void problem_reader::check_evenness() const {
    if (must_be_even_ == nullptr) return;
    double const oddness = largest_odd_part(made_);
    constexpr double rounding = 1e-12;
    if (oddness > rounding)
        from_.fail(*must_be_even_, "The force is not even in theta: at opposite phases it differs by " + show(oddness) +
                                       " of its size. Take even out, or use a centred start.");
}

} // namespace lento::detail

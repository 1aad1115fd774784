#include "io/problem_reader.hpp"

#include <lento/system/phase.hpp>

namespace lento::detail {

void problem_reader::read_plain(entry const& system) {
    must_not_meet(system, "coordinates", "variables");
    must_not_meet(system, "period", "frequency");
    made_.first_order = system.find("variables") != nullptr;
    if (made_.first_order) {
        from_.allow_only(system, {"kind", "variables", "define", "rate", "period", "frequency"});
        read_names(*system.find("variables"));
    } else {
        from_.allow_only(system,
                         {"kind", "coordinates", "define", "mass", "force", "potential", "period", "frequency"});
        read_names(
            required(system, "coordinates", "it lists what moves, as in [\"q\"]; first-order systems have variables"));
    }
    if (auto const* period = system.find("period")) made_.period = from_.positive(*period);
    if (auto const* frequency = system.find("frequency")) made_.period = two_pi<double> / from_.positive(*frequency);
    read_definitions(system);
    if (made_.first_order) {
        read_rates(system);
    } else {
        read_forces(system);
        read_mass(system.find("mass"));
    }
}

void problem_reader::read_rates(entry const& system) {
    entry const& rate = required(system, "rate", "it gives the right-hand sides, as in rate.x = \"-x\"");
    std::vector<statement> all;
    for (auto const& each : from_.table(rate).children) append(all, assigned(each, of_state, false));
    made_.uses_time = depend_on(all, expression::source::time);
    made_.force = compiled(all, made_.size);
}

} // namespace lento::detail

#include "problem/system_reader.hpp"

#include <lento/system/phase.hpp>

namespace lento {

using namespace detail;

namespace {

void read_rates(system_reader& in, entry const& system) {
    entry const& rate = in.required(system, "rate", "it gives the right-hand sides, as in rate.x = \"-x\"");
    std::vector<expression::statement> all;
    for (auto const& each : in.from.table(rate).children) in.append(all, in.assigned(each, of_state, false));
    in.made.force = in.formula(all, in.made.size);
}

} // namespace

plain_kind plain_kind::read(system_reader& in, entry const& system) {
    in.must_not_meet(system, "coordinates", "variables");
    in.must_not_meet(system, "period", "frequency");
    in.made.first_order = system.find("variables") != nullptr;
    if (in.made.first_order) {
        in.allow(system, plain_kind::first_order_keys);
        in.read_names(*system.find("variables"));
    } else {
        in.allow(system, plain_kind::keys);
        in.read_names(in.required(system, "coordinates",
                                  "it lists what moves, as in [\"q\"]; first-order systems have variables"));
    }
    plain_kind made;
    if (auto const* period = system.find("period")) made.period = in.from.positive(*period);
    if (auto const* frequency = system.find("frequency")) made.period = two_pi<double> / in.from.positive(*frequency);
    in.read_definitions(system);
    if (in.made.first_order) {
        read_rates(in, system);
    } else {
        in.read_forces(system);
        in.read_mass(system.find("mass"));
    }
    return made;
}

} // namespace lento

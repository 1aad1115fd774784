#include "problem/functions.hpp"
#include "problem/system_reader.hpp"

#include <cmath>

#include <lento/constraint/work.hpp>

namespace lento {

using namespace detail;

bool stiff_kind::reads(entry const& system) { return !stiff_potential_kind::reads(system); }

stiff_kind stiff_kind::read(system_reader& in, entry const& system) {
    in.allow(system, stiff_kind::keys);
    in.read_names(in.required(system, "coordinates", "it lists what moves, as in [\"x\", \"y\"]"));
    in.read_definitions(system);
    in.read_mass(system.find("mass"));
    entry const& stiff = in.required(system, "stiff",
                                     "it lists the hard springs, as in [{ g = \"sqrt(x^2+y^2) - 1\", omega = 1e4 }]; "
                                     "a potential of another form is stiff_potential");
    auto const slow = in.forces(system, false);

    statements all;
    std::vector<double> omegas;
    std::size_t count = 0;
    for (auto const& each : in.from.list(stiff).children) {
        in.from.allow_only(in.from.table(each), {"g", "omega", "for"});
        auto const& hardness = in.required(each, "omega", "the spring's force is -omega^2 g grad g");
        double const omega = in.from.positive(hardness);
        if (!std::isfinite(omega * omega))
            in.from.fail(hardness, "The square of omega must be a number, but omega is " + show(omega) + ".");
        in.append(all, in.function_of_coordinates(each, count));
        omegas.resize(count, omega);
    }
    if (count == 0) in.from.fail(stiff, "At least one hard spring is needed; without any the kind is plain.");
    return in.from.guarded(stiff, [&] {
        require_fewer_constraints(count, in.made.size);
        return hard_springs_of(in.from.growing(), slow, all, std::move(omegas), in.made.size, in.made.force);
    });
}

} // namespace lento

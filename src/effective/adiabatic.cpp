#include <lento/effective/adiabatic.hpp>

#include <cstddef>
#include <string>

namespace lento::detail {

failure modes_too_many(double time, std::size_t springs) {
    return {
        outcome::not_applicable, time,
        "The force of the fast energy is made of all fast modes, but " + std::to_string(springs) +
            " springs have too many for that, and they lie too close together to keep their actions. Use the limit, "
            "which warns where fast energy matters."};
}

} // namespace lento::detail

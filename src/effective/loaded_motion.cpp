#include <lento/effective/loaded_motion.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <lento/base/misuse.hpp>

namespace lento::detail {

void path_spacing::guess(int order, double position, double speed, double size) {
    double time = std::numeric_limits<double>::infinity();
    if (speed > 0 && position > 0) time = position / speed;
    if (size > 0 && position > 0) time = std::min(time, std::sqrt(position / size));
    if (speed > 0 && size > 0 && !(position > 0)) time = speed / size; // at the origin
    if (!std::isfinite(time)) time = 1;
    length = guessed = share(order) * time;
}

bool path_spacing::follow(int order, double seen) {
    if (!std::isfinite(seen)) return false;
    // Differences may vanish by symmetry, as at a start from rest, and what is then seen from far away is no motion of
    // this system: sizes bound both.
    constexpr double slower = 10, faster = 1e3;
    seen = std::min(seen, faster * share(order) / guessed);
    pace = std::max(seen, pace / 2); // it may rest for a moment
    if (!(pace > 0)) return false;
    double const wanted = std::clamp(share(order) / pace, guessed / faster, slower * guessed);
    if (wanted > length / 1.5 && wanted < 2 * length) return false;
    length = wanted;
    return true;
}

warning loads_do_not_settle(double time, int order, double share, int left, double displaced) {
    std::string const dropped = left < order ? " The run went on with order 0." : "";
    return {"no_scale_separation", time,
            "Order " + std::to_string(order) + " of the limit changes the springs' forces by " + show(share) +
                " of the largest acceleration: the springs are not hard beside the slow motion." + dropped +
                " Their loads displace it by " + show(displaced) +
                ", and it is no better known than that. Integrate directly, or make the springs harder."};
}

} // namespace lento::detail

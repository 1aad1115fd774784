#include <lento/effective/swing_watch.hpp>

#include <algorithm>
#include <cmath>

#include <lento/base/misuse.hpp>

namespace lento {

double swing_watch::step(double t, double speed, std::vector<swing_width> const& widths) {
    double const elapsed = std::abs(t - last_);
    last_ = t;
    path_ += elapsed * speed;
    double acceleration = 0;
    double frequency = 0;
    for (auto const& each : widths) {
        acceleration += each.acceleration;
        frequency = std::max(frequency, each.frequency);
        if (!(each.share > widest_)) continue;
        widest_ = each.share;
        widest_time_ = t;
    }
    shift_ += elapsed * (gained_ + acceleration * elapsed / 2);
    gained_ += elapsed * acceleration;
    return elapsed * frequency;
}

void swing_watch::report(double end, std::vector<warning>& warnings) const {
    if (!(shift_ > 1e-3 * path_)) return;
    warnings.push_back({"wide_swing", widest_time_,
                        "The fast motion is not small: at t = " + show(widest_time_) +
                            " the bends of the springs displace its swing by " + show(widest_) +
                            " of itself, and it is known to the order of that share's square. Up to t = " + show(end) +
                            " the slow motion may be off by " + show(shift_) + ", on a path of " + show(path_) +
                            ". Integrate directly, or start closer to the slow motion."});
}

} // namespace lento

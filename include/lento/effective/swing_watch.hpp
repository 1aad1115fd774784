#pragma once

#include <limits>
#include <tuple>
#include <vector>

#include <lento/base/outcome.hpp>

namespace lento {

/// How wide a mode swings beside the lengths over which springs bend, and what that leaves unknown.
struct swing_width {
    double share = 0;        ///< the displacement of second order, of that of first order
    double acceleration = 0; ///< of the slow motion, that the next order would change
    double frequency = 0;    ///< the same of the mode's
};

/// Adds up what the expansion in the width of the fast motion leaves out: it is one of small swings, which those of
/// O(1/omega) are.
class swing_watch {
public:
    /// A run begins here.
    void start(double t) { *this = {}, last_ = t; }
    /// A step ends, with the speed of the slow motion and the widths there. Returns by how much phases may be off
    /// since.
    double step(double t, double speed, std::vector<swing_width> const& widths);
    /// How far the slow motion may be off, had it always been in one direction.
    [[nodiscard]] double shift() const { return shift_; }
    /// Where that is a thousandth of the path.
    void report(double end, std::vector<warning>& warnings) const;

    static auto members(auto& self) {
        return std::tie(self.last_, self.path_, self.gained_, self.shift_, self.widest_, self.widest_time_);
    }

private:
    double last_ = std::numeric_limits<double>::quiet_NaN();
    double path_ = 0;
    double gained_ = 0; ///< of velocity
    double shift_ = 0;
    double widest_ = 0;
    double widest_time_ = 0;
};

} // namespace lento

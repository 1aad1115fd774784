#include <lento/effective/mode_passages.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>

namespace lento::detail {
namespace {

/// A cubic by its values and slopes at both ends of [0, h].
struct cubic {
    double first;
    double slope;
    double second;
    double third;
    double h;
    cubic(double h_, double f0, double d0, double f1, double d1) : first(f0), slope(d0), h(h_) {
        double const rise = (f1 - f0) / h;
        second = (3 * rise - 2 * d0 - d1) / h;
        third = (d0 + d1 - 2 * rise) / (h * h);
    }
    [[nodiscard]] double value(double s) const { return first + s * (slope + s * (second + s * third)); }
    [[nodiscard]] double rate(double s) const { return slope + s * (2 * second + 3 * s * third); }
    [[nodiscard]] double bend(double s) const { return 2 * second + 6 * s * third; }
    /// Where it turns back between 0 and h, in the order from 0; 0 where it does not.
    [[nodiscard]] std::array<double, 2> turns() const {
        double const root = second * second - 3 * third * slope;
        std::array<double, 2> found{0, 0};
        if (!(root > 0)) return found;
        double const sum = -(second + std::copysign(std::sqrt(root), second));
        std::array<double, 2> at{third != 0 ? sum / (3 * third) : 0, sum != 0 ? slope / sum : 0};
        for (double& each : at)
            if (!(each / h > 0 && each / h < 1)) each = 0;
        if (std::abs(at[0]) > std::abs(at[1])) std::swap(at[0], at[1]);
        return at;
    }
    [[nodiscard]] double integral(double s) const {
        return s * (first + s * (slope / 2 + s * (second / 3 + s * third / 4)));
    }
};

} // namespace

resonance_passages find_resonances(mode_course const& from, mode_course const& to, std::size_t i, std::size_t j,
                                   std::size_t k) {
    auto const combined = [&](std::vector<double> const& of) { return of[i] + of[j] - of[k]; };
    double const h = to.time - from.time;
    resonance_passages found;
    if (!(std::abs(h) > 0)) return found;
    cubic const off(h, combined(from.frequency), combined(from.rate), combined(to.frequency), combined(to.rate));
    // the phases at both ends are known better than the integral of the interpolant
    double const missed = combined(to.phase) - combined(from.phase) - off.integral(h);
    auto const pass = [&](double low, double high) {
        double const before = off.value(low);
        for (int halving = 0; halving < 60; ++halving) {
            double const middle = low + (high - low) / 2;
            (off.value(middle) * before > 0 ? low : high) = middle;
        }
        double const share = low / h;
        double const blend = share * share * share * (10 - 15 * share + 6 * share * share);
        double const rate = off.rate(low);
        double const straight = std::sqrt(2 * std::numbers::pi / std::abs(rate));
        // where the rate itself passes through zero, the bend limits the time
        double const turning = std::abs(off.bend(low));
        double const bent = turning > 0 ? 3 / std::cbrt(turning) : straight;
        found.all[found.count++] = {from.time + low, combined(from.phase) + off.integral(low) + missed * blend, rate,
                                    std::min(straight, bent), turning * straight / std::abs(rate)};
    };
    double piece = 0; // each ends where the combination turns back
    for (double const turn : off.turns()) {
        if (off.value(piece) * off.value(turn) < 0) pass(piece, turn);
        piece = turn;
    }
    // as it is at the end, not as it is interpolated: the next step begins with it
    double const end = combined(to.frequency);
    double const last = off.value(piece);
    if (last * end < 0 || (last != 0 && end == 0)) pass(piece, h);
    return found;
}

double largest_change(bool twice, std::array<double, 3> const& actions, std::array<double, 3> const& frequencies,
                      double coefficient, double width) {
    double product = 1;
    for (std::size_t m = 0; m < 3; ++m) product *= 2 * actions[m] / frequencies[m];
    return std::abs(coefficient) * std::sqrt(product) * width * (twice ? 0.5 : 0.25);
}

mode_meeting find_meeting(mode_course const& from, mode_course const& to, double mixing_from, double mixing_to,
                          std::size_t i, std::size_t j) {
    double const before = from.frequency[i] - from.frequency[j];
    double const after = to.frequency[i] - to.frequency[j];
    double const closing = before * (from.rate[i] - from.rate[j]);
    double const parting = after * (to.rate[i] - to.rate[j]);
    bool const forward = to.time > from.time;
    if (forward ? !(closing < 0 && parting > 0) : !(closing > 0 && parting < 0)) return {};
    bool const ends_nearer = std::abs(after) < std::abs(before);
    auto const& near = ends_nearer ? to : from;
    double const gap = ends_nearer ? after : before;
    double const slope = near.rate[i] - near.rate[j];
    double const mixing = ends_nearer ? mixing_to : mixing_from;
    double const rate = std::hypot(slope, 2 * mixing);
    double const coupling = mixing * gap / rate;
    double const stays = std::exp(-2 * std::numbers::pi * coupling * coupling / rate);
    bool const crossed = before * after < 0;
    return {true, near.time - gap * slope / (rate * rate), crossed ? 1 - stays : stays};
}

warning actions_in_doubt(mode_passage const& passed, double shift, double end) {
    auto const mode = [&](std::size_t m) { return std::to_string(passed.modes[m] + 1); };
    std::string const what =
        passed.meeting
            ? "the frequencies of the fast modes " + mode(0) + " and " + mode(1) + " met"
            : "the fast modes " + mode(0) + ", " + mode(1) + " and " + mode(2) + " passed through a resonance";
    return {"actions_in_doubt", passed.time,
            "At t = " + show(passed.time) + " " + what + ": an action changed by up to " + show(passed.most) +
                ", of which " + show(passed.doubt) +
                " depends on what is not known. All such passages together may have moved the slow "
                "motion by " +
                show(shift) + " up to t = " + show(end) + "."};
}

failure phases_unknown(double time, double doubt) {
    return {outcome::not_applicable, time,
            "The fast motion is known but for its phase, which is in doubt by " + show(doubt) +
                " of a radian: the slow motion's error times the fast frequency. Report the slow motion, or ask for a "
                "smaller tolerance."};
}

} // namespace lento::detail

#include "problem/kinds/split_structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <lento/base/arithmetic.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/system/linear_flow.hpp>

namespace lento::detail {
namespace {

using vector = std::vector<double>;

/// Numbers between -1 and 1 without a pattern, never the same.
double scattered(std::size_t i) { return 2 * std::fmod(static_cast<double>(i + 1) * std::numbers::phi, 1.) - 1; }

/// One part of a split problem at places and times.
class rate_of {
public:
    rate_of(expression::formula const& part, std::size_t size)
        : code_(part.compile(expression::engine_kind::bytecode)), work_(code_.work()), out_(size) {}
    vector const& operator()(vector const& x, double t) {
        code_.evaluate({.position = x, .time = t}, out_, work_);
        return out_;
    }

private:
    expression::compiled_formula code_;
    expression::compiled_formula::work_type work_;
    vector out_;
};

} // namespace

slow_drifts find_drifts(problem const& what, split_kind const& kind) {
    constexpr std::size_t places = 4;
    rate_of slow(kind.slow, what.size);
    rate_of fast(kind.fast, what.size);
    std::vector<char> rests(what.size, 1); // the fast part leaves it alone
    std::vector<std::size_t> driver(what.size, what.size);
    for (std::size_t place = 0; place < places; ++place) {
        vector x(what.size);
        for (std::size_t i = 0; i < what.size; ++i) x[i] = scattered(place * what.size + i);
        std::vector<std::pair<double, std::size_t>> known(what.size);
        for (std::size_t i = 0; i < what.size; ++i) known[i] = {x[i], i};
        std::sort(known.begin(), known.end());
        vector const rate = slow(x, what.start + 0.1 * static_cast<double>(place));
        vector const turning = fast(x, what.start);
        for (std::size_t i = 0; i < what.size; ++i) {
            if (turning[i] != 0) rests[i] = 0;
            auto const found = std::lower_bound(known.begin(), known.end(), std::pair(rate[i], std::size_t{0}));
            bool const is_variable = found != known.end() && found->first == rate[i];
            std::size_t const which = is_variable ? found->second : what.size;
            if (place == 0) driver[i] = which;
            else if (driver[i] != which) driver[i] = what.size;
        }
    }
    slow_drifts made;
    for (std::size_t i = 0; i < what.size; ++i) {
        std::size_t const j = driver[i];
        // a velocity is no position itself
        if (j == what.size || j == i || !rests[i] || !rests[j] || driver[j] != what.size) continue;
        made.positions.push_back(i);
        made.velocities.push_back(j);
    }
    return made;
}

std::string resonates_with_time(problem const& what) {
    auto const* kind = what.as<split_kind>();
    constexpr std::size_t largest = 100;
    if (kind == nullptr || !kind->slow.uses(expression::source::time) || kind->fast_matrix.empty() ||
        what.size > largest)
        return {};
    linear_flow const flow(kind->fast_matrix);
    auto const frequencies = flow.frequencies();
    if (frequencies.empty()) return {};
    // the mean of e^{-sA} f0(e^{sA} x, t + s + later) over s, in the frame that turns with the fast flow
    double const turn = 2 * std::numbers::pi / frequencies.front();
    constexpr double turns = 64;
    auto const samples =
        static_cast<std::size_t>(std::clamp(64 * turns * frequencies.back() / frequencies.front(), 4096., 32768.));
    constexpr std::array<double, 5> later = {0, 0.13, 0.29, 0.41, 0.58}; // of a turn
    vector x = what.position;
    double const size = std::max(0.1, 0.1 * max_norm(x));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += size * scattered(i);
    rate_of slow(kind->slow, what.size);
    vector turned(x.size());
    vector back(x.size());
    vector values;
    std::vector<long double> exact;
    std::array<vector, later.size()> mean;
    mean.fill(vector(x.size()));
    double strongest = 0;
    for (std::size_t k = 0; k < samples; ++k) {
        double const share = (static_cast<double>(k) + (1 + scattered(k)) / 2) / static_cast<double>(samples);
        double const s = share * turns * turn;
        double const weight = 8. / 3 * std::pow(std::sin(std::numbers::pi * share), 4) / static_cast<double>(samples);
        flow.exponential(s, values, exact);
        flow.apply(values, x, turned);
        flow.exponential(-s, values, exact);
        for (std::size_t j = 0; j < later.size(); ++j) {
            auto const& rate = slow(turned, what.start + kind->epsilon * (s + later[j] * turn));
            if (!all_finite(rate)) return {};
            strongest = std::max(strongest, max_norm(rate));
            flow.apply(values, rate, back);
            add_scaled(mean[j], weight, back);
        }
    }
    double differs = 0;
    for (auto const& each : mean) {
        vector change = each;
        add_scaled(change, -1., mean[0]);
        differs = std::max(differs, max_norm(change));
    }
    constexpr double told = 0.02;
    if (!(differs > told * strongest)) return {};
    return "the slow part depends on the time in step with the fast flow: in the mean it does something else, by " +
           show(differs) + " of up to " + show(strongest) +
           ", when the fast phase is another, and this method forgets that phase. Carry the forcing by two variables "
           "that turn with the fast flow (fast.c = \"s\", fast.s = \"-c\", as the problem forced-oscillator does), or "
           "use the method direct";
}

} // namespace lento::detail

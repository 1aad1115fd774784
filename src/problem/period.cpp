#include "problem/period.hpp"

#include "problem/force_probe.hpp"
#include "problem/spectrum.hpp"
#include "problem/systems.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <lento/base/arithmetic.hpp>
#include <lento/base/misuse.hpp>
#include <lento/problem/schemes.hpp>
#include <lento/system/linear_flow.hpp>
#include <lento/system/phase.hpp>

namespace lento::detail {
namespace {

using vector = std::vector<double>;

constexpr int most_turns = 8; // of the strongest oscillation in a period

found_period none(std::string why) { return {0, {}, std::move(why)}; }

std::string listed(vector const& frequencies) {
    std::string text;
    for (double const each : frequencies) text += (text.empty() ? "" : ", ") + show(each);
    return text;
}

/// The flow of a linear fast part returns after a whole number of turns of its slowest mode, or never.
found_period of_split(split_kind const& kind) {
    std::string const give = "give system.period, or use backward-forward, which does without";
    if (kind.fast_matrix.empty())
        return none("the period of the fast flow is not given, and its fast part is not "
                    "linear, so that nothing tells it; " +
                    give);
    linear_flow const flow(kind.fast_matrix);
    auto const frequencies = flow.frequencies();
    if (frequencies.empty()) return none("the fast part does not oscillate; use the method direct");
    constexpr int turns = 64;
    constexpr double rounding = 1e-9;
    for (int k = 1; k <= turns; ++k) {
        double const period = k * two_pi<double> / frequencies.front();
        if (flow.return_defect(period) < rounding)
            return {period * kind.epsilon,
                    "period " + show(period) + " epsilon: the fast frequencies are " + listed(frequencies),
                    {}};
    }
    return none("the fast frequencies are " + listed(frequencies) +
                " (over epsilon), which have no common period of up to 64 turns; " + give);
}

/// Positions and velocities of a direct run from the start, at these times; empty, after saying why, where it fails.
std::vector<vector> direct_rows(problem const& what, engine_kind engine, vector const& times, any_stepper const& scheme,
                                std::string& trouble) {
    constexpr std::uint64_t most_steps = 1U << 22U;
    trouble.clear();
    auto const solved = [&](auto const& system, auto start) {
        using State = decltype(start);
        solve_options<State> options;
        options.start = what.start;
        options.end = times.back();
        options.output_times = times;
        options.max_steps = most_steps;
        auto run = solve(any_system(system), scheme, std::move(start), options);
        if (run.result != outcome::success)
            trouble = "a direct run to t = " + show(times.back()) + " failed: " + run.message;
        return run;
    };
    std::vector<vector> rows;
    if (what.first_order) {
        auto const run = solved(make_flow(what, engine), any_point{what.position});
        if (trouble.empty()) rows = run.state;
        return rows;
    }
    any_motion const start{what.position, what.velocity};
    auto const run = by_velocity(what.uses_velocity(), [&](auto velocity) {
        return solved(make_motion<velocity>(what, what.force, engine), start);
    });
    if (!trouble.empty()) return rows;
    rows = run.position;
    for (std::size_t k = 0; k < rows.size(); ++k)
        rows[k].insert(rows[k].end(), run.velocity[k].begin(), run.velocity[k].end());
    return rows;
}

any_stepper with(std::string_view name, std::initializer_list<std::pair<std::string_view, double>> numbers) {
    auto made = make_scheme(name);
    for (auto const& [key, value] : numbers)
        for (auto const& each : made.options())
            if (each.name == key) *std::get<double*>(each.value) = value;
    return made;
}

/// Direct runs of a plain problem from its start, and what they tell of a period.
class plain_motion {
public:
    plain_motion(problem const& what, engine_kind engine)
        : what_(what), engine_(engine), force_(what.force.compile(engine_kind::bytecode)), work_(force_.work()) {}

    found_period operator()() {
        if (what_.uses_time()) return of_forcing();
        double const rate = fastest_rate(what_);
        if (!std::isfinite(rate) || rate <= 0) return none(not_given("the force does not vary around the start"));
        constexpr double turns = 64;
        double const span = turns * two_pi<double> / rate;
        if (!(span < what_.end - what_.start))
            return none(not_given("64 turns at the fastest rate, " + show(rate) + ", take longer than the run"));
        if (!look(span)) return none(not_given(trouble_));
        auto const frequencies = strongest_frequencies(rows_, span / samples, 4);
        if (frequencies.empty()) return none(not_given("a direct run over " + show(span) + " shows no oscillation"));
        return returning(frequencies);
    }

private:
    static constexpr std::size_t samples = 1024;

    [[nodiscard]] static std::string not_given(std::string const& why) {
        return "the period of the fast motion is not given and was not found: " + why +
               "; give system.period or system.frequency, or use the method direct";
    }

    [[nodiscard]] std::vector<vector> motion_at(vector const& times) {
        double const size = max_norm(what_.position);
        double const atol = 1e-12 * (size > 0 ? size : 1);
        return direct_rows(what_, engine_, times, with("dormand-prince", {{"rtol", 1e-9}, {"atol", atol}}), trouble_);
    }
    [[nodiscard]] bool look(double span) {
        vector times(samples);
        for (std::size_t k = 0; k < samples; ++k)
            times[k] = what_.start + span * static_cast<double>(k + 1) / static_cast<double>(samples);
        rows_ = motion_at(times);
        if (rows_.empty()) return false;
        sizes_.assign(rows_[0].size(), 0);
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            auto const [low, high] = std::minmax_element(rows_.begin(), rows_.end(),
                                                         [i](auto const& a, auto const& b) { return a[i] < b[i]; });
            sizes_[i] = ((*high)[i] - (*low)[i]) / 2;
        }
        // what moves a millionth of the largest of its kind does not count
        std::size_t const half = what_.first_order ? sizes_.size() : sizes_.size() / 2;
        for (std::size_t from = 0; from < sizes_.size(); from += half) {
            double const largest = *std::max_element(sizes_.begin() + static_cast<std::ptrdiff_t>(from),
                                                     sizes_.begin() + static_cast<std::ptrdiff_t>(from + half));
            for (std::size_t i = from; i < from + half; ++i) sizes_[i] = std::max(sizes_[i], 1e-6 * largest);
        }
        return true;
    }

    /// The state after a time less the start, in units of the motion's size, and how fast it then moves.
    struct meeting {
        double miss = 0;  ///< the largest component
        double shift = 0; ///< the time by which it is late, by least squares
    };
    [[nodiscard]] bool meet(double period, meeting& found) {
        double const little = 1e-4 * period;
        auto const rows =
            motion_at({what_.start + period - little, what_.start + period, what_.start + period + little});
        if (rows.empty()) return false;
        double along = 0;
        double speed = 0;
        found.miss = 0;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            if (sizes_[i] == 0) continue;
            double const start = i < what_.size ? what_.position[i] : what_.velocity[i - what_.size];
            double const away = (rows[1][i] - start) / sizes_[i];
            double const rate = (rows[2][i] - rows[0][i]) / (2 * little) / sizes_[i];
            found.miss = std::max(found.miss, std::abs(away));
            along += away * rate;
            speed += rate * rate;
        }
        found.shift = speed > 0 ? along / speed : 0;
        return true;
    }

    /// The first number of turns of the strongest oscillation after which the motion is back, to a tenth.
    [[nodiscard]] found_period returning(vector const& frequencies) {
        constexpr double back = 0.1;
        double least = 2;
        for (int turns = 1; turns <= most_turns; ++turns) {
            double period = turns * two_pi<double> / frequencies.front();
            meeting met;
            for (int round = 0; round < 6; ++round) {
                if (!meet(period, met)) return none(not_given(trouble_));
                if (std::abs(met.shift) > 0.1 * period) break;
                period -= met.shift;
                if (std::abs(met.shift) < 1e-10 * period) break;
            }
            least = std::min(least, met.miss);
            if (met.miss < back)
                return {period,
                        "period " + show(period) + ": a direct run is then back at its start to " + show(met.miss) +
                            " of its size",
                        {}};
        }
        return none(not_given("a direct run shows the frequencies " + listed(frequencies) + ", and after up to " +
                              std::to_string(most_turns) + " turns of the first misses its start by " + show(least) +
                              " of its size or more"));
    }

    // ---- a forcing must have the period itself ----

    [[nodiscard]] vector force_at(double t, bool away = false) {
        vector out(what_.size);
        vector place = what_.position;
        if (away)
            for (std::size_t i = 0; i < place.size(); ++i)
                place[i] += (0.1 + 0.01 * static_cast<double>(i % 7)) * (1 + std::abs(place[i]));
        force_.evaluate({.position = place, .velocity = what_.velocity, .time = t}, out, work_);
        return out;
    }
    /// How the force changes over a time, at several moments, and what that is late by.
    [[nodiscard]] double change_over(double time, double period, double& late) {
        constexpr int moments = 16;
        double along = 0;
        double speed = 0;
        double largest = 0;
        double size = 0;
        for (int k = 0; k < moments; ++k) {
            bool const away = k % 2 == 1; // a part of the force may vanish at the start
            vector const first = force_at(what_.start, away);
            double const t = what_.start + period * k / moments;
            double const little = 1e-4 * period;
            vector const before = force_at(t, away);
            vector const after = force_at(t + time, away);
            vector const next = force_at(t + time + little, away);
            vector const last = force_at(t + time - little, away);
            for (std::size_t i = 0; i < before.size(); ++i) {
                double const rate = (next[i] - last[i]) / (2 * little);
                along += (after[i] - before[i]) * rate;
                speed += rate * rate;
                largest = std::max(largest, std::abs(after[i] - before[i]));
                size = std::max(size, std::abs(before[i] - first[i]));
            }
        }
        late = speed > 0 ? along / speed : 0;
        return size > 0 ? largest / size : 0;
    }
    /// The frequencies of the force at the start as it varies with the time alone: in the shortest of ever longer
    /// stretches in which it turns, so that none is mistaken for a slower one.
    [[nodiscard]] vector forcing_frequencies() {
        constexpr int stretches = 20;
        double span = (what_.end - what_.start) * std::pow(4., -stretches);
        for (int k = 0; k <= stretches; ++k, span *= 4) {
            std::vector<vector> rows;
            for (std::size_t i = 0; i < samples; ++i)
                rows.push_back(force_at(what_.start + span * static_cast<double>(i) / static_cast<double>(samples)));
            // where it is a straight line, what is left of it is rounding
            double size = 0;
            double bend = 0;
            for (std::size_t i = 0; i < samples; ++i)
                for (std::size_t j = 0; j < rows[i].size(); ++j) {
                    double const along = static_cast<double>(i) / static_cast<double>(samples - 1);
                    double const line = rows.front()[j] + along * (rows.back()[j] - rows.front()[j]);
                    size = std::max(size, std::abs(rows[i][j]));
                    bend = std::max(bend, std::abs(rows[i][j] - line));
                }
            constexpr double rounding = 1e-9;
            if (!(bend > rounding * size)) continue;
            if (auto found = strongest_frequencies(rows, span / samples, 4); !found.empty()) return found;
        }
        return {};
    }
    [[nodiscard]] found_period of_forcing() {
        auto const frequencies = forcing_frequencies();
        if (frequencies.empty())
            return none(not_given("the force depends on the time, but at the start it does not oscillate with it"));
        double left = 1;
        for (int turns = 1; turns <= most_turns; ++turns) {
            double period = turns * two_pi<double> / frequencies.front();
            // over ever more periods, so that it becomes ever sharper
            for (int many = 1; many <= 256; many *= 4)
                for (int round = 0; round < 4; ++round) {
                    double late = 0;
                    left = change_over(many * period, period, late);
                    if (std::abs(late) > 0.25 * period) break;
                    period -= late / many;
                }
            constexpr double same = 1e-6;
            if (left < same)
                return {period,
                        "period " + show(period) +
                            ": that of the force at the start, which after 256 of them "
                            "differs by " +
                            show(left) + " of its variation",
                        {}};
        }
        return none(not_given("the force at the start varies with the time, with the frequencies " +
                              listed(frequencies) + ", but does not repeat itself: it still differs by " + show(left) +
                              " of its variation"));
    }

    problem const& what_;
    engine_kind engine_;
    std::vector<vector> rows_;
    vector sizes_;
    std::string trouble_;
    compiled_formula force_;
    compiled_formula::work_type work_;
};

} // namespace

int steps_per_period(problem const& what, double period, double rtol, engine_kind engine) {
    constexpr int fewest = 64;
    constexpr int most = 1 << 20;
    double const periods = std::max(1., (what.end - what.start) / period);
    double const allowed = 100 * std::max(rtol, 1e-12) / periods; // a direct run to this tolerance misses as much
    std::string trouble;
    auto const after = [&](int steps) {
        // the end, and before it times that no oscillation is in step with, so that the motion's size is seen
        vector times(32, what.start + period);
        for (std::size_t k = 1; k < times.size(); ++k)
            times[k] = what.start + period * std::fmod(std::numbers::phi * static_cast<double>(k), 1.);
        std::sort(times.begin(), times.end());
        return direct_rows(what, engine, times, with("rk4", {{"step", period / steps}}), trouble);
    };
    auto rough = after(fewest);
    for (int steps = fewest; steps < most; steps *= 2) {
        auto fine = after(2 * steps);
        if (!rough.empty() && !fine.empty()) {
            // relative to what each variable moves by; errors of rk4 fall with the fourth power of the steps
            double miss = 0;
            for (std::size_t i = 0; i < fine.back().size(); ++i) {
                auto const [low, high] = std::minmax_element(fine.begin(), fine.end(),
                                                             [i](auto const& a, auto const& b) { return a[i] < b[i]; });
                double const size = std::max((*high)[i] - (*low)[i], 1e-12 * std::abs(fine.back()[i]));
                if (size > 0) miss = std::max(miss, std::abs(fine.back()[i] - rough.back()[i]) / size);
            }
            if (miss < 0.01) {
                double const wanted = steps * std::pow(std::max(miss / allowed, 1e-8), 0.25);
                return static_cast<int>(std::clamp(std::ceil(wanted), double{fewest}, double{most}));
            }
        }
        rough = std::move(fine);
    }
    return 0;
}

found_period find_period(problem const& what, engine_kind engine) {
    auto const* split = what.as<split_kind>();
    return split != nullptr ? of_split(*split) : plain_motion(what, engine)();
}

double found_period_of(problem const& what, engine_kind engine, std::vector<std::string>& reasons) {
    auto found = find_period(what, engine);
    if (!found.lacking.empty()) throw does_not_apply(found.lacking);
    reasons.push_back(std::move(found.how));
    return found.period;
}

} // namespace lento::detail

#include <lento/expression/compiled_formula.hpp>
#include <lento/problem/check.hpp>

#include "problem/force_probe.hpp"
#include "problem/sines_of_time.hpp"
#include "problem/spectrum.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include <lento/base/arithmetic.hpp>
#include <lento/base/decimal.hpp>
#include <lento/effective/window.hpp>
#include <lento/problem/method.hpp>
#include <lento/problem/roughly.hpp>
#include <lento/problem/run.hpp>

namespace lento {
namespace {

constexpr double two_pi_value = 2 * std::numbers::pi;

class examiner {
public:
    explicit examiner(problem const& what) : what_(what) {}

    problem_check operator()() {
        say_what_it_is();
        probe_force();
        if (what_.potential) compare_potential();
        if (what_.as<vibrated_kind>() != nullptr) {
            probe_evenness();
            say_scales();
        }
        if (found_.faults.empty()) {
            say_what_is_kept();
            measure_fast_motion();
            try_it();
            say_methods();
        }
        return std::move(found_);
    }

private:
    void say(std::string topic, std::string sentence) {
        found_.lines.push_back({std::move(topic), std::move(sentence)});
    }

    void say_what_it_is() {
        std::string kind(what_.kind_name());
        if (what_.as<plain_kind>() != nullptr) kind += what_.first_order ? ", first order" : ", second order";
        say("kind", kind);
        std::string names;
        constexpr std::size_t shown = 8;
        for (std::size_t i = 0; i < std::min(what_.size, shown); ++i)
            names += (i > 0 ? ", " : "") + what_.coordinate_name(i);
        say(what_.first_order ? "variables" : "coordinates",
            std::to_string(what_.size) + ": " + names + (what_.size > shown ? ", ..." : ""));
        std::string parameters;
        for (auto const& [key, value] : what_.parameters)
            parameters += (parameters.empty() ? "" : ", ") + key + " = " + show(value);
        if (!parameters.empty()) say("parameters", parameters);
        say("time", "from " + show(what_.start) + " to " + show(what_.end) + ", " +
                        std::to_string(what_.output_times.size()) + " output times");
    }

    /// The force over a turn of the phases at the start.
    void probe_force() {
        auto const formulas = what_.force.compile(expression::engine_kind::bytecode);
        auto work = formulas.work();
        std::vector<double> out(what_.size);
        double largest = 0;
        constexpr int probes = 16;
        for (int probe = 0; probe < probes; ++probe) {
            std::vector<double> theta(what_.frequencies().size());
            for (std::size_t j = 0; j < theta.size(); ++j)
                theta[j] = two_pi_value * probe / probes * static_cast<double>(j + 1);
            formulas.evaluate(
                {.position = what_.position, .velocity = what_.velocity, .phase = theta, .time = what_.start}, out,
                work);
            auto const bad = first_non_finite(out);
            if (bad < out.size()) {
                found_.faults.push_back("the " + force() + " of " + what_.coordinate_name(bad) +
                                        " is not finite at the start; check its formula there (a division by zero, a "
                                        "root of a negative number), or start elsewhere");
                return;
            }
            largest = std::max(largest, max_norm(out));
        }
        std::string depends = "the position";
        if (what_.uses_velocity()) depends += ", the velocity";
        if (what_.uses_time()) depends += ", the time";
        if (!what_.frequencies().empty()) depends += ", the phase";
        say(force(), "finite at the start, at most " + show(largest) + "; it depends on " + depends);
        say_driving();
    }
    /// Sines of the time, which a vibrated system has of theta.
    void say_driving() {
        auto const driving = detail::sines_of_time(what_);
        if (driving.empty()) return;
        std::string names;
        for (double const each : driving) names += (names.empty() ? "" : ", ") + show(each);
        std::string sentence = "the " + force() + " has sines of t of the angular frequencies " + names;
        if (what_.as<vibrated_kind>() != nullptr && detail::is_as_fast_as_phases(what_, driving.back()))
            sentence += ", as fast as theta: is theta meant?";
        if (what_.as<plain_kind>() != nullptr && !what_.first_order &&
            driving.back() * (what_.end - what_.start) > many_turns * two_pi_value)
            sentence += "; as a vibrated system, kind = \"vibrated\" with frequency = " + show(driving.back()) +
                        " and theta in the place of " + show(driving.back()) + "*t, its slow motion can be followed";
        say("driving", sentence);
    }
    [[nodiscard]] std::string force() const { return what_.first_order ? "rate" : "force"; }

    /// The derivative of the potential along a direction, against a central difference.
    void compare_potential() {
        auto const potential = what_.potential.compile(expression::engine_kind::bytecode);
        auto const gradient = what_.gradient.compile(expression::engine_kind::bytecode);
        auto value_work = potential.work();
        auto slope_work = gradient.work();
        std::vector<double> const theta(what_.frequencies().size(), 0.7);
        std::vector<double> direction(what_.size);
        for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = std::sin(static_cast<double>(3 * i + 1));
        auto const value = [&](double along) {
            std::vector<double> q = what_.position;
            for (std::size_t i = 0; i < q.size(); ++i) q[i] += along * direction[i];
            std::vector<double> out(1);
            potential.evaluate({.position = q, .phase = theta, .time = what_.start}, out, value_work);
            return out[0];
        };
        std::vector<double> slope(what_.size);
        gradient.evaluate({.position = what_.position, .phase = theta, .time = what_.start}, slope, slope_work);
        double exact = 0;
        for (std::size_t i = 0; i < slope.size(); ++i) exact -= slope[i] * direction[i];
        double const length = max_norm(what_.position);
        double const reach = 1e-5 * (length > 0 ? length : 1);
        double const ahead = value(reach);
        double const behind = value(-reach);
        double const differences = (ahead - behind) / (2 * reach);
        // at a place of rest nothing but the change of the potential tells what is small
        double const scale = std::abs(exact) + std::abs(value(0)) +
                             (std::abs(ahead - value(0)) + std::abs(behind - value(0))) / (2 * reach) + 1e-300;
        double const error = std::abs(differences - exact) / scale;
        constexpr double allowed = 1e-4;
        if (!(error < allowed))
            found_.faults.push_back("the potential's derivative at the start is " + show(exact) +
                                    ", but differences give " + show(differences) +
                                    "; it has a kink, a jump or a singularity there");
        else say("potential", "its derivative agrees with differences to " + show(error) + " at the start");
    }

    void probe_evenness() {
        odd_part_ = detail::largest_odd_part(what_);
        constexpr double rounding = 1e-12;
        even_ = odd_part_ <= rounding;
        say("evenness",
            even_ ? "the force is even in theta around the start: half windows serve"
                  : "the force is not even in theta: opposite phases differ by " + show(odd_part_) + " of its size");
    }

    void say_scales() {
        auto const fast = fast_frequencies(what_.frequencies());
        double const slowest = two_pi_value / *std::min_element(fast.begin(), fast.end());
        double const fastest = two_pi_value / *std::max_element(what_.frequencies().begin(), what_.frequencies().end());
        turns_ = (what_.end - what_.start) / slowest;
        std::string periods = "fast period " + show(fastest);
        if (fastest != slowest) periods += ", slowest combination of phases " + show(slowest);
        say("scales", periods + ", " + show(turns_) + " of them in the run");
    }

    // ---- which methods apply ----

    /// Every method there is, tried for a step; those of other kinds of systems in one line.
    void say_methods() {
        if (!what_.method.children.empty()) say("as given", judged(what_.method, true));
        std::vector<std::string_view> others;
        for (auto const& row : methods()) {
            if (row.is_for(what_)) say_method(row);
            else if (!has_row_of(row.name) && std::ranges::find(others, row.name) == others.end())
                others.push_back(row.name);
        }
        std::string names;
        for (auto const each : others) names += (names.empty() ? "" : ", ") + std::string(each);
        if (!names.empty()) say("others", "for other kinds of systems: " + names);
    }
    [[nodiscard]] bool has_row_of(std::string_view name) const {
        return std::any_of(methods().begin(), methods().end(),
                           [&](auto const& row) { return row.name == name && row.is_for(what_); });
    }
    void say_method(method_row const& row) {
        entry const usual = usual_settings(row);
        auto options = row.options();
        bool const starts = std::ranges::any_of(options.all(), [](auto const& each) { return each.name == "start"; });
        if (!starts || what_.constraints() != nullptr) {
            say(std::string(row.name), judged(usual, false, &row == &plainest_ ? cost() : ""));
            return;
        }
        // windows differ in how they start, and in their kernels
        auto const with = [&](std::vector<entry> more) {
            entry made = usual;
            made.children.insert(made.children.end(), more.begin(), more.end());
            return judged(made, false);
        };
        auto const kernel = [](char const* name) { return entry("window", {entry("kernel", name)}); };
        std::string const name(row.name);
        say(name + ", picard kernel", with({kernel("picard")}));
        for (auto const* start : {"asynchronous", "centred", "synchronous"})
            say(name + ", " + start, with({entry("start", start)}));
        found_.lines.back().sentence += what_.as<vibrated_kind>()->slow_velocity
                                            ? ", with the given slow_velocity"
                                            : "; its start velocity is found numerically";
        say(name + ", one-period kernel",
            with({kernel("one-period"), entry("start", even_ ? "asynchronous" : "centred")}));
        // a force of the size of the frequency must be removed well
        say(name + ", chebyshev kernel",
            with({entry("window", {entry("kernel", "chebyshev"), entry("attenuation", 1e-10)}),
                  entry("start", "centred")}));
    }

    /// What a file must say of a method, sized after what the trial runs have shown.
    [[nodiscard]] entry usual_settings(method_row const& row) const {
        auto options = row.options();
        auto const all = options.all();
        double const step = rounded(step_ > 0 ? step_ / 4 : (what_.end - what_.start) / 1000);
        auto const* split = what_.as<split_kind>();
        double const epsilon = split != nullptr ? split->epsilon : 1;
        double const turning = fastest_ > 0 ? fastest_ * epsilon : 1; // radians in epsilon
        // a step in which the fast part is switched on for a while must be longer than that
        bool const switched = lacks(all, "macro", "step") && lacks(all, "window", "delta");
        double const delta = rounded((switched ? 10 : 30) / turning);
        std::vector<entry> made{entry("name", row.name)};
        if (lacks(all, "macro", "step"))
            made.push_back(
                entry("macro", {entry("step", switched ? std::max(step, rounded(2 * delta * epsilon)) : step)}));
        if (lacks(all, "window", "delta")) made.push_back(entry("window", {entry("delta", delta)}));
        if (split != nullptr && has_spectral_mean(all)) made.push_back(entry("window", {entry("kernel", "picard")}));
        if (auto const* relaxation = what_.method.find("relaxation");
            relaxation != nullptr && what_.as<constrained_kind>())
            if (std::ranges::any_of(all, [](auto const& each) { return each.name == "relaxation"; }))
                made.push_back(*relaxation);
        return entry("method", std::move(made));
    }
    /// Whether a table has a number that must be given.
    static bool lacks(fields const& all, std::string_view table, std::string_view key) {
        for (auto const& each : all)
            if (auto const* inner = std::get_if<fields>(&each.value); inner != nullptr && each.name == table)
                for (auto const& option : *inner)
                    if (option.name == key && std::holds_alternative<double*>(option.value)) return !has_value(option);
        return false;
    }
    static bool has_spectral_mean(fields const& all) {
        bool window = false;
        bool micro = false;
        for (auto const& each : all) {
            window = window || each.name == "window";
            micro = micro || each.name == "micro";
        }
        return window && !micro;
    }
    /// To two digits, as a person would write it.
    static double rounded(double value) {
        std::array<char, 16> text{};
        auto* const room = text.data() + text.size();
        auto* const end = std::to_chars(text.data(), room, value, std::chars_format::general, 2).ptr;
        return decimal<double>(std::string(text.data(), end));
    }

    [[nodiscard]] std::string judged(entry const& method, bool given, std::string const& cost = {}) const {
        problem tried = what_;
        tried.method = method;
        tried.estimate = false;
        tried.output_times = {tried.end};
        std::atomic<bool> stop = false;
        problem_run run;
        try {
            run = run_problem(tried, {.interrupt = &stop, .progress = [&](double) { stop = true; }});
        } catch (problem_error const& error) { run.refuse(outcome::not_applicable, error.sentence); }
        bool const went = run.result == outcome::success || run.result == outcome::interrupted;
        if (went && given) return run.method_name() + " applies" + settings_of(run.method);
        if (went && is_auto(run)) return "applies; chosen by auto" + cost + settings_of(auto_);
        if (went) return "applies" + cost + settings_of(run.method);
        if (exit_code(run.result) != exit_code(outcome::not_applicable))
            return "fails in its first step: " + run.message;
        auto const* named = method.find("name");
        std::string const known = named != nullptr ? "the method " + named->text + " does not apply" : "";
        return named != nullptr && run.message.starts_with(known)
                   ? run.message.substr(known.size() - std::string("does not apply").size())
                   : "does not apply: " + run.message;
    }
    /// The same method, looking at the same thing.
    [[nodiscard]] bool is_auto(problem_run const& run) const {
        auto const told = [](entry const& method, std::string_view table, std::string_view key) {
            auto const* found = method.find(table);
            if (found != nullptr && !key.empty()) found = found->find(key);
            return found != nullptr ? found->text : std::string();
        };
        return told(run.method, "name", "") == told(auto_, "name", "") &&
               told(run.method, "start", "") == told(auto_, "start", "") &&
               told(run.method, "window", "kernel") == told(auto_, "window", "kernel");
    }
    /// What a direct run to the end takes, from the one over a few turns.
    [[nodiscard]] std::string cost() const {
        if (evaluations_per_time_ == 0) return "";
        return ", with about " + show(rounded(evaluations_per_time_ * (what_.end - what_.start))) +
               " force evaluations at rtol = " + show(fine_rtol);
    }
    /// What was used, as a problem file says it: the `method` object without its name.
    static std::string settings_of(entry const& used) {
        std::string told;
        for (auto const& each : used.children)
            if (each.key != "name") told += (told.empty() ? ": " : ", ") + each.key + " = " + to_inline_toml(each);
        return told;
    }

    void say_what_is_kept() {
        if (what_.first_order || what_.constraints() != nullptr) return; // the force alone does not tell
        std::string kept;
        for (auto const& each : detail::conserved_quantities(what_)) kept += (kept.empty() ? "" : ", ") + each;
        say("conserved", kept.empty() ? "nothing that the force shows" : kept);
    }

    // ---- trial runs ----

    /// A run of the problem changed in some way, stopped when it takes longer than a check may.
    struct trial {
        problem_run run;
        double step = 0; ///< between its output times
        bool stopped = false;
    };
    /// `sampled`: at equal times, for frequencies, of the slow motion where the method follows that.
    [[nodiscard]] trial attempt(std::string_view method, double rtol, double atol, double end, bool measured,
                                bool sampled = true) const {
        constexpr std::size_t samples = 1024;
        constexpr std::chrono::seconds patience(2);
        trial made;
        problem tried = what_;
        tried.method = entry("method", {entry("name", method)});
        tried.rtol = rtol;
        tried.atol = atol;
        tried.estimate = measured;
        tried.end = end;
        made.step = (end - what_.start) / samples;
        if (sampled) {
            tried.report = reported_state::slow;
            tried.output_times.clear();
            for (std::size_t k = 0; k < samples; ++k)
                tried.output_times.push_back(what_.start + static_cast<double>(k) * made.step);
        }
        std::atomic<bool> stop = false;
        auto const begun = std::chrono::steady_clock::now();
        run_controls controls{.interrupt = &stop, .progress = [&](double) {
                                  if (std::chrono::steady_clock::now() - begun > patience) stop = true;
                              }};
        made.run = run_problem(tried, controls);
        made.stopped = stop;
        return made;
    }
    [[nodiscard]] std::vector<double> frequencies_in(trial const& from) const {
        constexpr std::size_t most = 4;
        return detail::strongest_frequencies(what_.first_order ? from.run.position : from.run.velocity, from.step,
                                             most);
    }
    static std::string listed(std::vector<double> const& frequencies) {
        if (frequencies.empty()) return "no oscillation of three turns or more";
        std::string text;
        for (double const each : frequencies) text += (text.empty() ? "" : ", ") + show(each);
        return (frequencies.size() == 1 ? "the angular frequency " : "the angular frequencies, strongest first: ") +
               text;
    }

    /// A direct run over some turns of whatever is fastest.
    void measure_fast_motion() {
        if (what_.given == initial_state::slow) return;
        double rate = detail::fastest_rate(what_);
        for (double const each : what_.frequencies()) rate = std::max(rate, each);
        if (!std::isfinite(rate) || rate <= 0) return;
        constexpr double turns = 64;
        double const end = std::min(what_.end, what_.start + turns * two_pi_value / rate);
        auto const fast = attempt(plainest_.name, fine_rtol, 1e-10, end, false);
        std::string const over = "a direct run over " + show(end - what_.start);
        if (fast.stopped) return say("fast motion", over + " took too long to measure frequencies");
        if (fast.run.result != outcome::success) return say("fast motion", over + " failed: " + fast.run.message);
        auto const found = frequencies_in(fast);
        evaluations_per_time_ = static_cast<double>(fast.run.statistics.force_evaluations) / (end - what_.start);
        say("fast motion", over + " shows " + listed(found));
        if (found.empty()) return;
        fastest_ = *std::max_element(found.begin(), found.end());
        name_fast_frequency(found.front());
    }
    /// A plain system says nothing of what is fast in it.
    void name_fast_frequency(double strongest) {
        auto const* plain = what_.as<plain_kind>();
        double const all = strongest * (what_.end - what_.start) / two_pi_value;
        if (plain == nullptr || plain->period > 0 || !(all > many_turns)) return;
        say("fast frequency", "the motion turns " + show(rounded(all)) + " times in the run at the angular frequency " +
                                  show(rounded(strongest)) + "; where its period stays the same, frequency = " +
                                  show(strongest) + " in [system] lets what is slow beside it be followed");
    }

    /// The run itself with the default method: what it takes, or why it does not apply.
    void try_it() {
        // rows may cost evaluations, so that only those are counted that are asked for
        auto const whole = attempt("auto", what_.rtol, what_.atol, what_.end, what_.estimate, false);
        auto const& run = whole.run;
        auto_ = run.method;
        found_.choice = run.choice;
        if (whole.stopped) return say("auto", "takes longer than a check may to run to the end");
        if (run.result != outcome::success) return say("auto", "fails: " + run.message);
        double const step =
            (what_.end - what_.start) / static_cast<double>(std::max<std::uint64_t>(1, run.statistics.macro_steps));
        step_ = step;
        say("auto", run.method_name() + " runs to the end in steps of about " + show(step) + ", with " +
                        std::to_string(run.statistics.force_evaluations) + " force evaluations");
        for (auto const& reason : run.reasons) say("because", reason);
        if (run.error_estimate)
            say("error", "about " + roughly(run.error_estimate->total) + " of the largest size of " +
                             run.error_estimate->coordinate + ", measured with " +
                             std::to_string(run.estimate_evaluations) + " force evaluations more");
        auto const sampled = attempt("auto", what_.rtol, what_.atol, what_.end, false);
        if (sampled.run.full || sampled.run.result != outcome::success) return;
        auto slow = frequencies_in(sampled);
        double const slow_step = (what_.end - what_.start) /
                                 static_cast<double>(std::max<std::uint64_t>(1, sampled.run.statistics.macro_steps));
        // a step sees no oscillation that is faster than half of its turns
        std::erase_if(slow, [=](double each) { return each * slow_step > two_pi_value / 2; });
        say("slow motion", "shows " + listed(slow));
        if (!slow.empty() && fastest_ > 0)
            say("separation",
                "the fast motion turns " + show(fastest_ / slow.front()) + " times while the slow motion turns once");
        say("suggested", "macro = { scheme = \"rk4\", step = " + show(slow_step / 2) + " } for equal steps");
    }

    problem const& what_;
    problem_check found_;
    static constexpr double fine_rtol = 1e-7;
    static constexpr double many_turns = 100;
    /// The system as it is, whose cost is measured: the first of the methods.
    method_row const& plainest_ = methods().front();
    entry auto_;                      ///< what auto has chosen
    double step_ = 0;                 ///< and the mean step of its run
    double evaluations_per_time_ = 0; ///< of a direct run
    double fastest_ = 0;
    double odd_part_ = 0;
    double turns_ = 0;
    bool even_ = false;
};

} // namespace

problem_check check_problem(problem const& what) { return examiner(what)(); }

} // namespace lento

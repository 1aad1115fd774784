#include <lento/io/check.hpp>

#include "io/applicable.hpp"
#include "io/force_probe.hpp"
#include "io/oscillators.hpp"
#include "io/spectrum.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <utility>

#include <lento/effective/window.hpp>
#include <lento/io/run.hpp>
#include <lento/system/arithmetic.hpp>

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
        if (what_.kind == problem_kind::vibrated) {
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
        std::string kind(name(what_.kind));
        if (what_.kind == problem_kind::plain) kind += what_.first_order ? ", first order" : ", second order";
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
        auto const work = what_.force->work();
        std::vector<double> out(what_.size);
        double largest = 0;
        constexpr int probes = 16;
        for (int probe = 0; probe < probes; ++probe) {
            std::vector<double> theta(what_.frequencies.size());
            for (std::size_t j = 0; j < theta.size(); ++j)
                theta[j] = two_pi_value * probe / probes * static_cast<double>(j + 1);
            what_.force->evaluate(
                {.position = what_.position, .velocity = what_.velocity, .phase = theta, .time = what_.start}, out,
                *work);
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
        if (what_.uses_velocity) depends += ", the velocity";
        if (what_.uses_time) depends += ", the time";
        if (!what_.frequencies.empty()) depends += ", the phase";
        say(force(), "finite at the start, at most " + show(largest) + "; it depends on " + depends);
    }
    [[nodiscard]] std::string force() const { return what_.first_order ? "rate" : "force"; }

    /// The derivative of the potential along a direction, against a central difference.
    void compare_potential() {
        auto const value_work = what_.potential->work();
        auto const slope_work = what_.gradient->work();
        std::vector<double> const theta(what_.frequencies.size(), 0.7);
        std::vector<double> direction(what_.size);
        for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = std::sin(static_cast<double>(3 * i + 1));
        auto const value = [&](double along) {
            std::vector<double> q = what_.position;
            for (std::size_t i = 0; i < q.size(); ++i) q[i] += along * direction[i];
            std::vector<double> out(1);
            what_.potential->evaluate({.position = q, .phase = theta, .time = what_.start}, out, *value_work);
            return out[0];
        };
        std::vector<double> slope(what_.size);
        what_.gradient->evaluate({.position = what_.position, .phase = theta, .time = what_.start}, slope, *slope_work);
        double exact = 0;
        for (std::size_t i = 0; i < slope.size(); ++i) exact -= slope[i] * direction[i];
        double const reach = 1e-5;
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
        auto const fast = fast_frequencies(what_.frequencies);
        double const slowest = two_pi_value / *std::min_element(fast.begin(), fast.end());
        double const fastest = two_pi_value / *std::max_element(what_.frequencies.begin(), what_.frequencies.end());
        turns_ = (what_.end - what_.start) / slowest;
        std::string periods = "fast period " + show(fastest);
        if (fastest != slowest) periods += ", slowest combination of phases " + show(slowest);
        say("scales", periods + ", " + show(turns_) + " of them in the run");
    }

    // ---- which methods apply ----

    /// Every method there is, tried for a step; those of other kinds of systems in one line.
    void say_methods() {
        if (what_.method.name != "auto" || what_.method.macro || what_.method.view)
            say("as given", judged(what_.method));
        std::string others;
        auto const known = detail::methods_of(what_.kind);
        for (auto const& name : detail::all_methods()) {
            if (std::find(known.begin(), known.end(), name) == known.end())
                others += (others.empty() ? "" : ", ") + name;
            else if (name == "hmm" && what_.kind == problem_kind::vibrated && what_.constraints.count == 0)
                say_vibrated_windows();
            else say(name, judged(usual(name)));
        }
        if (!others.empty()) say("others", "for other kinds of systems: " + others);
    }
    /// Windows of vibrated systems differ in how they start, and in their kernels.
    void say_vibrated_windows() {
        method_options method = usual("hmm");
        method.view = picard{};
        say("hmm, picard kernel", judged(method));
        method.micro = rk4{};
        method.view = window{.kernel = exponential{.moments = 3}, .periods = 40, .steps_per_period = 32};
        for (auto const start : {window_start::asynchronous, window_start::centred, window_start::synchronous}) {
            method.start = start;
            say("hmm, " + std::string(name(start)), judged(method));
        }
        found_.lines.back().sentence +=
            what_.slow_velocity ? ", with the given slow_velocity" : "; its start velocity is found numerically";
        method.start = even_ ? window_start::asynchronous : window_start::centred;
        method.view = window(one_period{.steps = 80});
        say("hmm, one-period kernel", judged(method));
        method.start = window_start::centred;
        // a force of the size of the frequency must be removed well
        method.view = window{.kernel = chebyshev{.attenuation = 1e-10}, .steps_per_period = 32};
        say("hmm, chebyshev kernel", judged(method));
    }

    /// A method with what a file must say of it, sized after what the trial runs have shown.
    [[nodiscard]] method_options usual(std::string const& name) const {
        method_options method;
        method.name = name;
        method.rtol = what_.method.rtol;
        method.atol = what_.method.atol;
        method.engine = what_.method.engine;
        method.epsilon = what_.epsilon;
        method.relaxation = what_.method.relaxation;
        double const step = rounded(step_ > 0 ? step_ / 4 : (what_.end - what_.start) / 1000);
        if (name == shake::name) method.macro = shake{.step = step};
        if (name == rattle::name) method.macro = rattle{.step = step};
        if (detail::steps_over_springs(name)) method.macro = verlet{.step = step};
        if (name == "hmm" && what_.kind == problem_kind::split) {
            method.view = picard{};
            method.interaction = true;
        }
        double const turning = fastest_ > 0 ? fastest_ * what_.epsilon : 1; // radians in epsilon
        auto const path = [&](double radians) {
            return path_window{.delta = rounded(radians / turning),
                               .steps = static_cast<int>(std::ceil(6.4 * radians))};
        };
        if (name == "flavors") {
            auto const on = path(10);
            method.macro = midpoint{.step = std::max(step, rounded(2 * on.delta * what_.epsilon))};
            method.view = on;
        }
        if (name == "backward-forward") {
            auto window = path(30);
            window.filter = polynomial{.moments = 1, .regularity = 5};
            method.view = window;
        }
        if (method.view && !std::holds_alternative<picard>(*method.view)) method.micro = rk4{};
        return method;
    }
    /// To two digits, as a person would write it.
    static double rounded(double value) {
        std::array<char, 16> text{};
        std::snprintf(text.data(), text.size(), "%.2g", value);
        return std::strtod(text.data(), nullptr);
    }

    [[nodiscard]] std::string judged(method_options const& method) const {
        std::string why = detail::why_not(what_, method.name);
        problem_run run;
        if (why.empty()) {
            problem tried = what_;
            tried.method = method;
            tried.output_times = {tried.end};
            std::atomic<bool> stop = false;
            try {
                run = run_problem(tried, {.interrupt = &stop, .progress = [&](double) { stop = true; }});
            } catch (problem_error const& error) {
                run.result = outcome::not_applicable;
                run.message = error.sentence;
            }
            bool const went = run.result == outcome::success || run.result == outcome::interrupted;
            bool const given = &method == &what_.method;
            if (went && given) return run.used.name + " applies" + settings_of(run.used);
            if (went && is_auto(run.used)) return "applies; chosen by auto" + cost(run.used) + settings_of(auto_);
            if (went) return "applies" + cost(run.used) + settings_of(run.used);
            if (exit_code(run.result) != exit_code(outcome::not_applicable))
                return "fails in its first step: " + run.message;
            why = run.message;
        }
        std::string const known = "the method " + method.name + " does not apply";
        return why.starts_with(known) ? why.substr(known.size() - std::string("does not apply").size())
                                      : "does not apply: " + why;
    }
    [[nodiscard]] bool is_auto(method_options const& used) const {
        bool const same_view = used.view.has_value() == auto_.view.has_value() &&
                               (!used.view || used.view->index() == auto_.view->index()) && used.start == auto_.start;
        return used.name == auto_.name && same_view;
    }
    /// What a direct run to the end takes, from the one over a few turns.
    [[nodiscard]] std::string cost(method_options const& used) const {
        if (used.name != "direct" || evaluations_a_time_ == 0) return "";
        return ", with about " + show(rounded(evaluations_a_time_ * (what_.end - what_.start))) +
               " force evaluations at rtol = " + show(fine_rtol);
    }
    /// The tables of a method as a problem file has them.
    static std::string settings_of(method_options const& used) {
        std::string const json = to_json(used);
        std::string text;
        for (std::size_t at = 1; at + 1 < json.size(); ++at) {
            if (json[at] != '"') {
                text += json[at] == '{' ? "{ " : json[at] == '}' ? " }" : std::string(1, json[at]);
                continue;
            }
            std::size_t const closed = json.find('"', at + 1);
            bool const key = json.compare(closed + 1, 2, ": ") == 0;
            text += key ? json.substr(at + 1, closed - at - 1) + " = " : json.substr(at, closed - at + 1);
            at = key ? closed + 2 : closed;
        }
        constexpr std::string_view usual = ", unchecked = false";
        if (std::size_t const at = text.find(usual); at != std::string::npos) text.erase(at, usual.size());
        bool const chooses_steps = text.find("macro = { scheme = \"dormand-prince\", rtol") != std::string::npos ||
                                   text.find("macro = { scheme = \"lobatto4\", rtol") != std::string::npos;
        std::string told;
        for (std::string const key :
             {"macro", "micro", "window", "order", "picture", "projection", "relaxation", "start"}) {
            if (key == "macro" && chooses_steps) continue; // as it does where nothing is said
            std::size_t const at = text.find(key + " = ");
            if (at == std::string::npos || text.compare(at + key.size() + 3, 4, "{  }") == 0) continue;
            std::size_t const end = text[at + key.size() + 3] == '{' ? text.find('}', at) + 1 : text.find(',', at);
            told += (told.empty() ? ": " : ", ") + text.substr(at, end - at);
        }
        return told;
    }

    void say_what_is_kept() {
        if (what_.first_order || what_.constraints.count > 0) return; // the force alone does not tell
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
    [[nodiscard]] trial attempt(std::string method, double rtol, double atol, double end) const {
        constexpr std::size_t samples = 1024;
        constexpr std::chrono::seconds patience(2);
        trial made;
        problem tried = what_;
        tried.method = {};
        tried.method.name = std::move(method);
        tried.method.rtol = rtol;
        tried.method.atol = atol;
        tried.end = end;
        tried.output_times.clear();
        made.step = (end - what_.start) / samples;
        for (std::size_t k = 0; k < samples; ++k)
            tried.output_times.push_back(what_.start + static_cast<double>(k) * made.step);
        std::atomic<bool> stop = false;
        auto const begun = std::chrono::steady_clock::now();
        made.run = run_problem(tried, {.interrupt = &stop, .progress = [&](double) {
                                           if (std::chrono::steady_clock::now() - begun > patience) stop = true;
                                       }});
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
        for (double const each : what_.frequencies) rate = std::max(rate, each);
        if (!std::isfinite(rate) || rate <= 0) return;
        constexpr double turns = 64;
        double const end = std::min(what_.end, what_.start + turns * two_pi_value / rate);
        auto const fast = attempt("direct", fine_rtol, 1e-10, end);
        std::string const over = "a direct run over " + show(end - what_.start);
        if (fast.stopped) return say("fast motion", over + " took too long to measure frequencies");
        if (fast.run.result != outcome::success) return say("fast motion", over + " failed: " + fast.run.message);
        auto const found = frequencies_in(fast);
        evaluations_a_time_ = static_cast<double>(fast.run.statistics.force_evaluations) / (end - what_.start);
        say("fast motion", over + " shows " + listed(found));
        if (!found.empty()) fastest_ = *std::max_element(found.begin(), found.end());
    }

    /// The run itself with the default method: what it takes, or why it does not apply.
    void try_it() {
        auto const whole = attempt("auto", what_.method.rtol, what_.method.atol, what_.end);
        auto const& run = whole.run;
        auto_ = run.used;
        if (whole.stopped) return say("auto", "takes longer than a check may to run to the end");
        if (run.result != outcome::success) return say("auto", "fails: " + run.message);
        double const step =
            (what_.end - what_.start) / static_cast<double>(std::max<std::uint64_t>(1, run.statistics.macro_steps));
        step_ = step;
        say("auto", run.used.name + " runs to the end in steps of about " + show(step) + ", with " +
                        std::to_string(run.statistics.force_evaluations) + " force evaluations");
        auto slow = frequencies_in(whole);
        if (run.full) return;
        // a step sees no oscillation that is faster than half of its turns
        std::erase_if(slow, [step](double each) { return each * step > two_pi_value / 2; });
        say("slow motion", "shows " + listed(slow));
        if (!slow.empty() && fastest_ > 0)
            say("separation",
                "the fast motion turns " + show(fastest_ / slow.front()) + " times while the slow motion turns once");
        say("suggested", "macro = { scheme = \"rk4\", step = " + show(step / 2) + " } for equal steps");
    }

    problem const& what_;
    problem_check found_;
    static constexpr double fine_rtol = 1e-7;
    method_options auto_;           ///< what auto has chosen
    double step_ = 0;               ///< and the mean step of its run
    double evaluations_a_time_ = 0; ///< of a direct run
    double fastest_ = 0;
    double odd_part_ = 0;
    double turns_ = 0;
    bool even_ = false;
};

} // namespace

problem_check check_problem(problem const& what) { return examiner(what)(); }

std::string to_text(problem const& what, problem_check const& found) {
    std::size_t width = 0;
    for (auto const& each : found.lines) width = std::max(width, each.topic.size());
    std::string text = what.title + "\n\n";
    for (auto const& each : found.lines)
        text += "  " + each.topic + std::string(width - each.topic.size() + 2, ' ') + each.sentence + "\n";
    return text;
}

} // namespace lento

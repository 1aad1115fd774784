#include "problem/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "problem/accuracy.hpp"
#include "problem/rows_apart.hpp"
#include "problem/single_run.hpp"

#include <lento/base/misuse.hpp>
#include <lento/problem/roughly.hpp>

namespace lento::detail {
namespace {

/// A closure that may be chosen, and what is known of it.
struct candidate {
    method_row const* row = nullptr;
    described options;
    double unseen = 1;
    std::vector<described> beside{};
    std::size_t line = 0;                ///< of the table of what is considered
    std::optional<problem_run> evenly{}; ///< with equal steps, where that went well
    [[nodiscard]] double cost() const { return static_cast<double>(evenly->statistics.force_evaluations); }
};

class decision {
public:
    decision(problem const& what, chosen_method& chosen, run_controls const& controls)
        : what_(what), chosen_(chosen), controls_(controls), usual_(chosen) {
        collect();
    }

    problem_run operator()() {
        if (!may_have_closures_ && usual_.row != nullptr && usual_.row->steps_alone_err) {
            leave_closures("not looked at: where nothing is fast it saves nothing");
            return finish(as_usual());
        }
        price_direct();
        if (direct_finishes_) {
            leave_closures("not looked at: a direct run is at its end before");
            return finish(direct_run());
        }
        collect_closures();
        auto found = best_closure();
        if (stopped_) return finish(stopped());
        if (found) return finish(std::move(*found));
        if (can_afford_direct()) return finish(direct_run());
        if (direct_ != nullptr) line_of(direct_->name).reason = "it would take longer than one may wait";
        return finish(nearest_ ? run_closely(candidates_[*nearest_], nearest_error_) : as_usual());
    }

private:
    // ---- what there is ----

    void collect() {
        for (auto const& row : methods()) {
            if (!row.is_for(what_)) continue;
            auto const why_not = row.why_not(what_);
            if (!why_not.empty() || row.steps_alone_err) add_line(std::string(row.name), why_not);
            if (!why_not.empty()) continue;
            if (row.steps_alone_err) direct_ = &row;
            else rows_.push_back(&row);
        }
        auto const* plain = what_.as<plain_kind>();
        may_have_closures_ = plain != nullptr ? plain->period > 0 : what_.as<constrained_kind>() == nullptr;
    }
    void collect_closures() {
        for (auto const* row : rows_) try {
                auto closures = row->closures(what_);
                if (closures.empty()) add_line(std::string(row->name), "nothing here measures its error");
                for (auto& each : closures) {
                    candidates_.push_back({row, std::move(each.options), each.unseen, std::move(each.beside)});
                    candidates_.back().line = add_line(named(candidates_.back()));
                }
            } catch (misuse const& error) { refuse(error.what()); } catch (problem_error const& error) {
                refuse(error.sentence);
            }
        if (auto const* engine = what_.method.find("engine"))
            for (auto& each : candidates_) {
                set(each.options.all(), "engine", *engine);
                for (auto& other : each.beside) set(other.all(), "engine", *engine);
            }
    }
    [[nodiscard]] double span() const { return what_.end - what_.start; }

    // ---- the table of what is considered ----

    std::size_t add_line(std::string name, std::string reason = {}) {
        table_.push_back({.name = std::move(name), .reason = std::move(reason)});
        return table_.size() - 1;
    }
    [[nodiscard]] considered& line_of(std::string_view name) {
        auto const found = std::ranges::find(table_, name, &considered::name);
        return found != table_.end() ? *found : table_[add_line(std::string(name))];
    }
    void leave_closures(std::string const& why) {
        for (auto const* row : rows_) add_line(std::string(row->name), why);
    }
    /// Tells what there was, before it runs.
    void take(considered& line) {
        for (auto& each : table_) each.taken = &each == &line;
        line.reason = chosen_.reason;
        if (controls_.chosen && !stopped_) controls_.chosen(told());
    }
    /// With a reason everywhere.
    [[nodiscard]] std::vector<considered> told() const {
        auto made = table_;
        for (auto& each : made)
            if (each.reason.empty())
                each.reason =
                    direct_ != nullptr && each.name == direct_->name ? "it takes more evaluations" : why_rest_;
        return made;
    }
    void refuse(considered& line, std::string const& why) {
        line.reason = why;
        refuse(line.name + " is of no use here: " + why);
    }

    // ---- the price of a direct run ----

    static constexpr std::uint64_t patience = 600; ///< evaluations of a trial
    static constexpr double other_runs = 2;        ///< which measure its error

    struct trial_run {
        problem_run run;
        double reached = 0; ///< share of the way
        [[nodiscard]] double evaluations() const { return static_cast<double>(run.statistics.force_evaluations); }
    };
    trial_run try_direct(std::uint64_t evaluations) {
        problem tried = what_;
        tried.rtol *= 0.3;
        tried.atol *= 0.3;
        tried.output_times = {what_.end};
        chosen_method trial{.row = direct_, .options = direct_->options(), .automatic = true};
        trial_run made;
        double reached = what_.start;
        auto controls = left();
        controls.max_evaluations = std::min(controls.max_evaluations, evaluations);
        controls.progress = [&reached](double t) { reached = t; };
        try {
            direct_->read(tried, what_.method, *trial.options);
            made.run = run_once(tried, trial, controls);
        } catch (problem_error const& error) { made.run.refuse(outcome::not_applicable, error.sentence); }
        note(made.run);
        made.reached = std::max((reached - what_.start) / span(), 1e-15);
        return made;
    }
    void price_direct() {
        if (direct_ == nullptr) return; // the true start is not known
        auto const first = try_direct(patience);
        direct_finishes_ = exit_code(first.run.result) == 0;
        if (!direct_finishes_ && first.run.result != outcome::step_limit && first.run.result != outcome::interrupted) {
            refuse(line_of(direct_->name), first.run.message);
            direct_ = nullptr;
            return;
        }
        price_ = first.evaluations() / first.reached;
        line_of(direct_->name).evaluations = price_;
        seconds_ = first.run.statistics.seconds / first.reached;
        constexpr std::uint64_t more = 20'000; // of a short run most of the time is none of its steps
        if (direct_finishes_ || other_runs * seconds_ < controls_.budget || price_ < 10. * more) return;
        auto const second = try_direct(more);
        double const difference = second.evaluations() - first.evaluations();
        if (second.run.result == outcome::step_limit && difference > 0)
            seconds_ = price_ * (second.run.statistics.seconds - first.run.statistics.seconds) / difference;
    }
    /// Not where it would take a user's patience.
    [[nodiscard]] bool can_afford_direct() const {
        return direct_ != nullptr && other_runs * seconds_ < controls_.budget &&
               price_ < static_cast<double>(left().max_evaluations);
    }
    problem_run direct_run() {
        chosen_.row = direct_;
        chosen_.options = direct_->options();
        direct_->read(what_, what_.method, *chosen_.options);
        chosen_.reason = direct_finishes_
                             ? "it takes fewer evaluations than a look at anything else"
                             : "it takes about " + roughly(price_) + " evaluations, and the closures more or too much";
        if (what_.report == reported_state::slow && what_.as<plain_kind>() == nullptr &&
            what_.as<constrained_kind>() == nullptr)
            refuse("a direct run reports the full motion, the fast one in it");
        take(line_of(direct_->name));
        return run_within_tolerance(what_, chosen_, left());
    }

    // ---- closures ----

    static constexpr double enough = 0.5; ///< error of a closure, in units of what is allowed
    /// All that is spent on closures, in units of a direct run: looking at them must not cost more than they may save.
    static constexpr double stake = 1;
    /// How much dearer a closure is than the one before, before that is known.
    static constexpr double dearer = 6;

    [[nodiscard]] bool is_worth(double more) const { return static_cast<double>(evaluations_) + more < stake * price_; }

    /// The problem with rows at equal distances, as many as intervals and one.
    [[nodiscard]] problem with_rows(std::size_t intervals, reported_state report) const {
        problem made = what_;
        made.report = report;
        made.output_times.clear();
        double const length = span() / static_cast<double>(intervals);
        for (std::size_t k = 0; k < intervals; ++k)
            made.output_times.push_back(what_.start + length * static_cast<double>(k));
        made.output_times.push_back(what_.end);
        return made;
    }
    /// The slow motion, followed loosely by the first closure that runs: how many steps it has.
    [[nodiscard]] bool measure_steps() {
        constexpr std::size_t seen = 32;
        auto const slowly = with_rows(seen, reported_state::slow);
        for (; first_ < candidates_.size() && is_worth(0); ++first_) {
            auto const& each = candidates_[first_];
            described settings = each.options;
            set(settings.all(), "macro.scheme", entry({}, "dop853"));
            set(settings.all(), "macro.rtol", entry({}, loose));
            set(settings.all(), "macro.atol", entry({}, what_.atol / what_.rtol * loose));
            auto run = run_with(each, std::move(settings), slowly, stake / (2 + dearer) * price_);
            note(run);
            if (stops(run) || run.result == outcome::step_limit) return false;
            if (exit_code(run.result) == 0) {
                steps_ = std::max<std::size_t>(run.statistics.macro_steps, 12);
                slowly_ = std::move(run);
                return true;
            }
            refuse(table_[each.line], run.message);
        }
        return false;
    }
    [[nodiscard]] double loose_cost() const { return static_cast<double>(slowly_.statistics.force_evaluations); }
    problem_run run_with(candidate const& with, described settings, problem const& what, double most) {
        chosen_method once{.row = with.row, .options = std::move(settings), .automatic = true};
        auto controls = left();
        controls.progress = nullptr; // it would begin anew with every one
        controls.max_evaluations =
            std::min(controls.max_evaluations, static_cast<std::uint64_t>(std::clamp(most, 1., 1e18)));
        try {
            return run_once(what, once, controls);
        } catch (problem_error const& error) { // what makes no sense for a closure may do for others
            problem_run none;
            none.refuse(outcome::not_applicable, error.sentence);
            return none;
        }
    }
    /// The same equal steps for every closure, reported where they end: errors of the steps cancel in differences.
    void run_evenly(candidate& each) { each.evenly = run_evenly(each, each.options); }
    std::optional<problem_run> run_evenly(candidate const& each, described settings) {
        set(settings.all(), "macro.scheme", entry({}, "dormand-prince-8"));
        set(settings.all(), "macro.step", entry({}, span() / static_cast<double>(steps_)));
        auto run = run_with(each, std::move(settings), with_rows(steps_, what_.report), price_);
        note(run);
        if (stops(run)) return {};
        if (auto const why = why_useless(run); !why.empty()) {
            refuse(table_[each.line], why);
            return {};
        }
        return run;
    }
    /// One that has given up its order is the one before it, and measures nothing.
    [[nodiscard]] static std::string why_useless(problem_run const& run) {
        if (exit_code(run.result) != 0) return run.message;
        auto const gave_up = std::ranges::find(run.warnings, "no_scale_separation", &warning::code);
        return gave_up != run.warnings.end() ? gave_up->sentence : std::string();
    }

    std::optional<problem_run> best_closure() {
        std::string const dear = "not looked at: with what a look takes, a direct run is cheaper";
        why_rest_ = dear;
        if (!measure_steps()) return {};
        if (!is_worth((1 + dearer) * loose_cost())) return {};
        for (; first_ < candidates_.size(); ++first_) { // one that follows the slow motion may not know the full one
            run_evenly(candidates_[first_]);
            if (candidates_[first_].evenly || stopped_) break;
        }
        for (std::size_t k = first_; k < candidates_.size(); ++k) {
            auto& each = candidates_[k];
            if (!each.evenly) break;
            auto& line = table_[each.line];
            double const run = each.cost() * std::pow(loose / std::max(what_.rtol, 1e-14), 1. / 8);
            line.evaluations = run;
            bool const last = k + 1 == candidates_.size();
            if (!is_worth(run + (last || candidates_[k + 1].evenly ? 0 : dearer * each.cost()))) break;
            auto const error = error_of(k);
            if (!error) {
                if (line.reason.empty()) line.reason = "nothing better runs, beside which its error would show";
                break;
            }
            line.error = error->ratio;
            if (!nearest_ || error->ratio < nearest_error_.ratio) {
                nearest_ = k;
                nearest_error_ = *error;
            }
            line.reason = "its own error is too large";
            if (!(error->ratio <= enough)) continue;
            why_rest_ = "not looked at: one before it is accurate enough";
            if (auto made = within(each, *error)) return made;
            why_rest_ = dear;
        }
        return {};
    }
    /// A closure may know the phase of the fast motion only where the slow one is known better than asked for.
    std::optional<problem_run> within(candidate const& each, modelling_error const& error) {
        constexpr double finer = 0.01;
        for (double const share : {1., finer}) {
            auto made = run_closely(each, error, share);
            bool const is_last = made.result == outcome::interrupted || made.result == outcome::step_limit;
            if (exit_code(made.result) == 0 || is_last) return made;
            table_[each.line].reason = made.message;
            refuse(made.message);
            note(made);
        }
        return {};
    }
    /// How far a closure is from the next one; the last, by how distances fall.
    std::optional<modelling_error> error_of(std::size_t k) {
        bool const last = k + 1 == candidates_.size();
        if (!last && !candidates_[k + 1].evenly) run_evenly(candidates_[k + 1]);
        if (!last && !candidates_[k + 1].evenly) return {};
        modelling_error found;
        if (!last) {
            auto const apart = compare_rows(what_, *candidates_[k].evenly, *candidates_[k + 1].evenly);
            found = {candidates_[k].unseen * apart.largest_relative(), candidates_[k].unseen * apart.largest_ratio()};
            allowed_ = apart.allowed;
            distances_.push_back(found.ratio);
        } else {
            if (distances_.size() < 2) return {};
            double const falls = distances_.back() / std::max(distances_[distances_.size() - 2], 1e-300);
            found.ratio = distances_.back() * std::clamp(falls, 1e-3, 1.);
            found.relative = found.ratio * allowed_;
        }
        for (auto const& other : candidates_[k].beside) {
            auto const run = run_evenly(candidates_[k], other);
            if (!run) return {};
            auto const apart = compare_rows(what_, *candidates_[k].evenly, *run);
            found.relative += apart.largest_relative();
            found.ratio += apart.largest_ratio();
        }
        if (!std::isfinite(found.ratio)) return {};
        // what the better one does not show, it does not show of this one either
        if (auto const hidden_in = candidates_[last ? k : k + 1].row->hidden_error; hidden_in != nullptr) {
            double const hidden = hidden_in(what_, slowly_);
            found.relative += hidden;
            if (allowed_ > 0) found.ratio += hidden / allowed_;
        }
        return found;
    }
    /// With a share of the tolerances.
    problem_run run_closely(candidate const& each, modelling_error const& error, double share = 1) {
        problem asked = what_;
        asked.rtol *= share;
        asked.atol *= share;
        chosen_.row = each.row;
        chosen_.options = each.options;
        chosen_.reason = error.ratio <= enough ? "the cheapest closure that is accurate enough"
                                               : "no closure is accurate enough, and a direct run would take too long; "
                                                 "this one is the nearest";
        constexpr double coarse = 1e-5;
        set(chosen_.options->all(), "macro.scheme", entry({}, asked.rtol > coarse ? "dormand-prince" : "dop853"));
        set(chosen_.options->all(), "macro.rtol", entry({}, asked.rtol));
        set(chosen_.options->all(), "macro.atol", entry({}, asked.atol));
        take(table_[each.line]);
        auto made = run_within_tolerance(asked, chosen_, left(), {error.relative, error.ratio / share});
        if (!made.error_estimate) return made;
        made.error_estimate->ratio *= share;
        constexpr double far = 3; // as warnings have it, here of the tolerances that were asked for
        if (made.error_estimate->ratio <= far)
            std::erase_if(made.warnings, [](warning const& each) { return each.code == "accuracy_not_reached"; });
        return made;
    }
    /// A closure by its method, and its order or the length of its micro steps.
    [[nodiscard]] static std::string named(candidate const& each) {
        described options = each.options;
        auto const all = write(options.all());
        auto const found = [&all](char const* table, char const* key) -> entry const* {
            auto const* inside = *table != '\0' ? all.find(table) : &all;
            return inside != nullptr ? inside->find(key) : nullptr;
        };
        std::string const name(each.row->name);
        for (auto const* table : {"", "window"})
            if (auto const* order = found(table, "order")) {
                auto const* steps = found("micro", "steps_per_period");
                return name + " of order " + std::to_string(order->integer) +
                       (steps != nullptr ? " with " + show(steps->real) + " steps per period" : "");
            }
        if (auto const* step = found("micro", "step")) return name + " with micro steps of " + roughly(step->real);
        return name;
    }

    // ---- where nothing is cheap ----

    problem_run as_usual() {
        chosen_ = usual_;
        if (chosen_.row == nullptr) {
            problem_run none;
            none.refuse(outcome::not_applicable, chosen_.refusal);
            return none;
        }
        take(line_of(chosen_.row->name));
        if (chosen_.row->steps_alone_err) return run_within_tolerance(what_, chosen_, left());
        auto made = run_once(what_, chosen_, left());
        if (exit_code(made.result) == 0)
            made.warnings.push_back(
                {"accuracy_not_measured", what_.start,
                 "nothing here measures the error of " + std::string(chosen_.row->name) +
                     (direct_ != nullptr ? ", and a direct run would take about " + roughly(price_) + " evaluations"
                                         : std::string()) +
                     ": hold it against a run with other settings"});
        return made;
    }

    /// What is left of the limits.
    [[nodiscard]] run_controls left() const {
        auto made = controls_;
        made.max_evaluations -= std::min(made.max_evaluations - 1, evaluations_);
        return made;
    }
    /// A signal in a run that only looks.
    [[nodiscard]] bool stops(problem_run const& run) {
        stopped_ = stopped_ || run.result == outcome::interrupted;
        return stopped_;
    }
    /// There is no more than the start to report, which a run that is stopped at once does.
    problem_run stopped() {
        auto made = as_usual();
        if (made.result == outcome::interrupted)
            made.message = "the run was interrupted while its cost and its error were looked at; name a method, or set "
                           "accuracy.estimate = false, to run at once";
        return made;
    }
    void refuse(std::string why) {
        if (std::ranges::find(refusals_, why) == refusals_.end()) refusals_.push_back(std::move(why));
    }
    void note(problem_run const& run) {
        evaluations_ += run.statistics.force_evaluations + run.estimate_evaluations;
        taken_ += run.statistics.seconds;
    }
    problem_run finish(problem_run made) {
        made.estimate_evaluations += evaluations_;
        made.statistics.seconds += taken_;
        auto& reasons = made.reasons;
        reasons.insert(reasons.begin(), refusals_.begin(), refusals_.end());
        std::vector<std::string> looked_at;
        for (auto const& each : table_)
            if (direct_ != nullptr && each.name == direct_->name && each.evaluations && !direct_finishes_)
                looked_at.push_back(each.name + ": about " + roughly(price_) + " evaluations, by a trial");
            else if (each.evaluations && each.error)
                looked_at.push_back(each.name + ": about " + roughly(*each.evaluations) + " evaluations, off by " +
                                    roughly(*each.error) + " of what is allowed");
        reasons.insert(reasons.begin(), looked_at.begin(), looked_at.end());
        made.choice = told();
        return made;
    }

    static constexpr double loose = 1e-4;

    problem const& what_;
    chosen_method& chosen_;
    run_controls const& controls_;
    chosen_method usual_;
    std::vector<method_row const*> rows_; ///< of closures
    bool may_have_closures_ = false;
    bool stopped_ = false; ///< by a signal
    std::vector<candidate> candidates_;
    method_row const* direct_ = nullptr;
    bool direct_finishes_ = false;
    double price_ = std::numeric_limits<double>::infinity(); ///< of a direct run, in evaluations
    double seconds_ = 0;                                     ///< the same
    std::size_t first_ = 0;                                  ///< the first closure that runs
    std::optional<std::size_t> nearest_{}; ///< the one with the smallest error, too large as it may be
    modelling_error nearest_error_{};
    std::size_t steps_ = 0; ///< equal ones
    problem_run slowly_;    ///< the slow motion, loosely
    double allowed_ = 0;    ///< error over size
    std::vector<double> distances_;
    std::vector<considered> table_;
    std::string why_rest_ = "not looked at";
    std::vector<std::string> refusals_;
    std::uint64_t evaluations_ = 0;
    double taken_ = 0;
};

} // namespace

bool is_open(problem const& what, chosen_method const& chosen) {
    if (!chosen.automatic || !what.estimate || what.rtol <= 0) return false;
    return std::all_of(what.method.children.begin(), what.method.children.end(),
                       [](entry const& each) { return each.key == "name" || each.key == "engine"; });
}

problem_run run_cheapest(problem const& what, chosen_method& chosen, run_controls const& controls) {
    return decision(what, chosen, controls)();
}

} // namespace lento::detail

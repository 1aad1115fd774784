#include "problem/accuracy.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "problem/formula_jacobian.hpp"
#include "problem/methods/direct_scheme.hpp"
#include "problem/rows_apart.hpp"
#include "problem/sharp_places.hpp"
#include "problem/single_run.hpp"
#include "problem/stiffness.hpp"

#include <lento/base/misuse.hpp>
#include <lento/problem/roughly.hpp>
#include <lento/problem/schemes.hpp>

namespace lento::detail {
namespace {

/// A run with the share of the asked tolerances that its steps were given.
struct trial {
    double share = 1;
    described settings;
    problem_run run;

    [[nodiscard]] bool good() const { return exit_code(run.result) == 0; }
    [[nodiscard]] double steps() const { return static_cast<double>(run.statistics.macro_steps); }
};

/// Whether the force is made with functions that have kinks or jumps.
bool has_breaks(problem const& what) {
    if (what.force.is_foreign()) return false;
    using expression::operation;
    std::vector<expression::node> roots;
    for (auto const& each : what.force.statements()) roots.push_back(each.value);
    auto const& graph = what.force.graph();
    auto const needed = graph.needed_by(roots);
    return std::any_of(needed.begin(), needed.end(), [&](expression::node n) {
        auto const op = graph.op(n);
        return op == operation::abs || op == operation::sign || op == operation::step || op == operation::min ||
               op == operation::max;
    });
}

/// What two runs beside each other tell of the error of the better one.
struct judgement {
    rows_apart apart;
    growth grows;
    double before = 0;            ///< the error of the looser run at its end, in units of what is allowed
    std::vector<double> by_row{}; ///< that of the better run
    double ratio = 0;             ///< its largest
    double relative = 0;          ///< beside the size of the motion
};

class search {
public:
    search(problem const& what, chosen_method& chosen, run_controls const& controls, modelling_error const& modelling)
        : what_(what), chosen_(chosen), controls_(controls), modelling_(modelling), size_(max_norm(what.position)) {}

    problem_run operator()() {
        fill_in();
        bool const open = chosen_.automatic && tolerances_are_open();
        if (!what_.estimate) return only_run(open ? unmeasured : 1);
        return open ? within_tolerance() : as_given();
    }

private:
    static constexpr double unmeasured = 0.1; ///< the share of the tolerances where nothing is measured

    // ---- settings ----

    /// What the method leaves open is chosen once, for the tolerance that will probably be needed.
    void fill_in() {
        problem expected = what_;
        if (chosen_.automatic) expected.rtol *= unmeasured;
        try {
            auto const made = chosen_.row->make(expected, *chosen_.options, chosen_.automatic);
            reasons_ = made.reasons;
        } catch (does_not_apply const&) {
            return; // the run tells
        } catch (misuse const&) { return; }
        read_rules();
    }
    void read_rules() {
        auto const rules = rules_of_scheme();
        slope_ = rules.error_order > 0 && !rough_ ? static_cast<double>(rules.order) / rules.error_order : 1;
        step_order_ = rules.error_order > 0 ? rules.error_order : std::max(1, rules.order);
        order_ = std::max(1, rules.order);
        chooses_order_ = rules.chooses_steps;
    }
    [[nodiscard]] std::optional<entry> macro(std::string_view key) const {
        auto const all = write(chosen_.options->all());
        auto const* table = all.find("macro");
        auto const* found = table != nullptr ? table->find(key) : nullptr;
        return found != nullptr ? std::optional(*found) : std::nullopt;
    }
    [[nodiscard]] step_rules rules_of_scheme() const {
        auto const scheme = macro("scheme");
        return scheme ? make_scheme(scheme->text).rules() : step_rules{};
    }
    [[nodiscard]] bool chooses_steps() const { return macro("rtol").has_value() && !macro("step").has_value(); }
    [[nodiscard]] bool tolerances_are_open() const {
        if (!chooses_steps()) return false;
        auto const* table = what_.method.find("macro");
        return table == nullptr || (table->find("rtol") == nullptr && table->find("atol") == nullptr);
    }
    void change(described& settings, char const* key, double value) const {
        set(settings.all(), std::string("macro.") + key, entry({}, value));
    }

    // ---- runs ----

    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    trial run(described settings, double share, std::uint64_t patience = no_limit, stiffness_watch* watch = nullptr) {
        chosen_.options = std::move(settings);
        auto controls = controls_;
        std::atomic<bool> stop = false;
        if (watch != nullptr) controls.interrupt = &stop;
        controls.max_evaluations -= std::min(controls.max_evaluations - 1, spent_);
        controls.max_evaluations = std::min(controls.max_evaluations, patience);
        if (patience != no_limit)
            controls.progress = [this](double t) {
                reached_ = t;
                if (controls_.progress) controls_.progress(t);
            };
        std::optional<sharp_places> sharp;
        if (looks_) {
            sharp.emplace(what_, !chosen_.row->steps_alone_err);
            if (sharp->possible()) sharp->look(what_.start, what_.position, what_.velocity);
            else sharp.reset();
        }
        motion_observer observer;
        if (watch != nullptr || sharp)
            observer = [&](double t, std::span<double const> q, std::span<double const> v) {
                if (sharp) sharp->look(t, q, v);
                if (watch == nullptr) return;
                watch->after_step(t, q, v);
                if (watch->is_stiff() || is_interrupted()) stop = true;
            };
        trial made{share, *chosen_.options, run_once(what_, chosen_, controls, observer)};
        made.settings = *chosen_.options;
        if (sharp) {
            longest_ = sharp->longest_step();
            uneven_ = sharp->uneven();
            rough_ = rough_ || sharp->met_kinks();
            if (rough_) slope_ = 1;
            spent_ += sharp->evaluations();
        }
        size_ = max_norm(sizes_in(what_, made.run));
        spent_ += made.run.statistics.force_evaluations;
        seconds_ += made.run.statistics.seconds;
        return made;
    }
    [[nodiscard]] bool is_interrupted() const { return controls_.interrupt != nullptr && *controls_.interrupt; }
    trial run_at(double share, std::uint64_t patience = no_limit, stiffness_watch* watch = nullptr) {
        described settings = *chosen_.options;
        take_share(share, settings);
        return run(std::move(settings), share, patience, watch);
    }
    /// Below rounding there is nothing to ask for, whatever atol is beside it.
    void take_share(double share, described& settings) const {
        change(settings, "rtol", what_.rtol > 0 ? std::max(what_.rtol * share, least_rtol) : 0);
        change(settings, "atol", what_.atol * share);
    }
    problem_run only_run(double share) { return deliver(share == 1 ? run(*chosen_.options, 1) : run_at(share)); }
    [[nodiscard]] bool limited() const { return std::isfinite(longest_allowed_); }
    problem_run deliver(trial made) {
        chosen_.options = std::move(made.settings);
        if (limited())
            reasons_.push_back("steps of at most " + show(longest_allowed_) +
                               ": the force changes within so short a time that longer ones may miss it");
        made.run.estimate_evaluations = spent_ - made.run.statistics.force_evaluations;
        made.run.statistics.seconds = seconds_;
        made.run.reasons.insert(made.run.reasons.begin(), reasons_.begin(), reasons_.end());
        return std::move(made.run);
    }

    // ---- judging ----

    /// Two runs whose steps hardly differ say nothing of their errors: tighter tolerances should have shortened them.
    /// Those of other codes may go on with as many by a higher order.
    [[nodiscard]] bool steps_alike(trial const& looser, trial const& better) const {
        if (chooses_order_) return false;
        double const expected = std::log(looser.share / better.share) / step_order_;
        return std::log(better.steps() / std::max(1., looser.steps())) < 0.3 * expected;
    }
    [[nodiscard]] judgement judge(trial const& looser, trial const& better, double gain) const {
        judgement made;
        made.apart = compare_rows(what_, looser.run, better.run);
        made.grows = growth_of(made.apart, better.run.t, what_.start);
        std::size_t const near = made.apart.near_until();
        for (std::size_t k = 0; k < made.apart.ratio.size(); ++k) {
            double const left = k < near ? gain : 1; // beyond that the better run may be as wrong as the other
            made.by_row.push_back(left * made.apart.ratio[k]);
            made.ratio = std::max(made.ratio, made.by_row.back());
            made.relative = std::max(made.relative, left * made.apart.relative[k]);
        }
        made.before = ends_with(made, better.run.t);
        return made;
    }
    /// The error of the looser run at the end, as it would be if runs that lose each other could go on growing apart.
    [[nodiscard]] double ends_with(judgement const& found, std::vector<double> const& times) const {
        std::size_t const near = found.apart.near_until();
        double most = 0;
        for (std::size_t k = 0; k < near; ++k) most = std::max(most, found.apart.ratio[k]);
        if (near == found.apart.ratio.size()) return most;
        double const past = near > 0 ? times[near - 1] - what_.start : 0;
        if (!(past > 0)) return found.apart.largest_ratio(); // lost at once: nothing tells how errors grow
        double const left = times.back() - times[near - 1];
        double const grown = found.grows.exponential ? std::exp(std::min(found.grows.rate * left, 60.))
                                                     : std::pow(1 + left / past, std::max(found.grows.power, 1.));
        return most * grown;
    }
    /// What is left of the difference of two runs, as the error of the better one: proportional to the tolerance, with
    /// some room, since it is not quite so.
    [[nodiscard]] double gain_of(double shares, double slope, double tolerance) const {
        double const exact = std::pow(shares, -slope);
        // errors of pairs with an estimate of lower order scatter twice as much about their course
        double room = slope_ > 1 ? 2.4 * std::pow(shares / 10, 0.2) : 1.9 * std::pow(shares / 10, 0.15);
        // and long steps are not yet on it
        constexpr double fine = 1e-6;
        if (slope_ <= 1 && !chooses_order_) room *= std::pow(std::max(1., tolerance / fine), 0.1);
        double const usual = room * exact / (1 - exact);
        // where steps meet kinks their errors are as large as it happens, and tolerances bound them only
        constexpr double by_chance = 0.3;
        return std::min(1., rough_ ? std::max(usual, by_chance) : usual);
    }
    /// Two runs that have been held against each other.
    struct seen_pair {
        double shares = 1;
        double apart = 0;
        bool lost = true; ///< they had lost each other, or there are none
    };
    [[nodiscard]] seen_pair seen(trial const& looser, trial const& better) const {
        auto const apart = compare_rows(what_, looser.run, better.run);
        return {looser.share / better.share, apart.largest_ratio(), apart.near_until() < apart.ratio.size()};
    }
    /// The power of the tolerance with which errors fall from one of three runs to the next: where it is less than
    /// expected it may go on so, where it is more that may be chance.
    [[nodiscard]] double seen_slope(seen_pair const& before, seen_pair const& now) const {
        if (before.lost || now.lost || !(before.apart > 0) || !(now.apart > 0)) return slope_;
        return std::clamp(std::log(before.apart / now.apart) / std::log(before.shares), 0.7 * slope_, slope_);
    }

    void tell(judgement const& found, problem_run& run, double looser_share, double looser_steps) const {
        error_estimate told;
        constexpr double epsilon = std::numeric_limits<double>::epsilon();
        // a step's rounding goes the way of its error, but at random
        double const local = 0.1 * std::max(found.apart.allowed * looser_share, epsilon);
        double const amplified = found.apart.largest_relative() / local / std::sqrt(std::max(1., looser_steps));
        told.numerical = found.relative;
        told.modelling = modelling_.relative;
        told.roundoff = epsilon * std::max(1., amplified);
        told.total = told.numerical + told.modelling + told.roundoff;
        told.coordinate = what_.size > 0 ? what_.coordinate_name(found.apart.worst) : std::string();
        told.ratio = found.ratio + modelling_.ratio;
        if (found.apart.allowed > 0) told.ratio += told.roundoff / found.apart.allowed;
        run.error_estimate = told;
    }

    // ---- a run as it is given ----

    problem_run as_given() {
        trial made = run(*chosen_.options, 1);
        if (made.good())
            if (auto const found = chooses_steps() ? beside_looser(made) : beside_longer(made)) {
                tell(*found, made.run, 10, made.steps());
            }
        return deliver(std::move(made));
    }
    std::optional<judgement> beside_looser(trial const& given) {
        constexpr double shares = 10;
        described settings = given.settings;
        for (auto const* key : {"rtol", "atol"})
            if (auto const now = macro(key); now && now->real > 0) change(settings, key, shares * now->real);
        trial const looser = run(std::move(settings), shares);
        if (looser.good() && !steps_alike(looser, given)) {
            auto const local = macro("rtol");
            return judge(looser, given, gain_of(shares, slope_, local ? local->real / shares : 0));
        }
        chosen_.options = given.settings;
        return beside_shorter(given);
    }
    /// Steps that are not the run's own, whatever made those.
    std::optional<judgement> beside_shorter(trial const& given) {
        double const mean = (what_.end - what_.start) / std::max(1., given.steps());
        described settings = given.settings;
        for (auto const* key : {"rtol", "atol"})
            if (auto const now = macro(key); now && now->real > 0) change(settings, key, 0.3 * now->real);
        change(settings, "max_step", 0.6 * mean);
        trial const shorter = run(std::move(settings), given.share);
        if (!shorter.good()) return {};
        return judge(given, shorter, 1.1);
    }
    std::optional<judgement> beside_longer(trial const& given) {
        auto const step = macro("step");
        if (!step) return {};
        for (double const factor : {1.5, 1 / 1.5}) {
            described settings = given.settings;
            change(settings, "step", factor * step->real);
            trial const other = run(std::move(settings), 1);
            if (!other.good()) continue;
            bool const longer = factor > 1;
            double const power = std::pow(1.5, order_);
            auto const found = longer ? judge(other, given, left_of_longer(given, other, step->real))
                                      : judge(given, other, power / (power - 1));
            if (longer && found.apart.largest_relative() > 0.05) continue; // too long to tell
            return found;
        }
        return {};
    }

    /// What of the difference to longer steps is the error of the given ones: a third run shows the order that there
    /// is.
    double left_of_longer(trial const& given, trial const& longer, double step) {
        described settings = given.settings;
        change(settings, "step", 2.25 * step);
        trial const longest = run(std::move(settings), 1);
        double const power = std::pow(1.5, order_);
        double const near = compare_rows(what_, longer.run, given.run).largest_relative();
        double const rounding = 100 * std::numeric_limits<double>::epsilon() * std::sqrt(std::max(1., given.steps()));
        if (!(near > rounding)) return 1;
        if (!longest.good()) return 1 / (power - 1);
        double const far = compare_rows(what_, longest.run, longer.run).largest_relative();
        if (has_breaks(what_)) return std::max(1., far / near); // errors are as large as it happens
        if (!(far < 0.2)) return 1 / (power - 1);               // too long to tell
        return 1 / (std::min(std::max(far / near, 2.), power) - 1);
    }

    // ---- a run within the tolerance ----

    // Measured on half of the problems of auto/direct-scorecard: the first run, at hundreds of times the tolerance of
    // the second, is cheap, and the second is good enough wherever errors do not pile up. Pairs whose estimate is of a
    // lower order than their error do better than their tolerances say. Looser runs may agree by chance,
    // most of all where long steps hardly see a force that oscillates with the time.
    [[nodiscard]] double first_share() const {
        bool const driven = what_.uses_time() || has_fast_part();
        double const coarsest = slope_ > 1 && !driven ? 1e-2 : 1e-3;
        double const wanted = slope_ > 1 ? 1000 : 100;
        return what_.rtol > 0 ? std::max(std::min(wanted, coarsest / what_.rtol), 30 * smallest_share()) : wanted;
    }
    [[nodiscard]] bool has_fast_part() const {
        return what_.as<plain_kind>() == nullptr && what_.as<constrained_kind>() == nullptr;
    }
    [[nodiscard]] double second_share(double first) const {
        return std::max(std::min(slope_ > 1 ? 10 : 0.3, 0.1 * first), smallest_share());
    }
    static constexpr double least_rtol = 1e-14;
    /// Steps cannot be told to be better than rounding: of the motion's size, as far as it is known.
    [[nodiscard]] double smallest_share() const {
        return least_rtol / std::max(what_.atol / std::max(size_, 1e-300), what_.rtol);
    }
    [[nodiscard]] double next_share(judgement const& found, trial const& looser, trial const& better) const {
        constexpr double aim = 0.4;
        double const error = std::max(found.before, found.ratio);
        double share = looser.share * std::pow(aim / error, 1 / slope_);
        share = std::clamp(share, 1e-4 * better.share, 0.5 * better.share);
        return std::max(share, smallest_share());
    }

    problem_run within_tolerance() {
        int most_runs = 4;
        std::optional<trial> looser;
        seen_pair before;
        double share = first_share();
        for (int runs = 1;; ++runs) {
            trial better = attentive_run(share, runs == 1);
            bool last = runs == most_runs;
            if (!better.good()) {
                bool const final = exit_code(better.run.result) != 4 || better.run.result == outcome::interrupted;
                if (final || last || runs > 1) return deliver(std::move(better));
                share = second_share(share);
                continue;
            }
            if (!looser) {
                looser = std::move(better);
                share = second_share(looser->share);
                continue;
            }
            auto const pair = seen(*looser, better);
            auto found =
                judge(*looser, better, gain_of(pair.shares, seen_slope(before, pair), what_.rtol * better.share));
            // over a long way the first runs lose each other, and then tell little; they are the cheap ones
            if (last && pair.lost && !found.grows.exponential) last = runs == (most_runs = 6);
            double const enough = runs == 2 ? 1.8 : 3; // estimates have some room in them, more over longer ways
            if (steps_alike(*looser, better)) {
                constexpr double few = 30; // so few steps may be alike for other reasons
                double const half = static_cast<double>(better.run.statistics.force_evaluations) / 2;
                if (auto implicit =
                        better.steps() > few && !limited() ? implicit_run(looser->share, half) : std::nullopt) {
                    looser = std::move(implicit);
                    before = {};
                    share = second_share(looser->share);
                    runs = 1;
                    continue;
                }
                if (found.ratio <= enough) return beside_other_steps(std::move(better));
            }
            double const next = next_share(found, *looser, better);
            if (found.ratio <= enough || last || next > 0.9 * better.share)
                return deliver(told(std::move(better), *looser, found));
            looser = std::move(better);
            before = pair;
            share = next;
        }
    }
    /// A run that also looks for what steps may miss between their points, and is repeated with steps that do not.
    trial attentive_run(double share, bool first) {
        constexpr int most = 5; // what was missed changes the way after it
        auto const take = [&] { return first ? first_run(share) : run_at(share); };
        bool const can_miss = chosen_.row->steps_alone_err || what_.as<vibrated_kind>() != nullptr;
        // later ones where the first has met what another may step over
        looks_ = can_miss && (first || (uneven_ && !limited()));
        trial made = take();
        for (int k = 0; k < most && looks_ && longest_ < 0.7 * longest_allowed_; ++k) {
            longest_allowed_ = longest_;
            rough_ = true;
            slope_ = 1;
            change(*chosen_.options, "max_step", longest_allowed_);
            share = std::min(share, made.share); // an implicit scheme, if one was taken, has its own
            made = take();
        }
        looks_ = false;
        return made;
    }
    /// The first run is the one in which stiffness shows: by the derivatives of the motion where they are known, else
    /// by steps that are as long whatever the tolerance.
    trial first_run(double share) {
        if (implicit_scheme().empty()) return run_at(share);
        auto known = jacobian_of(what_, expression::engine_kind::bytecode);
        if (!known) return patient_run(share);
        stiffness_watch watch(what_, std::move(known), order_);
        watch.look_at_start();
        std::optional<trial> made;
        if (!watch.is_stiff()) made = run_at(share, no_limit, &watch);
        spent_ += watch.looks();
        if (made && (!watch.is_stiff() || made->run.result != outcome::interrupted || is_interrupted()))
            return std::move(*made);
        if (auto implicit = implicit_run(share, watch.evaluations())) return std::move(*implicit);
        return run_at(share);
    }
    trial patient_run(double share) {
        constexpr std::uint64_t patience = 5'000;
        trial made = run_at(share, patience);
        if (made.run.result != outcome::step_limit) return made;
        double const loosely = reached_ - what_.start;
        static_cast<void>(run_at(second_share(share), patience));
        double const tightly = reached_ - what_.start;
        constexpr double alike = 0.8;
        if (tightly > alike * loosely)
            if (auto implicit = implicit_run(share, unlimited)) return std::move(*implicit);
        return run_at(share);
    }
    [[nodiscard]] std::string_view implicit_scheme() const {
        auto const* table = what_.method.find("macro");
        bool const open = !has_fast_part() && (table == nullptr || table->find("scheme") == nullptr);
        auto const now = macro("scheme");
        auto const implicit = stiff_scheme_for(what_);
        return open && !tried_implicit_ && now && now->text != implicit ? implicit : std::string_view();
    }
    /// The same with an implicit scheme, which is then kept; none where an explicit one, which takes at least so many
    /// evaluations, would take less for the asked error.
    std::optional<trial> implicit_run(double share, double explicit_evaluations) {
        auto const implicit = implicit_scheme();
        if (implicit.empty()) return {};
        tried_implicit_ = true;
        described const before = *chosen_.options;
        auto const now = *macro("scheme");
        described settings = before;
        set(settings.all(), "macro.scheme", entry({}, implicit));
        chosen_.options = std::move(settings);
        read_rules();
        share = std::min(share, first_share());
        // evaluations of orders up to 5 go like this power of the tolerance; explicit steps take more than they must
        double const more = std::pow(share / second_share(share), 0.2);
        double const patience = std::min(2 * explicit_evaluations / more, 1e18);
        trial made = run_at(share, static_cast<std::uint64_t>(std::max(patience, 100.)));
        if (!made.good()) {
            chosen_.options = before;
            read_rules();
            return {};
        }
        reasons_.push_back("macro scheme " + std::string(implicit) + ": the steps of " + now.text +
                           " do not follow the tolerance but stability, the system is stiff");
        return made;
    }
    problem_run beside_other_steps(trial given) {
        trial shorter = with_other_steps(given);
        if (!shorter.good()) { // the run that there is was found good enough before
            given.run.warnings.push_back(
                {"accuracy_not_measured", what_.start,
                 "the run with shorter steps that was to measure the error ended early: " + shorter.run.message});
            return deliver(std::move(given));
        }
        auto const found = judge(given, shorter, 1);
        return deliver(told(std::move(shorter), given, found));
    }
    /// Both the long steps and the short ones are others, wherever errors are made.
    trial with_other_steps(trial const& before) {
        double const share = std::max(0.3 * before.share, std::min(before.share, smallest_share()));
        described settings = before.settings;
        take_share(share, settings);
        change(settings, "max_step", 0.6 * (what_.end - what_.start) / std::max(1., before.steps()));
        return run(std::move(settings), share);
    }

    trial told(trial better, trial const& looser, judgement const& found) const {
        if (!better.good()) return better;
        tell(found, better.run, looser.share, looser.steps());
        auto const& estimate = *better.run.error_estimate;
        better.run.reasons.push_back("local tolerances " + roughly(better.share) +
                                     " of those asked for: runs beside each other show that the error of the whole run "
                                     "is then about " +
                                     roughly(estimate.ratio) + " of what is allowed");
        constexpr double far = 3;
        if (estimate.ratio <= far) return better;
        std::string const asked = "the tolerances rtol = " + show(what_.rtol) + " and atol = " + show(what_.atol);
        double holds = what_.start;
        for (std::size_t k = 0; k < found.by_row.size() && found.by_row[k] + modelling_.ratio <= 1; ++k)
            holds = better.run.t[k];
        if (found.grows.exponential)
            better.run.warnings.push_back({"sensitive", holds,
                                           "errors grow exponentially, tenfold in " +
                                               roughly(std::log(10.) / found.grows.rate) + ": " + asked +
                                               " hold until t = " + show(holds)});
        else
            better.run.warnings.push_back({"accuracy_not_reached", holds,
                                           "the error of " + estimate.coordinate + " is about " +
                                               roughly(estimate.total) + " of its size, " + roughly(estimate.ratio) +
                                               " times what " + asked + " allow; they hold until t = " + show(holds)});
        return better;
    }

    problem const& what_;
    chosen_method& chosen_;
    run_controls const& controls_;
    modelling_error modelling_;
    std::vector<std::string> reasons_;
    std::uint64_t spent_ = 0;
    bool tried_implicit_ = false;
    double size_;                        ///< of the motion, by the last run
    double reached_ = 0;                 ///< the time that the last run came to
    bool rough_ = false;                 ///< the force has kinks on the way, or changes abruptly
    bool uneven_ = false;                ///< the run that looked last had steps of all lengths
    bool looks_ = false;                 ///< for what steps may miss
    double longest_ = unlimited;         ///< step that does not, by the last run that looked
    double longest_allowed_ = unlimited; ///< as the runs have it
    double seconds_ = 0;
    double slope_ = 1;      ///< errors go like this power of the local tolerance
    double step_order_ = 5; ///< and local tolerances like this power of the steps
    int order_ = 5;
    bool chooses_order_ = false; ///< a code of its own, with orders that change along the run
};

} // namespace

problem_run run_within_tolerance(problem const& what, chosen_method& chosen, run_controls const& controls,
                                 modelling_error const& modelling) {
    return search(what, chosen, controls, modelling)();
}

} // namespace lento::detail

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/arithmetic.hpp>
#include <lento/base/misuse.hpp>
#include <lento/base/space.hpp>
#include <lento/solve/checked_rows.hpp>
#include <lento/solve/control.hpp>
#include <lento/solve/interpolation.hpp>
#include <lento/solve/options.hpp>
#include <lento/solve/solution.hpp>

namespace lento::detail {

/// Where a run is, in which direction of time it goes, what it remembers of the last steps, and what it hands out: rows
/// at the output times, events, dense output. It depends on the kind of state alone, so that it is compiled once for
/// all systems and steppers; a few virtual functions ask these, at outputs and never inside a step.
template <class State> class run_progress {
public:
    using T = typename dense_node<State>::T;
    run_progress(run_progress const&) = delete;
    run_progress& operator=(run_progress const&) = delete;

protected:
    run_progress(State initial, solve_options<State> const& options);
    ~run_progress();

    /// The state inside the last step as the stepper knows it; false where it does not.
    [[nodiscard]] virtual bool inside(T, State&) { return false; }
    /// A step of another length from an earlier node, for a look only; false where the stepper takes none.
    [[nodiscard]] virtual bool step_aside(dense_node<State> const&, T, dense_node<State>&, bool) { return false; }
    /// An interpolated state misses the constraints by the error of the interpolation; what is handed out meets them.
    virtual void back_onto_constraints(T, State&) {}
    /// Makes a slow state the physical one; false after a failure.
    [[nodiscard]] virtual bool lifted(T, State&) { return true; }

    // ---- the start ----

    void check_initial(std::size_t n) {
        if (n == 0) throw misuse("a system needs at least one coordinate, but this one has 0");
        auto const check = [n](char const* what, auto const& values) {
            require_size(what, values.size(), n);
            for (auto const& value : values) require_finite(what, static_cast<double>(value));
        };
        if constexpr (State::is_motion) {
            if constexpr (requires { x_.velocity.resize(n); })
                if (x_.velocity.empty()) x_.velocity.resize(n);
            check("the initial position", x_.position);
            check("the initial velocity", x_.velocity);
        } else {
            check("the initial state", x_.state);
        }
    }
    /// Makes room for as many steps as an interpolant of the method's order needs.
    void begin_record(int order, bool multipliers, bool mean_multipliers) {
        multipliers_ = multipliers;
        mean_multipliers_ = mean_multipliers;
        result_.nodes_needed = nodes_for_order<State>(order);
        if (multipliers) // they have no derivatives to interpolate with
            result_.nodes_needed = std::max(result_.nodes_needed, static_cast<std::size_t>(order) + 1);
        result_.nodes_needed = std::min(result_.nodes_needed, most_nodes - 1);
        history_.keep(result_.nodes_needed + 1, {T(0), x_, derivative_storage()});
        scratch_ = x_;
        every_step_ = output_.empty();
        result_.t.reserve(output_.size());
        result_.reserve(output_.size());
        result_.observables.resize(options_.observables.size());
        event_values_.resize(options_.events.size());
    }

    /// Has interpolation between steps checked against the errors of steps.
    void check_rows(step_rules const& rules) {
        checks_rows_ = true;
        glances_ = !rules.adaptive;
        rows_ = {rules.rtol, rules.atol, dense_node<State>{T(0), x_, derivative_storage()}};
        result_.nodes_needed = checked_rows<State>::nodes_for(rules.order);
        result_.checks_rows = true;
        history_.keep(result_.nodes_needed + 1, {T(0), x_, derivative_storage()});
    }

    // ---- the steps ----

    [[nodiscard]] bool may_go_on() {
        double const t = static_cast<double>(clock_.now());
        if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed))
            failed_ = run_interrupted(t);
        else if (result_.statistics.macro_steps >= options_.max_steps)
            failed_ = step_limit_reached(t, options_.end, result_.statistics.macro_steps);
        return !failed_.happened();
    }

    // ---- the direction of time ----

    /// Whether one time comes before another as the run goes.
    [[nodiscard]] bool before(T a, T b) const { return backward_ ? b < a : a < b; }
    /// A length of time as the run goes, and the reverse.
    [[nodiscard]] T along(T length) const { return backward_ ? -length : length; }
    [[nodiscard]] double span() const { return std::abs(options_.end - options_.start); }

    /// The step to the end, with the sign of the run, is neither left a rounding error short nor split for one.
    [[nodiscard]] T fitted(double step, bool as_ode45, bool& last) const {
        T const left = along(T(options_.end) - clock_.now());
        T const h = T(step);
        if (as_ode45) {
            last = T(1.1) * h >= left;
            return along(last ? left : h);
        }
        last = left <= h * T(1 + 1e-9);
        if (!last) return along(h);
        T const rounding = T(64) * std::numeric_limits<T>::epsilon() * std::max(std::abs(T(options_.end)), h);
        return along(std::abs(left - h) <= rounding ? h : left);
    }
    void move_clock(T h, bool last) {
        if (last) clock_.set(T(options_.end));
        else clock_.advance(h);
    }

    /// Adds the current point to the history, its derivative not known yet.
    void add_node() {
        auto& node = history_.next();
        node.t = clock_.now();
        copy_state(node.x, x_);
        node.has_derivative = false;
    }
    /// How many of the last nodes lie a step apart: steps that nobody looked at leave none.
    [[nodiscard]] std::size_t adjacent_nodes(double step) const {
        std::size_t count = 1;
        for (; count < history_.size(); ++count) {
            T const length = along(history_[history_.size() - count].t - history_[history_.size() - count - 1].t);
            if (length > T(10 * step)) break;
        }
        return count;
    }
    /// The highest derivative at the current point; false when it is not finite.
    [[nodiscard]] bool take_derivative(typename State::vector const& derivative) {
        dense_node<State>& node = history_.back();
        copy_vector(node.derivative, derivative);
        if (!all_finite(node.derivative)) {
            failed_ = state_not_finite(static_cast<double>(clock_.now()), first_non_finite(node.derivative), "force");
            return false;
        }
        node.has_derivative = true;
        return true;
    }
    void keep_node() {
        dense_node<State> const& node = history_.back();
        if (result_.nodes.empty() || before(result_.nodes.back().t, node.t)) result_.nodes.push_back(node);
        else result_.nodes.back() = node;
        if (checks_rows_ && history_.size() >= result_.nodes_needed) keep_nodes_inside(middle());
    }
    [[nodiscard]] static std::size_t bad_component(State const& x) {
        auto const within = [](auto const& values) { return std::min(first_non_finite(values), values.size() - 1); };
        if constexpr (State::is_motion) return within(all_finite(x.velocity) ? x.position : x.velocity);
        else return within(x.state);
    }

    // ---- what the run hands out ----

    /// Events first: nothing is reported beyond a terminal one. A stepper with an interpolant of its own serves at
    /// once where that is good enough. False when the run ends here.
    [[nodiscard]] bool hand_out(bool knows_inside) {
        emit_waiting_multipliers();
        if (knows_inside) look_at_inside();
        if (find_events()) return false;
        if (done_ || every_step_ || trusts_inside_) {
            emit_until(clock_.now());
        } else if (history_.size() >= result_.nodes_needed) {
            emit_until(middle());
        }
        return !failed_.happened();
    }
    /// An interpolant is best in the middle of its nodes: output waits until it is there.
    [[nodiscard]] T middle() const { return history_[history_.size() - result_.nodes_needed / 2].t; }
    /// Whether there are rows before the current point that have waited for more nodes.
    [[nodiscard]] bool has_rows_to_come() const {
        return next_output_ < output_.size() && before(T(output_[next_output_]), clock_.now());
    }
    /// Inside a step whose end is not known yet, multipliers wait for it: they have no interpolant of their own.
    void emit(T t, State& x, bool step_is_known = true) {
        if (options_.report == reported_state::full && !lifted(t, x)) return;
        emitted_ = t;
        result_.t.push_back(static_cast<double>(t));
        result_.push(x);
        if (multipliers_ && step_is_known) emit_multipliers(static_cast<double>(t));
        else if (multipliers_) waiting_.push_back(static_cast<double>(t));
        for (std::size_t i = 0; i < options_.observables.size(); ++i)
            result_.observables[i].push_back(options_.observables[i](static_cast<double>(t), x));
    }
    void start_events() {
        for (std::size_t i = 0; i < event_values_.size(); ++i)
            event_values_[i] = options_.events[i].value(static_cast<double>(clock_.now()), x_);
    }

    /// What must be known to go on exactly; what was handed out before is not part of it.
    static auto members(auto& self) {
        auto& counts = self.result_.statistics;
        return std::tie(self.clock_, self.x_, self.next_output_, self.emitted_, self.done_, self.history_, self.failed_,
                        self.event_values_, self.rows_, self.trusts_inside_, self.inside_wanted_,
                        self.next_look_inside_, counts.macro_steps, counts.macro_rejected);
    }

    /// Hands out what is left: a run that fails keeps what it has up to its last good point.
    void hand_out_rest() {
        emit_waiting_multipliers();
        if (failed_.happened() && failed_.result != outcome::stopped_by_event && !history_.empty())
            emit_until(history_.back().t);
        if (options_.dense && !history_.empty() && !history_.back().has_derivative) keep_node();
        if (options_.dense && checks_rows_ && history_.size() > 1) keep_nodes_inside(clock_.now());
        result_.result = failed_.result;
        result_.message = failed_.happened() ? failed_.message : "reached t = " + show(options_.end);
        result_.end = static_cast<double>(clock_.now());
    }
    [[nodiscard]] solution<State> take_result();
    /// Steps that are shorter than a window on average are dearer than a direct solution, and often a sign that the
    /// scales are not separated.
    void compare_with_window(double window) {
        if (result_.statistics.macro_steps == 0) return;
        double const covered = std::abs(static_cast<double>(clock_.now()) - options_.start);
        double const step = covered / static_cast<double>(result_.statistics.macro_steps);
        if (step < window) result_.warnings.push_back(window_exceeds_step(window, step));
    }

private:
    [[nodiscard]] typename State::vector const& derivative_storage() const {
        if constexpr (State::is_motion) return x_.position;
        else return x_.state;
    }

    /// The last nodes, as many as the method's order deserves; one more while the newest lacks its derivative.
    [[nodiscard]] std::span<dense_node<State> const> recent() const {
        std::size_t const wanted = result_.nodes_needed + (history_.back().has_derivative ? 0 : 1);
        std::size_t const count = std::min(wanted, history_.size());
        return history_.last(count);
    }
    /// The state between steps; `rows` says how many are wanted of this one step.
    void interpolate_at(T t, State& out, std::size_t rows = std::numeric_limits<std::size_t>::max()) {
        if (trusts_inside_ && history_.size() > 1 && !before(t, history_[history_.size() - 2].t) && inside(t, out))
            return;
        if (history_.size() == 1) out = history_.back().x;
        else if (checks_rows_) rows_.at(recent(), t, rows, out, aside());
        else interpolate_unchecked(t, out);
    }
    void interpolate_unchecked(T t, State& out) {
        auto const& newest = history_.back();
        if (!(newest.t == made_for_ && newest.has_derivative == made_complete_ && between_.covers(t))) {
            auto const nodes = recent();
            between_.build(chosen_nodes<State>(nodes, step_of_time<State>(nodes, t)).nodes());
            made_for_ = newest.t;
            made_complete_ = newest.has_derivative;
        }
        between_.at(t, out);
    }
    /// Whether an interpolant made for an earlier row serves this one too.
    [[nodiscard]] bool interpolates_again(T t, State& out) {
        auto const& newest = history_.back();
        if (checks_rows_) {
            if (!rows_.serves(t, newest.t)) return false;
            rows_.at(t, out);
        } else {
            if (!(newest.t == made_for_ && newest.has_derivative == made_complete_ && between_.covers(t))) return false;
            between_.at(t, out);
        }
        return true;
    }
    /// An interpolant of the stepper's own may be of a lower order than its steps: in the first, second, fourth, eighth
    /// ... step from which a row is wanted it is held against shorter steps.
    void look_at_inside() {
        if (!checks_rows_) {
            trusts_inside_ = true;
            return;
        }
        auto const& from = history_[history_.size() - 2];
        auto const row = std::upper_bound(output_.begin() + static_cast<std::ptrdiff_t>(next_output_), output_.end(),
                                          from.t, [this](T t, double other) { return before(t, T(other)); });
        bool const wanted = (row != output_.end() && before(T(*row), clock_.now())) || !event_values_.empty();
        if (!wanted || ++inside_wanted_ < next_look_inside_) return;
        next_look_inside_ = 2 * inside_wanted_;
        trusts_inside_ = inside(from.t + (clock_.now() - from.t) / T(2), scratch_) &&
                         rows_.is_as_good(from, history_.back(), scratch_, aside());
    }
    [[nodiscard]] auto aside() {
        return [this](auto const& from, T h, auto& to, bool derivative) { return step_aside(from, h, to, derivative); };
    }
    /// How many rows are wanted of the step in which the next one is.
    [[nodiscard]] std::size_t rows_in_step() const {
        T const t = T(output_[next_output_]);
        auto const nodes = history_.all();
        auto const end = std::find_if(nodes.begin(), nodes.end(), [&](auto const& node) { return !before(node.t, t); });
        if (end == nodes.begin() || end == nodes.end()) return 1;
        auto const inside = [&](double other) { return before((end - 1)->t, T(other)) && before(T(other), end->t); };
        return static_cast<std::size_t>(std::count_if(
            output_.begin() + static_cast<std::ptrdiff_t>(next_output_ < 2 ? 0 : next_output_ - 2),
            output_.begin() + static_cast<std::ptrdiff_t>(std::min(next_output_ + 3, output_.size())), inside));
    }
    /// Dense output has nodes inside steps whose ends are too far apart: looks at the steps that begin before a limit.
    void keep_nodes_inside(T limit) {
        auto const known = recent();
        for (std::size_t step = 0; step + 1 < known.size() && before(known[step].t, limit); ++step) {
            if (looked_inside_ && !before(*looked_inside_, known[step].t)) continue;
            looked_inside_ = known[step].t;
            auto const found = rows_.inside(known, step, aside());
            auto& all = result_.nodes_inside;
            auto const old = static_cast<std::ptrdiff_t>(all.size());
            all.insert(all.end(), found.begin(), found.end());
            std::sort(all.begin() + old, all.end(), [this](auto const& a, auto const& b) { return before(a.t, b.t); });
        }
    }

    void emit_until(T limit) {
        if (every_step_) {
            emit_nodes(limit);
            return;
        }
        for (; next_output_ < output_.size() && !before(limit, T(output_[next_output_])); ++next_output_) {
            T const t = T(output_[next_output_]);
            find_row(t);
            emit(t, scratch_);
        }
    }
    /// The state at an output time, in scratch_.
    void find_row(T t) {
        if (!interpolates_again(t, scratch_)) {
            auto const nodes = history_.all();
            auto const at_node = std::find_if(nodes.rbegin(), nodes.rend(), at_time{t});
            if (at_node != nodes.rend()) {
                copy_state(scratch_, at_node->x);
                return;
            }
            interpolate_at(t, scratch_, checks_rows_ ? rows_in_step() : 1);
        }
        if (multipliers_) back_onto_constraints(t, scratch_);
    }
    struct at_time {
        T t;
        [[nodiscard]] bool operator()(dense_node<State> const& node) const { return node.t == t; }
    };
    void emit_nodes(T limit) {
        for (auto const& node : history_.all())
            if (!before(limit, node.t) && (!emitted_ || before(*emitted_, node.t))) {
                scratch_ = node.x;
                emit(node.t, scratch_);
            }
    }
    void emit_waiting_multipliers() {
        for (double const t : waiting_) emit_multipliers(t);
        waiting_.clear();
    }
    void emit_multipliers(double t) {
        std::vector<double> row;
        auto const nodes = recent();
        interpolate_rows<State>(nodes, t, &dense_node<State>::multipliers, row);
        result_.multipliers.push_back(row);
        if (!mean_multipliers_) return;
        interpolate_rows<State>(nodes, t, &dense_node<State>::mean_multipliers, row);
        result_.mean_multipliers.push_back(row);
    }

    // ---- events ----

    /// Looks for sign changes in the last step, a few times inside it too; true when a terminal one ends the run.
    [[nodiscard]] bool find_events() {
        if (event_values_.empty()) return false;
        constexpr int looks = 4;
        T const from = history_[history_.size() - 2].t;
        T const to = clock_.now();
        std::vector<event_hit<State>> found;
        for (std::size_t i = 0; i < event_values_.size(); ++i) {
            T left = from;
            for (int k = 1; k <= looks; ++k) {
                T const right = k == looks ? to : from + (to - from) * T(k) / T(looks);
                double const value = glance(i, right);
                if (crosses(i, event_values_[i], value)) found.push_back(locate(i, left, right, event_values_[i]));
                event_values_[i] = value;
                left = right;
            }
        }
        std::sort(found.begin(), found.end(), [this](auto const& a, auto const& b) { return before(a.t, b.t); });
        for (auto& hit : found) {
            result_.events.push_back(hit);
            if (!options_.events[hit.event].terminal) continue;
            emit_until(T(hit.t));
            if (every_step_ || result_.t.empty() || before(T(result_.t.back()), T(hit.t))) {
                scratch_ = hit.x;
                emit(T(hit.t), scratch_);
            }
            clock_.set(T(hit.t));
            failed_ = {outcome::stopped_by_event, hit.t,
                       "stopped by event " + std::to_string(hit.event + 1) + " at t = " + show(hit.t)};
            return true;
        }
        return false;
    }
    [[nodiscard]] double event_value(std::size_t i, T t) {
        if (t == clock_.now()) return options_.events[i].value(static_cast<double>(t), x_);
        interpolate_at(t, scratch_);
        return options_.events[i].value(static_cast<double>(t), scratch_);
    }
    /// The same to see whether there is an event at all: steps of fixed length are short enough for that.
    [[nodiscard]] double glance(std::size_t i, T t) {
        if (t == clock_.now() || !glances_) return event_value(i, t);
        interpolate_unchecked(t, scratch_);
        return options_.events[i].value(static_cast<double>(t), scratch_);
    }
    [[nodiscard]] bool crosses(std::size_t i, double before, double after) const {
        int const direction = options_.events[i].direction;
        bool const rises = before < 0 && after >= 0;
        bool const falls = before > 0 && after <= 0;
        return (rises && direction >= 0) || (falls && direction <= 0);
    }
    /// Bisection: safe for any function, and cheap beside a macro step.
    [[nodiscard]] event_hit<State> locate(std::size_t i, T left, T right, double at_left) {
        for (int k = 0; k < 100; ++k) {
            T const middle = left + (right - left) / T(2);
            if (!(before(left, middle) && before(middle, right))) break;
            double const value = event_value(i, middle);
            if ((at_left < 0) == (value < 0) && value != 0) left = middle;
            else right = middle;
        }
        event_hit<State> hit{i, static_cast<double>(right), x_};
        interpolate_at(right, hit.x);
        return hit;
    }

protected:
    solve_options<State> const options_;
    bool const backward_;
    State x_;
    State scratch_;
    clock_time<T> clock_;
    std::vector<double> output_;
    std::size_t next_output_ = 0;
    bool every_step_ = false;
    bool done_ = false;
    recent_nodes<State> history_;
    failure failed_;
    solution<State> result_;

private:
    std::optional<T> emitted_; ///< the time of the last row
    std::vector<double> event_values_;
    std::vector<double> waiting_; ///< times of rows whose multipliers are not known yet
    bool multipliers_ = false;
    bool mean_multipliers_ = false;
    bool checks_rows_ = false;
    bool glances_ = false;       ///< events are looked for without checks
    bool trusts_inside_ = false; ///< the stepper's own interpolant
    std::uint64_t inside_wanted_ = 0;
    std::uint64_t next_look_inside_ = 1;
    step_interpolant<State> between_;
    T made_for_{std::numeric_limits<T>::quiet_NaN()}; ///< the newest node when it was made
    bool made_complete_ = false;                      ///< whether that had its derivative
    std::optional<T> looked_inside_; ///< the beginning of the last step for whose inside dense output has nodes
    checked_rows<State> rows_;
};

// Out of the class, so that they are not compiled into every run.
template <class State> run_progress<State>::run_progress(State initial, solve_options<State> const& options)
    : options_(options)
    , backward_(options.end < options.start)
    , x_(std::move(initial))
    , clock_(T(options.start))
    , output_(checked_output(options.start, options.end, options.output_times, options.output_count)) {}
template <class State> run_progress<State>::~run_progress() = default;
template <class State> solution<State> run_progress<State>::take_result() { return std::move(result_); }

// What programs compile most often is in the library.
extern template class run_progress<motion<std::vector<double>>>;
extern template class run_progress<motion<std::array<double, 1>>>;
extern template class run_progress<motion<std::array<double, 2>>>;
extern template class run_progress<motion<std::array<double, 3>>>;
extern template class run_progress<motion<std::array<double, 4>>>;
extern template class run_progress<point<std::vector<double>>>;

} // namespace lento::detail

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <lento/problem/any_stepper.hpp>
#include <lento/problem/fields.hpp>
#include <lento/problem/problem.hpp>

namespace lento {

struct problem_run;

/// A run that is ready to start: a stepper at work on a system, and how the problem's state becomes the system's and
/// the reverse.
struct prepared_run {
    any_stepping stepping{};
    std::vector<double> position{}; ///< the start as the system has it; the state of a first-order one
    std::vector<double> velocity{};
    bool lifts = true; ///< the system knows the fast motion that belongs to a slow state
    bool full = false; ///< what is reported has the fast motion in it
    std::uint64_t max_steps = 1'000'000'000;
    std::vector<std::string> reasons{}; ///< for what was chosen, a sentence each
    /// Puts the rows back into the problem's state; none where they are in it.
    std::function<void(problem_run&)> leave{};
    /// The whole run in one piece, for small systems whose size is known to the compiler; none for others.
    std::function<solution<any_motion>(any_motion start, solve_options<any_motion> const& options)> in_one_piece{};
};

/// What a method would take and how wrong it would be, as far as that is known before a run.
struct prediction {
    statistics counts{};
    double error = 0;              ///< relative to the size of the motion; infinite where the method fails at the start
    std::string reason{};          ///< how this was found
    std::uint64_t evaluations = 0; ///< of the force, made to find it
};

/// Settings of a method that `auto` may choose.
struct closure {
    described options;
    /// How many times its distance from the next closure its error may be.
    double unseen = 1;
    /// Other settings whose distances from it are added to that: of what the next closure has in common with it.
    std::vector<described> beside{};
};

/// One method for some kinds of systems. Reading, writing, listing, checking and choosing are loops over these.
struct method_row {
    std::string_view name;
    std::string_view sentence;
    unsigned kinds;         ///< a bit for each alternative of `any_kind`
    bool settings_for_auto; ///< [method] may say them without the method's name
    bool steps_alone_err;   ///< it integrates the system itself: shorter steps make any error small
    described (*options)();
    /// Why it does not apply to a problem of these kinds, as far as that is seen without running; empty where it may.
    std::string (*why_not)(problem const& what);
    /// Why `auto` takes it for a problem; empty where it does not.
    std::string (*suits)(problem const& what);
    /// Reads what [method] says of it. Throws problem_error with the place of what makes no sense, or does_not_apply.
    void (*read)(problem const& what, entry const& method, described& options);
    /// Fills in what was left open, so that the options say what is used, and makes the run. `automatic`: the method
    /// was chosen by `auto`. Throws does_not_apply.
    prepared_run (*make)(problem const& what, described& options, bool automatic);
    /// After a run: what to change for another try, with the reason; false where the run stands as it is.
    bool (*again)(problem const& what, described& options, problem_run& last, bool automatic);
    prediction (*predict)(problem const& what, described& options);
    /// Closures among which `auto` may choose, from the cheapest to the most accurate: the distance of one from the
    /// next measures its error. None where the method has a single one, or does not apply.
    std::vector<closure> (*closures)(problem const& what);
    /// The error, relative to the size of the motion, that the distances of closures cannot show, from a slow run with
    /// one; null where there is none.
    double (*hidden_error)(problem const& what, problem_run const& run);

    [[nodiscard]] bool is_for(problem const& what) const { return (kinds >> what.kind.index() & 1U) != 0; }
};

/// Every method, in the order of the documents.
[[nodiscard]] std::span<method_row const> methods();

/// The method that [method] asks for, with its settings, or why it does not apply.
struct chosen_method {
    method_row const* row = nullptr; ///< null where none applies
    std::optional<described> options{};
    bool automatic = false;
    std::string reason{};  ///< why auto takes it
    std::string refusal{}; ///< why none applies
};
[[nodiscard]] chosen_method choose_method(problem const& what);

/// "name" first, then what the options hold: the `method` object that reads back.
[[nodiscard]] entry write(chosen_method& chosen);

} // namespace lento

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "problem/sentences.hpp"

#include <lento/effective/picard.hpp>
#include <lento/effective/window.hpp>
#include <lento/expression/engine.hpp>
#include <lento/problem/method.hpp>
#include <lento/problem/schemes.hpp>
#include <lento/problem/window_kernels.hpp>

/// Tables that several methods have, and what reading them takes beside their description.
namespace lento {

/// How a window starts.
enum class window_start { asynchronous, synchronous, centred };
constexpr std::array<std::string_view, 3> names_of(window_start) { return {"asynchronous", "synchronous", "centred"}; }

namespace expression {
constexpr std::array<std::string_view, 3> names_of(engine_kind) { return {"auto", "bytecode", "llvm"}; }
[[nodiscard]] inline bool lacks(engine_kind kind) { return kind == engine_kind::llvm && !built_with_llvm(); }
} // namespace expression

namespace detail {

/// [method] of a problem, as a row reads it.
class method_text {
public:
    method_text(problem const& what, entry const& method);

    [[nodiscard]] problem const& what() const { return what_; }
    /// What stands there, by a path such as "window.periods"; null where nothing does.
    [[nodiscard]] entry const* find(std::string_view path) const;
    [[nodiscard]] bool has(std::string_view path) const { return find(path) != nullptr; }
    /// Whether the method was asked for by its name.
    [[nodiscard]] bool names_method() const;
    /// Tells what is wrong at a path, or at what stands nearest to it.
    [[noreturn]] void fail(std::string_view path, std::string const& sentence) const;
    void must_not_meet(std::string_view one, std::string_view other) const;
    /// Takes a key out of its table, so that it is not read: null where it is not there.
    std::optional<entry> take(std::string_view table, std::string_view key);
    /// A scheme that goes without saying may be said; another is refused with this sentence.
    void expect_scheme(std::string_view table, std::string_view name, std::string const& sentence);
    /// Reads everything but the name.
    void read(fields const& into) const;
    /// Calls make() and gives misuse that place.
    template <class Make> void guarded(std::string_view path, Make const& make) const {
        try {
            make();
        } catch (does_not_apply const&) { throw; } catch (misuse const& error) {
            fail(path, as_sentence(error.what()));
        }
    }

private:
    problem const& what_;
    entry const& method_;
    entry table_; ///< without the name and what was taken out
};

/// The outermost stepper.
struct macro_settings {
    scheme_choice scheme{};
    std::uint64_t max_steps = 1'000'000'000;

    static constexpr auto options() {
        return std::tuple{
            option{"scheme", &macro_settings::scheme, "steps the motion; left out: one with steps of its own choice"},
            option{"max_steps", &macro_settings::max_steps, "more end the run", at_least(1)}};
    }
    /// Before the table is read: options may stand there without a scheme, which then is the usual one.
    void preset(method_text const& from, bool constrained = false);
    /// After it was read: tolerances are those of [accuracy] unless the table gives others, and a fitted scheme is
    /// fitted to the fast phase where it integrates that.
    void complete(method_text const& from, bool integrates_fast_motion);
    /// Steps that meet the tolerances where no scheme is given.
    void choose(problem const& what, std::vector<std::string>& reasons, bool constrained = false);
};

/// The outermost stepper of a method that has one scheme.
struct fixed_macro_settings {
    double step = 0;
    std::uint64_t max_steps = 1'000'000'000;
    static constexpr auto options() {
        return std::tuple{option{"step", &fixed_macro_settings::step, "the step", positive, "time"},
                          option{"max_steps", &fixed_macro_settings::max_steps, "more end the run", at_least(1)}};
    }
};

/// A number among the options of a scheme by its name; null where it has none of that name.
[[nodiscard]] double* number_of(any_stepper& scheme, std::string_view name);

/// How long windows are.
struct window_settings {
    window_kernel_choice kernel{};
    std::optional<double> periods{};
    std::optional<double> length{};
    std::optional<bool> unchecked{};

    static constexpr auto options() {
        using own = window_settings;
        return std::tuple{
            option{"kernel", &own::kernel, "filters the force of a window, or samples a period"},
            option{"periods", &own::periods, "the whole window, in periods of the slowest fast motion", positive},
            option{"length", &own::length, "or as a time", positive, "time"},
            option{"unchecked", &own::unchecked, "run although the filter leaks"}};
    }
    /// The spectral mean, where that is chosen instead of a filter.
    [[nodiscard]] picard const* spectral() const {
        return kernel.value ? std::get_if<picard>(&*kernel.value) : nullptr;
    }
    /// What it leaves open becomes what is used.
    void fill_spectral() {
        if (auto const* chosen = spectral()) kernel.value = chosen->filled();
    }
    [[nodiscard]] std::optional<lento::kernel> filter() const;
    void set_filter(lento::kernel const& chosen);
};

/// A stepper at work on a system; refuses, as does_not_apply, where they do not fit.
[[nodiscard]] any_stepping at_work(any_stepper const& stepper, any_system const& system);
/// The same as a run from the problem's start.
[[nodiscard]] prepared_run start_of(problem const& what, any_system const& system, macro_settings const& macro);
/// "a direct run starts from the true state ...", or empty.
[[nodiscard]] std::string direct_from_true_state(problem const& what);
/// lambda = omega^2 g of the springs at the reported points, with the fast motion in it.
void find_loads(stiff_kind const& kind, problem_run& run);

} // namespace detail
} // namespace lento

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
    /// Reads everything but the name.
    void read(fields const& into) const;
    /// Reads one table into options, except for one key.
    void read_table(std::string_view table, std::string_view except, fields const& into) const;
    /// Calls make() and gives misuse that place.
    template <class Make> void guarded(std::string_view path, Make const& make) const {
        try {
            make();
        } catch (does_not_apply const&) { throw; } catch (misuse const& error) {
            fail(path, as_sentence(error.what()));
        }
    }

private:
    [[nodiscard]] number_reader numbers() const {
        return [this](std::string_view formula) { return what_.number(formula); };
    }

    problem const& what_;
    entry const& method_;
    entry table_; ///< without the name
};

/// The outermost stepper. Options without a scheme's name are those of the usual one.
struct macro_settings {
    scheme_choice scheme = scheme_choice::usually(make_scheme("dormand-prince"));
    std::uint64_t max_steps = 1'000'000'000;

    static constexpr auto options() {
        return std::tuple{
            option{"scheme", &macro_settings::scheme, "steps the motion; left out: one with steps of its own choice"},
            option{"max_steps", &macro_settings::max_steps, "more end the run", at_least(1)}};
    }
    /// After the table was read: the usual scheme is another one on constraints, tolerances are those of [accuracy]
    /// unless the table gives others, and a fitted scheme is fitted to the fast phase where it integrates that.
    void complete(method_text const& from, bool integrates_fast_motion, bool constrained = false);
    /// Steps that meet the tolerances where no scheme is given.
    void choose(problem const& what, std::vector<std::string>& reasons, bool constrained = false);
};

/// A scheme that goes without saying, and may be said. Its step is that of its table.
template <class Stepper> struct only {
    static constexpr std::tuple<> options() { return {}; }
};
template <class Stepper> [[nodiscard]] constexpr std::string_view name(only<Stepper> const&) { return Stepper::name; }
template <class Stepper> [[nodiscard]] std::span<row<only<Stepper>> const> only_scheme() {
    static constexpr std::array<row<only<Stepper>>, 1> all{
        {{Stepper::name, "there is no other here", [] { return only<Stepper>{}; }}}};
    return all;
}
template <class Stepper> using only_choice = choice_of<only_scheme<Stepper>, schemes>;

/// The outermost stepper of a method that has one scheme.
template <class Stepper> struct fixed_macro_settings {
    only_choice<Stepper> scheme{only<Stepper>{}};
    double step = 0;
    std::uint64_t max_steps = 1'000'000'000;
    static constexpr auto options() {
        using own = fixed_macro_settings;
        return std::tuple{option{"scheme", &own::scheme, "the scheme of the method"},
                          option{"step", &own::step, "the step", positive, "time"},
                          option{"max_steps", &own::max_steps, "more end the run", at_least(1)}};
    }
};

/// A number among the options of a scheme by its name; null where it has none of that name.
[[nodiscard]] double* number_of(any_stepper& scheme, std::string_view name);

/// How long windows are. Options without a kernel's name are those of the usual one.
struct window_settings {
    window_kernel_choice kernel = window_kernel_choice::usually(exponential{.moments = 3});
    std::optional<double> periods{};
    std::optional<double> length{};
    std::optional<bool> unchecked{};

    static constexpr std::array<exclusive_pair, 1> exclusive{{{"periods", "length"}}};
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

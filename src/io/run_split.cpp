#include "io/closures_split.hpp"
#include "io/formula_system.hpp"
#include "io/method_reader.hpp"
#include "io/runner.hpp"

#include <algorithm>
#include <cmath>

#include <lento/system/linear_flow.hpp>

namespace lento::detail {
namespace {

class split final : public runner {
public:
    using runner::runner;

private:
    void choose() override {
        if (automatic_) choose_method();
        else if (made_.used.name == "stroboscopic" && !made_.used.view) choose_strobe();
        choose_macro();
        auto* look = made_.used.view ? std::get_if<strobe>(&*made_.used.view) : nullptr;
        if (look != nullptr && look->steps == 0) look->steps = steps_to_return(what_, made_.used.interaction);
    }

    void choose_method() {
        method_options& method = made_.used;
        method.interaction = !what_.fast_matrix.empty();
        if (method.interaction)
            because("picture interaction: the fast part is linear, so that its flow is known exactly");
        if (what_.period > 0) {
            take_method("stroboscopic", "the period of the fast flow is known");
            choose_strobe();
        } else if (method.interaction) {
            choose_path();
        }
    }
    /// A central difference over the period P leaves (P d/dt)^2/6 of the slow motion.
    void choose_strobe() {
        method_options& method = made_.used;
        bool const second = what_.period * what_.period / 6 < method.rtol;
        method.view = strobe{.order = second ? 2 : 4, .steps = steps_to_return(what_, method.interaction)};
        method.micro = rk4{};
        because("order " + std::to_string(second ? 2 : 4) + ": the period is " + show(what_.period) +
                " and the tolerance " + show(method.rtol));
    }

    /// Without the period a filter forgets the fast phase; how long it must be is told by the slowest combination of
    /// the fast frequencies. A second one removes the O(epsilon) that the first leaves.
    void choose_path() {
        method_options& method = made_.used;
        auto const frequencies = linear_flow(what_.fast_matrix).frequencies();
        if (frequencies.empty()) return;
        auto const fast = fast_frequencies(frequencies);
        double const slowest = *std::min_element(fast.begin(), fast.end());
        take_method("backward-forward", "the period of the fast flow is not known");
        polynomial const first{.moments = 1, .regularity = 5};
        polynomial const second{.moments = 1, .regularity = 7};
        double const delta = 5 * (second.regularity + 1) / slowest;
        method.view = path_window{.delta = delta,
                                  .filter = first,
                                  .steps = static_cast<int>(std::ceil(0.625 * delta * frequencies.back())),
                                  .extrapolate = second,
                                  .ramp = true};
        method.micro = rk4{};
        because("delta " + show(delta) + ": long enough for the slowest combination of the fast frequencies, " +
                show(slowest) + "/epsilon");
    }

    bool applies() override {
        method_options const& method = made_.used;
        if (method.name == "auto")
            return refuse(outcome::not_applicable,
                          what_.fast_matrix.empty()
                              ? "neither is the period of the fast flow known nor is the fast part linear; give "
                                "system.period, or method.name = \"backward-forward\" with window.delta, the length of "
                                "its flows in units of epsilon"
                              : "the fast part does not oscillate; use the method direct");
        if (method.name == "direct" || method.name == "flavors") return direct_from_true_state();
        return true;
    }

    void run() override {
        method_options const& method = made_.used;
        made_.full = method.name == "direct" || what_.report == reported_state::full;
        if (method.name == "direct") {
            solve_system(make_flow(what_));
        } else if (method.name == "flavors") {
            if (what_.report == reported_state::full)
                refuse(outcome::not_applicable, "FLAVORS follows the slow motion alone; leave report = \"full\" out");
            else guarded([&] { take(solve_by_flavors(what_, method, options<state_of<erased_first_order>>())); });
        } else {
            guarded([&] { solve_system(make_split(what_, method)); });
        }
    }
};

} // namespace

std::unique_ptr<runner> split_runner(problem const& what, run_controls const& controls) {
    return std::make_unique<split>(what, controls);
}

} // namespace lento::detail

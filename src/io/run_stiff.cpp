#include "io/closures_stiff.hpp"
#include "io/formula_stiff.hpp"
#include "io/formula_system.hpp"
#include "io/method_reader.hpp"
#include "io/runner.hpp"

#include <algorithm>
#include <limits>

#include <lento/system/arithmetic.hpp>

namespace lento::detail {
namespace {

/// A stiff system, or a constrained one whose constraints are relaxed to hard springs.
class stiff final : public runner {
public:
    using runner::runner;

private:
    static constexpr double loads_tolerance = 1e-5; ///< relative; its error in the motion is much less

    void choose() override {
        method_options& method = made_.used;
        if (automatic_) {
            take_method("ipa", "every evaluation of a stiff system's slow motion is on its slow manifold");
            method.manifold = {.tolerance = loads_tolerance, .notch_steps = projection_options::fitted, .loads = 4};
            because("loads of 4 windows extrapolated, and windows with zeros at the springs' frequencies: the shortest "
                    "way there");
        }
        choose_macro();
        if (method.name == "direct") return;
        if (!method.view) {
            method.view = stiff_window_of(method.name);
            method.micro = verlet{};
        }
        if (method.name == "ipa" && method.manifold.tolerance == 0) choose_tolerance();
    }
    void choose_tolerance() {
        method_options& method = made_.used;
        if (method.manifold.loads > 0) {
            method.manifold.tolerance = loads_tolerance;
            return;
        }
        // multipliers are omega^2 g; but in numbers of this precision the rate of a spring is noise below this
        double const hardest = *std::max_element(what_.omegas.begin(), what_.omegas.end());
        double const rounding = method.long_windows ? static_cast<double>(std::numeric_limits<long double>::epsilon())
                                                    : std::numeric_limits<double>::epsilon();
        double const size = std::max(1., max_norm(what_.position));
        method.manifold.tolerance = std::max(1e-7 / hardest, 16 * hardest * rounding * size);
        because("projection tolerance " + show(method.manifold.tolerance) + ": springs of frequency " + show(hardest));
    }

    bool applies() override {
        if (made_.used.name == "direct") return direct_from_true_state();
        if (what_.report == reported_state::full)
            return refuse(outcome::not_applicable,
                          "this method follows the slow motion alone; report = \"full\" needs the method direct");
        return true;
    }

    void run() override {
        method_options const& method = made_.used;
        made_.full = method.name == "direct";
        if (method.name == "ipa") {
            run_projected();
        } else if (method.name == "hmm") {
            guarded([&] { solve_system(make_averaged(what_, method)); });
        } else {
            solve_motion();
            find_multipliers();
        }
    }
    void run_projected() {
        // windows take 6 steps a period, and a direct solution ten times as many
        if (automatic_) made_.used.manifold.longest = 5 * (what_.end - what_.start);
        guarded([&] { solve_system(make_projected(what_, made_.used)); });
        if (!automatic_ || made_.result != outcome::projection_failed) return;
        because("the loads could not be followed (" + made_.message + "): projected as published instead");
        auto spent = made_.statistics;
        spent.macro_steps = spent.macro_rejected = 0; // the steps are those of the run that is reported
        made_.used.manifold = {.tolerance = 0, .longest = made_.used.manifold.longest};
        choose_tolerance();
        guarded([&] { solve_system(make_projected(what_, made_.used)); });
        made_.statistics += spent;
    }
};

} // namespace

std::unique_ptr<runner> stiff_runner(problem const& what, run_controls const& controls) {
    return std::make_unique<stiff>(what, controls);
}

} // namespace lento::detail

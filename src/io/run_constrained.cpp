#include "io/formula_constrained.hpp"
#include "io/runner.hpp"

#include <lento/constraint/newton.hpp>

namespace lento::detail {
namespace {

class constrained final : public runner {
public:
    using runner::runner;

private:
    void choose() override {
        method_options& method = made_.used;
        if (automatic_) take_method("direct", "a constrained system is integrated on its constraints");
        if (method.name == "underlying") {
            choose_macro();
        } else if (!method.macro) {
            method.macro = adaptive_lobatto4{.rtol = method.rtol, .atol = method.atol};
            because("macro scheme lobatto4: of order 4, with steps that meet rtol = " + show(method.rtol) +
                    " and atol = " + show(method.atol));
        }
    }
    void run() override {
        made_.full = true;
        if (made_.used.name == "underlying") run_underlying();
        else if (what_.uses_velocity) solve_system(make_constrained<true>(what_));
        else solve_system(make_constrained<false>(what_));
    }
    /// Nothing keeps this motion on the constraints, so that at least its start must be there.
    void run_underlying() {
        guarded([&] {
            auto const system = make_constrained<true>(what_);
            auto at = system.constraints().start();
            auto room = make_newton_room(system);
            auto work = system.constraints().work();
            motion<std::vector<double>> start{what_.position, what_.velocity};
            auto const failed = on_constraints(system, what_.start, start, what_.project, at, room, work);
            if (failed.happened()) refuse(failed.result, failed.message);
            else solve_from(underlying(system), std::move(start));
        });
    }
};

} // namespace

std::unique_ptr<runner> constrained_runner(problem const& what, run_controls const& controls) {
    return std::make_unique<constrained>(what, controls);
}

} // namespace lento::detail

#include "io/formula_system.hpp"
#include "io/period.hpp"
#include "io/runner.hpp"

namespace lento::detail {
namespace {

class plain final : public runner {
public:
    using runner::runner;

private:
    void choose() override {
        if (automatic_) {
            if (what_.period > 0 && 100 * what_.period < what_.end - what_.start)
                take_method("stroboscopic", "the period of the fast motion is known, and the run covers many");
            else take_method("direct", "a plain system is integrated as it is");
        }
        choose_macro();
        method_options& method = made_.used;
        if (method.name != "stroboscopic") return;
        if (!method.view) {
            method.micro = rk4{};
            method.view = strobe{.order = 4, .steps = 0};
        }
        auto& look = std::get<strobe>(*method.view);
        look.period = what_.period;
        if (look.steps != 0) return;
        look.steps = steps_a_period(what_, method.rtol);
        because("order " + std::to_string(look.order) + " and " + std::to_string(look.steps) +
                " steps of rk4 a period: with these it is as accurate as its tolerance asks for in all periods");
    }

    bool applies() override {
        auto const* look = made_.used.view ? std::get_if<strobe>(&*made_.used.view) : nullptr;
        if (look == nullptr || look->steps > 0) return true;
        return refuse(outcome::not_applicable,
                      "a direct run over the period " + show(what_.period) +
                          " does not settle with up to a million steps of rk4; use the method direct");
    }

    void run() override {
        made_.full = made_.used.name == "direct" || what_.report == reported_state::full;
        if (made_.used.name == "stroboscopic") {
            run_stroboscopic();
        } else if (what_.first_order) {
            solve_system(make_flow(what_));
        } else {
            solve_motion();
        }
    }
};

} // namespace

std::unique_ptr<runner> plain_runner(problem const& what, run_controls const& controls) {
    return std::make_unique<plain>(what, controls);
}

} // namespace lento::detail

// One system run by several threads at once, each with its own work: the bits of one thread.

#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <lento/base/mass.hpp>
#include <lento/effective/asynchronous.hpp>
#include <lento/effective/picard.hpp>
#include <lento/effective/stroboscopic.hpp>
#include <lento/effective/synchronous.hpp>
#include <lento/expression/compiled_formula.hpp>
#include <lento/expression/formula.hpp>
#include <lento/expression/formula_reader.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/plain.hpp>
#include <lento/system/split.hpp>
#include <lento/system/vibrated.hpp>

namespace {

using namespace lento;
using expression::engine_kind;
using expression::formula;
using vector = std::vector<double>;

std::vector<engine_kind> engines() {
    std::vector<engine_kind> all{engine_kind::bytecode, engine_kind::automatic};
    if (expression::llvm_is_there()) all.push_back(engine_kind::llvm);
    return all;
}

formula written(std::vector<std::string> const& texts) {
    expression::formula_reader book;
    book.coordinate("x");
    book.coordinate("y");
    book.phases(1);
    std::vector<expression::statement> all;
    for (std::size_t i = 0; i < texts.size(); ++i) all.push_back(output(i, book.scalar(texts[i])));
    return {std::make_shared<expression::graph>(book.formulas()), all, texts.size()};
}

/// Runs from several starts, each in its own thread, and one after the other.
template <class System, class Stepper>
void expect_bits_of_one_thread(System const& system, Stepper const& stepper, std::string const& what) {
    constexpr std::size_t runs = 4;
    using State = state_of<System>;
    auto const run = [&](std::size_t number) {
        State start = origin(system);
        if constexpr (State::is_motion) start.position = {1 + 0.1 * static_cast<double>(number), 0.5};
        else start.state = {1 + 0.1 * static_cast<double>(number), 0.5};
        return solve(system, stepper, start, {.end = 0.4, .output_count = 3});
    };
    std::vector<solution<State>> together(runs);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < runs; ++i) threads.emplace_back([&, i] { together[i] = run(i); });
    }
    for (std::size_t i = 0; i < runs; ++i) {
        auto const alone = run(i);
        EXPECT_EQ(alone.result, outcome::success) << alone.message << what;
        EXPECT_EQ(together[i].statistics.force_evaluations, alone.statistics.force_evaluations) << what;
        if constexpr (State::is_motion) {
            EXPECT_EQ(together[i].position, alone.position) << what;
            EXPECT_EQ(together[i].velocity, alone.velocity) << what;
        } else {
            EXPECT_EQ(together[i].state, alone.state) << what;
        }
    }
}

window const view{.kernel = exponential{}, .periods = 12, .steps_per_period = 20, .unchecked = true};

TEST(FormulaThreads, ShareAVibratedSystem) {
    for (auto const engine : engines()) {
        auto const what = std::string(name(engine));
        auto const force = written({"-x + 1000*y*cos(theta)", "-sin(y) + sin(t)"}).compile(engine);
        any_mass const masses(any_mass::form(mass(vector{2, 0.7})), 2);
        auto const system = vibrated(dynamic(2), {.frequency = 1e3}, masses, with_time(force));
        expect_bits_of_one_thread(system, rk4{.step = 1e-3}, what + ", direct");
        expect_bits_of_one_thread(effective(system, picard{}), rk4{.step = 0.05}, what + ", picard");
        expect_bits_of_one_thread(effective(system, asynchronous(view)), verlet{.step = 0.05}, what + ", asynchronous");
        expect_bits_of_one_thread(effective(system, asynchronous(view, rk4{})), verlet{.step = 0.05},
                                  what + ", by rk4");
        auto const map = written({"x' - 0.5*y*sin(theta)", "y'"}).compile(engine);
        expect_bits_of_one_thread(effective(system, synchronous(view, map)), rk4{.step = 0.05}, what + ", synchronous");
        auto const rubbed = written({"-x + 1000*y*cos(theta) - 0.1*x'", "-sin(y)"}).compile(engine);
        expect_bits_of_one_thread(
            effective(vibrated(dynamic(2), {.frequency = 1e3}, with_velocity(rubbed)), synchronous(view)),
            rk4{.step = 0.05}, what + ", with friction");
    }
}

TEST(FormulaThreads, ShareAPlainSystem) {
    for (auto const engine : engines()) {
        auto const what = std::string(name(engine));
        auto const force = written({"-x + y*cos(t)", "-sin(y)*x^2"}).compile(engine);
        expect_bits_of_one_thread(plain<2>(force), dormand_prince{}, what + ", in registers");
        expect_bits_of_one_thread(plain(dynamic(2), any_mass(), force), verlet{.step = 1e-3}, what + ", in vectors");
        expect_bits_of_one_thread(plain_first_order(dynamic(2), force), rk4{.step = 1e-3}, what + ", first order");
    }
}

TEST(FormulaThreads, ShareASplitSystem) {
    for (auto const engine : engines()) {
        auto const what = std::string(name(engine));
        auto const fast = written({"y", "-x"}).compile(engine), slow = written({"0.1*x", "sin(t)*x"}).compile(engine);
        splitting<double> const small{.epsilon = 1e-3, .period = two_pi<double>};
        auto const system = split(dynamic(2), small, fast, slow);
        expect_bits_of_one_thread(system, rk4{.step = 1e-3}, what + ", direct");
        expect_bits_of_one_thread(effective(system, stroboscopic{strobe{.steps = 256}}), rk4{.step = 0.1},
                                  what + ", once per period");
        expect_bits_of_one_thread(split(dynamic(2), small, linear({{0, 1}, {-1, 0}}), slow), rk4{.step = 1e-3},
                                  what + ", a matrix");
    }
}

/// LLVM takes over while all of them run; when that is depends on each one's own evaluations alone.
TEST(FormulaThreads, ChangeToLlvmEachAtItsOwnTime) {
    auto const force =
        written({"-x + sum(i, 1, 20000, sin(y*i/20000))/20000", "-sin(y)*x^2"}).compile(engine_kind::automatic);
    expect_bits_of_one_thread(plain<2>(force), rk4{.step = 2e-3}, "automatic");
}

} // namespace

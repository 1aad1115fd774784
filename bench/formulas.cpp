/// Formulas of problem files beside the same problems in C++, in one run: whole windows, forces in other steppers,
/// families, and what reading and compiling take. All contestants take turns.
#include "problem/systems.hpp"
#include "timing.hpp"

#include <lento/expression/expression.hpp>
#include <lento/io/problem_file.hpp>
#include <lento/lento.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lento;
namespace ex = lento::expression;

constexpr int repetitions = 9;
constexpr double omega = 1e4;
volatile double sink; // results go here, so that no work is optimised away

std::vector<ex::engine_kind> engines() {
    std::vector<ex::engine_kind> all{ex::engine_kind::bytecode};
    if (ex::llvm_is_there()) all.push_back(ex::engine_kind::llvm);
    return all;
}

// ---- races ----

/// Medians of the seconds a call takes, all contestants in turn.
std::vector<double> race(std::vector<std::function<void()>> const& contestants) {
    std::vector<int> calls;
    for (auto const& each : contestants) {
        for (int i = 0; i < 40; ++i) each(); // the first windows also measure the filter
        calls.push_back(bench::calls_filling(0.004, each));
    }
    std::vector<std::vector<double>> times(contestants.size());
    for (int round = 0; round < repetitions; ++round)
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            double taken = 0;
            for (int turn = 0; turn < 4; ++turn) taken += bench::seconds(calls[i], contestants[i]);
            times[i].push_back(taken / (4.0 * calls[i]));
        }
    std::vector<double> medians;
    for (auto const& each : times) medians.push_back(bench::median(each));
    return medians;
}

void say(std::string const& what, char const* against, double scale, double bar_bytecode, double bar_llvm,
         std::vector<double> const& seconds) {
    std::printf("%-34s %-10s %9.2f", what.c_str(), against, seconds[0] * scale);
    for (std::size_t i = 1; i < seconds.size(); ++i) {
        double const ratio = seconds[i] / seconds[0];
        double const bar = i == 1 ? bar_bytecode : bar_llvm;
        std::printf("   %s %9.2f  ratio %5.2f, bar %.2f %s", i == 1 ? "bytecode" : "LLVM", seconds[i] * scale, ratio,
                    bar, ratio <= bar ? "met    " : "NOT met");
    }
    std::printf("\n");
}

// ---- the same problems as files and in C++ ----

std::string head() { return "[parameters]\nw = 1e4\nk = 1e4\n[system]\nkind = \"vibrated\"\nfrequency = \"w\"\n"; }
std::string tail() { return "[time]\nend = 1\n"; }
std::string pendulum_text() {
    return head() + "coordinates = [\"q\"]\nforce.q = \"(9.8 + 4*w*cos(theta)) * sin(q) / 0.2\"\n[initial]\nq = 0.5\n" +
           tail();
}
std::string springs_text() {
    return head() +
           "coordinates = [\"x1\", \"y1\", \"x2\", \"y2\"]\n"
           "define.lift = \"4*w*cos(theta) - 9.8\"\n"
           "define.first = \"k - k/sqrt(x1^2 + y1^2)\"\n"
           "define.second = \"k - k/sqrt((x2-x1)^2 + (y2-y1)^2)\"\n"
           "force.x1 = \"second*(x2-x1) - first*x1\"\nforce.y1 = \"second*(y2-y1) - first*y1 + lift\"\n"
           "force.x2 = \"-second*(x2-x1)\"\nforce.y2 = \"lift - second*(y2-y1)\"\n"
           "[initial]\nx1 = 0.6\ny1 = -0.8\nx2 = 1.5\ny2 = -1.3\n" +
           tail();
}
auto pendulum_model() {
    return vibrated<1>({.frequency = omega}, [swing = 4 * omega](auto const& q, auto theta) {
        return (9.8 + swing * std::cos(theta)) * std::sin(q[0]) / 0.2;
    });
}
auto springs_model() {
    return vibrated<4>({.frequency = omega}, [](auto const& q, auto theta) {
        constexpr double k = 1e4;
        double const lift = 4 * omega * std::cos(theta) - 9.8;
        double const dx = q[2] - q[0];
        double const dy = q[3] - q[1];
        double const first = k - k / std::sqrt(q[0] * q[0] + q[1] * q[1]);
        double const second = k - k / std::sqrt(dx * dx + dy * dy);
        return std::array{second * dx - first * q[0], second * dy - first * q[1] + lift, -second * dx,
                          lift - second * dy};
    });
}

problem read(std::string const& text, ex::engine_kind engine) {
    return read_problem(text, "bench", {"method.engine=" + std::string(name(engine))});
}

/// An averaged force, called over and over.
template <class Slow, class V> std::function<void()> averaging(Slow const& slow, V const& q) {
    auto const work = std::make_shared<typename Slow::work_type>(slow.work());
    return [slow, work, q, force = q]() mutable {
        slow.acceleration(0, q, force, *work);
        sink = force[0];
    };
}

template <class Micro, class Model, std::size_t N>
void race_windows(std::string const& what, std::string const& text, Model const& model, std::array<double, N> const& q,
                  Micro const& micro, double bar_bytecode, double bar_llvm) {
    window const view{.kernel = exponential{}, .periods = 40, .steps_per_period = 80};
    std::vector<std::function<void()>> contestants{averaging(effective(model, asynchronous(view, micro)), q)};
    for (auto const engine : engines()) {
        auto const system = detail::make_vibrated<false>(read(text, engine), engine);
        contestants.push_back(averaging(effective(system, asynchronous(view, micro)), std::vector(q.begin(), q.end())));
    }
    auto const steps = effective(model, asynchronous(view, micro)).plan().after;
    say(what, "C++", 1e9 / steps, bar_bytecode, bar_llvm, race(contestants));
}

/// A direct run of some thousand steps, of this length where the stepper does not choose them.
constexpr double direct_step = 1e-5;
constexpr double direct_end = 0.05;
template <class Stepper, class System, class State>
std::function<void()> running(System system, Stepper const& stepper, State const& start) {
    return [system = std::move(system), stepper, start] {
        auto const done = solve(system, stepper, start, {.end = direct_end, .output_count = 2});
        sink = done.position.back()[0];
    };
}

template <class Stepper, class Model, std::size_t N>
void race_direct(std::string const& what, std::string const& text, Model const& model, std::array<double, N> const& q,
                 Stepper const& stepper, double bar_bytecode, double bar_llvm) {
    std::vector<std::function<void()>> contestants{running(model, stepper, motion<std::array<double, N>>{q, {}})};
    for (auto const engine : engines()) {
        auto const what = read(text, engine);
        auto const system = detail::make_motion<false, fixed<N>>(what, what.force, engine); // as `lento solve` takes it
        contestants.push_back(running(system, stepper, motion<std::array<double, N>>{q, {}}));
    }
    say(what, "C++", 1e9 * direct_step / direct_end, bar_bytecode, bar_llvm, race(contestants));
}

// ---- families ----

void race_force(std::string const& what, double per, std::vector<double> const& x, std::size_t outputs,
                std::function<void(double const*, double*)> const& by_hand,
                std::function<std::vector<ex::statement>(ex::formula_reader&)> const& formulas, double bar_bytecode,
                double bar_llvm) {
    std::vector<double> out(outputs), expected(outputs);
    std::vector<std::function<void()>> contestants{[&] { by_hand(x.data(), expected.data()); }};
    std::vector<std::shared_ptr<ex::engine>> kept;
    for (auto const kind : engines()) {
        ex::formula_reader book;
        auto const statements = formulas(book);
        auto& g = book.formulas();
        kept.push_back(ex::compile(g, ex::make_schedule(g, ex::unroll_short_loops(g, statements), outputs), kind));
        contestants.push_back([&, code = kept.back(), work = std::shared_ptr(kept.back()->work())] {
            code->evaluate({.position = x}, out, *work);
        });
    }
    auto const seconds = race(contestants);
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < outputs; ++i) {
        difference = std::max(difference, std::abs(out[i] - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
    }
    say(what, "by hand", 1e9 / per, bar_bytecode, bar_llvm, seconds);
    if (!(difference <= 1e-11 * largest)) std::printf("    the forces differ by %.1e of %.1e\n", difference, largest);
}

void chain(std::size_t n) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i));
    auto const by_hand = [n](double const* q, double* f) {
        auto const force = [](double r) { return r + r * r * r; };
        auto left = force(q[0]);
        for (std::size_t i = 0; i + 1 < n; ++i) {
            auto const right = force(q[i + 1] - q[i]);
            f[i] = right - left;
            left = right;
        }
        f[n - 1] = force(-q[n - 1]) - left;
    };
    race_force(
        "chain of " + std::to_string(n) + ", a coordinate", static_cast<double>(n), x, n, by_hand,
        [n](ex::formula_reader& book) {
            book.parameter("n", static_cast<long double>(n));
            book.coordinate("x[1..n]");
            book.define("x[0]", "0");
            book.define("x[n+1]", "0");
            auto const energy = book.scalar("sum(i, 0, n, (x[i+1]-x[i])^2/2 + (x[i+1]-x[i])^4/4)");
            return ex::gradient(book.formulas(), energy, ex::source::position, -1);
        },
        3, 1.2);
}

void sines(std::size_t n) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i) / 7;
    race_force(
        "sines of " + std::to_string(n) + ", a coordinate", static_cast<double>(n), x, n,
        [n](double const* q, double* f) {
            for (std::size_t i = 0; i < n; ++i) f[i] = -std::sin(q[i]);
        },
        [n](ex::formula_reader& book) {
            book.parameter("n", static_cast<long double>(n));
            book.coordinate("x[1..n]");
            return book.assign("x[i]", "-sin(x[i])").statements;
        },
        3, 1.2);
}

void coulomb(std::size_t n) {
    std::vector<double> x(3 * n);
    for (std::size_t i = 0; i < 3 * n; ++i) x[i] = std::sin(static_cast<double>(i * i));
    auto const by_hand = [n](double const* q, double* out) {
        std::fill(out, out + 3 * n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                auto const dx = q[i] - q[j], dy = q[n + i] - q[n + j], dz = q[2 * n + i] - q[2 * n + j];
                auto const r2 = dx * dx + dy * dy + dz * dz;
                auto const f = 1 / (r2 * std::sqrt(r2));
                out[i] += f * dx, out[j] -= f * dx, out[n + i] += f * dy, out[n + j] -= f * dy,
                    out[2 * n + i] += f * dz, out[2 * n + j] -= f * dz;
            }
    };
    race_force(
        "Coulomb, a pair of " + std::to_string(n), static_cast<double>(n * (n - 1)) / 2, x, 3 * n, by_hand,
        [n](ex::formula_reader& book) {
            book.parameter("n", static_cast<long double>(n));
            for (auto const* name : {"x[1..n]", "y[1..n]", "z[1..n]"}) book.coordinate(name);
            auto const energy =
                book.scalar("sum(i, 1, n, sum(j, i+1, n, 1/sqrt((x[i]-x[j])^2 + (y[i]-y[j])^2 + (z[i]-z[j])^2)))");
            return ex::gradient(book.formulas(), energy, ex::source::position, -1);
        },
        3, 1.3);
}

// ---- start ----

void starting(ex::engine_kind kind, double bar) {
    auto const once = [kind] {
        problem const what = read(pendulum_text(), kind);
        auto const force = what.force.compile(kind).code();
        auto const work = force->work();
        double const q = 0.5, theta = 0;
        double out = 0;
        force->evaluate({.position = std::span(&q, 1), .phase = std::span(&theta, 1)}, std::span(&out, 1), *work);
        force->step_loop({.size = 1, .phases = 1}, *work);
        sink = out;
    };
    double const first = 1e3 * bench::seconds(1, once);
    double const later = 1e3 * bench::seconds(20, once) / 20;
    std::printf("read, compile and start the pendulum with %-8s  first %6.2f ms, later %6.2f ms; bar %.0f: %s\n",
                std::string(name(kind)).c_str(), first, later, bar, first <= bar ? "met" : "NOT met");
}

} // namespace

int main() {
    starting(ex::engine_kind::bytecode, 10);
    if (ex::built_with_llvm()) starting(ex::engine_kind::llvm, 60); // first: finds and loads the library too
    if (!ex::llvm_is_there()) std::printf("LLVM is not there\n");
    std::printf("\nNanoseconds per micro step, or as said; medians of %d repetitions in turn\n\n", repetitions);
    std::array<double, 1> const q{0.5};
    std::array<double, 4> const hanging{0.6, -0.8, 1.5, -1.3};
    race_windows("pendulum, window", pendulum_text(), pendulum_model(), q, verlet{}, 3, 1.10);
    race_windows("two springs, window", springs_text(), springs_model(), hanging, verlet{}, 3, 1.10);
    race_windows("pendulum, window by rk4", pendulum_text(), pendulum_model(), q, rk4{}, 3, 1.3);
    race_windows("two springs, window by rk4", springs_text(), springs_model(), hanging, rk4{}, 3, 1.3);
    auto const race_both = [&](auto const& stepper) {
        auto const by = ", direct, " + std::string(stepper.name);
        race_direct("pendulum" + by, pendulum_text(), pendulum_model(), q, stepper, 3, 1.3);
        race_direct("two springs" + by, springs_text(), springs_model(), hanging, stepper, 3, 1.3);
    };
    race_both(composition4{.step = direct_step});
    race_both(rk4{.step = direct_step});
    race_both(cowell6{.step = direct_step});
    race_both(dormand_prince{.rtol = 1e-8, .atol = 1e-8});
    chain(1000);
    chain(1'000'000);
    sines(1000);
    coulomb(3);
    coulomb(300);
}

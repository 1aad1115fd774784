// Nanoseconds an evaluation takes, bytecode against the same formulas in C++. Run: timing
#include "lento/expression/expression.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace lento::expression;

namespace {

template <class Call> double nanoseconds(std::size_t calls, Call&& call) {
    auto best = 1e300;
    for (int round = 0; round < 7; ++round) {
        auto const begin = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < calls; ++i) call(i);
        std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / static_cast<double>(calls));
    }
    return best;
}

void report(char const* name, double native, double bytecode) {
    std::printf("%-28s native %8.2f ns   bytecode %8.2f ns   ratio %.2f\n", name, native, bytecode, bytecode / native);
}

[[gnu::noinline]] double pendulum_native(double q, double theta) {
    double const g = 9.8, l = 0.2, vmax = 4, omega = 1e6;
    return (g + vmax * omega * std::cos(theta)) * std::sin(q) / l;
}

void pendulum() {
    notebook book;
    book.parameter("g", 9.8L);
    book.parameter("l", 0.2L);
    book.parameter("vmax", 4);
    book.parameter("omega", 1e6L);
    book.coordinate("q");
    book.phases(1);
    auto const force = book.assign("q", "(g + vmax*omega*cos(theta)) * sin(q) / l");
    auto const code = compile_bytecode(book.formulas(), make_schedule(book.formulas(), force.statements, 1));
    auto const work = code->work();
    double q[1] = {0.3};
    double theta[1] = {0};
    double out[1] = {0};
    auto sum = 0.0;
    constexpr std::size_t calls = 1'000'000;
    auto const native = nanoseconds(calls, [&](std::size_t i) {
        q[0] += 1e-18 * out[0]; // as in an integrator, an evaluation waits for the one before
        theta[0] = 6e-6 * static_cast<double>(i);
        out[0] = pendulum_native(q[0], theta[0]);
        sum += out[0];
    });
    auto const compiled = nanoseconds(calls, [&](std::size_t i) {
        q[0] += 1e-18 * out[0]; // as in an integrator, an evaluation waits for the one before
        theta[0] = 6e-6 * static_cast<double>(i);
        code->evaluate({.position = q, .phase = theta}, out, *work);
        sum += out[0];
    });
    report("pendulum", native, compiled);
    if (sum == 12345) std::puts("");
}

[[gnu::noinline]] void springs_native(double const* q, double* out) {
    double const w1 = 1e4, w2 = 1e4;
    auto const r1 = std::sqrt(q[0] * q[0] + q[1] * q[1]);
    auto const dx = q[2] - q[0], dy = q[3] - q[1];
    auto const r2 = std::sqrt(dx * dx + dy * dy);
    auto const f1 = w1 * w1 * (r1 - 1) / r1;
    auto const f2 = w2 * w2 * (r2 - 1) / r2;
    out[0] = -f1 * q[0] + f2 * dx;
    out[1] = -f1 * q[1] + f2 * dy - 1;
    out[2] = -f2 * dx;
    out[3] = -f2 * dy - 1;
}

void springs() {
    notebook book;
    book.parameter("w1", 1e4L);
    book.parameter("w2", 1e4L);
    for (auto const* name : {"x1", "y1", "x2", "y2"}) book.coordinate(name);
    auto& g = book.formulas();
    auto const potential =
        book.scalar("w1^2*(sqrt(x1^2+y1^2)-1)^2/2 + w2^2*(sqrt((x2-x1)^2+(y2-y1)^2)-1)^2/2 + y1 + y2");
    auto const code = compile_bytecode(g, make_schedule(g, gradient(g, potential, source::position, -1), 4));
    auto const work = code->work();
    double q[4] = {0.1, -1.0, 0.4, -1.9};
    double out[4] = {0, 0, 0, 0};
    auto sum = 0.0;
    constexpr std::size_t calls = 1'000'000;
    auto const native = nanoseconds(calls, [&](std::size_t) {
        for (std::size_t k = 0; k < 4; ++k) q[k] += 1e-18 * out[k];
        springs_native(q, out);
        sum += out[0] + out[3];
    });
    auto const compiled = nanoseconds(calls, [&](std::size_t) {
        for (std::size_t k = 0; k < 4; ++k) q[k] += 1e-18 * out[k];
        code->evaluate({.position = q}, out, *work);
        sum += out[0] + out[3];
    });
    report("two springs", native, compiled);
    std::printf("%-28s %zu instructions\n", "", dynamic_cast<bytecode const&>(*code).instruction_count());
    if (sum == 12345) std::puts("");
}

void chain(std::size_t n, std::size_t calls) {
    auto const begin = std::chrono::steady_clock::now();
    notebook book;
    book.parameter("n", static_cast<long double>(n));
    book.coordinate("x[1..n]");
    book.define("x[0]", "0");
    book.define("x[n+1]", "0");
    auto& g = book.formulas();
    auto const potential = book.scalar("sum(i, 0, n, (x[i+1]-x[i])^2/2 + (x[i+1]-x[i])^4/4)");
    auto const code = compile_bytecode(g, make_schedule(g, gradient(g, potential, source::position, -1), n));
    std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - begin;
    auto const work = code->work();
    std::vector<double> x(n);
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<double>(i));
    auto const native = nanoseconds(calls, [&](std::size_t) {
        auto const* q = x.data();
        auto* f = out.data();
        auto const force = [](double r) { return r + r * r * r; };
        auto left = force(q[0]);
        for (std::size_t i = 0; i + 1 < n; ++i) {
            auto const right = force(q[i + 1] - q[i]);
            f[i] = right - left;
            left = right;
        }
        f[n - 1] = force(-q[n - 1]) - left;
    });
    auto const compiled = nanoseconds(calls, [&](std::size_t) { code->evaluate({.position = x}, out, *work); });
    auto const size = static_cast<double>(n);
    std::printf("chain of %zu: read and compiled in %.2f ms, %zu instructions\n", n, took.count(),
                dynamic_cast<bytecode const&>(*code).instruction_count());
    report("  a coordinate", native / size, compiled / size);
}

void coulomb(std::size_t n) {
    notebook book;
    book.parameter("n", static_cast<long double>(n));
    for (auto const* name : {"x[1..n]", "y[1..n]", "z[1..n]"}) book.coordinate(name);
    auto& g = book.formulas();
    auto const potential =
        book.scalar("sum(i, 1, n, sum(j, i+1, n, 1/sqrt((x[i]-x[j])^2 + (y[i]-y[j])^2 + (z[i]-z[j])^2)))");
    auto const code = compile_bytecode(
        g, make_schedule(g, unroll_short_loops(g, gradient(g, potential, source::position, -1)), 3 * n));
    auto const work = code->work();
    std::vector<double> x(3 * n);
    std::vector<double> out(3 * n);
    for (std::size_t i = 0; i < 3 * n; ++i) x[i] = std::sin(static_cast<double>(i * i));
    auto const native = nanoseconds(2'000'000 / n / n + 1, [&](std::size_t) {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                auto const dx = x[i] - x[j], dy = x[n + i] - x[n + j], dz = x[2 * n + i] - x[2 * n + j];
                auto const r2 = dx * dx + dy * dy + dz * dz;
                auto const f = 1 / (r2 * std::sqrt(r2));
                out[i] += f * dx, out[j] -= f * dx, out[n + i] += f * dy, out[n + j] -= f * dy,
                    out[2 * n + i] += f * dz, out[2 * n + j] -= f * dz;
            }
    });
    auto const compiled =
        nanoseconds(2'000'000 / n / n + 1, [&](std::size_t) { code->evaluate({.position = x}, out, *work); });
    auto const pairs = static_cast<double>(n * (n - 1) / 2);
    report(("Coulomb, a pair of " + std::to_string(n)).c_str(), native / pairs, compiled / pairs);
}

} // namespace

int main() {
    pendulum();
    springs();
    chain(1000, 1000);
    chain(1'000'000, 3);
    coulomb(3);
    coulomb(300);
}

/// Nanoseconds per right-hand side of direct runs beside loops written by hand, and per row between steps: the vibrated
/// pendulum of paper 001 at omega = 1e4 over one second. All contestants take turns.
#include "timing.hpp"

#include <lento/lento.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr double omega = 1e4;
constexpr double end = 1;
constexpr double tolerance = 1e-6;
constexpr double verlet_step = 1e-5;
constexpr int repetitions = 15;

double acceleration(double angle, double theta) { return (9.8 + 4 * omega * std::cos(theta)) * std::sin(angle) / 0.2; }
auto pendulum() {
    return lento::vibrated<1>({.frequency = omega},
                              [](auto const& q, auto theta) { return acceleration(q[0], theta); });
}

// ---- by hand ----

using pair = std::array<double, 2>;
constexpr auto const& table = lento::dormand_prince_method::coefficients<double>;

/// Dormand and Prince's pair with the standard control; returns how many right-hand sides it took.
std::uint64_t dormand_prince_by_hand() {
    auto const rate = [](double t, pair const& x) { return pair{x[1], acceleration(x[0], omega * t)}; };
    double t = 0;
    double h = 1e-5;
    pair x{0.5, 0};
    std::array<pair, 7> k{rate(t, x)};
    std::uint64_t count = 1;
    while (t < end) {
        h = std::min(h, end - t);
        pair y{};
        for (std::size_t i = 1; i < 7; ++i) {
            y = x;
            for (std::size_t j = 0; j < i; ++j)
                for (std::size_t c = 0; c < 2; ++c) y[c] += h * table.a[i][j] * k[j][c];
            k[i] = rate(t + table.c(i) * h, y);
        }
        count += 6;
        double error = 0;
        for (std::size_t c = 0; c < 2; ++c) {
            double sum = 0;
            for (std::size_t j = 0; j < 7; ++j) sum += h * table.error[j] * k[j][c];
            double const size = std::max(std::abs(x[c]), std::abs(y[c]));
            error = std::max(error, std::abs(sum) / (tolerance + tolerance * size));
        }
        if (error <= 1) {
            t += h;
            x = y;
            k[0] = k[6];
        }
        h *= std::clamp(0.9 * std::pow(error, -0.2), 0.2, error <= 1 ? 5. : 1.);
    }
    return x[0] == 0 ? 0 : count;
}
std::uint64_t verlet_by_hand() {
    double x = 0.5, v = 0, a = acceleration(x, 0);
    auto const steps = static_cast<std::uint64_t>(std::lround(end / verlet_step));
    for (std::uint64_t k = 1; k <= steps; ++k) {
        v += verlet_step / 2 * a;
        x += verlet_step * v;
        a = acceleration(x, omega * (verlet_step * static_cast<double>(k)));
        v += verlet_step / 2 * a;
    }
    return x == 0 ? 0 : steps;
}

// ---- Lento ----

template <class Stepper> std::uint64_t by_lento(Stepper const& stepper, std::size_t rows) {
    auto const run = lento::solve(pendulum(), stepper, {.position = {0.5}}, {.end = end, .output_count = rows});
    return run.statistics.force_evaluations;
}

struct contestant {
    std::string name;
    std::function<std::uint64_t()> solve;
    std::vector<double> nanoseconds{}; ///< per right-hand side
    std::uint64_t count = 0;
};

} // namespace

int main() {
    lento::dormand_prince const fifth{.rtol = tolerance, .atol = tolerance};
    lento::rkn8 const eighth{.step = 1e-4};
    lento::verlet const verlet{.step = verlet_step};
    constexpr std::size_t many = 100'001;
    std::vector<contestant> all{
        {"Dormand-Prince by hand", dormand_prince_by_hand},
        {"Dormand-Prince, direct", [&] { return by_lento(fifth, 1); }},
        {"Verlet by hand", verlet_by_hand},
        {"Verlet, direct", [&] { return by_lento(verlet, 1); }},
        {"rkn8, direct", [&] { return by_lento(eighth, 1); }},
        {"rkn12, direct", [&] { return by_lento(lento::rkn12{.rtol = tolerance, .atol = tolerance}, 1); }},
        {"Dormand-Prince, 100,001 rows", [&] { return by_lento(fifth, many); }},
        {"rkn8, 100,001 rows", [&] { return by_lento(eighth, many); }},
        {"Verlet, 100,001 rows", [&] { return by_lento(verlet, many); }},
    };
    for (int k = 0; k < repetitions; ++k)
        for (auto& each : all) {
            double const taken = bench::seconds(1, [&each] { each.count = each.solve(); });
            each.nanoseconds.push_back(1e9 * taken / static_cast<double>(each.count));
        }
    std::printf("%-30s %12s %10s\n", "", "evaluations", "ns each");
    for (auto const& each : all)
        std::printf("%-30s %12llu %10.1f\n", each.name.c_str(), static_cast<unsigned long long>(each.count),
                    bench::median(each.nanoseconds));
    auto const total = [&all](std::size_t i) {
        return bench::median(all[i].nanoseconds) * static_cast<double>(all[i].count);
    };
    std::printf("\nof a loop by hand: Dormand-Prince %.2f, Verlet %.2f\n",
                bench::median(all[1].nanoseconds) / bench::median(all[0].nanoseconds),
                bench::median(all[3].nanoseconds) / bench::median(all[2].nanoseconds));
    std::printf("ns per row, evaluations made for it included: Dormand-Prince %.0f, rkn8 %.0f, Verlet %.0f\n",
                (total(6) - total(1)) / many, (total(7) - total(4)) / many, (total(8) - total(3)) / many);
}

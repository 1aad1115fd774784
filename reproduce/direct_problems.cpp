#include "reproduce/direct_problems.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace lento::reproduce {
namespace {

using row = std::vector<double>;
using std::cos;
using std::exp;
using std::sin;
constexpr double pi = std::numbers::pi;
constexpr bool used = false;
constexpr bool kept = true;

/// [system] of second order with a force for each coordinate, and [initial].
std::string motion(std::vector<std::pair<std::string, std::string>> const& forces, std::string const& start) {
    std::string names;
    std::string all;
    for (auto const& [name, force] : forces) {
        names += (names.empty() ? "\"" : ", \"") + name + "\"";
        all += "force." + name + " = \"" + force + "\"\n";
    }
    return "[system]\nkind = \"plain\"\ncoordinates = [" + names + "]\n" + all + "[initial]\n" + start + "\n";
}
/// The same of first order.
std::string flow(std::vector<std::pair<std::string, std::string>> const& rates, std::string const& start) {
    std::string names;
    std::string all;
    for (auto const& [name, rate] : rates) {
        names += (names.empty() ? "\"" : ", \"") + name + "\"";
        all += "rate." + name + " = \"" + rate + "\"\n";
    }
    return "[system]\nkind = \"plain\"\nvariables = [" + names + "]\n" + all + "[initial]\n" + start + "\n";
}

std::string orbit(double eccentricity) {
    return motion({{"x", "-x/(x^2+y^2)^1.5"}, {"y", "-y/(x^2+y^2)^1.5"}},
                  "x = " + std::to_string(1 - eccentricity) + "\ny = 0\n\"y'\" = \"sqrt((1+" +
                      std::to_string(eccentricity) + ")/(1-" + std::to_string(eccentricity) + "))\"");
}
/// Kepler's equation by Newton's method, in long double since the phase of many orbits is large.
std::function<row(double)> kepler(double eccentricity) {
    return [eccentricity](double t) {
        long double const e = eccentricity;
        long double anomaly = t;
        for (int k = 0; k < 50; ++k) anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1 - e * std::cos(anomaly));
        return row{static_cast<double>(std::cos(anomaly) - e),
                   static_cast<double>(std::sqrt(1 - e * e) * std::sin(anomaly))};
    };
}

/// n masses between walls, of which the lowest and one higher mode are excited.
direct_problem chain(std::string name, bool back, int n, int mode, double end) {
    std::string const count = std::to_string(n);
    std::string system = "[parameters]\nn = " + count +
                         "\n[system]\nkind = \"plain\"\ncoordinates = [\"x[1..n]\"]\ndefine.\"x[0]\" = \"0\"\n"
                         "define.\"x[n+1]\" = \"0\"\nforce.\"x[i]\" = \"x[i+1] - 2*x[i] + x[i-1]\"\n"
                         "[initial]\n\"x[i]\" = \"sin(pi*i/(n+1)) + 0.5*sin(" +
                         std::to_string(mode) + "*pi*i/(n+1))\"\n";
    auto exact = [n, mode](double t) {
        row made;
        double const low = 2 * sin(pi / (2 * (n + 1)));
        double const high = 2 * sin(mode * pi / (2 * (n + 1)));
        for (int i = 1; i <= n; ++i)
            made.push_back(sin(pi * i / (n + 1)) * cos(low * t) + 0.5 * sin(mode * pi * i / (n + 1)) * cos(high * t));
        return made;
    };
    return {std::move(name), "linear", back, end, std::move(system), exact};
}

std::vector<direct_problem> of_second_order() {
    return {
        {"oscillator", "linear", used, 100, motion({{"x", "-x"}}, "x = 1"), [](double t) { return row{cos(t)}; }},
        {"oscillator, 1000 turns", "long", used, 6283, motion({{"x", "-x"}}, "x = 1"),
         [](double t) { return row{cos(t)}; }},
        {"damped oscillator", "damped", kept, 30, motion({{"x", "-1.01*x - 0.2*x'"}}, "x = 1\n\"x'\" = -0.1"),
         [](double t) { return row{exp(-0.1 * t) * cos(t)}; }},
        {"forced oscillator", "forced", used, 40, motion({{"x", "-4*x + 5*cos(3*t)"}}, "x = 0"),
         [](double t) { return row{cos(2 * t) - cos(3 * t)}; }},
        {"resonance", "forced", kept, 50, motion({{"x", "-x + cos(t)"}}, "x = 0"),
         [](double t) { return row{0.5 * t * sin(t)}; }},
        {"two forces", "forced", used, 60, motion({{"x", "-x + 3*cos(2*t) + 7*cos(sqrt(8)*t)"}}, "x = -1"),
         [](double t) { return row{cos(t) - cos(2 * t) - cos(std::sqrt(8.) * t)}; }},
        {"fast force", "forced", kept, 30, motion({{"x", "-x + 999.9*cos(100*t)"}}, "x = 0.9"),
         [](double t) { return row{cos(t) - 0.1 * cos(100 * t)}; }},
        {"orbit, e = 0.3", "conservative", used, 126, orbit(0.3), kepler(0.3)},
        {"orbit, e = 0.6", "conservative", kept, 63, orbit(0.6), kepler(0.6)},
        {"circular orbit, 200 turns", "long", used, 1257, orbit(0), kepler(0)},
        {"orbit, e = 0.1, 500 turns", "long", kept, 3142, orbit(0.1), kepler(0.1)},
        {"coupled oscillators", "conservative", kept, 200,
         motion({{"x", "-x - 0.1*(x - y)"}, {"y", "-y - 0.1*(y - x)"}}, "x = 1\ny = 0"),
         [](double t) {
             double const a = cos(t);
             double const b = cos(std::sqrt(1.2) * t);
             return row{0.5 * (a + b), 0.5 * (a - b)};
         }},
        {"gyration", "conservative", used, 100, motion({{"x", "3*y'"}, {"y", "-3*x'"}}, "x = 0\ny = 0\n\"x'\" = 3"),
         [](double t) { return row{sin(3 * t), cos(3 * t) - 1}; }},
        {"drift in crossed fields", "conservative", kept, 60,
         motion({{"x", "2*y'"}, {"y", "-2*x' + 1"}}, "x = 0\ny = 0"),
         [](double t) { return row{0.5 * t - 0.25 * sin(2 * t), 0.25 - 0.25 * cos(2 * t)}; }},
        {"fall with drag", "damped", used, 10, motion({{"x", "-1 - 0.5*x'"}}, "x = 0\n\"x'\" = 5"),
         [](double t) { return row{14 * (1 - exp(-0.5 * t)) - 2 * t}; }},
        {"fall with quadratic drag", "damped", kept, 10, motion({{"x", "1 - x'^2"}}, "x = 0"),
         [](double t) { return row{std::log(std::cosh(t))}; }},
        {"Cauchy-Euler", "damped", kept, 200, motion({{"x", "-x'/(t+1) - x/(t+1)^2"}}, "x = 1"),
         [](double t) { return row{cos(std::log(t + 1))}; }},
        {"slow and fast", "long", kept, 300,
         motion({{"x", "-x"}, {"y", "-400*y + 0.399*x"}}, "x = 1\ny = \"0.001 + 0.01\""),
         [](double t) { return row{cos(t), 0.001 * cos(t) + 0.01 * cos(20 * t)}; }},
        {"stiff and damped", "stiff", used, 10,
         motion({{"x", "-sin(t) - 1e6*(x - sin(t)) - 2e3*(x' - cos(t))"}}, "x = 0\n\"x'\" = 1"),
         [](double t) { return row{sin(t)}; }},
        chain("chain of 10", used, 10, 7, 60),
        chain("chain of 30", kept, 30, 23, 100),
        {"mathieu", "linear", used, 40, motion({{"x", "-(1 + 0.5*cos(2.3*t))*x"}}, "x = 1")},
        {"airy", "linear", kept, 20, motion({{"x", "-t*x"}}, "x = 1")},
        {"van der Pol", "damped", kept, 20, motion({{"x", "(1-x^2)*x' - x"}}, "x = 2")},
        {"van der Pol, mu = 5", "damped", used, 30, motion({{"x", "5*(1-x^2)*x' - x"}}, "x = 2")},
        {"van der Pol, mu = 100", "stiff", kept, 150, motion({{"x", "100*(1-x^2)*x' - x"}}, "x = 2")},
        {"Henon-Heiles, chaotic", "chaotic", used, 100,
         motion({{"x", "-x - 2*x*y"}, {"y", "-y - x^2 + y^2"}}, "x = 0\ny = 0.1\n\"x'\" = 0.56")},
        {"Henon-Heiles, regular", "conservative", kept, 200,
         motion({{"x", "-x - 2*x*y"}, {"y", "-y - x^2 + y^2"}}, "x = 0\ny = 0.1\n\"x'\" = 0.3")},
        {"oblate planet", "conservative", used, 200,
         "[system]\nkind = \"plain\"\ncoordinates = [\"x\", \"y\", \"z\"]\n"
         "define.r = \"sqrt(x^2+y^2+z^2)\"\ndefine.j = \"0.0015/r^2\"\ndefine.s = \"5*z^2/r^2\"\n"
         "force.x = \"-x/r^3*(1 + j*(1-s))\"\nforce.y = \"-y/r^3*(1 + j*(1-s))\"\n"
         "force.z = \"-z/r^3*(1 + j*(3-s))\"\n[initial]\nx = 1\ny = 0\nz = 0\n\"y'\" = 0.8\n\"z'\" = 0.7\n"},
        {"figure eight", "conservative", kept, 12,
         "[system]\nkind = \"plain\"\ncoordinates = [\"x[1..3]\", \"y[1..3]\"]\n"
         "potential = \"-sum(i, 1, 2, sum(j, i+1, 3, 1/sqrt((x[i]-x[j])^2 + (y[i]-y[j])^2)))\"\n[initial]\n"
         "\"x[1]\" = 0.97000436\n\"y[1]\" = -0.24308753\n\"x[2]\" = -0.97000436\n\"y[2]\" = 0.24308753\n"
         "\"x[3]\" = 0\n\"y[3]\" = 0\n\"x[1]'\" = 0.466203685\n\"y[1]'\" = 0.43236573\n\"x[2]'\" = 0.466203685\n"
         "\"y[2]'\" = 0.43236573\n\"x[3]'\" = -0.93240737\n\"y[3]'\" = -0.86473146\n"},
        {"Arenstorf", "chaotic", used, 16,
         "[parameters]\nm = 0.012277471\nn = \"1 - m\"\n[system]\nkind = \"plain\"\ncoordinates = [\"x\", \"y\"]\n"
         "define.a = \"((x+m)^2 + y^2)^1.5\"\ndefine.b = \"((x-n)^2 + y^2)^1.5\"\n"
         "force.x = \"x + 2*y' - n*(x+m)/a - m*(x-n)/b\"\nforce.y = \"y - 2*x' - n*y/a - m*y/b\"\n"
         "[initial]\nx = 0.994\ny = 0\n\"y'\" = -2.00158510637908\n"},
        {"magnetic gradient", "conservative", kept, 100,
         motion({{"x", "(1+0.2*x)*y'"}, {"y", "-(1+0.2*x)*x'"}}, "x = 0\ny = 0\n\"x'\" = 1")},
        {"driven pendulum", "chaotic", kept, 60, motion({{"x", "-0.5*x' - sin(x) + 1.15*cos(2*t/3)"}}, "x = 0.2")},
        {"pendulum", "conservative", used, 50, motion({{"x", "-sin(x)"}}, "x = 3")},
        {"Duffing", "conservative", kept, 50, motion({{"x", "-x - x^3"}}, "x = 2")},
    };
}

std::vector<direct_problem> of_first_order() {
    return {
        {"decay", "first order", used, 10, flow({{"x", "-x"}}, "x = 1"), [](double t) { return row{exp(-t)}; }},
        {"growth", "first order", kept, 5, flow({{"x", "x"}}, "x = 1"), [](double t) { return row{exp(t)}; }},
        {"logistic", "first order", used, 10, flow({{"x", "x*(1-x)"}}, "x = 0.01"),
         [](double t) { return row{1 / (1 + 99 * exp(-t))}; }},
        {"bell", "first order", kept, 10, flow({{"x", "-2*t*x^2"}}, "x = 1"),
         [](double t) { return row{1 / (1 + t * t)}; }},
        {"tangent", "first order", used, 1.5, flow({{"x", "1 + x^2"}}, "x = 0"),
         [](double t) { return row{std::tan(t)}; }},
        {"swelling", "first order", kept, 40, flow({{"x", "x*cos(t)"}}, "x = 1"),
         [](double t) { return row{exp(sin(t))}; }},
        {"spiral", "first order", used, 30, flow({{"x", "-0.1*x + 2*y"}, {"y", "-2*x - 0.1*y"}}, "x = 1\ny = 0"),
         [](double t) { return row{exp(-0.1 * t) * cos(2 * t), -exp(-0.1 * t) * sin(2 * t)}; }},
        {"Prothero-Robinson", "stiff", used, 10, flow({{"x", "-1e4*(x - cos(t)) - sin(t)"}}, "x = 1"),
         [](double t) { return row{cos(t)}; }},
        {"stiff linear", "stiff", kept, 10, flow({{"x", "998*x + 1998*y"}, {"y", "-999*x - 1999*y"}}, "x = 1\ny = 0"),
         [](double t) { return row{2 * exp(-t) - exp(-1000 * t), -exp(-t) + exp(-1000 * t)}; }},
        {"fast kinetics", "stiff", kept, 5, flow({{"x", "-1000*(x - y^2)"}, {"y", "-y"}}, "x = 0\ny = 1"),
         [](double t) { return row{1000. / 998 * (exp(-2 * t) - exp(-1000 * t)), exp(-t)}; }},
        {"Robertson", "stiff", used, 40,
         flow({{"x", "-0.04*x + 1e4*y*z"}, {"y", "0.04*x - 1e4*y*z - 3e7*y^2"}, {"z", "3e7*y^2"}},
              "x = 1\ny = 0\nz = 0")},
        {"Lorenz", "chaotic", used, 15,
         flow({{"x", "10*(y-x)"}, {"y", "x*(28-z) - y"}, {"z", "x*y - 8*z/3"}}, "x = 1\ny = 1\nz = 1")},
        {"Roessler", "chaotic", kept, 60,
         flow({{"x", "-y - z"}, {"y", "x + 0.2*y"}, {"z", "0.2 + z*(x - 5.7)"}}, "x = 1\ny = 1\nz = 0")},
        {"Lotka-Volterra", "first order", used, 30, flow({{"x", "x*(1.5-y)"}, {"y", "y*(x-3)"}}, "x = 5\ny = 1")},
        {"Brusselator", "first order", kept, 20,
         flow({{"x", "1 + x^2*y - 4*x"}, {"y", "3*x - x^2*y"}}, "x = 1.5\ny = 3")},
        {"rigid body", "first order", used, 60,
         flow({{"x", "y*z"}, {"y", "-x*z"}, {"z", "-0.51*x*y"}}, "x = 0\ny = 1\nz = 1")},
    };
}

} // namespace

std::vector<row> direct_problem::truth() const {
    std::vector<row> made;
    if (!exact) {
        for (auto const& each : direct_references())
            if (each.name == name) return each.rows;
        throw std::logic_error("there is no reference for " + name);
    }
    for (int k = 1; k <= rows; ++k) made.push_back(exact(end * k / rows));
    return made;
}

std::vector<direct_problem> direct_problems() {
    auto all = of_second_order();
    for (auto& each : of_first_order()) all.push_back(std::move(each));
    return all;
}

} // namespace lento::reproduce

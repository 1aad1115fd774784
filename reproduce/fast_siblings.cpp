// Siblings of problems that automatic runs once got wrong without a word, two of every cause. They are here to judge:
// no constant was set, and no fault was mended, by looking at them first.

#include "reproduce/fast_problems.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace lento::reproduce {
namespace {

using number = fast_problem::number;
using state = fast_problem::state;

std::string vibrated(double omega, std::string const& rest) {
    return parameter("omega", omega) + "[system]\nkind = \"vibrated\"\n" + rest;
}
std::string stiff(double omega, std::string const& rest) {
    return parameter("omega", omega) + "[system]\nkind = \"stiff\"\n" + rest;
}
std::string split(double epsilon, std::string const& rest) {
    return parameter("epsilon", epsilon) + "[system]\nkind = \"split\"\nepsilon = \"epsilon\"\n" + rest;
}

// ---- harmonics that a fixed number of points does not see ----

fast_problem fifteenth(double omega) {
    return {"drive with a fifteenth harmonic",
            "vibrated",
            omega / 2,
            4,
            vibrated(omega, "coordinates = [\"q\"]\nfrequency = \"omega\"\n"
                            "force.q = \"-4*sin(q) + omega*(2*cos(theta) + 9*cos(15*theta))*cos(q)\"\n"
                            "[initial]\nq = 0.6\n"),
            1 / (15 * omega),
            {0.6L, 0},
            motion(1, [w = number(omega)](number t, number const* q, number const*, number* out) {
                out[0] = -4 * std::sin(q[0]) + w * (2 * std::cos(w * t) + 9 * std::cos(15 * w * t)) * std::cos(q[0]);
            })};
}
fast_problem pulsed(double omega) {
    return {"pulses once per period",
            "vibrated",
            omega / 2,
            4,
            vibrated(omega, "coordinates = [\"q\"]\nfrequency = \"omega\"\n"
                            "force.q = \"-3*q + 0.1*omega*sin(theta)*exp(3*cos(theta))*cos(q)\"\n"
                            "[initial]\nq = 0.5\n\"q'\" = 0.4\n"),
            0.2 / omega,
            {0.5L, 0.4L},
            motion(1, [w = number(omega)](number t, number const* q, number const*, number* out) {
                out[0] = -3 * q[0] + 0.1L * w * std::sin(w * t) * std::exp(3 * std::cos(w * t)) * std::cos(q[0]);
            })};
}
fast_problem dithered(double omega) {
    return {"dither under dry friction",
            "vibrated",
            omega / 2,
            5,
            vibrated(omega, "coordinates = [\"x\"]\nfrequency = \"omega\"\n"
                            "force.x = \"-2*x - tanh(4*x') + 2*omega*cos(theta)\"\n[initial]\nx = 1\n"),
            0.3 / omega,
            {1, 0},
            motion(1, [w = number(omega)](number t, number const* q, number const* v, number* out) {
                out[0] = -2 * q[0] - std::tanh(4 * v[0]) + 2 * w * std::cos(w * t);
            })};
}

// ---- without symmetry in time, or with a slow time ----

fast_problem turning_drive(double omega) {
    return {"drive that turns in the plane",
            "vibrated",
            omega / 2,
            4,
            vibrated(omega,
                     "coordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\nphase = 0.7\n"
                     "force.x = \"-x - 0.2*x^3 + 2*omega*cos(theta)*y\"\n"
                     "force.y = \"-2*y + 1.5*omega*sin(theta)*x\"\n[initial]\nx = 0.6\ny = -0.3\n\"y'\" = 0.5\n"),
            1 / omega,
            {0.6L, -0.3L, 0, 0.5L},
            motion(2, [w = number(omega)](number t, number const* q, number const*, number* out) {
                number const theta = w * t + 0.7L;
                out[0] = -q[0] - 0.2L * q[0] * q[0] * q[0] + 2 * w * std::cos(theta) * q[1];
                out[1] = -2 * q[1] + 1.5L * w * std::sin(theta) * q[0];
            })};
}
fast_problem fading(double omega) {
    return {"drive that fades, let go in motion",
            "vibrated",
            omega / 2,
            5,
            vibrated(omega, "coordinates = [\"q\"]\nfrequency = \"omega\"\nphase = 1.1\n"
                            "force.q = \"(1 - 0.2*t)*sin(q) + 4*exp(-t/4)*omega*cos(theta)*sin(q)\"\n"
                            "[initial]\nq = 0.7\n\"q'\" = -1\n"),
            1 / omega,
            {0.7L, -1},
            motion(1, [w = number(omega)](number t, number const* q, number const*, number* out) {
                out[0] = (1 - 0.2L * t + 4 * std::exp(-t / 4) * w * std::cos(w * t + 1.1L)) * std::sin(q[0]);
            })};
}
fast_problem close_phases(double omega) {
    return {"two drives a third apart",
            "vibrated",
            omega / 3,
            4,
            vibrated(omega, "coordinates = [\"q\"]\nfrequencies = [\"omega\", \"1.3371*omega\"]\n"
                            "force.q = \"-2*q + omega*(2*cos(theta1) + 2*cos(theta2))*sin(q + 0.5)\"\n"
                            "[initial]\nq = 0.2\n\"q'\" = 0.5\n"),
            1 / (1.3371 * omega),
            {0.2L, 0.5L},
            motion(1, [w = number(omega)](number t, number const* q, number const*, number* out) {
                out[0] = -2 * q[0] +
                         w * (2 * std::cos(w * t) + 2 * std::cos(number(1.3371) * w * t)) * std::sin(q[0] + 0.5L);
            })};
}
/// In the plane of a sphere's points with the normal force that keeps them there.
fast_problem on_a_sphere(double omega) {
    return {"bead on a vibrated sphere",
            "vibrated",
            omega / 4,
            3,
            vibrated(omega, "coordinates = [\"x\", \"y\", \"z\"]\nfrequency = \"omega\"\n"
                            "force.x = \"omega*2*sin(theta)\"\nforce.z = \"-(4 + 5*omega*cos(theta))\"\n"
                            "constraints = [\"x^2 + y^2 + z^2 - 1\"]\n"
                            "[initial]\nx = 0.6\ny = 0\nz = 0.8\n\"y'\" = 0.7\n"),
            1 / omega,
            {0.6L, 0, 0.8L, 0, 0.7L, 0},
            motion(3, [w = number(omega)](number t, number const* q, number const* v, number* out) {
                number const f[3] = {2 * w * std::sin(w * t), 0, -(4 + 5 * w * std::cos(w * t))};
                number along = 0;
                number size = 0;
                for (int i = 0; i < 3; ++i) {
                    along += f[i] * q[i] + v[i] * v[i];
                    size += q[i] * q[i];
                }
                for (int i = 0; i < 3; ++i) out[i] = f[i] - along / size * q[i];
            })};
}

// ---- springs: fast motion that is dropped, no slow one at all, softening ----

fast_problem all_hard(double omega) {
    return {"coupled oscillators, all of them hard",
            "stiff",
            omega,
            4,
            stiff(omega, "coordinates = [\"x\", \"y\"]\npotential = \"0.7*x*y + 0.2*x^2\"\n"
                         "stiff = [{ g = \"x\", omega = \"omega\" }, { g = \"y\", omega = \"1.4*omega\" }]\n"
                         "[initial]\nx = \"1/omega\"\ny = \"0.5/omega\"\n"),
            1 / (1.4 * omega),
            {1 / number(omega), 0.5L / number(omega), 0, 0},
            motion(2, [w = number(omega)](number, number const* q, number const*, number* out) {
                out[0] = -0.7L * q[1] - 0.4L * q[0] - w * w * q[0];
                out[1] = -0.7L * q[0] - 1.96L * w * w * q[1];
            })};
}
fast_problem stretched(double omega) {
    return {"pendulum on a hard spring, stretched by two per cent",
            "stiff",
            omega / 2,
            3,
            stiff(omega, "coordinates = [\"x\", \"y\"]\nforce.y = \"-4\"\n"
                         "stiff = [{ g = \"sqrt(x^2 + y^2) - 1\", omega = \"omega\" }]\n[initial]\nx = 1.02\ny = 0\n"),
            1 / omega,
            {1.02L, 0, 0, 0},
            motion(2, [w = number(omega)](number, number const* q, number const*, number* out) {
                number const r = std::sqrt(q[0] * q[0] + q[1] * q[1]);
                number const pull = w * w * (r - 1) / r;
                out[0] = -pull * q[0];
                out[1] = -4 - pull * q[1];
            })};
}
fast_problem widening(double omega) {
    return {"channel that widens",
            "stiff",
            omega,
            5,
            stiff(omega, "coordinates = [\"x\", \"y\"]\nforce.x = \"-x\"\nforce.y = \"0.8\"\n"
                         "stiff = [{ g = \"y/(1 + 0.4*x^2)\", omega = \"omega\" }]\n"
                         "[initial]\nx = 1\ny = 0\n\"y'\" = 0.1\n"),
            1 / omega,
            {1, 0, 0, 0.1L},
            motion(2, [w = number(omega)](number, number const* q, number const*, number* out) {
                number const wide = 1 + 0.4L * q[0] * q[0];
                number const g = q[1] / wide;
                out[0] = -q[0] + w * w * g * q[1] * 0.8L * q[0] / (wide * wide);
                out[1] = 0.8L - w * w * g / wide;
            })};
}

// ---- split: combinations, harmonics, periods that do not stay ----

fast_problem nearly_doubled(double epsilon) {
    return {"frequencies 1 and 2.01",
            "split",
            1 / epsilon,
            6,
            split(epsilon,
                  "variables = [\"x\", \"v\", \"y\", \"w\"]\n"
                  "fast.x = \"v\"\nfast.v = \"-x\"\nfast.y = \"2.01*w\"\nfast.w = \"-2.01*y\"\n"
                  "slow.v = \"-0.8*x*y\"\nslow.w = \"-0.4*x^2\"\n[initial]\nx = 1\nv = 0\ny = 0.3\nw = -0.4\n"),
            epsilon / 2.01,
            {1, 0, 0.3L, -0.4L},
            [e = number(epsilon)](number, state const& x, state& rate) {
                rate[0] = x[1] / e;
                rate[1] = -x[0] / e - 0.8L * x[0] * x[2];
                rate[2] = number(2.01) * x[3] / e;
                rate[3] = -number(2.01) * x[2] / e - 0.4L * x[0] * x[0];
            }};
}
fast_problem three_octaves(double epsilon) {
    return {"two oscillators three octaves apart",
            "split",
            1 / epsilon,
            4,
            split(epsilon, "variables = [\"x\", \"v\", \"y\", \"w\"]\nperiod = \"2*pi\"\n"
                           "fast.x = \"v\"\nfast.v = \"-x\"\nfast.y = \"8*w\"\nfast.w = \"-8*y\"\n"
                           "slow.v = \"-0.6*x*y^2 - 0.1*v\"\nslow.w = \"-0.6*x^2*y + 0.5*x^8\"\n"
                           "[initial]\nx = 1\nv = 0.2\ny = 0.5\nw = 0\n"),
            epsilon / 8,
            {1, 0.2L, 0.5L, 0},
            [e = number(epsilon)](number, state const& x, state& rate) {
                rate[0] = x[1] / e;
                rate[1] = -x[0] / e - 0.6L * x[0] * x[2] * x[2] - 0.1L * x[1];
                rate[2] = 8 * x[3] / e;
                rate[3] = -8 * x[2] / e - 0.6L * x[0] * x[0] * x[2] + 0.5L * std::pow(x[0], 8);
            }};
}
fast_problem rubbing(double epsilon) {
    return {"oscillator with dry friction",
            "split",
            1 / epsilon,
            3,
            split(epsilon, "variables = [\"x\", \"v\"]\nperiod = \"2*pi\"\nfast.x = \"v\"\nfast.v = \"-x\"\n"
                           "slow.v = \"-0.3*tanh(6*v) - 0.2*x^3\"\n[initial]\nx = 1\nv = 0.5\n"),
            epsilon / 3,
            {1, 0.5L},
            [e = number(epsilon)](number, state const& x, state& rate) {
                rate[0] = x[1] / e;
                rate[1] = -x[0] / e - 0.3L * std::tanh(6 * x[1]) - 0.2L * x[0] * x[0] * x[0];
            }};
}
fast_problem rayleigh(double epsilon) {
    return {"Rayleigh's oscillator, its period not given",
            "split",
            1 / epsilon,
            4,
            split(epsilon, "variables = [\"x\", \"v\"]\nfast.x = \"v\"\nfast.v = \"-x\"\n"
                           "slow.v = \"v - v^3/3 + 0.4*x^2\"\n[initial]\nx = 0.4\nv = 0.1\n"),
            epsilon,
            {0.4L, 0.1L},
            [e = number(epsilon)](number, state const& x, state& rate) {
                rate[0] = x[1] / e;
                rate[1] = -x[0] / e + x[1] - x[1] * x[1] * x[1] / 3 + 0.4L * x[0] * x[0];
            }};
}
fast_problem dragged_orbit(double epsilon) {
    return {"Kepler orbit with drag",
            "split",
            1 / epsilon,
            1.5,
            split(epsilon, "variables = [\"x\", \"y\", \"u\", \"w\"]\nperiod = \"2*pi\"\n"
                           "fast.x = \"u\"\nfast.y = \"w\"\nfast.u = \"-x/(x^2+y^2)^1.5\"\n"
                           "fast.w = \"-y/(x^2+y^2)^1.5\"\nslow.u = \"-0.1*u\"\nslow.w = \"-0.1*w\"\n"
                           "[initial]\nx = 0.8\ny = 0\nu = 0\nw = \"sqrt(1.5)\"\n"),
            0.5 * epsilon,
            {0.8L, 0, 0, std::sqrt(1.5L)},
            [e = number(epsilon)](number, state const& x, state& rate) {
                number const r2 = x[0] * x[0] + x[1] * x[1];
                number const r3 = r2 * std::sqrt(r2);
                rate[0] = x[2] / e;
                rate[1] = x[3] / e;
                rate[2] = -x[0] / r3 / e - 0.1L * x[2];
                rate[3] = -x[1] / r3 / e - 0.1L * x[3];
            }};
}
fast_problem hard_duffing(double epsilon) {
    return {"hard spring as a fast flow",
            "split",
            1 / epsilon,
            2,
            split(epsilon, "variables = [\"x\", \"v\"]\nperiod = 4.768\nfast.x = \"v\"\nfast.v = \"-x - x^3\"\n"
                           "slow.v = \"-0.15*v + 0.1*x\"\n[initial]\nx = 1\nv = 0\n"),
            epsilon / 2,
            {1, 0},
            [e = number(epsilon)](number, state const& x, state& rate) {
                rate[0] = x[1] / e;
                rate[1] = (-x[0] - x[0] * x[0] * x[0]) / e - 0.15L * x[1] + 0.1L * x[0];
            }};
}

} // namespace

std::vector<fast_problem> fast_siblings() {
    std::vector<fast_problem> all;
    for (double const omega : {50., 250., 1000., 8000.})
        for (auto const make : {fifteenth, pulsed, dithered, turning_drive, fading, close_phases, on_a_sphere, all_hard,
                                stretched, widening})
            all.push_back(make(omega));
    for (double const epsilon : {0.03, 5e-3, 8e-4, 1e-4})
        for (auto const make : {nearly_doubled, three_octaves, rubbing, rayleigh, dragged_orbit, hard_duffing})
            all.push_back(make(epsilon));
    for (auto& each : all) each.sibling = true;
    return all;
}

} // namespace lento::reproduce

#include "reproduce/fast_problems.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace lento::reproduce {
namespace {

using number = fast_problem::number;
using state = fast_problem::state;

// ---- vibrated ----

fast_problem damped_kapitza(double omega) {
    return {"pendulum on a vibrated pivot with drag",
            "vibrated",
            omega / 5,
            4,
            parameter("omega", omega) + "[system]\nkind = \"vibrated\"\ncoordinates = [\"q\"]\nfrequency = \"omega\"\n"
                                        "force.q = \"(4 + 7*omega*cos(theta))*sin(q) - 0.3*q'\"\n[initial]\nq = 0.4\n",
            1 / omega,
            {0.4L, 0},
            motion(1, [w = number(omega)](number t, number const* q, number const* v, number* out) {
                out[0] = (4 + 7 * w * std::cos(w * t)) * std::sin(q[0]) - 0.3L * v[0];
            })};
}
fast_problem two_ions(double omega) {
    return {"two ions in a trap",
            "vibrated",
            omega / 3,
            6,
            parameter("omega", omega) +
                "[system]\nkind = \"vibrated\"\ncoordinates = [\"x\", \"y\", \"z\", \"w\"]\nfrequency = \"omega\"\n"
                "force.x = \"3*omega*cos(theta)*x + 0.5*(x-z)/((x-z)^2+(y-w)^2)^1.5\"\n"
                "force.y = \"-3*omega*cos(theta)*y + 0.5*(y-w)/((x-z)^2+(y-w)^2)^1.5\"\n"
                "force.z = \"3*omega*cos(theta)*z - 0.5*(x-z)/((x-z)^2+(y-w)^2)^1.5\"\n"
                "force.w = \"-3*omega*cos(theta)*w - 0.5*(y-w)/((x-z)^2+(y-w)^2)^1.5\"\n"
                "[initial]\nx = 1\ny = 0.3\nz = -0.7\nw = 0.1\n\"y'\" = 0.5\n",
            1 / omega,
            {1, 0.3L, -0.7L, 0.1L, 0, 0.5L, 0, 0},
            motion(4, [w = number(omega)](number t, number const* q, number const*, number* out) {
                number const drive = 3 * w * std::cos(w * t);
                number const dx = q[0] - q[2];
                number const dy = q[1] - q[3];
                number const pull = 0.5L / std::pow(dx * dx + dy * dy, 1.5L);
                out[0] = drive * q[0] + pull * dx;
                out[1] = -drive * q[1] + pull * dy;
                out[2] = drive * q[2] - pull * dx;
                out[3] = -drive * q[3] - pull * dy;
            })};
}
fast_problem golden(double omega) {
    double const second = omega * std::numbers::phi;
    return {
        "two drives in the golden ratio",
        "vibrated",
        omega / 3,
        4,
        parameter("omega", omega) +
            "[system]\nkind = \"vibrated\"\ncoordinates = [\"q\"]\nfrequencies = [\"omega\", \"omega*(1+sqrt(5))/2\"]\n"
            "force.q = \"-3*sin(q) + omega*(2*cos(theta1) + 3*sin(theta2))*cos(q)\"\n[initial]\nq = 0.3\n\"q'\" = 1\n",
        1 / second,
        {0.3L, 1},
        motion(1, [w = number(omega)](number t, number const* q, number const*, number* out) {
            number const other = w * (1 + std::sqrt(5.L)) / 2;
            out[0] = -3 * std::sin(q[0]) + w * (2 * std::cos(w * t) + 3 * std::sin(other * t)) * std::cos(q[0]);
        })};
}
fast_problem gyrating(double omega) {
    return {"charge in a magnetic field and a fast wave",
            "vibrated",
            omega / 2,
            6,
            parameter("omega", omega) +
                "[system]\nkind = \"vibrated\"\ncoordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\n"
                "force.x = \"1.5*(1 + 0.2*y)*y' - x + 2*omega*cos(theta)*sin(x)\"\n"
                "force.y = \"-1.5*(1 + 0.2*y)*x' - y\"\n[initial]\nx = 0.6\ny = -0.2\n\"x'\" = 0.3\n",
            1 / omega,
            {0.6L, -0.2L, 0.3L, 0},
            motion(2, [w = number(omega)](number t, number const* q, number const* v, number* out) {
                number const field = 1.5L * (1 + 0.2L * q[1]);
                out[0] = field * v[1] - q[0] + 2 * w * std::cos(w * t) * std::sin(q[0]);
                out[1] = -field * v[0] - q[1];
            })};
}
fast_problem swept(double omega) {
    return {"drive that grows slowly",
            "vibrated",
            omega / 2,
            5,
            parameter("omega", omega) +
                "[system]\nkind = \"vibrated\"\ncoordinates = [\"q\"]\nfrequency = \"omega\"\n"
                "force.q = \"-(1 + 0.3*sin(t))*q + (1 + 0.2*t)*omega*cos(theta)*cos(q)\"\n[initial]\nq = 1\n",
            1 / omega,
            {1, 0},
            motion(1, [w = number(omega)](number t, number const* q, number const*, number* out) {
                out[0] = -(1 + 0.3L * std::sin(t)) * q[0] + (1 + 0.2L * t) * w * std::cos(w * t) * std::cos(q[0]);
            })};
}
fast_problem ratchet(double omega) {
    return {"two harmonics without symmetry in time",
            "vibrated",
            omega / 2,
            4,
            parameter("omega", omega) +
                "[system]\nkind = \"vibrated\"\ncoordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\n"
                "force.x = \"-x + omega*(cos(theta) + 0.6*sin(2*theta))*sin(y)\"\n"
                "force.y = \"-2*y + omega*sin(theta)*cos(x)\"\n[initial]\nx = 0.5\ny = 0.2\n",
            0.5 / omega,
            {0.5L, 0.2L, 0, 0},
            motion(2, [w = number(omega)](number t, number const* q, number const*, number* out) {
                out[0] = -q[0] + w * (std::cos(w * t) + 0.6L * std::sin(2 * w * t)) * std::sin(q[1]);
                out[1] = -2 * q[1] + w * std::sin(w * t) * std::cos(q[0]);
            })};
}
/// A rod in the plane, as two coordinates and a constraint; the truth knows its angle.
fast_problem bead(double omega) {
    return {"bead on a vibrated ring",
            "vibrated",
            omega / 4,
            3,
            parameter("omega", omega) +
                "[system]\nkind = \"vibrated\"\ncoordinates = [\"x\", \"y\"]\nfrequency = \"omega\"\n"
                "force.y = \"-(5 + 6*omega*cos(theta))\"\nconstraints = [\"(x^2 + y^2 - 1)/2\"]\n"
                "[initial]\nx = \"sin(0.5)\"\ny = \"cos(0.5)\"\n",
            1 / omega,
            {0.5L, 0},
            motion(1, [w = number(omega)](number t, number const* q, number const*,
                                          number* out) { out[0] = (5 + 6 * w * std::cos(w * t)) * std::sin(q[0]); }),
            [](state const& x) {
                return std::vector<double>{static_cast<double>(std::sin(x[0])), static_cast<double>(std::cos(x[0]))};
            }};
}

// ---- stiff ----

fast_problem elastic_pendulum(double omega, double stretch) {
    return {stretch > 0 ? "pendulum on a hard spring, let go stretched" : "pendulum on a hard spring",
            "stiff",
            omega / 2,
            5,
            parameter("omega", omega) + fmt::format("out = {:.17g}\n", stretch) +
                "[system]\nkind = \"stiff\"\ncoordinates = [\"x\", \"y\"]\n"
                "force.y = \"-3\"\nstiff = [{ g = \"sqrt(x^2 + y^2) - 1\", omega = \"omega\" }]\n[initial]\nx = \"1 + "
                "out\"\ny = 0\n\"y'\" = 0.4\n",
            1 / omega,
            {1 + number(stretch), 0, 0, 0.4L},
            motion(2, [w = number(omega)](number, number const* q, number const*, number* out) {
                number const r = std::sqrt(q[0] * q[0] + q[1] * q[1]);
                number const pull = w * w * (r - 1) / r;
                out[0] = -pull * q[0];
                out[1] = -3 - pull * q[1];
            })};
}
fast_problem molecule(double omega) {
    return {"triatomic molecule in a well",
            "stiff",
            omega / 1.5,
            5,
            parameter("omega", omega) +
                "[system]\nkind = \"stiff\"\ncoordinates = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\n"
                "force.a = \"-a - 0.3*a^3\"\nforce.b = \"-2*b\"\nforce.c = \"-c - 0.3*c^3\"\nforce.d = \"-2*d\"\n"
                "force.e = \"-e - 0.3*e^3\"\nforce.f = \"-2*f\"\n"
                "stiff = [{ g = \"sqrt((a-c)^2 + (b-d)^2) - 1\", omega = \"omega\" }, { g = \"sqrt((c-e)^2 + (d-f)^2) "
                "- 1\", omega = \"omega\" }]\n"
                "[initial]\na = -1\nb = 0.2\nc = 0\nd = 0.2\ne = \"sqrt(0.75)\"\nf = 0.7\n\"d'\" = 0.1\n\"b'\" = 0.3\n",
            1 / (1.8 * omega),
            {-1, 0.2L, 0, 0.2L, std::sqrt(0.75L), 0.7L, 0, 0.3L, 0, 0.1L, 0, 0},
            motion(6, [w = number(omega)](number, number const* q, number const*, number* out) {
                for (int i = 0; i < 3; ++i) {
                    out[2 * i] = -q[2 * i] - 0.3L * q[2 * i] * q[2 * i] * q[2 * i];
                    out[2 * i + 1] = -2 * q[2 * i + 1];
                }
                for (int i = 0; i < 2; ++i) {
                    number const dx = q[2 * i] - q[2 * i + 2];
                    number const dy = q[2 * i + 1] - q[2 * i + 3];
                    number const r = std::sqrt(dx * dx + dy * dy);
                    number const pull = w * w * (r - 1) / r;
                    out[2 * i] -= pull * dx;
                    out[2 * i + 1] -= pull * dy;
                    out[2 * i + 2] += pull * dx;
                    out[2 * i + 3] += pull * dy;
                }
            })};
}
fast_problem damped_channel(double omega) {
    return {"damped motion in a narrow channel",
            "stiff",
            omega,
            6,
            parameter("omega", omega) + "[system]\nkind = \"stiff\"\ncoordinates = [\"x\", \"y\"]\n"
                                        "force.x = \"-x - 0.1*x'\"\nforce.y = \"-0.1*y'\"\nstiff = [{ g = \"(y - "
                                        "0.3*sin(x))*(1 + 0.2*x^2)\", omega = \"omega\" }]\n"
                                        "[initial]\nx = 1.2\ny = \"0.3*sin(1.2)\"\n",
            1 / (1.4 * omega),
            {1.2L, 0.3L * std::sin(1.2L), 0, 0},
            motion(2, [w = number(omega)](number, number const* q, number const* v, number* out) {
                number const wide = 1 + 0.2L * q[0] * q[0];
                number const off = q[1] - 0.3L * std::sin(q[0]);
                number const g = off * wide;
                number const gx = -0.3L * std::cos(q[0]) * wide + off * 0.4L * q[0];
                out[0] = -q[0] - 0.1L * v[0] - w * w * g * gx;
                out[1] = -0.1L * v[1] - w * w * g * wide;
            })};
}

// ---- split ----

fast_problem relaxing_oscillator(double epsilon) {
    return {"Van der Pol's oscillator",
            "split",
            1 / epsilon,
            3,
            parameter("epsilon", epsilon) +
                "[system]\nkind = \"split\"\nvariables = [\"x\", \"v\"]\nepsilon = \"epsilon\"\nperiod = \"2*pi\"\n"
                "fast.x = \"v\"\nfast.v = \"-x\"\nslow.v = \"(1 - x^2)*v\"\n[initial]\nx = 0.5\nv = 0.3\n",
            epsilon,
            {0.5L, 0.3L},
            [e = number(epsilon)](number, state const& x, state& rate) {
                rate[0] = x[1] / e;
                rate[1] = -x[0] / e + (1 - x[0] * x[0]) * x[1];
            }};
}
fast_problem three_in_resonance(double epsilon) {
    return {
        "resonance 1:2 with detuning",
        "split",
        1 / epsilon,
        6,
        parameter("epsilon", epsilon) +
            "[system]\nkind = \"split\"\nvariables = [\"x\", \"v\", \"y\", \"w\"]\nepsilon = \"epsilon\"\nperiod = "
            "\"2*pi\"\n"
            "fast.x = \"v\"\nfast.v = \"-x\"\nfast.y = \"2*w\"\nfast.w = \"-2*y\"\n"
            "slow.v = \"0.3*x - x*y\"\nslow.w = \"-0.5*x^2 - 0.1*y^3\"\n[initial]\nx = 1\nv = 0\ny = 0.2\nw = 0.3\n",
        epsilon / 2,
        {1, 0, 0.2L, 0.3L},
        [e = number(epsilon)](number, state const& x, state& rate) {
            rate[0] = x[1] / e;
            rate[1] = -x[0] / e + 0.3L * x[0] - x[0] * x[2];
            rate[2] = 2 * x[3] / e;
            rate[3] = -2 * x[2] / e - 0.5L * x[0] * x[0] - 0.1L * x[2] * x[2] * x[2];
        }};
}
fast_problem slowly_stiffened(double epsilon) {
    return {
        "Duffing's oscillator, slowly stiffened",
        "split",
        1 / epsilon,
        4,
        parameter("epsilon", epsilon) +
            "[system]\nkind = \"split\"\nvariables = [\"x\", \"v\"]\nepsilon = \"epsilon\"\nperiod = \"2*pi\"\n"
            "fast.x = \"v\"\nfast.v = \"-x\"\nslow.v = \"-(1 + 0.5*sin(t))*x^3 - 0.2*v\"\n[initial]\nx = 1\nv = 0.4\n",
        epsilon,
        {1, 0.4L},
        [e = number(epsilon)](number t, state const& x, state& rate) {
            rate[0] = x[1] / e;
            rate[1] = -x[0] / e - (1 + 0.5L * std::sin(t)) * x[0] * x[0] * x[0] - 0.2L * x[1];
        }};
}
fast_problem swinging(double epsilon) { // its period changes with the amplitude, whatever the file says
    return {"pendulum as a fast flow",
            "split",
            1 / epsilon,
            2,
            parameter("epsilon", epsilon) +
                "[system]\nkind = \"split\"\nvariables = [\"x\", \"v\"]\nepsilon = \"epsilon\"\nperiod = \"6.5\"\n"
                "fast.x = \"v\"\nfast.v = \"-sin(x)\"\nslow.v = \"-0.2*v\"\n[initial]\nx = 1\nv = 0\n",
            epsilon,
            {1, 0},
            [e = number(epsilon)](number, state const& x, state& rate) {
                rate[0] = x[1] / e;
                rate[1] = -std::sin(x[0]) / e - 0.2L * x[1];
            }};
}

} // namespace

std::string parameter(char const* name, double value) {
    return fmt::format("[parameters]\n{} = {:.17g}\n", name, value);
}

std::vector<std::vector<double>> fast_problem::truth() const {
    constexpr std::size_t columns = 10;
    std::size_t const n = start.size();
    auto const per_row = static_cast<std::size_t>(std::ceil(end / rows / fast_time));
    number const h = number(end) / rows / static_cast<number>(per_row);
    state x = start;
    state rest(n); // what sums have lost
    std::array<state, columns> table;
    state first(n);
    state rate_here(n);
    state before(n);
    state now(n);
    std::vector<std::vector<double>> made;
    std::size_t step = 0;
    for (int row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < per_row; ++k, ++step) {
            number const t = h * static_cast<number>(step);
            rate(t, x, first);
            for (std::size_t j = 0; j < columns; ++j) { // midpoint rule with 2 (j + 1) steps, smoothed
                std::size_t const parts = 2 * (j + 1);
                number const part = h / static_cast<number>(parts);
                before.assign(n, 0); // displacements from x, which lose fewer digits
                for (std::size_t i = 0; i < n; ++i) now[i] = part * first[i];
                state at(n);
                for (std::size_t m = 1; m <= parts; ++m) {
                    for (std::size_t i = 0; i < n; ++i) at[i] = x[i] + now[i];
                    rate(t + part * static_cast<number>(m), at, rate_here);
                    if (m == parts) break;
                    for (std::size_t i = 0; i < n; ++i)
                        before[i] = std::exchange(now[i], before[i] + 2 * part * rate_here[i]);
                }
                table[j].resize(n);
                for (std::size_t i = 0; i < n; ++i) table[j][i] = (now[i] + before[i] + part * rate_here[i]) / 2;
                for (std::size_t back = j; back-- > 0;) {
                    number const ratio = static_cast<number>(j + 1) / static_cast<number>(back + 1);
                    for (std::size_t i = 0; i < n; ++i)
                        table[back][i] =
                            table[back + 1][i] + (table[back + 1][i] - table[back][i]) / (ratio * ratio - 1);
                }
            }
            for (std::size_t i = 0; i < n; ++i) {
                number const all = table[0][i] + rest[i];
                number const sum = x[i] + all;
                rest[i] = all - (sum - x[i]);
                x[i] = sum;
            }
        }
        if (reported) {
            made.push_back(reported(x));
        } else {
            std::size_t const shown = kind == "split" ? n : n / 2;
            made.emplace_back(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(shown));
        }
    }
    return made;
}

std::vector<fast_problem> fast_problems() {
    std::vector<fast_problem> all;
    for (double const omega : {40., 150., 600., 2500., 2e4}) {
        for (auto const make : {damped_kapitza, two_ions, golden, gyrating, swept, ratchet, bead})
            all.push_back(make(omega));
        for (double const stretch : {0., 0.3 / omega}) all.push_back(elastic_pendulum(omega, stretch));
        for (auto const make : {molecule, damped_channel}) all.push_back(make(omega));
    }
    for (double const epsilon : {0.05, 0.01, 2e-3, 2e-4, 2e-5})
        for (auto const make : {relaxing_oscillator, three_in_resonance, slowly_stiffened, swinging})
            all.push_back(make(epsilon));
    return all;
}

} // namespace lento::reproduce

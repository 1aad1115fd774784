#include "problem/force_probe.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <lento/base/arithmetic.hpp>
#include <lento/expression/compiled_formula.hpp>

namespace lento::detail {
namespace {

using vector = std::vector<double>;

/// The force of a problem at states around its start.
class probe {
public:
    explicit probe(problem const& what)
        : what_(what)
        , force_(what.force.compile(expression::engine_kind::bytecode))
        , work_(force_.work())
        , theta_(what.frequencies().size()) {}

    [[nodiscard]] vector operator()(vector const& q, vector const& v) { return (*this)(q, v, theta_); }
    [[nodiscard]] vector operator()(vector const& q, vector const& v, vector const& theta) {
        vector out(what_.size);
        force_.evaluate({.position = q, .velocity = v, .phase = theta, .time = what_.start}, out, work_);
        return out;
    }
    /// The derivative of the force along a direction in position or velocity, by central differences.
    [[nodiscard]] vector slope(vector const& q, vector const& v, vector const& along, bool in_velocity) {
        vector ahead = in_velocity ? v : q;
        vector behind = ahead;
        double const reach = 1e-5 * size(in_velocity) / std::max(max_norm(along), 1e-300);
        for (std::size_t i = 0; i < along.size(); ++i) {
            ahead[i] += reach * along[i];
            behind[i] -= reach * along[i];
        }
        vector slope = in_velocity ? (*this)(q, ahead) : (*this)(ahead, v);
        vector const other = in_velocity ? (*this)(q, behind) : (*this)(behind, v);
        for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (slope[i] - other[i]) / (2 * reach);
        return slope;
    }

    /// Of the positions, or velocities, of this problem: lengths may be micrometres.
    [[nodiscard]] double size(bool of_velocity) const {
        double const length = max_norm(what_.position) > 0 ? max_norm(what_.position) : 1;
        if (!of_velocity) return length;
        return std::max(max_norm(what_.velocity), length / (what_.end - what_.start));
    }

private:
    problem const& what_;
    expression::compiled_formula force_;
    expression::compiled_formula::work_type work_;
    vector theta_;
};

/// Numbers between -1 and 1 without a pattern, the same in every run.
vector scattered(std::size_t size, double seed) {
    vector out(size);
    for (std::size_t i = 0; i < size; ++i) {
        double const wild = 43758.5453 * std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * seed);
        out[i] = 2 * (wild - std::floor(wild)) - 1;
    }
    return out;
}

double product(vector const& a, vector const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}
double size_of_product(vector const& a, vector const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] * b[i]);
    return sum;
}

/// A state beside the start, and the force there.
struct place {
    vector q;
    vector v;
    vector force;
};
std::vector<place> places_around(problem const& what, probe& force) {
    std::vector<place> places;
    constexpr int count = 3;
    double const size = 0.05 * force.size(false);
    for (int k = 1; k <= count; ++k) {
        place at{what.position, scattered(what.size, 10. * k), {}};
        vector const away = scattered(what.size, k);
        for (std::size_t i = 0; i < what.size; ++i) at.q[i] += size * away[i];
        at.force = force(at.q, at.v);
        places.push_back(std::move(at));
    }
    return places;
}

/// A force keeps the energy when it comes from a potential, and what depends on the velocity does no work.
bool keeps_energy(probe& force, std::vector<place> const& places, bool uses_velocity) {
    constexpr double differences = 1e-6; // what central differences can promise
    for (auto const& at : places) {
        vector const rest(at.v.size());
        vector const a = scattered(at.q.size(), 0.3);
        vector const b = scattered(at.q.size(), 0.7);
        vector const along_a = force.slope(at.q, rest, a, false);
        vector const along_b = force.slope(at.q, rest, b, false);
        double const scale = size_of_product(along_a, b) + size_of_product(along_b, a);
        if (!(std::abs(product(along_a, b) - product(along_b, a)) <= differences * scale)) return false;
        if (!uses_velocity) continue;
        vector moving = at.force;
        vector const still = force(at.q, rest);
        for (std::size_t i = 0; i < moving.size(); ++i) moving[i] -= still[i];
        constexpr double rounding = 1e-12;
        if (!(std::abs(product(moving, at.v)) <=
              rounding * (size_of_product(moving, at.v) + size_of_product(still, at.v))))
            return false;
    }
    return true;
}

/// Coordinates by the letters that their names begin with: x, x[7] and x1 all count as x; the rest names the particle.
std::map<std::string, std::map<std::string, std::size_t>> by_direction(problem const& what) {
    std::map<std::string, std::map<std::string, std::size_t>> groups;
    for (std::size_t i = 0; i < what.size; ++i) {
        std::string const name = what.coordinate_name(i);
        std::size_t letters = 0;
        while (letters < name.size() && std::isalpha(static_cast<unsigned char>(name[letters])) != 0) ++letters;
        groups[name.substr(0, letters)][name.substr(letters)] = i;
    }
    return groups;
}

double mass_of(problem const& what, std::size_t i) {
    vector unit(what.size);
    unit[i] = 1;
    what.mass.divide(unit);
    return 1 / unit[i];
}

constexpr double rounding = 1e-10;

template <class Terms> bool vanishes(std::vector<place> const& places, Terms const& terms) {
    for (auto const& at : places) {
        double sum = 0;
        double size = 0;
        terms(at, [&](double term) {
            sum += term;
            size += std::abs(term);
        });
        if (!(std::abs(sum) <= rounding * size)) return false;
    }
    return true;
}

} // namespace

double largest_odd_part(problem const& what) {
    probe force(what);
    std::vector<double> ahead;
    std::vector<double> behind;
    std::vector<double> q = what.position;
    std::vector<double> theta(what.frequencies().size());
    double largest = 0;
    constexpr int probes = 8;
    for (int probe = 0; probe < probes; ++probe) {
        // an odd part may vanish at the start itself, so later probes stand beside it
        for (std::size_t i = 0; i < q.size(); ++i)
            q[i] = what.position[i] + 0.01 * probe * std::sin(static_cast<double>(i + 1) * (probe + 1));
        double size = 0;
        for (double const sign : {1.0, -1.0}) {
            for (std::size_t j = 0; j < theta.size(); ++j)
                theta[j] = sign * (1 + 0.7 * probe) * (1 + 0.37 * static_cast<double>(j));
            auto& out = sign > 0 ? ahead : behind;
            out = force(q, what.velocity, theta);
            size += max_norm(out);
        }
        double difference = 0;
        for (std::size_t i = 0; i < q.size(); ++i) difference = std::max(difference, std::abs(ahead[i] - behind[i]));
        if (size > 0) largest = std::max(largest, difference / size);
    }
    return largest;
}

std::vector<std::string> conserved_quantities(problem const& what) {
    std::vector<std::string> kept;
    if (what.first_order || what.size == 0) return kept;
    probe force(what);
    auto const places = places_around(what, force);
    bool const driven = what.uses_time() || !what.frequencies().empty();
    if (!driven && keeps_energy(force, places, what.uses_velocity())) kept.emplace_back("energy");

    auto const directions = by_direction(what);
    for (auto const& [direction, members] : directions)
        if (vanishes(places, [&members = members](place const& at, auto const& add) {
                for (auto const& [_, i] : members) add(at.force[i]);
            }))
            kept.push_back("momentum along " + direction);
    for (auto const& [first, second] : {std::pair{"x", "y"}, {"y", "z"}, {"z", "x"}}) {
        auto const a = directions.find(first);
        auto const b = directions.find(second);
        if (a == directions.end() || b == directions.end() || a->second.size() != b->second.size()) continue;
        bool const pairs = std::all_of(a->second.begin(), a->second.end(), [&](auto const& member) {
            auto const other = b->second.find(member.first);
            return other != b->second.end() && mass_of(what, member.second) == mass_of(what, other->second);
        });
        if (pairs && vanishes(places, [&](place const& at, auto const& add) {
                for (auto const& [particle, i] : a->second) {
                    std::size_t const j = b->second.at(particle);
                    add(at.q[i] * at.force[j]);
                    add(-at.q[j] * at.force[i]);
                }
            }))
            kept.push_back(std::string("angular momentum in ") + first + " and " + second);
    }
    return kept;
}

double fastest_rate(problem const& what) {
    probe force(what);
    auto const largest = [&](bool in_velocity) {
        vector direction = scattered(what.size, 0.5);
        double size = 0;
        constexpr int turns = 12; // of the power iteration: a rate to a few per cent
        for (int k = 0; k < turns; ++k) {
            double const length = std::sqrt(product(direction, direction));
            if (!(length > 0)) return size;
            for (double& each : direction) each /= length;
            direction = force.slope(what.position, what.velocity, direction, in_velocity);
            what.mass.divide(direction);
            size = std::max(size, std::sqrt(product(direction, direction)));
        }
        return size;
    };
    double const by_position = largest(false);
    if (what.first_order) return by_position;
    return std::max(std::sqrt(by_position), what.uses_velocity() ? largest(true) : 0.);
}

} // namespace lento::detail

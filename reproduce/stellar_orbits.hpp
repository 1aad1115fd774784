#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <lento/lento.hpp>
#include <lento/model/split.hpp>

#include "reproduce/figure.hpp"

/// What the experiments on the stellar orbits (3.4) of paper 002 share: the truth, and its slow variables.
namespace lento::reproduce {

inline auto slow_orbits(double epsilon) {
    return effective(interaction_picture(model::stellar_orbits{.epsilon = epsilon}.system()),
                     picard{.points = 9, .passes = 3});
}

/// The oscillatory solution of the stellar orbits at any time, to about 1e-8.
class stellar_truth {
    using slow_type = decltype(slow_orbits(1));

public:
    stellar_truth(double epsilon, double end)
        : slow_(slow_orbits(epsilon))
        , run_(solve(slow_, fixed_dormand_prince_8{.step = 0.125}, {.state = model::stellar_orbits::start()},
                     {.end = end, .dense = true})) {}
    [[nodiscard]] std::array<double, 4> operator()(double t) const {
        auto work = slow_.work();
        work.origin = 0;
        auto x = run_.at(t);
        slow_.lift(t, x, work);
        return x.state;
    }
    /// The slow variables (3.5) at a time, with their ripple.
    [[nodiscard]] std::array<double, 3> slow_variables(double t) const {
        return model::stellar_orbits::slow_variables((*this)(t));
    }

private:
    slow_type slow_;
    solution<state_of<slow_type>> run_;
};

/// The largest error of the slow variables (3.5) at the times of a run, against their true, oscillating values.
template <class Run> double slow_variable_error(Run const& run, stellar_truth const& truth) {
    if (!run) return std::nan("");
    double error = 0;
    for (std::size_t i = 0; i < run.t.size(); ++i) {
        auto const found = model::stellar_orbits::slow_variables(run.state[i]);
        auto const exact = truth.slow_variables(run.t[i]);
        for (std::size_t j = 0; j < 3; ++j) error = std::max(error, std::abs(found[j] - exact[j]));
    }
    return error;
}

/// The slow variables along a run, every `stride`-th point.
template <class Run> table slow_variable_curves(std::string name, Run const& run, std::size_t stride = 1) {
    table curves{.name = std::move(name), .columns = {"t", "xi1", "xi2", "xi3"}, .rows = {}};
    for (std::size_t i = 0; i < run.t.size(); i += stride) {
        auto const xi = model::stellar_orbits::slow_variables(run.state[i]);
        curves.rows.push_back({run.t[i], xi[0], xi[1], xi[2]});
    }
    return curves;
}

} // namespace lento::reproduce

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Fast mechanical systems of all kinds, with their forces written a second time: what `auto` is judged by.
namespace lento::reproduce {

struct report;

struct fast_problem {
    using number = long double;
    using state = std::vector<number>;

    std::string name;
    std::string_view kind;
    double separation; ///< turns of the fast motion while the slow motion turns once, roughly
    double end;
    std::string text; ///< [parameters], [system] and [initial]
    double fast_time; ///< one over the largest angular frequency
    state start;      ///< positions and velocities, or variables
    std::function<void(number t, state const& x, state& rate)> rate;
    /// Reported coordinates of a state.
    std::function<std::vector<double>(state const& x)> reported{};
    bool sibling = false; ///< of a problem that once went wrong in silence; nothing was ever set by it

    static constexpr int rows = 20; ///< equidistant ones, without the start
    /// The true motion at those times, by extrapolated midpoint steps of order 20 in extended precision.
    [[nodiscard]] std::vector<std::vector<double>> truth() const;
};

[[nodiscard]] std::vector<fast_problem> fast_problems();
[[nodiscard]] std::vector<fast_problem> fast_siblings();

/// The rate of a motion: velocities, then accelerations by force(t, q, v, out).
template <class Force> auto motion(std::size_t n, Force force) {
    using state = fast_problem::state;
    return [n, force](fast_problem::number t, state const& x, state& rate) {
        for (std::size_t i = 0; i < n; ++i) rate[i] = x[n + i];
        force(t, x.data(), x.data() + n, rate.data() + n);
    };
}
[[nodiscard]] std::string parameter(char const* name, double value);

/// The experiment that runs them all.
[[nodiscard]] report scorecard();

} // namespace lento::reproduce

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lento/base/force.hpp>
#include <lento/base/outcome.hpp>
#include <lento/base/statistics.hpp>

namespace lento {

/// What constraints count in a run.
struct constraint_counts {
    std::uint64_t evaluations = 0; ///< calls of g: values, increments and second derivatives
    std::uint64_t jacobians = 0;   ///< gradients of all constraints at a point
    std::uint64_t newton_iterations = 0;
    static auto members(auto& self) { return std::tie(self.evaluations, self.jacobians, self.newton_iterations); }
};

/// The counts, and how the constraints failed when they did.
struct constraint_work : constraint_counts {
    failure failed;

    void count(statistics& counts) const {
        counts.constraint_evaluations += evaluations;
        counts.jacobian_evaluations += jacobians;
        counts.newton_iterations += newton_iterations;
    }
    static auto members(auto& self) { return std::tuple_cat(constraint_counts::members(self), std::tie(self.failed)); }
};

/// A work of constraints with scratch besides. What is known of a set of constraints only as one of some kind may treat
/// its work as a `constraint_work`, which every work begins with.
template <class Scratch> struct constraint_work_with : constraint_work {
    Scratch scratch;
};

namespace detail {

/// What constraints need besides their counts, as the work that g brings decides.
template <class G> struct work_around {
    using type = constraint_work;
    using counts = constraint_counts; ///< what evaluations change
    [[nodiscard]] static type make(G const&) { return {}; }
};
template <brings_work G> struct work_around<G> {
    using type = constraint_work_with<decltype(std::declval<G const&>().work())>;
    using counts = type;
    [[nodiscard]] static type make(G const& function) { return {{}, function.work()}; }
};
template <class G, class Work, class... Arguments> [[nodiscard, gnu::always_inline]] inline auto
call_with_scratch(G const& function, [[maybe_unused]] Work& work, Arguments const&... arguments) {
    if constexpr (brings_work<G>) return function(arguments..., work.scratch);
    else return function(arguments...);
}

/// A gradient whose square is below this share of what it could be depends on the others: that is rounding.
inline constexpr double rank_threshold = 1e-13;

/// Sentences for what can go wrong with constraints; `which` counts from 0.
[[nodiscard]] failure vanishing_gradient(double t, std::size_t which);
[[nodiscard]] failure dependent_gradients(double t, std::size_t which, std::vector<std::size_t> const& others,
                                          double independent_share);
[[nodiscard]] failure newton_did_not_converge(double t, int iterations, std::size_t which, double miss);
[[nodiscard]] failure constraints_cannot_be_met(double t, std::size_t which, double miss);

/// These throw misuse.
void require_fewer_constraints(std::size_t constraints, std::size_t coordinates);
void refuse_inconsistent_position(double t, std::size_t which, double value, double distance);
void refuse_inconsistent_velocity(double t, std::size_t which, double rate, double speed);

} // namespace detail
} // namespace lento

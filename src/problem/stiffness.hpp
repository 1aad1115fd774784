#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <lento/problem/problem.hpp>
#include <lento/stepper/foreign_code.hpp>

/// Whether steps will be as short as stability wants them, whatever the tolerance.
namespace lento::detail {

/// What changes fastest in the neighbourhood of a motion, like exp((growth +- i turn) t).
struct fastest_change {
    double growth = 0;
    double turn = 0;
    [[nodiscard]] double rate() const;
};
/// The largest eigenvalue of a square matrix, given column after column, to some per cent.
[[nodiscard]] fastest_change fastest_of(std::span<double const> columns, std::size_t size);

/// Follows a run of an explicit Runge-Kutta scheme by the derivatives of what it integrates, which are evaluated at the
/// start and after 8, 16, 32 ... steps, and sets a flag once where the system is stiff.
class stiffness_watch {
public:
    stiffness_watch(problem const& what, std::shared_ptr<rate_jacobian const> known, int order);

    /// At the start nothing is known of the steps: stiff is what decays so fast that stability alone wants many.
    void look_at_start();
    void after_step(double t, std::span<double const> position, std::span<double const> velocity);

    [[nodiscard]] bool is_stiff() const { return stiff_; }
    /// Evaluations that an explicit scheme takes for stability alone, from the start to the end.
    [[nodiscard]] double evaluations() const { return evaluations_; }
    /// How often the derivatives were evaluated.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

private:
    void look(double t, std::span<double const> position, std::span<double const> velocity);

    problem const& what_;
    std::shared_ptr<rate_jacobian const> known_;
    std::unique_ptr<rate_jacobian::work> work_;
    double stable_; ///< the longest stable step times a rate of decay
    std::vector<double> y_;
    std::vector<double> columns_;
    std::uint64_t steps_ = 0;
    std::uint64_t next_look_ = 8;
    double half_ = 0;     ///< the time of half as many steps
    double rate_ = 0;     ///< the largest, now
    bool decays_ = false; ///< what has it decays, and nothing grows or turns nearly as fast
    double evaluations_ = 0;
    std::uint64_t looks_ = 0;
    bool stiff_ = false;
};

} // namespace lento::detail

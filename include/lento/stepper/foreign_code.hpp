#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <lento/base/outcome.hpp>

/// Off-the-shelf integrators behind one interface, so that none of their headers is needed to use them. The compiled
/// half of the library has those that were there when it was built.
namespace lento {

/// Whether this build of the library has SUNDIALS (CVODE, ARKODE, IDA) and Boost.odeint.
[[nodiscard]] bool has_sundials();
[[nodiscard]] bool has_odeint();

/// Implicit Runge-Kutta methods of ARKODE: Kvaerno's pair of orders 3 and 2 and Bank's TR-BDF2 (order 2), both of which
/// damp what is infinitely stiff, and the trapezoidal rule (order 2), which does not.
enum class implicit_table { kvaerno3, tr_bdf2, trapezoid };
constexpr std::array<std::string_view, 3> names_of(implicit_table) { return {"kvaerno3", "tr-bdf2", "trapezoid"}; }

/// The derivatives of y' = f(t, y) by y, for codes that solve implicit equations. A constant value that any number of
/// runs may share; what an evaluation changes is in a work.
class rate_jacobian {
public:
    class work {
    public:
        work() = default;
        work(work const&) = delete;
        work& operator=(work const&) = delete;
        virtual ~work() = default;
    };

    rate_jacobian() = default;
    rate_jacobian(rate_jacobian const&) = delete;
    rate_jacobian& operator=(rate_jacobian const&) = delete;
    virtual ~rate_jacobian() = default;

    /// How many numbers y has: the state, or positions and then velocities.
    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::unique_ptr<work> start() const = 0;
    /// All entries, column after column: column j has the derivatives by y[j].
    virtual void evaluate(double t, std::span<double const> y, std::span<double> columns, work& w) const = 0;
};

namespace detail {

/// What a code calls, with its `data`: y' = f(t, y), or the residual r(t, y, y') of an implicit system. They return 0,
/// 1 where a shorter step may help, -1 to stop.
using foreign_rate = int (*)(double t, double const* y, double* out, void* data);
using foreign_residual = int (*)(double t, double const* y, double const* slope, double* out, void* data);
/// The matrix df/dy, column after column, at a point whose slope is known.
using foreign_jacobian = int (*)(double t, double const* y, double const* slope, double* columns, void* data);

/// The largest matrix of Newton's iteration; beyond it equations are solved without one.
inline constexpr std::size_t largest_newton_matrix = 500;

struct foreign_settings {
    double rtol;
    double atol;
    double first_step; ///< 0: chosen
    double min_step;
    double max_step;
    foreign_jacobian jacobian = nullptr; ///< none: the code takes difference quotients
};

/// What the code itself has counted.
struct foreign_counts {
    std::uint64_t steps = 0;
    std::uint64_t rejected = 0;
    std::uint64_t evaluations = 0;
    std::uint64_t newton_iterations = 0;
};

/// A code in one-step mode.
class foreign_code {
public:
    foreign_code() = default;
    foreign_code(foreign_code const&) = delete;
    foreign_code& operator=(foreign_code const&) = delete;
    virtual ~foreign_code() = default;

    /// Begins anew at (t, y) with the slope known there.
    virtual void restart(double t, double const* y, double const* slope) = 0;
    /// One step, at most to `limit`: moves t, y and the slope. `guess` is a first step that suits the tolerance.
    /// Returns why it could not, in the code's words, or nothing.
    [[nodiscard]] virtual std::string step(double guess, double limit, double& t, double* y, double* slope,
                                           void* data) = 0;
    /// The state at a time inside the last step by the code's own interpolant, where that costs nothing; else false.
    [[nodiscard]] virtual bool inside(double, double*) { return false; }
    [[nodiscard]] virtual foreign_counts counts() const = 0;
};

/// These throw misuse in a build that lacks the code.
[[nodiscard]] std::unique_ptr<foreign_code> make_cvode_adams(std::size_t size, foreign_rate rate,
                                                             foreign_settings const& settings);
[[nodiscard]] std::unique_ptr<foreign_code> make_cvode_bdf(std::size_t size, foreign_rate rate,
                                                           foreign_settings const& settings);
[[nodiscard]] std::unique_ptr<foreign_code> make_arkode_dormand_prince(std::size_t size, foreign_rate rate,
                                                                       foreign_settings const& settings);
[[nodiscard]] std::unique_ptr<foreign_code>
make_arkode_implicit(std::size_t size, foreign_rate rate, foreign_settings const& settings, implicit_table table);
[[nodiscard]] std::unique_ptr<foreign_code> make_odeint_dormand_prince(std::size_t size, foreign_rate rate,
                                                                       foreign_settings const& settings);
/// The first `differential` unknowns have a slope, the others are algebraic.
[[nodiscard]] std::unique_ptr<foreign_code> make_ida(std::size_t size, std::size_t differential,
                                                     foreign_residual residual, foreign_settings const& settings);

[[nodiscard]] failure foreign_code_gave_up(std::string_view name, double t, std::string const& why);

} // namespace detail
} // namespace lento

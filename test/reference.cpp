#include <lento/lento.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#ifdef LENTO_HAS_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.hpp>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif
#ifdef LENTO_HAS_BOOST
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/generation/generation_runge_kutta_fehlberg78.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#endif

// Direct integration against two independent codes: SUNDIALS (Adams, an implicit multistep method) and Boost.odeint
// (Fehlberg's pair of orders 7 and 8).
namespace {

/// The vertically vibrated pendulum of paper 001, section 2, resolved directly.
struct vibrated_pendulum {
    static constexpr double omega = 1e3;
    static constexpr double end = 1;
    double operator()(std::array<double, 1> const& q, double theta) const {
        constexpr double g = 9.8;
        constexpr double l = 0.2;
        constexpr double vmax = 4;
        return (g + vmax * omega * std::cos(theta)) * std::sin(q[0]) / l;
    }
};
/// Henon and Heiles' potential with a push: two degrees of freedom, nothing fast.
struct pushed_star {
    static constexpr double end = 10;
    std::array<double, 2> operator()(std::array<double, 2> const& q, double t) const {
        return {-q[0] - 2 * q[0] * q[1] + std::cos(t) / 20, -q[1] - q[0] * q[0] + q[1] * q[1]};
    }
};

auto const pendulum = lento::vibrated<1>({.frequency = vibrated_pendulum::omega}, vibrated_pendulum{});
auto const star = lento::plain<2>(pushed_star{});

/// The referees' view: y = (q, v), y' = (v, f). They call the user's function, none of the library.
void pendulum_rate(double t, double const* y, double* out) {
    out[0] = y[1];
    out[1] = vibrated_pendulum{}({y[0]}, vibrated_pendulum::omega * t);
}
void star_rate(double t, double const* y, double* out) {
    auto const f = pushed_star{}({y[0], y[1]}, t);
    out[0] = y[2];
    out[1] = y[3];
    out[2] = f[0];
    out[3] = f[1];
}
using rate = void (*)(double, double const*, double*);

std::vector<double> const pendulum_start{0.5, 0};
std::vector<double> const star_start{0.1, 0.2, 0.3, -0.1};

template <class Stepper> std::vector<double> pendulum_by(Stepper const& stepper) {
    auto const run = solve(pendulum, stepper, {.position = {0.5}}, {.end = vibrated_pendulum::end, .output_count = 1});
    EXPECT_TRUE(run) << run.message;
    // velocities are of the size of the vibration's, 20; they count by that
    return {run.position.back()[0], run.velocity.back()[0] / 20};
}
template <class Stepper> std::vector<double> star_by(Stepper const& stepper) {
    auto const run = solve(star, stepper, {.position = {0.1, 0.2}, .velocity = {0.3, -0.1}},
                           {.end = pushed_star::end, .output_count = 1});
    EXPECT_TRUE(run) << run.message;
    return {run.position.back()[0], run.position.back()[1], run.velocity.back()[0], run.velocity.back()[1]};
}

void expect_equal(std::vector<double> const& ours, std::vector<double> const& theirs) {
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-9) << "component " << i + 1;
}

/// Both of our methods against a referee's y(end) for both problems.
template <class Referee> void expect_agreement_with(Referee const& referee) {
    lento::dormand_prince const adaptive{.rtol = 1e-12, .atol = 1e-13};

    auto of_pendulum = referee(pendulum_rate, pendulum_start, vibrated_pendulum::end);
    of_pendulum[1] /= 20;
    expect_equal(pendulum_by(adaptive), of_pendulum);
    expect_equal(pendulum_by(lento::rkn8{.step = 2 * std::numbers::pi / vibrated_pendulum::omega / 40}), of_pendulum);

    auto const of_star = referee(star_rate, star_start, pushed_star::end);
    expect_equal(star_by(adaptive), of_star);
    expect_equal(star_by(lento::rkn8{.step = 0.05}), of_star);

    // the referee can tell: a coarse run does not agree
    EXPECT_GT(std::abs(star_by(lento::verlet{.step = 0.05})[0] - of_star[0]), 1e-6);
    EXPECT_GT(std::abs(pendulum_by(lento::verlet{.step = 1e-4})[0] - of_pendulum[0]), 1e-6);
}

#ifdef LENTO_HAS_SUNDIALS
int cvode_rate(sunrealtype t, N_Vector y, N_Vector out, void* data) {
    (*static_cast<rate*>(data))(t, N_VGetArrayPointer(y), N_VGetArrayPointer(out));
    return 0;
}

std::vector<double> by_cvode(rate function, std::vector<double> start, double end) {
    sundials::Context context;
    N_Vector const y = N_VMake_Serial(static_cast<sunindextype>(start.size()), start.data(), context);
    void* memory = CVodeCreate(CV_ADAMS, context);
    EXPECT_EQ(CVodeInit(memory, cvode_rate, 0, y), CV_SUCCESS);
    EXPECT_EQ(CVodeSStolerances(memory, 1e-13, 1e-14), CV_SUCCESS);
    EXPECT_EQ(CVodeSetUserData(memory, &function), CV_SUCCESS);
    EXPECT_EQ(CVodeSetMaxNumSteps(memory, 10'000'000), CV_SUCCESS);
    SUNNonlinearSolver const fixed_point = SUNNonlinSol_FixedPoint(y, 0, context);
    EXPECT_EQ(CVodeSetNonlinearSolver(memory, fixed_point), CV_SUCCESS);
    EXPECT_EQ(CVodeSetStopTime(memory, end), CV_SUCCESS);
    sunrealtype reached = 0;
    EXPECT_GE(CVode(memory, end, y, &reached, CV_NORMAL), 0);
    EXPECT_EQ(reached, end);
    SUNNonlinSolFree(fixed_point);
    CVodeFree(&memory);
    N_VDestroy(y);
    return start;
}

TEST(DirectIntegration, AgreesWithCvode) { expect_agreement_with(by_cvode); }
#endif

#ifdef LENTO_HAS_BOOST
std::vector<double> by_odeint(rate function, std::vector<double> start, double end) {
    namespace odeint = boost::numeric::odeint;
    using state = std::vector<double>;
    auto const system = [function](state const& y, state& out, double t) { function(t, y.data(), out.data()); };
    odeint::integrate_adaptive(odeint::make_controlled<odeint::runge_kutta_fehlberg78<state>>(1e-14, 1e-14), system,
                               start, 0., end, 1e-4);
    return start;
}

TEST(DirectIntegration, AgreesWithOdeint) { expect_agreement_with(by_odeint); }
#endif

TEST(DirectIntegration, AgreesWithItselfAcrossMethods) {
    expect_equal(star_by(lento::composition8{.step = 0.02}),
                 star_by(lento::dormand_prince{.rtol = 1e-12, .atol = 1e-13}));
    expect_equal(star_by(lento::stormer8{.step = 0.01}), star_by(lento::rkn8{.step = 0.05}));
}

} // namespace

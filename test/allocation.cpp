#include <lento/lento.hpp>
#include <lento/model/chains.hpp>
#include <lento/model/linkage.hpp>
#include <lento/model/springs.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

// Nothing allocates inside a time loop: every allocation of this program is counted.

namespace {
std::size_t allocations = 0;

void* counted(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void* counted(std::size_t size, std::align_val_t alignment) {
    ++allocations;
    auto const step = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
    throw std::bad_alloc();
}
} // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return counted(size, alignment); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

constexpr double omega = 1e4;

// ---- two pendulums, in a fixed and in a dynamic space ----

template <class In, class Out> void pendulums(In const& q, double theta, Out& a) {
    double const shake = 9.8 + 4 * omega * std::cos(theta);
    for (std::size_t i = 0; i < q.size(); ++i) a[i] = shake * std::sin(q[i]) / 0.2;
}
auto fixed_pendulums() {
    return lento::vibrated<2>({.frequency = omega}, [](auto const& q, auto theta) {
        std::array<double, 2> a{};
        pendulums(q, theta, a);
        return a;
    });
}
auto dynamic_pendulums() {
    return lento::vibrated(lento::dynamic(20), {.frequency = omega},
                           [](auto const& q, auto theta, auto& a) { pendulums(q, theta, a); });
}
auto damped_pendulums() {
    return lento::vibrated(lento::dynamic(20), {.frequency = omega},
                           lento::with_velocity([](auto const& q, auto const& v, auto theta, double, auto& a) {
                               pendulums(q, theta, a);
                               for (std::size_t i = 0; i < q.size(); ++i) a[i] -= 0.1 * v[i];
                           }));
}

template <class System> auto start_of(System const& system) {
    auto x = lento::origin(system);
    for (std::size_t i = 0; i < x.position.size(); ++i) x.position[i] = 0.5 - 0.01 * static_cast<double>(i);
    return x;
}

/// Allocations in 100 windows of an effective system.
template <class Slow> std::size_t in_windows(Slow const& slow) {
    auto const x = start_of(slow);
    auto work = slow.work();
    auto out = x.position;
    if constexpr (requires { slow.begin(0., x, work); }) slow.begin(0., x, work);
    std::size_t const before = allocations;
    for (int i = 0; i < 100; ++i) lento::evaluate(slow, 0.001 * i, x, out, work);
    std::size_t const counted_here = allocations - before;
    EXPECT_FALSE(work.failed.happened()) << work.failed.message;
    EXPECT_TRUE(work.warnings.empty());
    return counted_here;
}

/// Allocations in 100 steps of a stepper on any system.
template <class System, class Stepper> std::size_t in_steps(System const& system, Stepper const& stepper) {
    auto x = start_of(system);
    auto work = system.work();
    auto memory = stepper.start(system);
    constexpr double h = 1e-3;
    std::size_t const before = allocations;
    for (int i = 0; i < 100; ++i) {
        stepper.prepare(system, i * h, x, memory, work);
        if constexpr (lento::adaptive_stepper<Stepper>) {
            static_cast<void>(stepper.attempt(system, i * h, h, x, memory, work));
            stepper.accept(system, x, memory);
        } else {
            stepper.advance(system, i * h, h, x, memory, work);
        }
    }
    std::size_t const counted_here = allocations - before;
    EXPECT_TRUE(lento::all_finite(x));
    return counted_here;
}

template <class System> void expect_no_allocation_in_steps_of_all_steppers(System const& system) {
    EXPECT_EQ(in_steps(system, lento::verlet{.step = 1}), 0u);
    EXPECT_EQ(in_steps(system, lento::symplectic_euler{.step = 1}), 0u);
    EXPECT_EQ(in_steps(system, lento::euler{.step = 1}), 0u);
    EXPECT_EQ(in_steps(system, lento::rk4{.step = 1}), 0u);
    EXPECT_EQ(in_steps(system, lento::dormand_prince{}), 0u);
    EXPECT_EQ(in_steps(system, lento::dop853{}), 0u);
    if constexpr (lento::separable<System>) {
        EXPECT_EQ(in_steps(system, lento::rkn4{.step = 1}), 0u);
        EXPECT_EQ(in_steps(system, lento::rkn8{.step = 1}), 0u);
        EXPECT_EQ(in_steps(system, lento::adaptive_rkn8{}), 0u);
        EXPECT_EQ(in_steps(system, lento::rkn12{}), 0u);
        EXPECT_EQ(in_steps(system, lento::composition6{.step = 1}), 0u);
        EXPECT_EQ(in_steps(system, lento::stormer8{.step = 1}), 0u);
    }
}

lento::window const one_period = lento::one_period{.steps = 20};
lento::window const smooth{.kernel = lento::exponential{}, .periods = 40, .steps_per_period = 20};

TEST(Allocation, IsCountedHere) {
    std::size_t const before = allocations;
    std::vector<double> const some(10);
    EXPECT_EQ(allocations - before, some.empty() ? 0u : 1u);
}

TEST(Allocation, NoneInWindowsOfAFixedSpace) {
    auto const system = fixed_pendulums();
    EXPECT_EQ(in_windows(lento::effective(system, lento::asynchronous{one_period})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::asynchronous{smooth})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::centred{one_period})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::centred{smooth})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::synchronous{smooth})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::picard{})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::picard{.order = 2})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::picard{.order = 4})), 0u);
}

TEST(Allocation, NoneInWindowsOfADynamicSpace) {
    auto const system = dynamic_pendulums();
    EXPECT_EQ(in_windows(lento::effective(system, lento::asynchronous{one_period})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::asynchronous{smooth})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::centred{one_period})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::centred{smooth})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::synchronous{smooth})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::picard{})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::picard{.order = 2})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::picard{.order = 4})), 0u);
}

TEST(Allocation, NoneInWindowsOfOtherMicroSteppers) {
    auto const system = dynamic_pendulums();
    EXPECT_EQ(in_windows(lento::effective(system, lento::asynchronous{one_period, lento::rk4{}})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::asynchronous{smooth, lento::rkn4{}})), 0u);
    EXPECT_EQ(in_windows(lento::effective(system, lento::centred{one_period, lento::composition4{}})), 0u);
}

TEST(Allocation, NoneInWindowsOfAForceThatDependsOnTheVelocity) {
    EXPECT_EQ(in_windows(lento::effective(damped_pendulums(), lento::synchronous{smooth})), 0u);
    EXPECT_EQ(in_windows(lento::effective(damped_pendulums(), lento::synchronous{smooth, {}, lento::rk4{}})), 0u);
}

TEST(Allocation, NoneInStepsOfAVibratedSystem) {
    expect_no_allocation_in_steps_of_all_steppers(fixed_pendulums());
    expect_no_allocation_in_steps_of_all_steppers(dynamic_pendulums());
    expect_no_allocation_in_steps_of_all_steppers(damped_pendulums());
}

TEST(Allocation, NoneInMacroStepsOfAnAsynchronousSystem) {
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(fixed_pendulums(), lento::asynchronous{one_period}));
    expect_no_allocation_in_steps_of_all_steppers(
        lento::effective(dynamic_pendulums(), lento::asynchronous{one_period}));
}

TEST(Allocation, NoneInMacroStepsOfACentredSystem) {
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(fixed_pendulums(), lento::centred{one_period}));
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(dynamic_pendulums(), lento::centred{one_period}));
}

TEST(Allocation, NoneInMacroStepsOfASynchronousSystem) {
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(fixed_pendulums(), lento::synchronous{smooth}));
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(dynamic_pendulums(), lento::synchronous{smooth}));
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(damped_pendulums(), lento::synchronous{smooth}));
}

TEST(Allocation, NoneInStepsOfImplicitRules) {
    auto const expect_none = [](auto const& system) {
        EXPECT_EQ(in_steps(system, lento::implicit_midpoint{.step = 1}), 0u);
        EXPECT_EQ(in_steps(system, lento::trapezoid{.step = 1}), 0u);
    };
    expect_none(lento::effective(fixed_pendulums(), lento::centred{one_period}));
    expect_none(lento::effective(dynamic_pendulums(), lento::centred{one_period}));
}

/// Allocations in 100 macro steps of a stiff system, and in what is looked at where each of them ends.
template <class Slow, class Stepper>
std::size_t in_stiff_steps(Slow const& slow, Stepper const& stepper, lento::state_of<Slow> x) {
    auto work = slow.work();
    slow.begin(0, x, work);
    slow.lower(0, x, work);
    auto memory = stepper.start(slow);
    constexpr double h = 1. / 64;
    std::size_t before = 0;
    for (int i = 0; i < 100; ++i) {
        if (i == 10) before = allocations;
        stepper.prepare(slow, i * h, x, memory, work);
        stepper.advance(slow, i * h, h, x, memory, work);
        if constexpr (!requires { Stepper::settles; })
            if (slow.revise((i + 1) * h, x, work)) memory.fresh = false;
    }
    std::size_t const counted_here = allocations - before;
    EXPECT_TRUE(lento::all_finite(x));
    EXPECT_FALSE(work.failed.happened()) << work.failed.message;
    return counted_here;
}

TEST(Allocation, NoneInMacroStepsOfStiffSystems) {
    lento::model::two_springs const springs{.omega_1 = omega, .omega_2 = omega};
    auto const system = springs.both_hard();
    auto const x = lento::model::two_springs::on_constraints();
    double const period = 2 * std::numbers::pi / omega;
    lento::window const view{.length = 40 * period, .step = period / 6};
    auto const averaged = lento::effective(system, lento::force_averaging{view});
    EXPECT_EQ(in_stiff_steps(averaged, lento::rk4{}, x), 0u);
    EXPECT_EQ(in_stiff_steps(averaged, lento::implicit_midpoint{}, x), 0u);
    auto const long_windows = lento::effective(system, lento::force_averaging<lento::verlet, long double>{view});
    EXPECT_EQ(in_stiff_steps(long_windows, lento::rk4{}, x), 0u);
    auto const again = lento::effective(
        system, lento::force_averaging{view, lento::verlet{}, lento::projection{.every = 0.1, .drift = 0.1}});
    EXPECT_EQ(in_stiff_steps(again, lento::rk4{}, x), 0u);
    auto const projected = lento::effective(system, lento::slow_manifold{lento::cubic_window(omega)});
    EXPECT_EQ(in_stiff_steps(projected, lento::rk4{}, x), 0u);
    lento::projection_options const fast{.tolerance = 1e-5, .iterations = 1, .notch_steps = 5, .loads = 4};
    auto const followed = lento::effective(system, lento::slow_manifold{lento::cubic_window(omega), fast});
    EXPECT_EQ(in_stiff_steps(followed, lento::adams{}, x), 0u);
    EXPECT_EQ(in_stiff_steps(followed, lento::rk4{}, x), 0u);
    for (int const order : {0, 1, 2})
        EXPECT_EQ(in_stiff_steps(lento::effective(system, lento::limit{.order = order}), lento::rk4{}, x), 0u);
    auto const energetic = lento::effective(system, lento::adiabatic{});
    auto kicked = x;
    kicked.velocity[0] += 0.1;
    EXPECT_EQ(in_stiff_steps(energetic, lento::rk4{}, energetic.extended(kicked)), 0u);
}

TEST(Allocation, NoneInMacroStepsOfStiffSystemsOfRunTimeSize) {
    for (std::size_t const pairs : {4U, 40U}) { // few springs, and many
        lento::model::alternating_chain const chain{.pairs = pairs, .omega = omega};
        auto const system = chain.system();
        lento::motion<std::vector<double>> x{chain.mode(1), chain.mode(2)};
        x.position[0] += 1e-5; // some energy to look at
        double const period = 2 * std::numbers::pi / omega;
        lento::window const view{.length = 40 * period, .step = period / 6};
        auto const averaged = lento::effective(
            system, lento::force_averaging{view, lento::verlet{}, lento::projection{.every = 0.1, .drift = 0.1}});
        EXPECT_EQ(in_stiff_steps(averaged, lento::rk4{}, x), 0u) << pairs;
        auto const projected = lento::effective(system, lento::slow_manifold{lento::cubic_window(omega)});
        EXPECT_EQ(in_stiff_steps(projected, lento::rk4{}, x), 0u) << pairs;
        lento::projection_options const fast{.tolerance = 1e-5, .iterations = 1, .notch_steps = 3, .loads = 4};
        auto const followed = lento::effective(system, lento::slow_manifold{lento::cubic_window(omega), fast});
        EXPECT_EQ(in_stiff_steps(followed, lento::adams{}, x), 0u) << pairs;
        EXPECT_EQ(in_stiff_steps(followed, lento::rk4{}, x), 0u) << pairs;
        EXPECT_EQ(in_stiff_steps(lento::effective(system, lento::limit{}), lento::rk4{}, x), 0u) << pairs;
    }
}

TEST(Allocation, NoneInStepsWithConstraints) {
    auto const pendulum = lento::model::double_pendulum(1e6);
    auto const expect_none = [&](auto const& system) {
        auto const count = [&](auto const& stepper) {
            auto x = lento::origin(system);
            x.position = pendulum.place({0.5, 0.});
            auto work = system.work();
            auto memory = stepper.start(system);
            stepper.advance(system, 0, 1e-3, x, memory, work);
            std::size_t const before = allocations;
            for (int i = 1; i < 40; ++i) stepper.advance(system, i * 1e-3, 1e-3, x, memory, work);
            EXPECT_TRUE(lento::all_finite(x));
            return allocations - before;
        };
        EXPECT_EQ(count(lento::shake{}), 0u);
        EXPECT_EQ(count(lento::rattle{}), 0u);
        EXPECT_EQ(count(lento::rattle4{}), 0u);
        EXPECT_EQ(count(lento::lobatto4{}), 0u);
    };
    expect_none(pendulum.system());
    expect_none(lento::effective(pendulum.vibrated_system(), lento::asynchronous{one_period, lento::shake{}}));
    expect_none(lento::effective(pendulum.vibrated_system(), lento::centred{one_period, lento::shake{}}));
}

TEST(Allocation, NoneInMacroStepsOfASpectralMean) {
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(fixed_pendulums(), lento::picard{}));
    expect_no_allocation_in_steps_of_all_steppers(lento::effective(dynamic_pendulums(), lento::picard{}));
}

} // namespace

// Phases: reduced to the last digit, by sums and products alone.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <lento/system/phase.hpp>

namespace {

using lento::detail::angle_after;
using lento::detail::angle_after_many_turns;

/// A number of any size between two powers of ten, of either sign.
class any_number {
public:
    [[nodiscard]] double between(double lowest, double highest) {
        double const size = std::pow(10, std::uniform_real_distribution<double>(lowest, highest)(engine_));
        return engine_() % 2 == 0 ? size : -size;
    }

private:
    std::mt19937_64 engine_{1};
};

TEST(Phases, AreTheSameBitsAsByFusedProducts) {
    any_number numbers;
    for (int k = 0; k < 200000; ++k) {
        double const frequency = std::abs(numbers.between(-3, 9));
        double const t = numbers.between(-6, 4);
        ASSERT_EQ(angle_after(frequency, t), angle_after_many_turns(frequency, t)) << frequency << ", " << t;
    }
}
TEST(Phases, AreRightToRoundingAfterMillionsOfTurns) {
    any_number numbers;
    long double const two_pi = 6.283185307179586476925286766559005768L;
    for (int k = 0; k < 20000; ++k) {
        double const frequency = std::abs(numbers.between(0, 6));
        double const t = numbers.between(-6, 1);
        // 64 digits of the product and of 2 pi are off by this much
        long double const turned = static_cast<long double>(frequency) * t;
        double const exact = static_cast<double>(std::remainder(turned, two_pi));
        double const off = std::remainder(lento::reduced_phase(0., frequency, t) - exact, lento::two_pi<double>);
        ASSERT_LT(std::abs(off), 1e-15 + 2e-19 * std::abs(static_cast<double>(turned))) << frequency << ", " << t;
    }
}
TEST(Phases, OfTimesThatAreNotFiniteAreNot) {
    for (double const t : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        EXPECT_TRUE(std::isnan(lento::reduced_phase(0., 1., t)));
}

} // namespace

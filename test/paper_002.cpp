// The quick experiments of paper 002 agree with the print; the long ones are run by `lento reproduce`.

#include <gtest/gtest.h>

#include "reproduce/experiments.hpp"

namespace {

using namespace lento::reproduce;

void expect_good(report const& r) {
    EXPECT_TRUE(r.good()) << to_text(r);
    EXPECT_FALSE(r.entries.empty());
}

TEST(Paper002, TableTwoAgreesWithThePrint) { expect_good(table_002_2()); }

TEST(Paper002, StellarOrbitsAgreeAndTheMisprintIsKnown) {
    auto const r = stellar_orbits_002();
    expect_good(r);
    int known = 0;
    for (auto const& e : r.entries) known += e.known ? 1 : 0;
    EXPECT_EQ(known, 1);
}

} // namespace

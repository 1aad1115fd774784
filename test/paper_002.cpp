// The experiments of paper 002 come out.

#include <gtest/gtest.h>

#include "reproduce/experiments.hpp"
#include "test/comes_out.hpp"

namespace {

using namespace lento::reproduce;

TEST(Paper002, Table2ComesOut) { comes_out(table_002_2()); }
TEST(Paper002, Figure4ComesOut) { comes_out(figure_002_4()); }
TEST(Paper002, Figure5ComesOut) { comes_out(figure_002_5()); }
TEST(Paper002, Figure6ComesOut) { comes_out(figure_002_6()); }
TEST(Paper002, ClaimsComeOut) { comes_out(claims_002()); }
TEST(Paper002, Figure8ComesOut) { comes_out(fermi_pasta_ulam_002()); }
TEST(Paper002, Figure9ComesOut) { comes_out(fermi_pasta_ulam_long_002()); }
TEST(Paper002, IsOutdoneWithFewRightHandSides) { comes_out(work_precision_002()); }

TEST(Paper002, Figure7ComesOutAndWhatIsNotExplainedIsKnown) {
    auto const r = figure_002_7();
    comes_out(r);
    int known = 0;
    for (auto const& e : r.entries) known += e.known ? 1 : 0;
    EXPECT_EQ(known, 1);
}

} // namespace

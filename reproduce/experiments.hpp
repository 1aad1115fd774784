#pragma once

#include "reproduce/experiment.hpp"

/// Every experiment is a function that computes its report.
namespace lento::reproduce {

report table_000_1();
report table_001_2_1();
report table_001_2_2();
report table_001_2_3();
report figure_001_4_1();
report work_precision_001();
report figure_004_3();
report figure_004_4();
report figure_004_5();
report figure_004_6();
report figure_004_7();

} // namespace lento::reproduce

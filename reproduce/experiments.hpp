#pragma once

#include "reproduce/experiment.hpp"

/// Every experiment is a function that computes its report.
namespace lento::reproduce {

report table_000_1();
report table_000_2();
report figure_000_1();
report figure_000_2();
report figure_000_3();
report figure_000_4();
report figure_000_5();
report figure_000_6();
report claims_000();
report example_000_2();
report figure_001_2_1();
report table_001_2_1();
report table_001_2_2();
report table_001_2_3();
report figure_001_4_1();
report claims_001();
report work_precision_001();
report table_003_1();
report slow_points_003();
report multipliers_003();
report figure_003_2();
report figure_003_3();
report figure_003_4();
report figure_003_5();
report figure_003_6();
report literal_003();
report implicit_codes_003();
report claims_003();
report work_precision_003();
report figure_004_3();
report figure_004_4();
report figure_004_5();
report figure_004_6();
report figure_004_7();
report claims_004();
report table_002_2();
report figure_002_4();
report figure_002_5();
report figure_002_6();
report figure_002_7();
report fermi_pasta_ulam_002();
report fermi_pasta_ulam_long_002();
report claims_002();
report work_precision_002();
report orders_beyond();
report choice_over_scales();

} // namespace lento::reproduce

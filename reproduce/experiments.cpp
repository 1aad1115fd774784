#include "reproduce/experiments.hpp"

namespace lento::reproduce {

std::vector<experiment> const& experiments() {
    static std::vector<experiment> const all = {
        {"001/table-2.1", "vibrated pendulum, synchronous HMM, exponential kernel", true, table_001_2_1},
        {"001/table-2.2", "vibrated pendulum, asynchronous HMM, exponential kernel", true, table_001_2_2},
        {"001/table-2.3", "vibrated pendulum, asynchronous HMM, one-period mean", true, table_001_2_3},
    };
    return all;
}

} // namespace lento::reproduce

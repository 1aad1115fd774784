#pragma once

#include <chrono>
#include <ctime>
#include <thread>

#include <lento/base/statistics.hpp>

namespace lento::detail {

/// How long a run takes: the processor time of its thread, and what a clock shows. A run that ends in another thread
/// than it began in gets the processor time of the whole program.
class run_clock {
public:
    run_clock();
    void read(statistics& counts) const;

private:
    std::thread::id thread_;
    double of_thread_;
    std::clock_t of_program_;
    std::chrono::steady_clock::time_point began_;
};

} // namespace lento::detail

#include <lento/solve/run_clock.hpp>

#include <time.h> // NOLINT(modernize-deprecated-headers): clock_gettime is not in <ctime>

namespace lento::detail {
namespace {

double processor_seconds() {
    timespec now{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

run_clock::run_clock()
    : thread_(std::this_thread::get_id())
    , of_thread_(processor_seconds())
    , of_program_(std::clock())
    , began_(std::chrono::steady_clock::now()) {}

void run_clock::read(statistics& counts) const {
    counts.seconds = std::this_thread::get_id() == thread_
                         ? processor_seconds() - of_thread_
                         : static_cast<double>(std::clock() - of_program_) / CLOCKS_PER_SEC;
    counts.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

} // namespace lento::detail

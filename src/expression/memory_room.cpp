#include "lento/expression/memory_room.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

namespace lento::expression {
namespace {

/// Pages of this process: all, and those that it may write. Linux tells them; elsewhere limits are not foreseen.
struct pages {
    double all = 0;
    double data = 0;
};

pages pages_in_use() {
    pages found;
    if (FILE* const file = std::fopen("/proc/self/statm", "re"); file != nullptr) {
        unsigned long all = 0;
        unsigned long data = 0;
        if (std::fscanf(file, "%lu %*u %*u %*u %*u %lu", &all, &data) == 2)
            found = {static_cast<double>(all), static_cast<double>(data)};
        std::fclose(file);
    }
    return found;
}

/// An int for C libraries, an enumeration for GNU's.
template <class Kind> double limit_on(Kind what) {
    rlimit found{};
    bool const known = getrlimit(what, &found) == 0 && found.rlim_cur != RLIM_INFINITY;
    return known ? static_cast<double>(found.rlim_cur) : std::numeric_limits<double>::infinity();
}

} // namespace

double memory_room() {
    double const all = limit_on(RLIMIT_AS);
    double const data = limit_on(RLIMIT_DATA);
    if (std::min(all, data) == std::numeric_limits<double>::infinity()) return all;
    auto const used = pages_in_use();
    auto const page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return std::max(0., std::min(all - used.all * page, data - used.data * page));
}

} // namespace lento::expression

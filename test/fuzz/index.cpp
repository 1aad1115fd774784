// Whatever indices a formula has: the engines agree with an evaluation that checks every access, or it is refused.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "index_formulas.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::size_t next = 0;
    auto const one = index_formulas::generator([&](unsigned n) { return next < size ? data[next++] % n : 0U; }).make();
    std::string const fault = index_formulas::compared(one).fault;
    if (fault.empty()) return 0;
    std::fprintf(stderr, "%s: %s\n", fault.c_str(), index_formulas::shown(one).c_str());
    std::abort();
}

#include <lento/problem/roughly.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace lento {

std::string roughly(double error) {
    if (!std::isfinite(error) || error == 0) return error == 0 ? "0" : "unknown";
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.0e", error);
    std::string const all = text.data();
    auto const e = all.find('e');
    return all.substr(0, e + 1) + std::to_string(std::atoi(all.c_str() + e + 1));
}

} // namespace lento

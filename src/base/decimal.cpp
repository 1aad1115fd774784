#include <lento/base/decimal.hpp>

#include <stdlib.h> // NOLINT(modernize-deprecated-headers): strtod_l is not in <cstdlib>

#include <locale.h> // NOLINT(modernize-deprecated-headers): newlocale is not in <clocale>
#ifdef __APPLE__
#include <xlocale.h>
#endif

namespace lento {
namespace {

locale_t plain() {
    static locale_t const made = newlocale(LC_ALL_MASK, "C", nullptr);
    return made;
}

} // namespace

template <> double decimal<double>(std::string const& digits) { return strtod_l(digits.c_str(), nullptr, plain()); }
template <> long double decimal<long double>(std::string const& digits) {
    return strtold_l(digits.c_str(), nullptr, plain());
}

} // namespace lento

#include <lento/effective/path_differences.hpp>

namespace lento {
namespace {

constexpr int most_radius = path_differences::most_radius;
constexpr std::size_t most_places = path_differences::most_places;
using list = std::array<long double, most_places>;

/// The coefficients of the polynomial that is 1 at one place and 0 at the others.
constexpr list coefficients_of(int radius, int place) {
    list coefficients{1};
    int degree = 0;
    for (int other = -radius; other <= radius; ++other) {
        if (other == place) continue;
        ++degree; // times (s - other)/(place - other)
        for (int i = degree; i >= 0; --i) {
            auto const n = static_cast<std::size_t>(i);
            long double const below = i > 0 ? coefficients[n - 1] : 0;
            coefficients[n] = (below - (i < degree ? coefficients[n] : 0) * other) / (place - other);
        }
    }
    return coefficients;
}

constexpr auto all_polynomials = [] {
    std::array<std::array<list, most_places>, most_radius + 1> made{};
    for (int radius = 0; radius <= most_radius; ++radius)
        for (int place = -radius; place <= radius; ++place)
            made[static_cast<std::size_t>(radius)][path_differences::at(place)] = coefficients_of(radius, place);
    return made;
}();

constexpr list const& polynomial(int radius, int place) {
    return all_polynomials[static_cast<std::size_t>(radius)][path_differences::at(place)];
}

} // namespace

long double path_differences::derivative(int radius, int j, int place, int k) {
    list const& of = polynomial(radius, place);
    long double sum = 0;
    for (int i = 2 * radius; i >= j; --i) { // Horner's scheme
        long double factor = of[static_cast<std::size_t>(i)];
        for (int n = 0; n < j; ++n) factor *= i - n;
        sum = sum * k + factor;
    }
    return sum;
}

long double path_differences::integral(int radius, int times, int place, int k) {
    list const& of = polynomial(radius, place);
    long double sum = 0;
    for (int i = 2 * radius; i >= 0; --i) {
        long double factor = of[static_cast<std::size_t>(i)];
        for (int n = 1; n <= times; ++n) factor /= i + n;
        sum = sum * k + factor;
    }
    for (int n = 0; n < times; ++n) sum *= k;
    return sum;
}

} // namespace lento

#include <lento/effective/phase_torus.hpp>

#include <lento/base/misuse.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

#include <lento/system/phase.hpp>

namespace lento {
namespace {

using whole = std::vector<int>;

/// Calls visit for all lists of whole numbers, |m_j| <= highest_j.
template <class Visit> void for_each_order(whole const& highest, Visit const& visit) {
    whole order = highest;
    for (int& each : order) each = -each;
    for (bool more = true; more;) {
        visit(order);
        more = false;
        for (std::size_t j = 0; j < order.size() && !more; ++j) {
            more = order[j] < highest[j];
            order[j] = more ? order[j] + 1 : -highest[j];
        }
    }
}

/// One of each pair of opposite orders.
bool leads(whole const& order) {
    auto const first = std::find_if(order.begin(), order.end(), [](int m) { return m != 0; });
    return first != order.end() && *first > 0;
}

int total(whole const& order) {
    return std::accumulate(order.begin(), order.end(), 0, [](int sum, int m) { return sum + std::abs(m); });
}

long double combined(whole const& order, std::span<long double const> frequencies) {
    long double sum = 0;
    for (std::size_t j = 0; j < order.size(); ++j) sum += order[j] * frequencies[j];
    return sum;
}

/// But for the last digits of the frequencies.
bool vanishes(whole const& order, std::span<long double const> frequencies) {
    constexpr long double rounding = 8 * std::numeric_limits<double>::epsilon();
    long double size = 0;
    for (std::size_t j = 0; j < order.size(); ++j) size += std::abs(order[j] * frequencies[j]);
    return std::abs(combined(order, frequencies)) <= rounding * size;
}

// ---- merging ----

constexpr int most_in_resonance = 6;

/// Phases are merged where they run together but for the last digits of their frequencies. Where they part slowly, that
/// is a beat, whose end a merged phase would never see.
std::vector<whole> resonances(std::span<long double const> frequencies) {
    std::vector<whole> found;
    for_each_order(whole(frequencies.size(), most_in_resonance), [&](whole const& order) {
        if (leads(order) && total(order) <= most_in_resonance && vanishes(order, frequencies)) found.push_back(order);
    });
    return found;
}

/// A basis, as columns, of the whole vectors that are orthogonal to all resonances: columns of the identity are
/// combined until every resonance has its product with the first few of them only.
std::vector<whole> free_directions(std::vector<whole> const& resonances, std::size_t phases) {
    std::vector<whole> columns(phases, whole(phases));
    for (std::size_t j = 0; j < phases; ++j) columns[j][j] = 1;
    std::size_t used = 0;
    for (whole const& each : resonances) {
        auto const product = [&](std::size_t j) {
            return std::inner_product(each.begin(), each.end(), columns[j].begin(), 0);
        };
        for (bool more = true; more;) { // Euclid's algorithm among the columns that are left
            std::size_t smallest = phases;
            for (std::size_t j = used; j < phases; ++j)
                if (product(j) != 0 && (smallest == phases || std::abs(product(j)) < std::abs(product(smallest))))
                    smallest = j;
            if (smallest == phases) break; // follows from those before
            more = false;
            for (std::size_t j = used; j < phases; ++j) {
                if (j == smallest || product(j) == 0) continue;
                int const share = product(j) / product(smallest);
                for (std::size_t p = 0; p < phases; ++p) columns[j][p] -= share * columns[smallest][p];
                more = more || product(j) != 0;
            }
            if (!more) std::swap(columns[used++], columns[smallest]);
        }
    }
    columns.erase(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(used));
    return columns;
}

/// Shorter vectors of the same lattice: the numbers in them become the harmonics of the merged phases.
void shorten(std::vector<whole>& columns) {
    auto const product = [](whole const& a, whole const& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0);
    };
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < columns.size(); ++i)
            for (std::size_t j = 0; j < columns.size(); ++j) {
                if (i == j) continue;
                auto const share = static_cast<int>(std::lround(static_cast<double>(product(columns[i], columns[j])) /
                                                                product(columns[j], columns[j])));
                if (share == 0) continue;
                auto shorter = columns[i];
                for (std::size_t p = 0; p < shorter.size(); ++p) shorter[p] -= share * columns[j][p];
                if (product(shorter, shorter) >= product(columns[i], columns[i])) continue;
                columns[i] = shorter;
                more = true;
            }
    }
}

/// frequencies = sum_j found_j column_j, by least squares (Gauss-Jordan on the normal equations).
std::vector<long double> along(std::vector<whole> const& columns, std::span<long double const> frequencies) {
    std::size_t const n = columns.size();
    std::vector<std::vector<long double>> rows(n, std::vector<long double>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
            rows[i][j] = std::inner_product(columns[i].begin(), columns[i].end(), columns[j].begin(), 0);
        rows[i][n] = combined(columns[i], frequencies);
    }
    for (std::size_t i = 0; i < n; ++i) { // positive definite: no pivots needed
        for (std::size_t k = n + 1; k-- > i;) rows[i][k] /= rows[i][i];
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = n + 1; j != i && k-- > i;) rows[j][k] -= rows[j][i] * rows[i][k];
    }
    std::vector<long double> found(n);
    for (std::size_t i = 0; i < n; ++i) found[i] = rows[i][n];
    return found;
}

// ---- sampling ----

constexpr std::size_t most_samples = 2048; ///< and a table of as many by half as many harmonics takes 32 MB

double weighed(whole const& order, std::span<int const> points) {
    double sum = 0;
    for (std::size_t j = 0; j < order.size(); ++j) sum += std::abs(order[j]) / static_cast<double>(points[j]);
    return sum;
}

/// Whether a harmonic counts as one of no more than `share` of the degree that the samples have.
bool within(whole const& order, std::span<int const> points, double share, bool products) {
    if (!products) return weighed(order, points) < share - 1e-9;
    for (std::size_t j = 0; j < order.size(); ++j)
        if (std::abs(order[j]) >= share * points[j] - 1e-9) return false;
    return true;
}

std::vector<whole> orders_within(std::span<int const> points, double share, bool products) {
    whole highest;
    for (int const each : points) highest.push_back(static_cast<int>(std::ceil(share * each)) - 1);
    std::vector<whole> found;
    for_each_order(highest, [&](whole const& order) {
        if (leads(order) && within(order, points, share, products)) found.push_back(order);
    });
    return found;
}

/// Points i (1, a, a^2, ...)/count of the unit cube, modulo 1, for which no harmonic of the list is constant.
struct lattice {
    std::int64_t count = 0;
    std::vector<std::int64_t> generator;
};

/// The smallest such lattice of this form (Korobov), found by trial; nothing where it would have `limit` points.
lattice smallest_lattice(std::span<int const> points, std::size_t limit) {
    auto unseen = orders_within(points, 1, false);
    std::sort(unseen.begin(), unseen.end(), [&](whole const& a, whole const& b) { // the likely ones first
        return weighed(a, points) < weighed(b, points);
    });
    auto const sees_all = [&](lattice const& tried) {
        return std::none_of(unseen.begin(), unseen.end(), [&](whole const& order) {
            std::int64_t sum = 0;
            for (std::size_t j = 0; j < order.size(); ++j) sum += order[j] * tried.generator[j];
            return sum % tried.count == 0;
        });
    };
    lattice tried{.count = 1, .generator = std::vector<std::int64_t>(points.size(), 1)};
    // harmonics of half the degree must differ on it
    tried.count = 1 + 2 * static_cast<std::int64_t>(orders_within(points, 0.5, false).size());
    for (; tried.count < static_cast<std::int64_t>(limit); ++tried.count)
        for (std::int64_t a = 1; a <= tried.count / 2; ++a) {
            for (std::size_t j = 1; j < points.size(); ++j)
                tried.generator[j] = tried.generator[j - 1] * a % tried.count;
            if (sees_all(tried)) return tried;
        }
    return {};
}

/// i/n of a turn, taken to the nearest end: opposite phases are then opposite numbers.
long double turn(std::int64_t i, std::int64_t n) {
    i %= n;
    if (2 * i > n) i -= n;
    return two_pi<long double> * static_cast<long double>(i) / static_cast<long double>(n);
}

void take_lattice(torus_rule& rule, lattice const& found) {
    auto const count = static_cast<std::size_t>(found.count);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<long double> phi;
        for (auto const z : found.generator) phi.push_back(turn(static_cast<std::int64_t>(i) * z, found.count));
        rule.samples.push_back(std::move(phi));
        rule.mirrored.push_back((count - i) % count);
    }
}
void take_grid(torus_rule& rule, std::span<int const> points, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<long double> phi;
        std::size_t opposite = 0;
        std::size_t scale = 1;
        std::size_t rest = i;
        for (int const each : points) {
            auto const n = static_cast<std::size_t>(each);
            phi.push_back(turn(static_cast<std::int64_t>(rest % n), each));
            opposite += scale * ((n - rest % n) % n);
            rest /= n;
            scale *= n;
        }
        rule.samples.push_back(std::move(phi));
        rule.mirrored.push_back(opposite);
    }
}

} // namespace

std::vector<long double> independent_phases::given(std::span<long double const> phi) const {
    std::vector<long double> theta = offsets;
    for (std::size_t p = 0; p < theta.size(); ++p)
        for (std::size_t j = 0; j < phi.size(); ++j) theta[p] += turns[p][j] * phi[j];
    return theta;
}

independent_phases independent(std::span<long double const> frequencies, std::span<long double const> starts) {
    std::size_t const given = frequencies.size();
    auto columns = free_directions(resonances(frequencies), given);
    independent_phases made;
    made.merged = columns.size() < given;
    if (made.merged) {
        shorten(columns);
        made.frequencies = along(columns, frequencies);
        made.starts.assign(columns.size(), 0);
        made.offsets.assign(starts.begin(), starts.end());
        for (std::size_t j = 0; j < columns.size(); ++j)
            if (made.frequencies[j] < 0) {
                made.frequencies[j] = -made.frequencies[j];
                for (int& each : columns[j]) each = -each;
            }
    } else {
        made.frequencies.assign(frequencies.begin(), frequencies.end());
        made.starts.assign(starts.begin(), starts.end());
        made.offsets.assign(given, 0);
    }
    made.turns.assign(given, whole(columns.size()));
    for (std::size_t p = 0; p < given; ++p)
        for (std::size_t j = 0; j < columns.size(); ++j) made.turns[p][j] = columns[j][p];
    return made;
}

torus_rule sampled(independent_phases const& phases, std::span<int const> points, bool products) {
    double grid = 1;
    for (int const each : points) grid *= each;
    bool const alone = points.size() == 1;
    auto const limit = static_cast<std::size_t>(std::min(grid, most_samples + 1.));
    lattice found;
    if (!alone && !products) found = smallest_lattice(points, limit);
    torus_rule rule;
    if (found.count == 0 && grid > most_samples) return rule;
    if (found.count > 0) take_lattice(rule, found);
    else take_grid(rule, points, static_cast<std::size_t>(grid));
    long double const slowest = *std::min_element(phases.frequencies.begin(), phases.frequencies.end());
    for (auto const& order : orders_within(points, 0.5, products || alone)) {
        long double const frequency = combined(order, phases.frequencies);
        // a slow combination of many phases is too weak to matter, and no oscillation
        if (total(order) > 4 && !alone && std::abs(frequency) < 0.1L * slowest) continue;
        if (!vanishes(order, phases.frequencies)) rule.modes.push_back({order, frequency});
    }
    return rule;
}

slowest_beat beat(independent_phases const& phases) {
    slowest_beat found;
    if (phases.size() < 2) return found;
    constexpr int most = 4; // but for combinations of more that are next to nothing, a resonance but for a detuning
    long double const fastest = *std::max_element(phases.frequencies.begin(), phases.frequencies.end());
    for_each_order(whole(phases.size(), most_in_resonance), [&](whole const& order) {
        if (!leads(order) || total(order) > most_in_resonance) return;
        if (total(order) > most && std::abs(combined(order, phases.frequencies)) > 1e-9L * fastest) return;
        auto const frequency = static_cast<double>(std::abs(combined(order, phases.frequencies)));
        if (found.frequency > 0 && frequency >= found.frequency) return;
        found.frequency = frequency;
        found.name.clear();
        for (std::size_t j = 0; j < order.size(); ++j)
            if (order[j] != 0)
                found.name += (order[j] < 0         ? (found.name.empty() ? "-" : " - ")
                               : found.name.empty() ? ""
                                                    : " + ") +
                              std::to_string(std::abs(order[j])) + " * " +
                              show(static_cast<double>(phases.frequencies[j]));
    });
    return found;
}

} // namespace lento

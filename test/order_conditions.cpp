// Order conditions of all tables of coefficients, one per tree. The trees are generated, and fractions are checked
// exactly: a residual is 0 where it is 0 modulo large primes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <lento/base/fraction.hpp>
#include <lento/stepper/dop853_table.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/nystrom12.hpp>
#include <lento/stepper/runge_kutta.hpp>

namespace {

using namespace lento;
__extension__ using quad = __float128;

/// A fraction modulo a prime: sums, products and quotients are exact, and 0 stands for 0.
template <std::uint64_t Prime> struct residue {
    std::uint64_t value = 0;

    constexpr residue() = default;
    constexpr residue(std::int64_t n)
        : value(n < 0 ? Prime - static_cast<std::uint64_t>(-n) % Prime : static_cast<std::uint64_t>(n) % Prime) {}
    friend constexpr bool operator==(residue, residue) = default;
    friend constexpr residue operator+(residue a, residue b) { return of((a.value + b.value) % Prime); }
    friend constexpr residue operator-(residue a) { return of((Prime - a.value) % Prime); }
    friend constexpr residue operator-(residue a, residue b) { return a + (-b); }
    friend constexpr residue operator*(residue a, residue b) {
        __extension__ using wide = unsigned __int128;
        return of(static_cast<std::uint64_t>(static_cast<wide>(a.value) * b.value % Prime));
    }
    friend constexpr residue operator/(residue a, residue b) { // by Fermat's b^(Prime - 2)
        for (std::uint64_t power = Prime - 2; power > 0; power /= 2, b = b * b)
            if (power % 2 == 1) a = a * b;
        return a;
    }
    constexpr residue& operator+=(residue b) { return *this = *this + b; }

private:
    static constexpr residue of(std::uint64_t value) {
        residue made;
        made.value = value;
        return made;
    }
};
using first_residue = residue<(1ULL << 61U) - 1>;
using second_residue = residue<(1ULL << 61U) - 31>;

/// A tree of f's: the weight of every stage in it, and the factor of t^(order - 1) that the exact solution has.
template <class T> struct tree {
    int order = 1;
    std::vector<T> weights;
    T exact = T(1);
};

/// All trees up to an order. `graft(tree, branch)` adds a branch; `stem` is what a branch adds to the order beside its
/// own. Branches come in the order of the list, so that every tree is made once.
template <class T, class Graft> void grow(std::vector<tree<T>>& all, std::vector<tree<T>> const& branches,
                                          tree<T> const& from, std::size_t first, int stem, int most,
                                          Graft const& graft) {
    if (from.order == most) {
        all.push_back(from);
        return;
    }
    for (std::size_t i = first; i < branches.size(); ++i)
        if (from.order + stem + branches[i].order <= most) {
            tree<T> next = from;
            next.order += stem + branches[i].order;
            graft(next, branches[i]);
            grow(all, branches, next, i, stem, most, graft);
        }
}

template <class T, std::size_t N>
std::vector<T> product(std::array<std::array<T, N>, N> const& a, std::vector<T> const& weights) {
    std::vector<T> sums(N, T(0));
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) sums[i] += a[i][j] * weights[j];
    return sums;
}
template <class T> void multiply(std::vector<T>& weights, std::vector<T> const& by) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = weights[i] * by[i];
}

/// Trees of x' = f(x) (Butcher 1963): a branch is the integral of a smaller tree.
template <class T, std::size_t N>
std::vector<tree<T>> rooted_trees(std::array<std::array<T, N>, N> const& a, int most) {
    std::vector<tree<T>> all;
    for (int order = 1; order <= most; ++order) {
        auto const branches = all;
        grow(all, branches, tree<T>{1, std::vector<T>(N, T(1))}, 0, 0, order, [&a](tree<T>& to, tree<T> const& branch) {
            multiply(to.weights, product(a, branch.weights));
            to.exact = to.exact * (branch.exact / T(branch.order));
        });
    }
    return all;
}

/// Trees of x'' = f(t, x) (Nystrom 1925, Hairer and Wanner 1976): a branch is the double integral of a smaller tree, or
/// the velocity at the start, or the time.
template <class T, std::size_t N> std::vector<tree<T>> nystrom_trees(nystrom_table<T, N> const& table, int most) {
    std::vector<tree<T>> all;
    std::vector<T> const c(table.c.begin(), table.c.end());
    for (int order = 1; order <= most; ++order) {
        std::vector<tree<T>> const branches = all;
        tree<T> root{1, std::vector<T>(N, T(1))};
        for (; root.order <= order; ++root.order, multiply(root.weights, c))
            grow(all, branches, root, 0, 1, order, [&table](tree<T>& to, tree<T> const& branch) {
                multiply(to.weights, product(table.a, branch.weights));
                to.exact = to.exact * (branch.exact / T(static_cast<std::int64_t>(branch.order) * (branch.order + 1)));
            });
    }
    return all;
}

template <class T, class Weights> T sum(Weights const& b, tree<T> const& over) {
    T sum(0);
    for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * over.weights[i];
    return sum;
}

/// The largest residual of weights that must give `factor(order)` times the exact factor, up to an order.
template <class T, class Weights, class Factor>
T residual(std::vector<tree<T>> const& trees, Weights const& b, int order, Factor const& factor) {
    T largest(0);
    for (auto const& each : trees) {
        if (each.order > order) continue;
        T const miss = sum(b, each) - each.exact * factor(each.order);
        if constexpr (requires { miss < largest; }) {
            if (miss > largest || -miss > largest) largest = miss < T(0) ? -miss : miss;
        } else if (!(miss == T(0))) {
            largest = miss;
        }
    }
    return largest;
}
template <class T> T none(int) { return T(0); }
template <class T> T integral(int order) { return T(1) / T(order); }
template <class T> T double_integral(int order) { return T(1) / T(static_cast<std::int64_t>(order) * (order + 1)); }

template <class T> void expect_exact(T residual) { EXPECT_EQ(residual, T(0)); }
void expect_below(double bound, quad residual) { EXPECT_LT(static_cast<double>(residual), bound); }

/// The conditions of a pair of explicit methods, of these orders.
template <class T, class Method, class Expect> void check_pair(int order, int embedded, Expect const& expect) {
    auto const& table = Method::template coefficients<T>;
    auto const trees = rooted_trees(table.a, order);
    expect(residual(trees, table.b, order, integral<T>));
    expect(residual(trees, table.error, embedded, none<T>));
}
/// Positions need one order less than velocities, whose error is multiplied by the step.
template <class T, class Method, class Expect> void check_nystrom(int order, int embedded, Expect const& expect) {
    auto const& table = Method::template coefficients<T>;
    auto const trees = nystrom_trees(table, order);
    expect(residual(trees, table.bv, order, integral<T>));
    expect(residual(trees, table.b, order - 1, double_integral<T>));
    expect(residual(trees, table.error_v, embedded, none<T>));
    expect(residual(trees, table.error, embedded - 1, none<T>));
}

TEST(Trees, AreAsManyAsThereAre) {
    auto const count = [](auto const& trees, int order) {
        return std::count_if(trees.begin(), trees.end(), [=](auto const& each) { return each.order == order; });
    };
    auto const rooted = rooted_trees(dormand_prince_method::coefficients<double>.a, 8);
    std::array const counts{1, 1, 2, 4, 9, 20, 48, 115}; // Cayley 1857
    for (std::size_t k = 0; k < counts.size(); ++k) EXPECT_EQ(count(rooted, static_cast<int>(k) + 1), counts[k]);
    auto const special = nystrom_trees(rkn8_method::coefficients<double>, 8);
    std::array const special_counts{1, 1, 2, 3, 6, 10, 20, 36}; // Hairer and Wanner 1976
    for (std::size_t k = 0; k < special_counts.size(); ++k)
        EXPECT_EQ(count(special, static_cast<int>(k) + 1), special_counts[k]);
}

TEST(Fractions, OfAnyLengthAreRoundedOnce) {
    EXPECT_EQ(fraction<double>("0"), 0);
    EXPECT_EQ(fraction<double>("-7"), -7);
    EXPECT_EQ(fraction<double>("1/3"), 1. / 3);
    EXPECT_EQ(fraction<long double>("-1/3"), -1.L / 3);
    EXPECT_EQ(fraction<double>("100000000000000000000000000000000000000/3"), 1e38 / 3);
    EXPECT_EQ(fraction<double>("123456789012345678901234567890/123456789012345678901234567890"), 1);
    EXPECT_EQ(fraction<first_residue>("-1000000000000000000000/3000000000000000000000"), first_residue(-1) / 3);
}

TEST(OrderConditions, AreMetExactlyByFractions) {
    auto const check = []<class T>(T) {
        check_pair<T, dormand_prince_method>(5, 4, expect_exact<T>);
        check_nystrom<T, rkn8_method>(8, 6, expect_exact<T>);
        check_nystrom<T, rkn6_method>(6, 0, expect_exact<T>);
        check_nystrom<T, rkn4_method>(4, 0, expect_exact<T>);
        check_pair<T, rk4_method>(4, 0, expect_exact<T>);
    };
    check(first_residue());
    check(second_residue());
}

TEST(OrderConditions, AreNotMetBeyondTheOrder) {
    using T = first_residue;
    auto const& pair = dormand_prince_method::coefficients<T>;
    auto const trees = rooted_trees(pair.a, 6);
    EXPECT_NE(residual(trees, pair.b, 6, integral<T>), T(0));
    EXPECT_NE(residual(trees, pair.error, 5, none<T>), T(0));
    auto const& nystrom = rkn8_method::coefficients<T>;
    auto const special = nystrom_trees(nystrom, 9);
    EXPECT_NE(residual(special, nystrom.bv, 9, integral<T>), T(0));
    EXPECT_NE(residual(special, nystrom.error_v, 7, none<T>), T(0));
    auto const& high = rkn12_method::coefficients<quad>;
    auto const many = nystrom_trees(high, 13);
    EXPECT_GT(static_cast<double>(residual(many, high.bv, 13, integral<quad>)), 1e-12);
    EXPECT_GT(static_cast<double>(residual(many, high.error_v, 11, none<quad>)), 1e-12);
}

TEST(OrderConditions, AreMetTo30DigitsByThePairOfOrders12And10) {
    check_nystrom<quad, rkn12_method>(12, 10, [](quad residual) { expect_below(1e-30, residual); });
}

TEST(OrderConditions, AreMetTo15DigitsByThePairsOfOrder8) {
    auto const expect = [](quad residual) { expect_below(1e-15, residual); };
    check_pair<quad, dormand_prince_8_method>(8, 7, expect);
    check_pair<quad, dop853_method>(8, 5, expect);
    auto const trees = rooted_trees(dop853_method::coefficients<quad>.a, 3);
    expect(residual(trees, dop853_method::error_3<quad>, 3, none<quad>));
}

TEST(DenseOutput, OfOrder7MeetsItsConditionsEverywhereInTheStep) {
    std::array<std::array<quad, 16>, 16> a{};
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) a[i][j] = dop853_method::a[i][j];
    auto const trees = rooted_trees(a, 8);
    for (int k = 0; k <= 10; ++k) {
        quad const s = quad(k) / 10;
        auto const factor = [s](int order) {
            quad power = 1;
            for (int i = 0; i < order; ++i) power *= s;
            return power / order;
        };
        expect_below(1e-15, residual(trees, dop853_method::between(s), 7, factor));
        double const beyond = static_cast<double>(residual(trees, dop853_method::between(s), 8, factor));
        if (k == 0 || k == 10) EXPECT_LT(beyond, 1e-15);
        else EXPECT_GT(beyond, 1e-9);
    }
}

} // namespace

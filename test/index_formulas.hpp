#pragma once

// Formulas of many indices: nested sums whose bounds depend on outer indices, negative, huge, fractional and empty
// ranges, families with values defined by hand at their edges. They are evaluated here, index by index and with every
// access checked, and by the engines; both must agree, or the reader must have refused. Used by a test and by fuzzing.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <lento/expression/expression.hpp>

namespace index_formulas {

using namespace lento::expression;
__extension__ typedef __int128 whole;

/// A number below n, from whatever decides.
using chooser = std::function<unsigned(unsigned n)>;

/// What an evaluation found that no formula may do.
struct out_of_range {};
struct not_whole {};
struct too_long {};

/// A value with its derivatives by all coordinates, and the size of all that was added up in it, for rounding errors.
struct dual {
    double value = 0;
    double size = 0;
    std::vector<double> slope;
};

/// constant + sum of factor * variable, divided; printed in one of several ways.
struct index_text {
    whole constant = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> terms{};
    std::int64_t divisor = 1;
    bool backwards = false;
};

struct formula_text {
    enum class kind { number, index, element, defined, add, subtract, multiply, square, cosine, sum } what;
    double number = 0;
    std::size_t variable = 0; // of an index, or of a sum
    index_text at{};
    std::vector<index_text> lower{}, upper{};
    std::vector<formula_text> parts{};
};

/// A whole problem: x[first..last], some x[...] defined by hand, perhaps r[i] = x[factor*i + shift]*i.
struct index_case {
    formula_text body{};
    std::int64_t first = 1, last = 1;
    std::set<std::int64_t> defined{};
    std::int64_t factor = 1, shift = 0;
    bool fractional = false, huge = false;
};

inline std::string name_of(std::size_t variable) { return "i" + std::to_string(variable); }

inline std::string text_of(whole value) {
    if (value < 0) return "-" + text_of(-value);
    std::string digits;
    do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    while ((value /= 10) != 0);
    return digits;
}

inline std::string text_of(index_text const& index) {
    std::vector<std::string> parts;
    for (auto const& [v, factor] : index.terms)
        parts.push_back(factor == 1 ? name_of(v) : "(" + std::to_string(factor) + ")*" + name_of(v));
    if (index.constant != 0 || parts.empty()) parts.push_back("(" + text_of(index.constant) + ")");
    if (index.backwards) std::reverse(parts.begin(), parts.end());
    std::string text;
    for (auto const& part : parts) text += (text.empty() ? "" : "+") + part;
    return index.divisor == 1 ? text : "(" + text + ")/" + std::to_string(index.divisor);
}

inline std::string text_of(std::vector<index_text> const& bounds, char const* choice) {
    auto text = text_of(bounds[0]);
    for (std::size_t i = 1; i < bounds.size(); ++i)
        text = std::string(choice) + "(" + text + ", " + text_of(bounds[i]) + ")";
    return text;
}

inline std::string text_of(formula_text const& of) {
    using kind = formula_text::kind;
    auto const part = [&of](std::size_t i) { return text_of(of.parts[i]); };
    switch (of.what) {
    case kind::number: return std::to_string(of.number);
    case kind::index: return name_of(of.variable);
    case kind::element: return "x[" + text_of(of.at) + "]";
    case kind::defined: return "r[" + text_of(of.at) + "]";
    case kind::add: return "(" + part(0) + " + " + part(1) + ")";
    case kind::subtract: return "(" + part(0) + " - " + part(1) + ")";
    case kind::multiply: return "(" + part(0) + ")*(" + part(1) + ")";
    case kind::square: return "(" + part(0) + ")^2";
    case kind::cosine: return "cos(" + part(0) + ")";
    default:
        return "sum(" + name_of(of.variable) + ", " + text_of(of.lower, "max") + ", " + text_of(of.upper, "min") +
               ", " + part(0) + ")";
    }
}

/// The value of x[k] where it is defined by hand.
inline double value_by_hand(std::int64_t k) { return 0.25 * static_cast<double>(k % 7) + 0.5; }

/// Evaluates term by term, with every access checked.
class checked_evaluation {
public:
    checked_evaluation(index_case const& of, std::vector<double> x, bool only_collects = false)
        : of_(of), x_(std::move(x)), only_collects_(only_collects) {}

    std::set<whole> reached{};

    dual operator()(formula_text const& what) {
        using kind = formula_text::kind;
        switch (what.what) {
        case kind::number: return constant(what.number);
        case kind::index: return constant(static_cast<double>(indices_[what.variable]));
        case kind::element: return element(worth(what.at));
        case kind::defined: {
            auto const i = worth(what.at);
            return product(element(of_.factor * i + of_.shift), constant(static_cast<double>(i)));
        }
        case kind::add: return combined(run(what, 0), run(what, 1), 1);
        case kind::subtract: return combined(run(what, 0), run(what, 1), -1);
        case kind::multiply: return product(run(what, 0), run(what, 1));
        case kind::square: {
            auto const a = run(what, 0);
            return product(a, a);
        }
        case kind::cosine: {
            auto a = run(what, 0);
            auto const slope = -std::sin(a.value);
            for (auto& each : a.slope) each *= slope;
            return {std::cos(a.value), 1 + a.size, std::move(a.slope)};
        }
        default: return sum(what);
        }
    }

private:
    dual run(formula_text const& what, std::size_t part) { return (*this)(what.parts[part]); }
    [[nodiscard]] dual constant(double value) const { return {value, std::abs(value), std::vector<double>(x_.size())}; }
    static dual combined(dual a, dual const& b, double factor) {
        a.value += factor * b.value;
        a.size += b.size;
        for (std::size_t i = 0; i < a.slope.size(); ++i) a.slope[i] += factor * b.slope[i];
        return a;
    }
    static dual product(dual const& a, dual const& b) {
        dual made{a.value * b.value, a.size * b.size, a.slope};
        for (std::size_t i = 0; i < made.slope.size(); ++i) made.slope[i] = a.slope[i] * b.value + a.value * b.slope[i];
        return made;
    }
    [[nodiscard]] whole worth(index_text const& index) const {
        auto total = index.constant;
        for (auto const& [v, factor] : index.terms) total += factor * indices_[v];
        if (total % index.divisor != 0) throw not_whole{};
        return total / index.divisor;
    }
    dual element(whole k) {
        reached.insert(k);
        if (only_collects_) return constant(1);
        if (k >= of_.first && k <= of_.last) {
            auto const slot = static_cast<std::size_t>(k - of_.first);
            auto made = constant(x_[slot]);
            made.slope[slot] = 1;
            return made;
        }
        if (k != static_cast<std::int64_t>(k) || !of_.defined.contains(static_cast<std::int64_t>(k)))
            throw out_of_range{};
        return constant(value_by_hand(static_cast<std::int64_t>(k)));
    }
    dual sum(formula_text const& what) {
        auto low = worth(what.lower[0]);
        auto high = worth(what.upper[0]);
        for (auto const& bound : what.lower) low = std::max(low, worth(bound));
        for (auto const& bound : what.upper) high = std::min(high, worth(bound));
        indices_.resize(std::max(indices_.size(), what.variable + 1));
        auto total = constant(0);
        for (auto i = low; i <= high; ++i) {
            if (++steps_ > 3000) throw too_long{};
            indices_[what.variable] = i;
            total = combined(std::move(total), run(what, 0), 1);
        }
        return total;
    }

    index_case const& of_;
    std::vector<double> x_;
    bool only_collects_;
    std::vector<whole> indices_{};
    int steps_ = 0;
};

/// Makes cases.
class generator {
public:
    explicit generator(chooser below) : below_(std::move(below)) {}

    index_case make() {
        index_case made;
        m_ = 2 + below_(3);
        made.factor = std::vector<std::int64_t>{1, 1, -1, 2, 3}[below_(5)];
        made.shift = static_cast<std::int64_t>(below_(5)) - 2;
        made.body = below_(5) == 0 ? lattice() : below_(5) == 0 ? formula(0, 3) : sum(0, 3);
        made.fractional = fractional_;
        made.huge = huge_;
        choose_family(made);
        return made;
    }

private:
    using kind = formula_text::kind;

    /// What people write: x[m*j+i] and its neighbours, in either order of the loops.
    formula_text lattice() {
        auto const outer = next_++, inner = next_++;
        bool const rows_outside = below_(2) == 0;
        auto const row = rows_outside ? outer : inner, column = rows_outside ? inner : outer;
        auto const m = static_cast<std::int64_t>(m_);
        auto const at = [&](std::int64_t shift) {
            return formula_text{.what = kind::element, .at = {shift, {{row, m}, {column, 1}}, 1, below_(2) == 0}};
        };
        std::vector<std::int64_t> const shifts{1, m, -1, -m, m + 1, 2};
        formula_text const apart{.what = kind::subtract, .parts = {at(shifts[below_(6)]), at(0)}};
        formula_text body{.what = kind::square, .parts = {apart}};
        auto const over = [&](std::size_t v, formula_text inside) {
            whole const low = v == row ? 0 : 1;
            return formula_text{.what = kind::sum,
                                .variable = v,
                                .lower = {{low}},
                                .upper = {{low + m - 1 - static_cast<whole>(below_(2))}},
                                .parts = {std::move(inside)}};
        };
        return over(outer, over(inner, std::move(body)));
    }

    std::int64_t factor() {
        auto const choice = below_(24);
        if (choice == 0) {
            huge_ = true;
            return std::vector<std::int64_t>{4294967296, 536870912, -1000000000, 999999999999}[below_(4)];
        }
        return std::vector<std::int64_t>{1, 1, 1, 1, -1, -1, 2, 3, -2, static_cast<std::int64_t>(m_)}[below_(10)];
    }
    index_text index(std::vector<std::size_t> const& open, whole constant) {
        index_text made{.constant = constant, .backwards = below_(2) == 0};
        for (auto const v : open)
            if (below_(2) == 0) made.terms.emplace_back(v, factor());
        if (below_(30) == 0) {
            fractional_ = true;
            made.divisor = 2;
        }
        return made;
    }
    formula_text formula(int depth, int sums) {
        auto const choice = below_(depth > 4 ? 4 : 12);
        auto const open = open_;
        switch (choice) {
        case 0:
            if (!open.empty())
                return {.what = kind::index, .variable = open[below_(static_cast<unsigned>(open.size()))]};
            return {.what = kind::number, .number = 0.5 + below_(4)};
        case 1: return {.what = kind::defined, .at = index(open, static_cast<whole>(below_(7)) - 2)};
        case 2:
        case 3: return {.what = kind::element, .at = index(open, static_cast<whole>(below_(7)) - 2)};
        case 4: return pair(kind::add, depth, sums);
        case 5: return pair(kind::subtract, depth, sums);
        case 6: return pair(kind::multiply, depth, sums);
        case 7: return {.what = kind::square, .parts = {formula(depth + 1, sums)}};
        case 8: return {.what = kind::cosine, .parts = {formula(depth + 1, sums)}};
        default: return sums == 0 ? pair(kind::multiply, 5, 0) : sum(depth, sums);
        }
    }
    formula_text pair(kind what, int depth, int sums) {
        auto first = formula(depth + 1, sums);
        auto second = formula(depth + 1, sums);
        return {.what = what, .parts = {std::move(first), std::move(second)}};
    }
    formula_text sum(int depth, int sums) {
        formula_text made{.what = kind::sum, .variable = next_++};
        auto const start = static_cast<whole>(below_(6)) - 3;
        auto length = static_cast<whole>(below_(6)) - 1; // perhaps empty
        if (below_(40) == 0) {
            huge_ = true;
            length = std::vector<whole>{4294967296, 1000000, 100000000000000}[below_(3)];
        }
        made.lower.push_back(index(below_(2) == 0 ? open_ : std::vector<std::size_t>{}, start));
        made.upper.push_back(below_(3) == 0 ? index(open_, start + length) : made.lower[0]);
        if (made.upper[0].constant == start) made.upper[0].constant += length;
        if (below_(6) == 0) made.upper.push_back(index(open_, start + 2));
        if (below_(6) == 0) made.lower.push_back(index(open_, start - 1));
        open_.push_back(made.variable);
        made.parts.push_back(formula(depth + 1, sums - 1));
        open_.pop_back();
        return made;
    }

    /// The family holds what the formula reaches, or nearly so; what is left out is defined by hand, or nearly so.
    void choose_family(index_case& made) {
        checked_evaluation reach(made, {}, true);
        try {
            reach(made.body);
        } catch (not_whole const&) {
        } catch (too_long const&) {}
        auto const& all = reach.reached;
        constexpr whole far = 900'000'000'000'000, widest = 40;
        if (all.empty() || *all.begin() < -far || *all.rbegin() > far || *all.rbegin() - *all.begin() > widest) {
            made.last = 1 + below_(9);
            return;
        }
        made.first = static_cast<std::int64_t>(*all.begin()) + below_(3);
        made.last =
            std::max(made.first, static_cast<std::int64_t>(*all.rbegin()) - static_cast<std::int64_t>(below_(3)));
        for (auto const k : all)
            if (k < made.first || k > made.last) made.defined.insert(static_cast<std::int64_t>(k));
        if (!made.defined.empty() && below_(8) == 0) made.defined.erase(made.defined.begin());
        if (below_(8) == 0) ++made.first; // one too few
        made.last = std::max(made.first, made.last);
        std::erase_if(made.defined, [&made](auto k) { return k >= made.first && k <= made.last; });
    }

    chooser below_;
    unsigned m_ = 3;
    std::size_t next_ = 0;
    std::vector<std::size_t> open_{};
    bool fractional_ = false, huge_ = false;
};

/// What came out of a case.
struct verdict {
    enum class kind { agrees, refused, refused_although_sound, not_compared } what = kind::not_compared;
    std::string fault{};    ///< empty, or what must never happen
    std::string sentence{}; ///< of a refusal
};

/// Numbers between walls of NaN, which must be neither used nor changed.
class walled {
public:
    explicit walled(std::vector<double> const& inside) : size_(inside.size()), all_(inside.size() + 2 * wall, nan()) {
        std::copy(inside.begin(), inside.end(), all_.begin() + wall);
    }
    std::span<double> inside() { return {all_.data() + wall, size_}; }
    [[nodiscard]] bool stands() const {
        return std::all_of(all_.begin(), all_.begin() + wall, [](double a) { return std::isnan(a); }) &&
               std::all_of(all_.end() - wall, all_.end(), [](double a) { return std::isnan(a); });
    }

private:
    static constexpr std::ptrdiff_t wall = 64;
    static double nan() { return std::numeric_limits<double>::quiet_NaN(); }
    std::size_t size_;
    std::vector<double> all_;
};

/// The outputs of statements by an engine; a fault where it left its arrays.
inline std::vector<double> outputs(graph& g, std::vector<statement> const& statements, std::size_t count,
                                   std::vector<double> const& x, engine_kind with, std::string& fault) {
    auto const code = compile(g, make_schedule(g, statements, count), with);
    auto const work = code->work();
    walled from(x), direction(std::vector<double>(x.size(), 1)), out(std::vector<double>(count, -1));
    code->evaluate({.position = from.inside(), .direction = direction.inside()}, out.inside(), *work);
    if (!out.stands()) fault = "a formula wrote outside its outputs";
    auto const made = out.inside();
    return {made.begin(), made.end()};
}

/// Reads a case and compares it with the checked evaluation.
inline verdict compared(index_case const& of, engine_kind with = engine_kind::bytecode) {
    verdict found;
    auto const size = static_cast<std::size_t>(of.last - of.first + 1);
    std::vector<double> x(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = 0.5 + 0.1 * static_cast<double>((7 * i) % 11);
    dual expected;
    bool sound = false, bad = false;
    try {
        expected = checked_evaluation(of, x)(of.body);
        sound = true;
    } catch (out_of_range const&) { bad = true; } catch (not_whole const&) {
        bad = true;
    } catch (too_long const&) {}
    try {
        formula_reader book(1e9L);
        book.coordinate("x[" + std::to_string(of.first) + ".." + std::to_string(of.last) + "]");
        for (auto const k : of.defined) book.define("x[" + std::to_string(k) + "]", std::to_string(value_by_hand(k)));
        book.define("r[i]", "x[" + std::to_string(of.factor) + "*i+(" + std::to_string(of.shift) + ")]*i");
        auto& g = book.formulas();
        auto const n = book.scalar(text_of(of.body));
        std::vector<statement> all{output(size, n),
                                   output(size + 1, derivative_along(g, n, source::position, source::direction))};
        for (auto const& each : gradient(g, n, source::position)) all.push_back(each);
        auto const plan = make_schedule(g, all, size + 2);
        static_cast<void>(needed_sizes_of(g, plan));
        if (bad) found.fault = "an index outside its range was accepted";
        if (!sound || effort(g, plan) > 1e6) return found;
        auto const result = outputs(g, all, size + 2, x, with, found.fault);
        auto along = 0.0;
        for (auto const each : expected.slope) along += each;
        auto const allowed = 1e-10 * (1 + expected.size);
        auto const differs = [&](double a, double b) { return !(std::abs(a - b) <= allowed * (1 + std::abs(b))); };
        for (std::size_t i = 0; i < size; ++i)
            if (differs(result[i], expected.slope[i])) found.fault = "a derivative differs";
        if (differs(result[size], expected.value)) found.fault = "the value differs";
        if (differs(result[size + 1], along)) found.fault = "the derivative along a direction differs";
        found.what = verdict::kind::agrees;
    } catch (formula_error const& error) {
        found.sentence = error.what();
        found.what = sound ? verdict::kind::refused_although_sound : verdict::kind::refused;
    }
    return found;
}

/// All of a case, for messages.
inline std::string shown(index_case const& of) {
    std::ostringstream out;
    out << "x[" << of.first << ".." << of.last << "], by hand";
    for (auto const k : of.defined) out << " x[" << k << "]";
    out << ", r[i] = x[" << of.factor << "*i+" << of.shift << "]*i: " << text_of(of.body);
    return out.str();
}

} // namespace index_formulas

#include "lento/expression/formula_reader.hpp"
#include "lento/expression/ranges.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <variant>

namespace lento::expression {

namespace {

/// How tightly a form binds; an operand that binds less tightly than its place needs is put into parentheses.
enum binding : int { binds_sum = 1, binds_product = 2, binds_sign = 3, binds_power = 4, binds_atom = 5 };

std::string shortest(long double value) {
    std::array<char, 64> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end.ptr};
}

/// Prints without recursion: a stack holds what is still to be written, the next part last.
class printer {
public:
    printer(formula_reader const& book, std::vector<std::string> taken)
        : book_(book), g_(book.formulas()), taken_(std::move(taken)) {}

    std::string run(node n, std::size_t longest) {
        waiting_.emplace_back(part{n, binds_sum});
        while (!waiting_.empty()) {
            auto const next = std::move(waiting_.back());
            waiting_.pop_back();
            if (auto const* text = std::get_if<std::string>(&next)) {
                out_ += *text;
            } else if (auto const* what = std::get_if<part>(&next)) {
                write(*what);
            } else {
                out_ += ")";
                names_.pop_back();
            }
            if (out_.size() > longest)
                throw std::length_error("the formula takes more than " + std::to_string(longest) + " bytes to print.");
        }
        return std::move(out_);
    }

private:
    struct part {
        node n;
        int at_least;
    };
    struct end_of_loop {};
    using piece = std::variant<std::string, part, end_of_loop>;

    void push(std::vector<piece> pieces, int binds, int at_least) {
        if (binds < at_least) {
            pieces.insert(pieces.begin(), "(");
            pieces.emplace_back(")");
        }
        for (auto p = pieces.rbegin(); p != pieces.rend(); ++p) waiting_.push_back(std::move(*p));
    }

    void write(part const& what) {
        auto const n = what.n;
        auto const op = g_.op(n);
        if (op == operation::constant) {
            push({shortest(g_.value(n))}, g_.value(n) < 0 ? binds_sign : binds_atom, what.at_least);
        } else if (op == operation::index) {
            out_ += name(g_.over(n));
        } else if (op == operation::element) {
            out_ += element(n);
        } else if (op == operation::sum) {
            write_loop(n);
        } else if (op == operation::negate) {
            push({"-", part{g_.first(n), binds_power}}, binds_sign, what.at_least);
        } else if (op == operation::invert) {
            push({"1/", part{g_.first(n), binds_sign}}, binds_product, what.at_least);
        } else if (op == operation::add || op == operation::subtract) {
            write_sum(what);
        } else if (op == operation::multiply) {
            write_product(what);
        } else if (op == operation::power) {
            push({part{g_.first(n), binds_atom}, "^", part{g_.second(n), binds_sign}}, binds_power, what.at_least);
        } else {
            write_call(n, op);
        }
    }

    void write_loop(node n) {
        auto const& bounds = g_.bounds(g_.over(n));
        auto text = ", " + bound(bounds.lower, "max");
        text.append(", ").append(bound(bounds.upper, "min")).append(", ");
        auto const called = free_name(names_.size());
        waiting_.emplace_back(end_of_loop{});
        waiting_.emplace_back(part{g_.first(n), binds_sum});
        names_.emplace_back(g_.over(n), called); // bounds are written already: they belong outside
        out_.append("sum(").append(called).append(text);
    }

    void write_sum(part const& what) {
        auto a = g_.first(what.n);
        auto b = g_.second(what.n);
        auto const plus = g_.op(what.n) == operation::add;
        // A sum comes first, where it needs no parentheses: long sums would nest too deeply otherwise.
        auto const is_sum = [this](node n) { return g_.op(n) == operation::add || g_.op(n) == operation::subtract; };
        if (plus && (is_sum(a) == is_sum(b) ? a < b : is_sum(b))) std::swap(a, b);
        push({part{a, binds_sum}, plus ? " + " : " - ", part{b, binds_product}}, binds_sum, what.at_least);
    }

    void write_product(part const& what) {
        auto const [base, exponent] = whole_power(what.n);
        if (exponent > 1)
            return push({part{base, binds_atom}, "^", std::to_string(exponent)}, binds_power, what.at_least);
        auto a = g_.first(what.n);
        auto b = g_.second(what.n);
        if (g_.op(a) == operation::invert && g_.op(b) != operation::invert) std::swap(a, b);
        else if (!g_.is_constant(a) && g_.op(b) != operation::invert &&
                 (g_.op(b) == operation::multiply || g_.op(a) != operation::multiply))
            std::swap(a, b);
        if (g_.op(b) == operation::invert)
            return push({part{a, binds_product}, "/", part{g_.first(b), binds_sign}}, binds_product, what.at_least);
        push({part{a, binds_product}, "*", part{b, binds_sign}}, binds_product, what.at_least);
    }

    void write_call(node n, operation op) {
        std::string called;
        for (auto const& function : functions())
            if (function.op == op) called = function.name;
        if (is_unary(op)) push({called + "(", part{g_.first(n), binds_sum}, ")"}, binds_atom, 0);
        else
            push({called + "(", part{g_.first(n), binds_sum}, ", ", part{g_.second(n), binds_sum}, ")"}, binds_atom, 0);
    }

    /// The base and exponent of a product that the graph makes of a whole power; otherwise the exponent 1.
    std::pair<node, int> whole_power(node n) const {
        constexpr int largest_exponent = 8;
        if (g_.op(n) != operation::multiply) return {n, 1};
        auto const a = g_.first(n);
        auto const b = g_.second(n);
        if (a == b) {
            auto const [base, exponent] = whole_power(a);
            return 2 * exponent <= largest_exponent ? std::pair{base, 2 * exponent} : std::pair{a, 2};
        }
        for (auto const& [factor, rest] : {std::pair{a, b}, std::pair{b, a}}) {
            if (g_.op(rest) != operation::multiply) continue;
            auto const [base, exponent] = whole_power(rest);
            if (base == factor && exponent % 2 == 0 && exponent < largest_exponent) return {base, exponent + 1};
        }
        return {n, 1};
    }

    std::string name(variable v) const {
        auto const known =
            std::find_if(names_.rbegin(), names_.rend(), [v](auto const& entry) { return entry.first == v; });
        return known != names_.rend() ? known->second : free_name(g_.level(v));
    }

    std::string free_name(std::size_t level) const {
        static constexpr std::array<char const*, 5> usual{"i", "j", "k", "m", "o"};
        std::string made = level < usual.size() ? usual[level] : "i";
        if (level >= usual.size()) made += std::to_string(level);
        while (std::find(taken_.begin(), taken_.end(), made) != taken_.end()) made += "_";
        return made;
    }

    std::string index(affine const& of) const {
        std::string text;
        for (auto const& [v, factor] : of.terms) {
            text += factor < 0 ? "-" : text.empty() ? "" : "+";
            if (std::abs(factor) != 1) text += std::to_string(std::abs(factor)) + "*";
            text += name(v);
        }
        if (of.constant >= 0 && !text.empty() && of.constant != 0) text += "+";
        if (of.constant != 0 || text.empty()) text += std::to_string(of.constant);
        return text;
    }

    std::string bound(std::vector<affine> const& list, std::string const& choice) const {
        auto text = index(list.back());
        for (auto at = std::next(list.rbegin()); at != list.rend(); ++at) {
            std::string outer = choice;
            outer.append("(").append(index(*at)).append(", ").append(text).append(")");
            text = std::move(outer);
        }
        return text;
    }

    std::string element(node n) const {
        auto const& slot = g_.slot(n);
        switch (g_.from(n)) {
        case source::time: return "t";
        case source::phase: return book_.phase_count() == 1 ? "theta" : "theta" + std::to_string(slot.constant + 1);
        case source::parameter: return book_.inputs()[static_cast<std::size_t>(slot.constant)];
        case source::direction:
            return "direction[" + index(slot) + "]"; // not part of the language: only derivatives have it
        default: break;
        }
        auto const prime = g_.from(n) == source::velocity ? "'" : "";
        auto const known = ranges_of(g_, slot);
        auto const middle = (smallest(slot, known) + largest(slot, known)) / 2;
        for (auto const& family : book_.families()) {
            auto const first = static_cast<std::int64_t>(family.first_slot);
            if (middle < first || middle >= first + static_cast<std::int64_t>(family.size())) continue;
            if (!family.indexed) return family.name + prime;
            return family.name + "[" + index(slot + to_affine(family.lower - first)) + "]" + prime;
        }
        throw std::out_of_range("a formula reads a coordinate that the formula_reader does not know.");
    }

    formula_reader const& book_;
    graph const& g_;
    std::vector<std::string> taken_;
    std::vector<std::pair<variable, std::string>> names_; // of the loops around what is being written
    std::vector<piece> waiting_;
    std::string out_;
};

} // namespace

std::string formula_reader::print(node n, std::size_t longest) const {
    return printer(*this, known_names()).run(n, longest);
}

} // namespace lento::expression

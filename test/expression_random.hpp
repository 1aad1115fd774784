#pragma once

#include <random>
#include <sstream>
#include <string>
#include <vector>

/// Texts and numbers, one after the other.
template <class... Parts> std::string text_of(Parts const&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

/// Random formulas, for laws that hold for all of them.
class random_formulas {
public:
    explicit random_formulas(unsigned seed, std::vector<std::string> leaves)
        : random_(seed), leaves_(std::move(leaves)) {}

    /// Any formula, with values that may be infinite or not a number.
    std::string any(int depth) { return make(depth, false); }
    /// A formula that is smooth where its leaves are between 0.3 and 1.7.
    std::string smooth(int depth) { return make(depth, true); }

    std::size_t below(std::size_t n) { return random_() % n; }
    double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

private:
    std::string leaf() {
        if (below(4) == 0) return std::vector<std::string>{"1", "2", "0.5", "3.25", "1e-3", "0.1"}[below(6)];
        return leaves_[below(leaves_.size())];
    }

    std::string make(int depth, bool smooth) {
        if (depth == 0 || below(8) == 0) return leaf();
        auto const a = make(depth - 1, smooth);
        auto const b = make(depth - 1, smooth);
        switch (below(14)) {
        case 0:
        case 1: return "(" + a + " + " + b + ")";
        case 2:
        case 3: return "(" + a + " - " + b + ")";
        case 4:
        case 5: return a + "*" + b;
        case 6: return smooth ? "(" + a + ")/(2 + (" + b + ")^2)" : "(" + a + ")/(" + b + " + 0.75)";
        case 7: return "-(" + a + ")";
        case 8: return "(" + a + ")^" + std::to_string(2 + below(8));
        case 9: return smooth ? "(1 + (" + a + ")^2)^(0.5*sin(" + b + "))" : "(" + a + ")^-(" + b + ")";
        case 10:
            return smooth ? "sqrt(1 + (" + a + ")^2)"
                          : std::vector<std::string>{"sqrt", "log",  "tan", "asin", "acos",
                                                     "sinh", "cosh", "abs", "sign", "step"}[below(10)] +
                                "(" + a + ")";
        case 11: return std::vector<std::string>{"sin", "cos", "atan", "tanh"}[below(4)] + "(" + a + ")";
        case 12:
            return smooth ? "hypot(1 + (" + a + ")^2, " + b + ")"
                          : std::vector<std::string>{"min", "max", "atan2", "hypot", "pow"}[below(5)] + "(" + a + ", " +
                                b + ")";
        default: return smooth ? "atan2(" + a + ", 2 + cos(" + b + "))" : "exp(" + a + ")";
        }
    }

    std::mt19937 random_;
    std::vector<std::string> leaves_;
};

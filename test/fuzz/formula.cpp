// Whatever formula: the bytecode computes the bits of the simple evaluator, and both what the formula says, computed
// here from the tree that its text was made of.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <lento/expression/expression.hpp>

namespace {

using namespace lento::expression;

constexpr std::array<double, 2> at{0.7, -1.3};

/// A formula as text, and its value in two precisions: where these differ, rounding decides, and nobody is wrong.
struct written {
    std::string text;
    double value;
    long double precise;
};

class writer {
public:
    writer(std::uint8_t const* data, std::size_t size) : data_(data), size_(size) {}

    written make(int depth) {
        unsigned const choice = depth == 0 ? byte() % 3 : byte() % 12;
        if (choice == 0) return {"x", at[0], static_cast<long double>(at[0])};
        if (choice == 1) return {"y", at[1], static_cast<long double>(at[1])};
        if (choice == 2) return number();
        if (choice < 8) return binary(choice - 3, depth);
        if (choice == 8) return unary(depth);
        if (choice == 9) {
            auto const a = make(depth - 1);
            return {"-(" + a.text + ")", -a.value, -a.precise};
        }
        return call(depth);
    }

private:
    unsigned byte() { return next_ < size_ ? data_[next_++] : 0U; }

    written number() {
        static constexpr std::array<double, 8> values{0, 1, 2, 3, 0.5, 0.1, 1e-3, 12.25};
        static constexpr std::array<char const*, 8> texts{"0", "1", "2", "3", "0.5", "1e-1", "0.001", "12.25"};
        static constexpr std::array<long double, 8> exact{0, 1, 2, 3, 0.5L, 0.1L, 1e-3L, 12.25L};
        auto const i = byte() % values.size();
        return {texts[i], values[i], exact[i]};
    }
    written binary(unsigned which, int depth) {
        auto const a = make(depth - 1);
        auto const b = make(depth - 1);
        auto const text = [&](char const* sign) { return "(" + a.text + ")" + sign + "(" + b.text + ")"; };
        switch (which) {
        case 0: return {text("+"), a.value + b.value, a.precise + b.precise};
        case 1: return {text("-"), a.value - b.value, a.precise - b.precise};
        case 2: return {text("*"), a.value * b.value, a.precise * b.precise};
        case 3: return {text("/"), a.value / b.value, a.precise / b.precise};
        default: return {text("^"), std::pow(a.value, b.value), std::pow(a.precise, b.precise)};
        }
    }
    /// Without parentheses, so that it matters what binds more tightly.
    written unary(int depth) {
        auto const a = number();
        auto const b = make(depth - 1);
        switch (byte() % 3) {
        case 0:
            return {"-" + a.text + "^2*(" + b.text + ")", -(a.value * a.value) * b.value,
                    -(a.precise * a.precise) * b.precise};
        case 1:
            return {a.text + "-" + a.text + "/2+(" + b.text + ")", a.value - a.value / 2 + b.value,
                    a.precise - a.precise / 2 + b.precise};
        default:
            return {"2^" + a.text + "^2-(" + b.text + ")", std::pow(2., a.value * a.value) - b.value,
                    std::pow(2.L, a.precise * a.precise) - b.precise};
        }
    }
    written call(int depth) {
        struct function {
            char const* name;
            double (*of)(double);
            long double (*precise)(long double);
        };
        static constexpr std::array<function, 10> all{{
            {"sin", [](double v) { return std::sin(v); }, [](long double v) { return std::sin(v); }},
            {"cos", [](double v) { return std::cos(v); }, [](long double v) { return std::cos(v); }},
            {"tan", [](double v) { return std::tan(v); }, [](long double v) { return std::tan(v); }},
            {"exp", [](double v) { return std::exp(v); }, [](long double v) { return std::exp(v); }},
            {"log", [](double v) { return std::log(v); }, [](long double v) { return std::log(v); }},
            {"sqrt", [](double v) { return std::sqrt(v); }, [](long double v) { return std::sqrt(v); }},
            {"atan", [](double v) { return std::atan(v); }, [](long double v) { return std::atan(v); }},
            {"tanh", [](double v) { return std::tanh(v); }, [](long double v) { return std::tanh(v); }},
            {"abs", [](double v) { return std::abs(v); }, [](long double v) { return std::abs(v); }},
            {"cosh", [](double v) { return std::cosh(v); }, [](long double v) { return std::cosh(v); }},
        }};
        auto const& f = all[byte() % all.size()];
        auto const a = make(depth - 1);
        return {std::string(f.name) + "(" + a.text + ")", f.of(a.value), f.precise(a.precise)};
    }

    std::uint8_t const* data_;
    std::size_t size_;
    std::size_t next_ = 0;
};

[[noreturn]] void complain(char const* what, std::string const& text, double a, double b) {
    std::fprintf(stderr, "%s: %s gives %.17g, not %.17g\n", what, text.c_str(), a, b);
    std::abort();
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const one = writer(data, size).make(6);
    try {
        formula_reader book;
        book.coordinate("x");
        book.coordinate("y");
        auto& g = book.formulas();
        auto const plan = make_schedule(g, {output(0, book.scalar(one.text))}, 1);
        inputs<double> const from{.position = at};
        std::array<double, 1> simple{}, compiled{};
        evaluate<double>(g, plan, from, simple);
        bytecode const code(g, plan);
        bytecode::registers<double> work(code);
        code.evaluate<double>(from, compiled, work);
        if (!same(simple[0], compiled[0])) complain("bytecode", one.text, compiled[0], simple[0]);
        // constants are folded in long double: what depends on rounding, or overflows on the way, is no law
        double const precise = static_cast<double>(one.precise);
        bool const settled = std::isfinite(one.value) && std::isfinite(precise) && std::abs(precise) < 1e200 &&
                             std::abs(one.value - precise) <= 1e-13 * std::abs(precise);
        if (settled && !(std::abs(compiled[0] - precise) <= 1e-9 * (1 + std::abs(precise))))
            complain("formula", one.text, compiled[0], precise);
    } catch (formula_error const&) {} // a division by zero that is seen
    return 0;
}

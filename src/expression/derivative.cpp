#include "lento/expression/derivative.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace lento::expression {

namespace {

/// The derivative of a unary operation by its operand; `result` is the operation's own node.
node slope(graph& g, operation op, node a, node result) {
    auto const one = g.constant(1);
    auto const square = [&g](node n) { return g.multiply(n, n); };
    switch (op) {
    case operation::negate: return g.constant(-1);
    case operation::invert: return g.negate(square(result));
    case operation::abs: return g.unary(operation::sign, a);
    case operation::sqrt: return g.divide(g.constant(0.5L), result);
    case operation::exp: return result;
    case operation::log: return g.invert(a);
    case operation::sin: return g.unary(operation::cos, a);
    case operation::cos: return g.negate(g.unary(operation::sin, a));
    case operation::tan: return g.add(one, square(result));
    case operation::asin: return g.invert(g.unary(operation::sqrt, g.subtract(one, square(a))));
    case operation::acos: return g.negate(g.invert(g.unary(operation::sqrt, g.subtract(one, square(a)))));
    case operation::atan: return g.invert(g.add(one, square(a)));
    case operation::sinh: return g.unary(operation::cosh, a);
    case operation::cosh: return g.unary(operation::sinh, a);
    case operation::tanh: return g.subtract(one, square(result));
    default: return g.constant(0); // sign and step
    }
}

/// Where the first argument of min or max is the result: 1, else 0.
node first_chosen(graph& g, operation op, node a, node b) {
    return g.unary(operation::step, op == operation::min ? g.subtract(b, a) : g.subtract(a, b));
}

node slope_by_first(graph& g, operation op, node a, node b, node result) {
    switch (op) {
    case operation::add:
    case operation::subtract: return g.constant(1);
    case operation::multiply: return b;
    case operation::power: return g.multiply(b, g.power(a, g.subtract(b, g.constant(1))));
    case operation::atan2: return g.divide(b, g.add(g.multiply(a, a), g.multiply(b, b)));
    case operation::hypot: return g.divide(a, result);
    default: return first_chosen(g, op, a, b);
    }
}

node slope_by_second(graph& g, operation op, node a, node b, node result) {
    switch (op) {
    case operation::add: return g.constant(1);
    case operation::subtract: return g.constant(-1);
    case operation::multiply: return a;
    case operation::power: return g.multiply(result, g.unary(operation::log, a));
    case operation::atan2: return g.negate(g.divide(a, g.add(g.multiply(a, a), g.multiply(b, b))));
    case operation::hypot: return g.divide(b, result);
    default: return g.subtract(g.constant(1), first_chosen(g, op, a, b));
    }
}

std::uint32_t id(node n) { return static_cast<std::uint32_t>(n); }

/// Forward sweep: `seed` gives the derivative of an element.
node forward(graph& g, node of, std::function<node(node)> const& seed) {
    std::unordered_map<std::uint32_t, node> known;
    auto const zero = g.constant(0);
    auto const of_node = [&](node n) {
        auto const at = known.find(id(n));
        return at == known.end() ? zero : at->second;
    };
    for (auto n : g.needed_by(std::span(&of, 1))) {
        auto const op = g.op(n);
        auto change = zero;
        if (op == operation::element) {
            change = seed(n);
        } else if (op == operation::sum) {
            change = g.sum(g.over(n), of_node(g.first(n)));
        } else if (is_unary(op) || is_binary(op)) {
            auto const a = g.first(n);
            auto const da = of_node(a);
            if (da != zero)
                change = g.multiply(is_unary(op) ? slope(g, op, a, n) : slope_by_first(g, op, a, g.second(n), n), da);
            if (is_binary(op) && of_node(g.second(n)) != zero)
                change = g.add(change, g.multiply(slope_by_second(g, op, a, g.second(n), n), of_node(g.second(n))));
        }
        if (change != zero) known.emplace(id(n), change);
    }
    return of_node(of);
}

/// Backward sweep through a formula and the loops inside it.
class backward {
public:
    using found = std::function<void(std::vector<variable> const&, node, node)>; // loops, element, its derivative
    backward(graph& g, source by, found at_element) : g_(g), by_(by), at_element_(std::move(at_element)) {}

    /// Derivatives to be passed on, the nodes made last first.
    using derivatives = std::map<node, node, std::greater<>>;

    void sweep(std::vector<variable>& loops, node of, node factor) {
        derivatives waiting{{of, factor}};
        derivatives none;
        run(loops, {}, waiting, none);
    }

private:
    void add(derivatives& to, node of, node value) {
        if (g_.is_constant(value, 0) || g_.is_constant(of)) return;
        auto const [at, fresh] = to.try_emplace(of, value);
        if (!fresh) at->second = g_.add(at->second, value);
    }

    /// Inside the loop over `inside`, what does not depend on it is left to the loop around: it goes to `outer`.
    void run(std::vector<variable>& loops, std::optional<variable> inside, derivatives& waiting, derivatives& outer) {
        auto const pass = [&](node of, node value) {
            add(!inside || g_.depends_on(of, *inside) ? waiting : outer, of, value);
        };
        while (!waiting.empty()) {
            auto const [n, value] = *waiting.begin();
            waiting.erase(waiting.begin());
            auto const op = g_.op(n);
            if (op == operation::element) {
                if (g_.from(n) == by_) at_element_(loops, n, value);
            } else if (op == operation::sum) {
                run_sum(loops, n, value, pass);
            } else if (is_unary(op)) {
                pass(g_.first(n), g_.multiply(value, slope(g_, op, g_.first(n), n)));
            } else if (is_binary(op)) {
                run_binary(n, value, pass);
            }
        }
    }

    template <class Pass> void run_binary(node n, node value, Pass const& pass) {
        auto const a = g_.first(n);
        auto const b = g_.second(n);
        // A square: both operands are the same node, whose derivative is then made once.
        if (a == b && g_.op(n) == operation::multiply)
            return pass(a, g_.multiply(value, g_.multiply(g_.constant(2), a)));
        if (!g_.is_constant(a)) pass(a, g_.multiply(value, slope_by_first(g_, g_.op(n), a, b, n)));
        if (!g_.is_constant(b)) pass(b, g_.multiply(value, slope_by_second(g_, g_.op(n), a, b, n)));
    }

    template <class Pass> void run_sum(std::vector<variable>& loops, node n, node value, Pass const& pass) {
        auto const over = g_.over(n);
        auto const body = g_.first(n);
        derivatives inner;
        derivatives left;
        add(g_.depends_on(body, over) ? inner : left, body, value);
        loops.push_back(over);
        run(loops, over, inner, left);
        loops.pop_back();
        for (auto const& [of, part] : left) pass(of, g_.sum(over, part));
    }

    graph& g_;
    source by_;
    found at_element_;
};

} // namespace

node derivative_along(graph& g, node of, source from, source to) {
    auto const zero = g.constant(0);
    return forward(g, of, [&](node n) { return g.from(n) == from ? g.element(to, affine(g.slot(n))) : zero; });
}

node time_derivative(graph& g, node of) {
    return forward(g, of, [&](node n) {
        if (g.from(n) == source::position) return g.element(source::velocity, affine(g.slot(n)));
        return g.constant(g.from(n) == source::time ? 1 : 0);
    });
}

node partial_derivative(graph& g, node of, node element) {
    if (g.op(element) != operation::element || !g.slot(element).is_constant())
        throw std::invalid_argument("a partial derivative is taken by one element with a fixed slot.");
    return forward(g, of, [&](node n) {
        if (g.from(n) == g.from(element) && !g.slot(n).is_constant())
            throw std::invalid_argument(
                "the formula has a loop over elements; take its gradient instead of a partial derivative.");
        return g.constant(n == element ? 1 : 0);
    });
}

std::vector<statement> gradient(graph& g, node of, source by, long double factor) {
    std::vector<statement> result;
    backward sweep(g, by, [&](std::vector<variable> const& loops, node element, node value) {
        result.push_back({loops, g.slot(element), value});
    });
    std::vector<variable> loops;
    sweep.sweep(loops, of, g.constant(factor));
    return result;
}

std::vector<jacobian_entry> jacobian(graph& g, std::vector<statement> const& outputs, source by) {
    std::vector<jacobian_entry> result;
    for (auto const& output : outputs) {
        backward sweep(g, by, [&](std::vector<variable> const& loops, node element, node value) {
            result.push_back({loops, output.target, g.slot(element), value});
        });
        auto loops = output.loops;
        sweep.sweep(loops, output.value, g.constant(1));
    }
    return result;
}

} // namespace lento::expression

#include "lento/expression/increment.hpp"

#include <span>
#include <unordered_map>

namespace lento::expression {
namespace {

class changes {
public:
    changes(graph& g, std::size_t time_slot) : g_(g), zero_(g.constant(0)), time_slot_(time_slot) {}

    node operator()(node of) {
        for (auto n : g_.needed_by(std::span(&of, 1)))
            if (auto const found = change(n); found != zero_) known_.emplace(static_cast<std::uint32_t>(n), found);
        return of_node(of);
    }

private:
    [[nodiscard]] node of_node(node n) const {
        auto const at = known_.find(static_cast<std::uint32_t>(n));
        return at == known_.end() ? zero_ : at->second;
    }
    [[nodiscard]] node moved(node n) { return of_node(n) == zero_ ? n : g_.add(n, of_node(n)); }
    [[nodiscard]] node times(long double factor, node n) { return g_.multiply(g_.constant(factor), n); }
    [[nodiscard]] node unary(operation op, node n) { return g_.unary(op, n); }

    node change(node n) {
        auto const op = g_.op(n);
        if (op == operation::element) return of_element(n);
        if (op == operation::sum) return g_.sum(g_.over(n), of_node(g_.first(n)));
        if (is_unary(op)) return of_node(g_.first(n)) == zero_ ? zero_ : of_unary(op, n, g_.first(n));
        if (is_binary(op)) {
            bool const still = of_node(g_.first(n)) == zero_ && of_node(g_.second(n)) == zero_;
            return still ? zero_ : of_binary(op, n, g_.first(n), g_.second(n));
        }
        return zero_;
    }

    node of_element(node n) {
        if (g_.from(n) == source::position) return g_.element(source::direction, affine(g_.slot(n)));
        if (g_.from(n) == source::time)
            return g_.element(source::direction, to_affine(static_cast<std::int64_t>(time_slot_)));
        return zero_;
    }

    node of_unary(operation op, node n, node a) {
        auto const d = of_node(a);
        auto const half = times(0.5L, d);
        auto const middle = g_.add(a, half);
        // f(a + d) - f(a) as 2 f'-like(middle) * s(d/2)
        auto const twice = [&](operation outer, operation inner, long double sign) {
            return times(2 * sign, g_.multiply(unary(outer, middle), unary(inner, half)));
        };
        switch (op) {
        case operation::negate: return g_.negate(d);
        case operation::invert: return g_.negate(g_.multiply(d, g_.multiply(n, g_.invert(moved(a)))));
        case operation::sqrt: return g_.divide(d, g_.add(n, unary(op, moved(a))));
        case operation::exp: return twice(operation::exp, operation::sinh, 1);
        case operation::sin: return twice(operation::cos, operation::sin, 1);
        case operation::cos: return twice(operation::sin, operation::sin, -1);
        case operation::sinh: return twice(operation::cosh, operation::sinh, 1);
        case operation::cosh: return twice(operation::sinh, operation::sinh, 1);
        case operation::tan:
            return g_.divide(unary(operation::sin, d),
                             g_.multiply(unary(operation::cos, a), unary(operation::cos, moved(a))));
        case operation::tanh:
            return g_.divide(unary(operation::sinh, d),
                             g_.multiply(unary(operation::cosh, a), unary(operation::cosh, moved(a))));
        case operation::atan:
            return unary(operation::atan, g_.divide(d, g_.add(g_.constant(1), g_.multiply(a, moved(a)))));
        default: return g_.subtract(unary(op, moved(a)), n);
        }
    }

    /// (a + d)^2 - a^2
    node of_square(node a) { return g_.add(g_.multiply(of_node(a), moved(a)), g_.multiply(a, of_node(a))); }

    node of_binary(operation op, node n, node a, node b) {
        auto const da = of_node(a);
        auto const db = of_node(b);
        switch (op) {
        case operation::add: return g_.add(da, db);
        case operation::subtract: return g_.subtract(da, db);
        case operation::multiply:
            if (a == b) return of_square(a);
            return g_.add(g_.multiply(da, moved(b)), g_.multiply(a, db));
        case operation::hypot:
            return g_.divide(g_.add(of_square(a), of_square(b)), g_.add(n, g_.binary(op, moved(a), moved(b))));
        case operation::atan2: // the angle between the two directions
            return g_.binary(op, g_.subtract(g_.multiply(da, b), g_.multiply(db, a)),
                             g_.add(g_.multiply(b, moved(b)), g_.multiply(a, moved(a))));
        default: return g_.subtract(g_.binary(op, moved(a), moved(b)), n);
        }
    }

    graph& g_;
    node zero_;
    std::size_t time_slot_;
    std::unordered_map<std::uint32_t, node> known_;
};

} // namespace

node increment(graph& g, node of, std::size_t time_slot) { return changes(g, time_slot)(of); }

} // namespace lento::expression

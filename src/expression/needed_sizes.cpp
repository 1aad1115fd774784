#include "lento/expression/engine.hpp"

#include "lento/expression/error.hpp"
#include "lento/expression/ranges.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lento::expression {

namespace {

/// Follows a schedule as it runs and proves, by what its loops say of their variables, that every index is computed
/// without a wrap, that no element before the first is read, and that no store leaves the outputs. What is read at most
/// is what `needed_sizes::require` asks for at run time.
class index_proof {
public:
    index_proof(graph const& g, std::size_t outputs) : g_(g) { found_.outputs = outputs; }

    needed_sizes of(schedule_scope const& top) {
        follow(top);
        return found_;
    }

private:
    /// The most elements of an array: slots are kept in 32 bits.
    static constexpr std::int64_t most = std::int64_t{1} << 31U;

    void follow(schedule_scope const& scope) {
        for (auto const& step : scope.steps) {
            if (step.what == schedule_step::kind::loop) enter(scope.children[step.child]);
            if (step.what == schedule_step::kind::store)
                require(range_of(step.target), static_cast<std::int64_t>(std::min<std::size_t>(found_.outputs, most)));
            if (step.what == schedule_step::kind::compute && g_.op(step.value) == operation::element) read(step.value);
        }
    }

    void enter(schedule_scope const& child) {
        auto const& bounds = g_.bounds(*child.loop);
        if (bounds.lower.empty() || bounds.upper.empty()) refuse();
        for (auto const* list : {&bounds.lower, &bounds.upper})
            for (auto const& bound : *list) static_cast<void>(range_of(bound));
        open_.push_back({*child.loop, bounds.lower, bounds.upper});
        follow(child);
        open_.pop_back();
    }

    void read(node element) {
        auto const from = g_.from(element);
        auto const range = range_of(g_.slot(element));
        require(range, from == source::time ? 1 : most);
        auto& needed = found_.inputs[static_cast<std::size_t>(from)];
        needed = std::max(needed, static_cast<std::size_t>(range.second) + 1);
    }

    /// What an index can be here; it is made of the loops that are open.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> range_of(affine const& index) const {
        if (!is_computable(index, open_)) refuse();
        return {smallest(index, open_), largest(index, open_)};
    }
    static void require(std::pair<std::int64_t, std::int64_t> const& range, std::int64_t size) {
        if (range.first < 0 || range.second >= size) refuse();
    }
    [[noreturn]] static void refuse() {
        throw formula_error("An index of these formulas cannot be proven to stay inside its array.", {});
    }

    graph const& g_;
    needed_sizes found_;
    std::vector<known_range> open_; // outermost first
};

} // namespace

needed_sizes needed_sizes_of(graph const& g, schedule const& of) { return index_proof(g, of.outputs).of(of.top); }

template <class T> void needed_sizes::refuse(expression::inputs<T> const& from, std::size_t room) const {
    std::array<std::size_t, source_count> const sizes{from.position.size(),  from.velocity.size(), from.phase.size(), 1,
                                                      from.direction.size(), from.parameter.size()};
    static constexpr std::array<char const*, source_count> names{"positions", "velocities", "phases",
                                                                 "times",     "directions", "parameters"};
    for (std::size_t i = 0; i < source_count; ++i)
        if (sizes[i] < inputs[i])
            throw std::invalid_argument("the formulas need " + std::to_string(inputs[i]) + " " + names[i] + ", but " +
                                        std::to_string(sizes[i]) + " are given.");
    throw std::invalid_argument("the formulas have " + std::to_string(outputs) + " outputs, but there is room for " +
                                std::to_string(room) + ".");
}
template void needed_sizes::refuse(expression::inputs<double> const&, std::size_t) const;
template void needed_sizes::refuse(expression::inputs<long double> const&, std::size_t) const;

} // namespace lento::expression

#include "binder.hpp"

#include "lento/expression/arithmetic.hpp"
#include "lento/expression/derivative.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <locale>
#include <numbers>
#include <sstream>

namespace lento::expression {

namespace {

constexpr std::size_t deepest_definitions = 100;
constexpr std::size_t most_of_a_bound = 16;

place joined(place a, place b) {
    auto const begin = std::min(a.offset, b.offset);
    return {begin, std::max(a.offset + a.length, b.offset + b.length) - begin};
}

operation operation_of(item_kind kind) {
    switch (kind) {
    case item_kind::add: return operation::add;
    case item_kind::subtract: return operation::subtract;
    case item_kind::multiply: return operation::multiply;
    default: return operation::power;
    }
}

} // namespace

std::string binder::shown_number(long double value) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(12);
    out << value;
    return out.str();
}

void binder::spend(std::uint64_t steps) const {
    if (book_.patience_ < steps)
        fail("This formula takes too long to read: its sums fall into too many pieces, or its definitions multiply.",
             {0, text_->text.size()}, "simpler bounds and indices");
    book_.patience_ -= steps;
}

void binder::fail(std::string const& sentence, place where, std::string expected, std::string nearest) const {
    throw formula_error(
        formula_error(sentence, where, std::move(expected), std::move(nearest)).in(text_->text, origin_));
}

place binder::span_of(std::uint32_t begin, std::uint32_t end) const {
    auto where = text_->items[begin].where;
    for (auto i = begin; i < end; ++i) where = joined(where, text_->items[i].where);
    if (text_->items[end - 1].kind == item_kind::call) ++where.length; // the closing parenthesis
    return where;
}

// ---------------------------------------------------------------- values

node binder::value(std::uint32_t begin, std::uint32_t end) {
    spend(end - begin);
    std::vector<operand> stack;
    for (auto i = begin; i < end; ++i) {
        auto const& what = text_->items[i];
        switch (what.kind) {
        case item_kind::number: stack.push_back({graph_.constant(what.value), what.where}); break;
        case item_kind::name: stack.push_back({name(what), what.where}); break;
        case item_kind::indexed:
            stack.push_back({indexed(what, i), joined(what.where, span_of(i, what.end))});
            ++stack.back().where.length; // the closing bracket
            i = what.end - 1;
            break;
        case item_kind::sum:
            stack.push_back({sum(what, i), joined(what.where, span_of(i, what.end))});
            ++stack.back().where.length;
            i = what.end - 1;
            break;
        default: apply_operator(what, stack);
        }
    }
    return stack.back().value;
}

void binder::apply_operator(item const& what, std::vector<operand>& stack) {
    auto& last = stack.back();
    auto const unary = what.kind == item_kind::negate || (what.kind == item_kind::call && what.function->arity == 1);
    if (unary) {
        auto const op = what.kind == item_kind::negate ? operation::negate : what.function->op;
        auto where = joined(what.where, last.where);
        if (what.kind == item_kind::call) ++where.length;
        last = {checked(op, last, last, graph_.unary(op, last.value), where), where};
        return;
    }
    auto const b = last;
    stack.pop_back();
    auto& a = stack.back();
    auto where = joined(joined(a.where, b.where), what.where);
    if (what.kind == item_kind::call) ++where.length;
    if (what.kind == item_kind::divide) {
        a = {divided(a, b), where};
        return;
    }
    auto const op = what.kind == item_kind::call ? what.function->op : operation_of(what.kind);
    a = {checked(op, a, b, graph_.binary(op, a.value, b.value), where), where};
}

node binder::checked(operation op, operand const& a, operand const& b, node result, place where) const {
    if (!graph_.is_constant(a.value) || !graph_.is_constant(b.value) || graph_.is_constant(result)) return result;
    auto const x = graph_.value(a.value);
    auto const exact = is_unary(op) ? apply(op, x) : apply(op, x, graph_.value(b.value));
    if (!std::isfinite(static_cast<double>(exact))) {
        if (op == operation::power && x == 0)
            fail("Division by zero: a negative power of 0 has no value.", where, "a base that is not 0");
        fail("This part of the formula has no finite value, whatever the state is.", where, "a finite value");
    }
    return result;
}

/// Constants that could not be made one: a sum or a product of them that is too large.
void binder::require_finite(node made_of_constants, place where) const {
    auto const op = graph_.op(made_of_constants);
    if (!is_binary(op) || !graph_.is_constant(graph_.first(made_of_constants))) return;
    operand const a{graph_.first(made_of_constants), where};
    static_cast<void>(checked(op, a, {graph_.second(made_of_constants), where}, made_of_constants, where));
}

node binder::divided(operand const& a, operand const& b) {
    if (graph_.is_constant(b.value, 0)) {
        auto const text = text_->part(b.where);
        auto const literal = text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
        fail(literal || text.size() > 40 ? "Division by zero." : "Division by zero: " + std::string(text) + " is 0.",
             b.where, "a divisor that is not 0");
    }
    auto const result = graph_.divide(a.value, b.value);
    if (graph_.is_constant(b.value)) {
        auto const inverse = 1 / graph_.value(b.value);
        if (!std::isfinite(static_cast<double>(inverse)))
            fail("The divisor is so small that its inverse overflows.", b.where, "a larger divisor");
        if (graph_.is_constant(a.value)) {
            auto const quotient = graph_.value(a.value) * inverse;
            if (!std::isfinite(static_cast<double>(quotient)))
                fail("This part of the formula has no finite value, whatever the state is.", joined(a.where, b.where),
                     "a finite value");
        }
    }
    return result;
}

// ---------------------------------------------------------------- names

bool binder::is_allowed(source from) const {
    switch (from) {
    case source::position: return allowed_.position;
    case source::velocity: return allowed_.velocity;
    case source::phase: return allowed_.phase;
    case source::time: return allowed_.time;
    default: return true;
    }
}

std::string binder::allowed_names() const {
    std::string text = "a formula of parameters";
    if (allowed_.position) text += ", coordinates";
    if (allowed_.velocity) text += ", velocities";
    if (allowed_.phase) text += ", theta";
    if (allowed_.time) text += ", t";
    return text;
}

void binder::require_allowed(source from, std::string const& what, place where) const {
    static constexpr std::array<char const*, 4> kinds{"coordinate ", "velocity ", "phase ", "time "};
    if (!is_allowed(from))
        fail("The " + (kinds[static_cast<std::size_t>(from)] + what) + " cannot appear in this formula.", where,
             allowed_names());
}

void binder::require_allowed(node value, item const& use) const {
    static constexpr std::array<char const*, 4> kinds{"coordinates", "velocities", "a phase", "the time"};
    for (auto from : {source::position, source::velocity, source::phase, source::time}) {
        if (is_allowed(from) || !graph_.depends_on(value, from)) continue;
        fail(std::string(text_->part(use.where)) + " is defined by " + kinds[static_cast<std::size_t>(from)] +
                 ", which cannot appear in this formula.",
             use.where, allowed_names());
    }
}

node binder::name(item const& what) {
    std::string const text(text_->part(what.where));
    for (auto const& [name, index] : indices_) {
        if (name != text) continue;
        if (what.primed) fail("The index " + text + " has no velocity.", what.where, "a coordinate before the prime");
        return graph_.index(index);
    }
    auto const plain = book_.plain_coordinates_.find(text);
    if (plain != book_.plain_coordinates_.end()) {
        auto const from = what.primed ? source::velocity : source::position;
        require_allowed(from, what.primed ? text + "'" : text, what.where);
        return graph_.element(from, to_affine(static_cast<std::int64_t>(plain->second)));
    }
    if (book_.indexed_.contains(text))
        fail(text + " is a family and needs an index, as in " + text + "[1].", what.where, text + "[...]");
    return plain_name(what, text);
}

node binder::plain_name(item const& what, std::string const& text) {
    auto const abbreviation = book_.abbreviations_.find(text);
    if (abbreviation != book_.abbreviations_.end()) return defined(*abbreviation->second, {}, what);
    auto const parameter = book_.parameters_.find(text);
    if (what.primed && (parameter != book_.parameters_.end() || is_reserved(text)))
        fail(text + " is not a coordinate and has no velocity.", what.where, "a coordinate before the prime");
    if (parameter != book_.parameters_.end()) {
        auto const& [number, slot] = parameter->second;
        if (!slot) return graph_.constant(number);
        return graph_.element(source::parameter, to_affine(static_cast<std::int64_t>(*slot)));
    }
    if (text == "pi") return graph_.constant(std::numbers::pi_v<long double>);
    if (text == "t") {
        require_allowed(source::time, text, what.where);
        return graph_.element(source::time, {});
    }
    if (text.starts_with("theta") && is_reserved(text)) return phase(what, text);
    unknown(what, text);
}

node binder::phase(item const& what, std::string_view text) {
    require_allowed(source::phase, std::string(text), what.where);
    auto const count = book_.phases_;
    if (count == 0)
        fail("There is no phase theta in this problem: only vibrated systems have one.", what.where,
             "t, or a system of kind vibrated");
    auto const digits = text.substr(5);
    if (digits.empty() && count == 1) return graph_.element(source::phase, {});
    if (digits.empty())
        fail("There are " + std::to_string(count) + " phases, so theta needs a number.", what.where,
             "theta1 to theta" + std::to_string(count));
    auto const number = digits.size() > 9 ? std::size_t{0} : static_cast<std::size_t>(std::stoul(std::string(digits)));
    if (number == 0 || number > count || digits.front() == '0')
        fail("There is no phase " + std::string(text) + ".", what.where,
             count == 1 ? "theta" : "theta1 to theta" + std::to_string(count));
    return graph_.element(source::phase, to_affine(static_cast<std::int64_t>(number) - 1));
}

void binder::unknown(item const& what, std::string const& text) const {
    auto known = book_.known_names();
    for (auto const& index : indices_) known.push_back(index.first);
    auto const nearest = nearest_name(text, known);
    auto const hint = nearest.empty() ? std::string() : " Is " + nearest + " meant?";
    fail("The name " + (text.size() <= 60 ? text : text.substr(0, 57) + "...") + " is not known here." + hint,
         what.where, "a known name", nearest);
}

node binder::indexed(item const& what, std::uint32_t header) {
    std::string const text(text_->part(what.where));
    auto const meaning = book_.indexed_.find(text);
    if (meaning == book_.indexed_.end()) {
        auto const scalar = book_.plain_coordinates_.contains(text) || book_.parameters_.contains(text) ||
                            book_.abbreviations_.contains(text);
        if (scalar || is_reserved(text))
            fail(text + " is a single quantity and takes no index.", what.where, text + " without brackets");
        unknown(what, text);
    }
    auto const index = single_index(header + 1, what.end);
    require_computable(index, what.where);
    try {
        return family_member(meaning->second, index, what);
    } catch (index_overflow const&) { fail("This index is too large.", what.where, "a smaller index"); }
}

node binder::family_member(formula_reader::indexed_name const& meaning, affine const& index, item const& what) {
    auto const low = low_of(index);
    auto const high = high_of(index);
    if (meaning.family) {
        auto const& family = book_.families_[*meaning.family];
        if (low >= family.lower && high <= family.upper) {
            auto const from = what.primed ? source::velocity : source::position;
            require_allowed(from, family.name + "[" + shown(index) + "]" + (what.primed ? "'" : ""), what.where);
            return graph_.element(from, index + to_affine(static_cast<std::int64_t>(family.first_slot) - family.lower));
        }
    }
    if (index.is_constant()) {
        auto const special = meaning.special.find(index.constant);
        if (special != meaning.special.end()) return defined(*special->second, index, what);
    }
    if (meaning.family) require_defined(meaning, index, low, high, what);
    separate(meaning, index, low, high, what);
    if (meaning.general != nullptr) return defined(*meaning.general, index, what);
    if (meaning.family) out_of_range(book_.families_[*meaning.family], index, low, high, what);
    if (index.is_constant())
        fail(std::string(text_->part(what.where)) + "[" + shown(index) + "] is not defined.", what.where,
             "an index that is defined");
    fail(std::string(text_->part(what.where)) + "[" + shown(index) +
             "] is not defined for every index that it takes here (" + std::to_string(low) + " to " +
             std::to_string(high) + ").",
         what.where, "an index that is defined");
}

/// Reports an index beyond a family's range before loops are cut, so that the message tells the whole range.
void binder::require_defined(formula_reader::indexed_name const& meaning, affine const& index, std::int64_t low,
                             std::int64_t high, item const& what) const {
    auto const& family = book_.families_[*meaning.family];
    auto const takes_all = std::all_of(index.terms.begin(), index.terms.end(),
                                       [](auto const& term) { return std::abs(term.second) == 1; });
    auto at = takes_all ? low : family.lower;
    while (at < family.lower && meaning.special.contains(at)) ++at;
    auto end = takes_all ? high : family.upper;
    while (end > family.upper && meaning.special.contains(end)) --end;
    if (at < std::min(family.lower, high + 1) || end > std::max(family.upper, low - 1))
        out_of_range(family, index, at, end, what);
}

void binder::out_of_range(coordinate_family const& family, affine const& index, std::int64_t low, std::int64_t high,
                          item const& what) const {
    auto const reached = low < family.lower ? low : high;
    auto const range =
        family.name + " runs from " + std::to_string(family.lower) + " to " + std::to_string(family.upper);
    auto const expected = "an index from " + std::to_string(family.lower) + " to " + std::to_string(family.upper) +
                          ", or define." + "\"" + family.name + "[" + std::to_string(reached) + "]\"";
    if (index.is_constant())
        fail(family.name + "[" + std::to_string(index.constant) + "] does not exist: " + range + ".", what.where,
             expected);
    std::string when;
    if (index.terms.size() == 1) {
        auto const [v, factor] = index.terms[0];
        when = " at " + shown(to_affine(v)) + " = " + std::to_string((reached - index.constant) / factor);
    }
    fail("The index " + shown(index) + " of " + family.name + " reaches " + std::to_string(reached) + when + ", but " +
             range + ".",
         what.where, expected);
}

// ---------------------------------------------------------------- definitions

node binder::defined(definition const& what, affine const& index, item const& use) {
    auto const closed = index.is_constant();
    auto value = node{};
    auto const known = book_.closed_definitions_.find({&what, index.constant});
    if (closed && known != book_.closed_definitions_.end()) {
        value = known->second;
    } else {
        auto found = false;
        for (auto level = local_definitions_.begin(); !closed && !found && level != local_definitions_.end(); ++level) {
            auto const local = level->find({&what, index});
            found = local != level->end();
            if (found) value = local->second;
        }
        if (!found) value = bound_definition(what, index, closed, use);
    }
    if (use.primed) value = velocity_of_definition(value, use);
    require_allowed(value, use);
    return value;
}

node binder::bound_definition(definition const& what, affine const& index, bool closed, item const& use) {
    auto const open = std::find(open_definitions_.begin(), open_definitions_.end(), &what);
    if (open != open_definitions_.end()) {
        std::string cycle;
        for (auto at = open; at != open_definitions_.end(); ++at) cycle += (*at)->name + " -> ";
        fail("The definition of " + what.name + " refers to itself: " + cycle + what.name + ".", use.where,
             "definitions without a circle");
    }
    if (open_definitions_.size() >= deepest_definitions)
        fail("Definitions refer to each other more than " + std::to_string(deepest_definitions) + " levels deep.",
             use.where, "fewer levels of definitions");
    auto value_ = node{};
    {
        restored const text(text_);
        restored const allowed(allowed_);
        restored const origin(origin_);
        restored const indices(indices_);
        restored const known(known_);
        restored const opened(open_definitions_);
        text_ = &what.text;
        allowed_ = {};
        origin_ = what.name;
        indices_.clear();
        if (!what.parameter.empty()) indices_.emplace_back(what.parameter, index);
        if (closed) known_.clear(); // a definition sees nothing of the place where it is used
        open_definitions_.push_back(&what);
        value_ = whole();
    }
    if (closed) book_.closed_definitions_[{&what, index.constant}] = value_;
    else local_definitions_.back()[{&what, index}] = value_;
    return value_;
}

node binder::velocity_of_definition(node value_, item const& use) {
    auto const text = std::string(text_->part(use.where));
    if (graph_.depends_on(value_, source::velocity) || graph_.depends_on(value_, source::phase))
        fail("The definition of " + text + " has no velocity, because it depends on velocities or phases itself.",
             use.where, "a definition by coordinates and t");
    auto const [at, fresh] = book_.velocities_.try_emplace(value_, value_);
    if (fresh) at->second = time_derivative(graph_, value_);
    return at->second;
}

// ---------------------------------------------------------------- indices

binder::bound binder::index(std::uint32_t begin, std::uint32_t end) {
    std::vector<bound> stack;
    for (auto i = begin; i < end; ++i) {
        auto const& what = text_->items[i];
        switch (what.kind) {
        case item_kind::number:
            stack.push_back({bound::choice::single, {to_affine(whole_number(what.value, what.where))}});
            break;
        case item_kind::name: stack.push_back({bound::choice::single, {index_name(what)}}); break;
        case item_kind::indexed:
        case item_kind::sum:
            fail("An index is made of whole numbers, parameters and indices, but here stands " +
                     std::string(text_->part(what.where)) + ".",
                 what.where, "an index such as i+1 or 2*i-1");
        default: apply_index_operator(what, stack);
        }
    }
    return stack.back();
}

affine binder::single_index(std::uint32_t begin, std::uint32_t end) {
    auto const found = index(begin, end);
    if (found.kind != bound::choice::single)
        fail("min and max may stand in the bounds of a sum, but not in an index.", span_of(begin, end),
             "an index such as i+1 or 2*i-1");
    return found.of[0];
}

std::int64_t binder::fixed_index(std::uint32_t begin, std::uint32_t end, std::string const& what) {
    auto const found = index(begin, end);
    if (found.kind == bound::choice::single) return found.of[0].constant;
    auto const less = [](affine const& a, affine const& b) { return a.constant < b.constant; };
    if (found.of.empty()) fail("The " + what + " is missing.", span_of(begin, end));
    return found.kind == bound::choice::smallest ? std::min_element(found.of.begin(), found.of.end(), less)->constant
                                                 : std::max_element(found.of.begin(), found.of.end(), less)->constant;
}

std::int64_t binder::whole_number(long double value_, place where) const {
    if (value_ != std::trunc(value_))
        fail("An index must be a whole number, but this is " + shown_number(value_) + ".", where, "a whole number");
    if (std::abs(value_) > static_cast<long double>(largest_index))
        fail("The index " + std::string(text_->part(where)) + " is larger than 1e15.", where, "a smaller index");
    return static_cast<std::int64_t>(value_);
}

void binder::require_index_size(affine const& index, place where) const {
    auto too_large = std::abs(index.constant) > largest_index;
    for (auto const& term : index.terms) too_large = too_large || std::abs(term.second) > largest_index / 1'000'000;
    if (too_large) fail("This index is too large.", where, "a smaller index");
}

void binder::require_computable(affine const& index, place where) const {
    spend(index.terms.size() * (known_.size() + 1));
    if (!is_computable(index, known_)) fail("This index is too large.", where, "a smaller index");
}

affine binder::index_name(item const& what) const {
    std::string const text(text_->part(what.where));
    if (!what.primed) {
        for (auto const& [name, index] : indices_)
            if (name == text) return index;
        auto const parameter = book_.parameters_.find(text);
        if (parameter != book_.parameters_.end()) {
            if (parameter->second.slot)
                fail("The parameter " + text + " stays an input of the formulas and cannot be part of an index.",
                     what.where, "a parameter that is a number");
            return to_affine(whole_number(parameter->second.value, what.where));
        }
    }
    auto const known = book_.plain_coordinates_.contains(text) || book_.indexed_.contains(text) ||
                       book_.abbreviations_.contains(text) || is_reserved(text);
    if (!known) unknown(what, text);
    fail("An index is made of whole numbers, parameters and indices, but here stands " + text + ".", what.where,
         "an index such as i+1 or 2*i-1");
}

void binder::apply_index_operator(item const& what, std::vector<bound>& stack) {
    auto const require_single = [&](bound const& b) {
        if (b.kind != bound::choice::single)
            fail("min and max may stand only outermost in a bound.", what.where, "a bound such as min(i+1, n)");
    };
    if (what.kind == item_kind::negate) {
        require_single(stack.back());
        stack.back().of[0] *= -1;
        return;
    }
    if (what.kind == item_kind::call && what.function->op != operation::min && what.function->op != operation::max)
        fail("The function " + std::string(what.function->name) + " cannot be part of an index.", what.where,
             "an index such as i+1 or 2*i-1");
    auto b = std::move(stack.back());
    stack.pop_back();
    auto& a = stack.back();
    if (what.kind == item_kind::call) {
        auto const kind = what.function->op == operation::min ? bound::choice::smallest : bound::choice::largest;
        for (auto const* side : {&a, &b})
            if (side->kind != bound::choice::single && side->kind != kind) require_single(*side);
        a.kind = kind;
        a.of.insert(a.of.end(), b.of.begin(), b.of.end());
        if (a.of.size() > most_of_a_bound)
            fail("A bound is the smallest or largest of at most " + std::to_string(most_of_a_bound) + " indices.",
                 what.where, "fewer indices");
        return;
    }
    require_single(a);
    require_single(b);
    auto& x = a.of[0];
    auto const& y = b.of[0];
    if (what.kind == item_kind::add) {
        x += y;
    } else if (what.kind == item_kind::subtract) {
        x += -y;
    } else if (what.kind == item_kind::multiply) {
        if (!x.is_constant() && !y.is_constant())
            fail("The product of two indices cannot be an index.", what.where, "an index such as 2*i+j");
        auto const factor = x.is_constant() ? x.constant : y.constant;
        auto product = x.is_constant() ? y : x;
        auto const limit = largest_index / std::max<std::int64_t>(1, std::abs(factor));
        if (std::abs(product.constant) > limit) fail("This index is too large.", what.where, "a smaller index");
        for (auto const& term : product.terms)
            if (std::abs(term.second) > limit) fail("This index is too large.", what.where, "a smaller index");
        x = product * factor;
    } else if (what.kind == item_kind::divide) {
        if (!y.is_constant()) fail("An index cannot be divided by an index.", what.where, "a whole number after /");
        if (y.constant == 0) fail("Division by zero.", what.where, "a divisor that is not 0");
        auto whole = x.constant % y.constant == 0;
        for (auto const& term : x.terms) whole = whole && term.second % y.constant == 0;
        if (!whole && x.is_constant())
            fail("An index must be a whole number, but this quotient is " +
                     shown_number(static_cast<long double>(x.constant) / static_cast<long double>(y.constant)) + ".",
                 what.where, "a whole number");
        if (!whole)
            fail("An index must be a whole number for every value of its variables, but this quotient is not.",
                 what.where, "a whole number");
        x.constant /= y.constant;
        for (auto& term : x.terms) term.second /= y.constant;
    } else {
        auto const power = x.is_constant() && y.is_constant()
                               ? std::pow(static_cast<long double>(x.constant), static_cast<long double>(y.constant))
                               : 0.5L;
        if (!x.is_constant() || !y.is_constant())
            fail("A power in an index must be of whole numbers and parameters.", what.where, "an index such as 2*i+j");
        if (power != std::trunc(power) || std::abs(power) > static_cast<long double>(largest_index))
            fail("This power is not a whole number below 1e15.", what.where, "a whole number");
        x = to_affine(static_cast<std::int64_t>(power));
    }
    require_index_size(x, what.where);
}

std::string binder::shown(affine const& index) const {
    std::string text;
    auto const append = [&text](std::int64_t factor, std::string const& what) {
        auto const size = std::abs(factor);
        text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? "-" : "+");
        text += what.empty() ? std::to_string(size) : (size == 1 ? what : std::to_string(size) + "*" + what);
    };
    for (auto const& [v, factor] : index.terms) {
        std::string name = "an outer index";
        for (auto const& [known, value_] : indices_)
            if (value_ == to_affine(v)) name = known;
        append(factor, name);
    }
    if (index.constant != 0 || text.empty()) append(index.constant, "");
    return text;
}

} // namespace lento::expression

#include "lento/expression/formula_reader.hpp"

#include "binder.hpp"
#include "lento/expression/bytecode.hpp"
#include "lento/expression/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <type_traits>

namespace lento::expression {

namespace {

[[noreturn]] void fail(std::string const& sentence, place where, std::string_view text, std::string expected = {}) {
    throw formula_error(formula_error(sentence, where, std::move(expected)).in(text));
}

std::uint32_t item_count(parsed_formula const& text) { return static_cast<std::uint32_t>(text.items.size()); }

/// A key of a problem file: q, x[7], x[i], with or without a prime.
struct parsed_target {
    parsed_formula text;
    std::string name;
    std::string index; // the free index of x[i]
    bool indexed = false;
    bool primed = false;
};

parsed_target parse_target(std::string_view text) {
    parsed_target target{parse(text), {}, {}, false, false};
    auto const& items = target.text.items;
    auto const kind = items.front().kind;
    auto const one =
        kind == item_kind::name ? items.size() == 1 : kind == item_kind::indexed && items.front().end == items.size();
    if (!one)
        fail("This is not a name: a formula can be given for q, for x[7], or for x[i].", {0, text.size()}, text,
             "a name");
    target.name = target.text.part(items.front().where);
    target.primed = items.front().primed;
    target.indexed = kind == item_kind::indexed;
    if (target.indexed && items.size() == 2 && items[1].kind == item_kind::name && !items[1].primed)
        target.index = target.text.part(items[1].where);
    return target;
}

} // namespace

void formula_reader::require_free(std::string_view name, place where, std::string_view text) const {
    std::string const shown(name);
    if (is_reserved(name)) fail("The name " + shown + " is reserved.", where, text, "another name");
    if (parameters_.contains(name)) fail("The name " + shown + " is already a parameter.", where, text, "another name");
    auto const indexed = indexed_.find(name);
    if (plain_coordinates_.contains(name) || (indexed != indexed_.end() && indexed->second.family))
        fail("The name " + shown + " is already a coordinate.", where, text, "another name");
    if (abbreviations_.contains(name) || indexed_.contains(name))
        fail("The name " + shown + " is already defined.", where, text, "another name");
}

std::vector<std::string> formula_reader::known_names() const {
    std::vector<std::string> names{"pi", "t", "sum"};
    if (phases_ == 1) names.emplace_back("theta");
    for (std::size_t i = 1; phases_ > 1 && i <= phases_; ++i) names.push_back("theta" + std::to_string(i));
    for (auto const& entry : parameters_) names.push_back(entry.first);
    for (auto const& entry : plain_coordinates_) names.push_back(entry.first);
    for (auto const& entry : abbreviations_) names.push_back(entry.first);
    for (auto const& entry : indexed_) names.push_back(entry.first);
    return names;
}

/// A parsed formula. How long reading may take grows with what there is to read, and with nothing else.
parsed_formula formula_reader::parsed(std::string_view text) {
    auto made = parse(text);
    patience_ += 1000 + 100 * made.items.size();
    return made;
}

void formula_reader::parameter(std::string_view name, long double value) { bind_parameter(name, {value, {}}); }

std::size_t formula_reader::input(std::string_view name) {
    inputs_.push_back(bind_parameter(name, {0, inputs_.size()}));
    return inputs_.size() - 1;
}

std::string formula_reader::bind_parameter(std::string_view name, parameter_meaning meaning) {
    auto const target = parse_target(name);
    place const all{0, name.size()};
    if (target.indexed || target.primed)
        fail("A parameter has a plain name, without an index or a prime.", all, name, "a name");
    require_free(target.name, all, name);
    if (!std::isfinite(static_cast<double>(meaning.value)))
        fail("The parameter " + target.name + " is not a finite number.", all, name, "a finite number");
    parameters_.emplace(target.name, meaning);
    return target.name;
}

void formula_reader::coordinate(std::string_view declaration) {
    auto const declared = parse_coordinate(declaration);
    auto const& text = declared.source;
    coordinate_family family{std::string(text.part(declared.name)), declared.has_range, 0, 0, count_};
    require_free(family.name, declared.name, declaration);
    if (declared.has_range) {
        binder bounds(*this, text, parameters_only);
        family.lower = bounds.fixed_index(0, declared.upper_begin, "lower bound");
        family.upper = bounds.fixed_index(declared.upper_begin, item_count(text), "upper bound");
        auto const where = bounds.span_of(0, item_count(text));
        auto const range = std::to_string(family.lower) + ".." + std::to_string(family.upper);
        if (family.upper < family.lower)
            fail("The family " + family.name + "[" + range + "] has no members.", where, declaration,
                 "an upper bound not below the lower one");
        if (family.upper - family.lower + 1 > most_coordinates - static_cast<std::int64_t>(count_))
            fail("With " + family.name + "[" + range + "] the problem would have more than 10 million coordinates.",
                 where, declaration, "a smaller family");
        indexed_[family.name].family = families_.size();
    } else {
        if (count_ >= static_cast<std::size_t>(most_coordinates))
            fail("The problem would have more than 10 million coordinates.", declared.name, declaration,
                 "fewer coordinates");
        plain_coordinates_.emplace(family.name, count_);
    }
    count_ += family.size();
    families_.push_back(std::move(family));
}

void formula_reader::define(std::string_view name, std::string_view text) {
    auto target = parse_target(name);
    place const all{0, name.size()};
    if (target.primed)
        fail("A velocity cannot be defined: it follows from the coordinate.", all, name, "a name without a prime");
    definition made{std::string(name), {}, {}};
    if (!target.indexed) {
        require_free(target.name, all, name);
        made.text = parsed(text);
        abbreviations_[target.name] = &definitions_.emplace_back(std::move(made));
        return;
    }
    auto const known = indexed_.find(target.name);
    if (known == indexed_.end()) require_free(target.name, all, name);
    auto const general = !target.index.empty() && !parameters_.contains(target.index);
    auto meaning = known == indexed_.end() ? indexed_name{} : known->second;
    auto single = std::int64_t{0};
    if (general) {
        require_free(target.index, target.text.items[1].where, name);
        if (meaning.family)
            fail(target.name + " is a family of coordinates: only single indices outside its range can be defined.",
                 all, name, target.name + "[0]");
        if (meaning.general != nullptr)
            fail(target.name + "[...] is already defined for all indices.", all, name, "one definition");
        made.parameter = target.index;
    } else {
        single = binder(*this, target.text, parameters_only).fixed_index(1, item_count(target.text), "index");
        if (meaning.special.contains(single))
            fail("The value of " + std::string(name) + " is already defined.", all, name, "one definition");
        if (meaning.family && single >= families_[*meaning.family].lower && single <= families_[*meaning.family].upper)
            fail(std::string(name) + " is a coordinate and cannot be defined.", all, name,
                 "an index outside the family's range");
    }
    made.text = parsed(text);
    auto const* kept = &definitions_.emplace_back(std::move(made));
    if (general) meaning.general = kept;
    else meaning.special[single] = kept;
    indexed_[target.name] = std::move(meaning);
}

long double formula_reader::number(std::string_view text) {
    auto const n = scalar(text, parameters_only);
    if (graph_.depends_on(n, source::parameter))
        fail("This must be a number at once, but it depends on a parameter that stays an input of the formulas.",
             {0, text.size()}, text, "a formula of other parameters");
    auto const value = worth<long double>({output(0, n)}, 1, text)[0];
    if (!std::isfinite(static_cast<double>(value)))
        fail("This formula has no finite value.", {0, text.size()}, text, "a finite number");
    return value;
}

std::vector<double> formula_reader::numbers(std::vector<statement> const& of, std::size_t outputs) {
    return worth<double>(of, outputs, {});
}

template <class T>
std::vector<T> formula_reader::worth(std::vector<statement> of, std::size_t outputs, std::string_view text) {
    std::vector<T> out(outputs);
    if (of.size() == 1 && of[0].target == affine{} && graph_.is_constant(of[0].value)) { // as most of them are
        out[0] = static_cast<T>(graph_.value(of[0].value));
        return out;
    }
    auto own = graph_.part(of);
    auto const plan = make_schedule(own, of, outputs);
    constexpr double slowness = std::is_same_v<T, double> ? 1 : 20;
    effort_left_ -= slowness * effort(own, plan);
    if (!(effort_left_ >= 0))
        fail("The numbers of this problem take too long to compute.", {0, text.size()}, text, "shorter sums");
    bytecode const code(own, plan);
    bytecode::registers<T> work(code);
    code.evaluate<T>({}, out, work);
    return out;
}

node formula_reader::scalar(std::string_view text, permission allowed) {
    auto const formula = parsed(text);
    return binder(*this, formula, allowed).whole();
}

assignment formula_reader::assign(std::string_view target_text, std::string_view text, permission allowed) {
    auto const target = parse_target(target_text);
    auto const free = target.indexed && !target.index.empty() && !parameters_.contains(target.index);
    if (!free) {
        auto const at = slot(target.primed ? target_text.substr(0, target_text.rfind('\'')) : target_text);
        return {target.primed, {{{}, to_affine(static_cast<std::int64_t>(at)), scalar(text, allowed)}}};
    }
    auto const known = indexed_.find(target.name);
    if (known == indexed_.end() || !known->second.family) {
        auto const nearest = nearest_name(target.name, known_names());
        throw formula_error(formula_error("There is no family " + target.name + "[...] of coordinates.",
                                          target.text.items[0].where, "a family", nearest)
                                .in(target_text));
    }
    require_free(target.index, target.text.items[1].where, target_text);
    auto const& family = families_[*known->second.family];
    auto const formula = parsed(text);
    binder reader(*this, formula, allowed);
    assignment result{target.primed, {}};
    auto const shift = to_affine(static_cast<std::int64_t>(family.first_slot) - family.lower);
    for (auto const& part : reader.pieces(target.index, {{to_affine(family.lower)}, {to_affine(family.upper)}},
                                          [&reader] { return reader.whole(); })) {
        std::vector<variable> loops;
        if (part.loop) loops.push_back(*part.loop);
        result.statements.push_back({loops, part.index + shift, part.value});
    }
    return result;
}

std::pair<std::int64_t, std::int64_t> formula_reader::range(std::string_view text) {
    auto const declared = parse_range(text);
    binder bounds(*this, declared.source, parameters_only);
    return {bounds.fixed_index(0, declared.upper_begin, "lower bound"),
            bounds.fixed_index(declared.upper_begin, item_count(declared.source), "upper bound")};
}

std::vector<statement> formula_reader::for_all(std::string_view range_text, std::string_view text,
                                               std::size_t first_slot, permission allowed) {
    auto const declared = parse_range(range_text);
    auto const index = std::string(declared.source.part(declared.name));
    require_free(index, declared.name, range_text);
    auto const [lower, upper] = range(range_text);
    auto const formula = parsed(text);
    binder reader(*this, formula, allowed);
    std::vector<statement> result;
    auto const shift = to_affine(static_cast<std::int64_t>(first_slot) - lower);
    for (auto const& part :
         reader.pieces(index, {{to_affine(lower)}, {to_affine(upper)}}, [&reader] { return reader.whole(); })) {
        std::vector<variable> loops;
        if (part.loop) loops.push_back(*part.loop);
        result.push_back({loops, part.index + shift, part.value});
    }
    return result;
}

std::string formula_reader::coordinate_name(std::size_t slot) const {
    if (slot >= count_) throw std::out_of_range("there is no coordinate in slot " + std::to_string(slot) + ".");
    auto const after = std::upper_bound(families_.begin(), families_.end(), slot,
                                        [](std::size_t at, auto const& family) { return at < family.first_slot; });
    auto const& family = *std::prev(after);
    if (!family.indexed) return family.name;
    return family.name + "[" + std::to_string(family.lower + static_cast<std::int64_t>(slot - family.first_slot)) + "]";
}

std::size_t formula_reader::slot(std::string_view name) {
    auto const target = parse_target(name);
    place const all{0, name.size()};
    auto const plain = plain_coordinates_.find(target.name);
    if (!target.indexed && !target.primed && plain != plain_coordinates_.end()) return plain->second;
    auto const known = indexed_.find(target.name);
    if (!target.indexed || target.primed || known == indexed_.end() || !known->second.family) {
        auto const nearest = nearest_name(target.name, known_names());
        throw formula_error(
            formula_error("There is no coordinate " + std::string(name) + ".", all, "the name of a coordinate", nearest)
                .in(name));
    }
    auto const& family = families_[*known->second.family];
    auto const index = binder(*this, target.text, parameters_only).fixed_index(1, item_count(target.text), "index");
    if (index < family.lower || index > family.upper)
        fail(target.name + "[" + std::to_string(index) + "] does not exist: " + target.name + " runs from " +
                 std::to_string(family.lower) + " to " + std::to_string(family.upper) + ".",
             all, name, "an index from " + std::to_string(family.lower) + " to " + std::to_string(family.upper));
    return family.first_slot + static_cast<std::size_t>(index - family.lower);
}

} // namespace lento::expression

#include <lento/problem/method.hpp>

#include <algorithm>
#include <array>

#include "problem/methods/row.hpp"
#include "problem/sentences.hpp"

namespace lento {
namespace detail {

// the methods, each in a file of its own
method_row direct_row();
method_row vibration_windows_row(); // hmm of vibrated systems
method_row force_averaging_row();   // hmm of hard springs
method_row spectral_path_row();     // hmm of split systems
method_row ipa_row();
method_row limit_row();
method_row adiabatic_row();
method_row underlying_row();
method_row shake_row();
method_row rattle_row();
method_row backward_forward_row();
method_row stroboscopic_row();
method_row flavors_row();
method_row deuflhard_row();
method_row gautschi_row();
method_row impulse_row();
method_row mollified_impulse_row();

} // namespace detail

namespace {

using namespace detail;

/// A new method is a line here, one above, and its file. Where several suit a problem, `auto` takes the last of them.
/// The first is for every kind.
std::array const all{direct_row(),
                     vibration_windows_row(),
                     force_averaging_row(),
                     spectral_path_row(),
                     ipa_row(),
                     limit_row(),
                     adiabatic_row(),
                     underlying_row(),
                     shake_row(),
                     rattle_row(),
                     backward_forward_row(),
                     stroboscopic_row(),
                     flavors_row(),
                     deuflhard_row(),
                     gautschi_row(),
                     impulse_row(),
                     mollified_impulse_row()};

std::vector<std::string> names_of_methods() {
    std::vector<std::string> names{"auto"};
    for (auto const& row : all)
        if (std::find(names.begin(), names.end(), row.name) == names.end()) names.emplace_back(row.name);
    return names;
}

[[noreturn]] void fail(problem const& what, entry const& at, std::string const& sentence) {
    bool const set = !at.setting.empty();
    throw problem_error(set ? at.setting : what.source, set ? 0 : at.line, at.path, sentence);
}

/// The name that [method] gives, "auto" where it gives none.
std::string wanted_name(problem const& what) {
    auto const* given = what.method.find("name");
    if (given == nullptr) return "auto";
    if (given->kind != entry_kind::text)
        fail(what, *given,
             "A text in quotes is expected here, but this is " + std::string(description(given->kind)) + ".");
    auto const known = names_of_methods();
    if (std::find(known.begin(), known.end(), given->text) == known.end())
        fail(what, *given,
             "There is no method \"" + given->text + "\"." + hint(given->text, known) + " Known are " + listed(known) +
                 ".");
    return given->text;
}

std::string methods_for(problem const& what) {
    std::vector<std::string> names;
    for (auto const& row : all)
        if (row.is_for(what) && row.why_not(what).empty()) names.emplace_back(row.name);
    return listed(names);
}

/// Why the one row, or each of the rows, of that name does not apply.
std::string refusal(problem const& what, std::string const& name) {
    if (what.as<stiff_potential_kind>() != nullptr)
        for (auto const& row : all)
            if (row.name == name && (row.kinds & for_kinds<stiff_kind>) != 0)
                return "the method " + name + " does not apply: " + std::string(stiff_potential_kind::lacks) +
                       "; those that do are " + methods_for(what);
    for (auto const& row : all)
        if (row.name == name)
            if (std::string why = row.why_not(what); !why.empty()) return why;
    return "the method " + name + " does not apply to systems of the kind " + std::string(what.kind_name()) +
           "; those that do are " + methods_for(what);
}

/// Keys that belong to some method, but not to this one, and what `auto` may be told.
void check_keys(problem const& what, entry const& method, method_row const& row, bool automatic) {
    auto options = row.options();
    auto const own = options.all();
    auto const has = [](fields const& among, std::string_view key) {
        return std::any_of(among.begin(), among.end(), [&](auto const& each) { return each.name == key; });
    };
    for (auto const& each : method.children) {
        if (each.key == "name" || each.key == "macro" || each.key == "engine") continue;
        if ((!automatic || row.settings_for_auto) && has(own, each.key)) continue;
        bool const known = std::any_of(all.begin(), all.end(), [&](auto const& other) {
            auto others = other.options();
            return has(others.all(), each.key);
        });
        if (!known) continue; // reading tells
        fail(what, each,
             automatic ? "This belongs to a method: give its name, as in name = \"hmm\", or leave this out."
                       : "The method " + std::string(row.name) + " has no " + each.key + " here; leave it out.");
    }
}

std::string why_nothing_suits(problem const& what) {
    auto const* kind = what.as<split_kind>();
    if (kind != nullptr && !kind->fast_matrix.empty()) return "the fast part does not oscillate; use the method direct";
    return "neither is the period of the fast flow known nor is the fast part linear; give system.period, or "
           "method.name = \"backward-forward\" with window.delta, the length of its flows in units of epsilon";
}

} // namespace

std::span<method_row const> methods() { return all; }

chosen_method choose_method(problem const& what) {
    chosen_method made;
    std::string const name = wanted_name(what);
    made.automatic = name == "auto";
    for (auto const& row : all) {
        if (!row.is_for(what)) continue;
        std::string reason = made.automatic ? row.suits(what) : std::string();
        bool const wanted = made.automatic ? !reason.empty() : row.name == name;
        if (!wanted) continue;
        made.reason = std::move(reason);
        made.row = &row;
    }
    if (made.row != nullptr) {
        made.refusal = made.row->why_not(what);
        if (!made.refusal.empty()) {
            made.row = nullptr;
            return made;
        }
    } else {
        made.refusal = made.automatic ? why_nothing_suits(what) : refusal(what, name);
        return made;
    }
    made.options = made.row->options();
    check_keys(what, what.method, *made.row, made.automatic);
    try {
        made.row->read(what, what.method, *made.options);
    } catch (does_not_apply const& error) {
        made.refusal = error.what();
        made.row = nullptr;
    }
    return made;
}

entry write(chosen_method& chosen) {
    entry made = write(chosen.options->all());
    made.children.insert(made.children.begin(), entry("name", chosen.row->name));
    return made;
}

} // namespace lento

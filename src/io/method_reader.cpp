#include "io/method_reader.hpp"

#include "io/applicable.hpp"
#include "io/oscillators.hpp"

#include <algorithm>

#include <lento/problem/window_kernels.hpp>

namespace lento::detail {
namespace {

template <class Stepper> constexpr bool takes_step = !Stepper::is_adaptive;

/// The scheme of that name which takes a step, or chooses its own; whichever there is.
scheme scheme_called(std::string_view wanted, bool with_step) {
    scheme found;
    bool exact = false;
    for_each_alternative<scheme>([&](auto const& each) {
        if (exact || plain_name(each.name) != (wanted == fitted_verlet ? verlet::name : wanted)) return;
        found = each;
        exact = takes_step<std::remove_cvref_t<decltype(each)>> == with_step;
    });
    return found;
}

} // namespace

expression::engine_kind read_engine(reader const& from) {
    using expression::engine_kind;
    auto const* method = from.root().find("method");
    auto const* given = method == nullptr ? nullptr : method->find("engine");
    if (given == nullptr) return engine_kind::automatic;
    std::vector<std::string> known;
    std::vector<std::string> lacking;
    for (auto const kind : {engine_kind::automatic, engine_kind::bytecode, engine_kind::llvm}) {
        bool const there = kind != engine_kind::llvm || expression::built_with_llvm();
        (there ? known : lacking).emplace_back(name(kind));
        if (from.text(*given) != name(kind) || !there) continue;
        if (kind == engine_kind::llvm && !expression::llvm_is_there())
            from.fail(*given, "LLVM 14 is not installed on this machine: there is no libLLVM-14.so.1 (Debian's package "
                              "libllvm14).");
        return kind;
    }
    from.require_known(*given, "engine", given->text, known, lacking);
    return engine_kind::automatic;
}

method_options method_reader::read() {
    made_.epsilon = what_.epsilon;
    made_.engine = what_.method.engine;
    read_accuracy();
    method_ = from_.root().find("method");
    if (method_ == nullptr) return made_;
    from_.table(*method_);
    try {
        read_name();
        if (steps_over_springs(made_.name)) {
            read_over_springs();
            return made_;
        }
        switch (what_.kind) {
        case problem_kind::vibrated: read_vibrated(); break;
        case problem_kind::stiff: read_stiff(); break;
        case problem_kind::constrained: read_constrained(); break;
        case problem_kind::split: read_split(); break;
        case problem_kind::plain: read_plain(); break;
        }
    } catch (does_not_apply const& error) { made_.refusal = error.what(); }
    return made_;
}

std::string_view plain_name(std::string_view scheme) {
    return scheme == adaptive_lobatto4::name ? lobatto4::name : scheme;
}

entry const* method_reader::find(std::string_view key) const { return method_->find(key); }

void method_reader::read_name() {
    auto const* name = find("name");
    if (name == nullptr) return;
    made_.name = from_.text(*name);
    names known = all_methods();
    known.insert(known.begin(), "auto");
    from_.require_known(*name, "method", made_.name, known, {"adiabatic"});
    if (std::string const why = why_not(what_, made_.name); !why.empty()) refuse(why);
}

void method_reader::allow(names keys) {
    keys.insert(keys.begin(), {"name", "macro", "engine"});
    if (auto const* name = find("name"); name != nullptr && !name->setting.empty()) {
        kept_ = *method_;
        std::erase_if(kept_.children, [&](entry const& each) {
            return each.setting.empty() && std::find(keys.begin(), keys.end(), each.key) == keys.end();
        });
        method_ = &kept_;
    }
    for (auto const* key :
         {"micro", "window", "start", "order", "picture", "extrapolate", "ramp", "projection", "relaxation"})
        if (auto const* given = find(key); given != nullptr && std::find(keys.begin(), keys.end(), key) == keys.end())
            from_.fail(*given, made_.name == "auto"
                                   ? "This belongs to a method: give its name, as in name = \"hmm\", or leave this out."
                                   : "The method " + made_.name + " has no " + key + " here; leave it out.");
    from_.allow_only(*method_, keys);
}

void method_reader::read_accuracy() {
    auto const* accuracy = from_.root().find("accuracy");
    if (accuracy == nullptr) return;
    from_.allow_only(from_.table(*accuracy), {"rtol", "atol"});
    auto const read_tolerance = [&](char const* key, double& value) {
        auto const* given = accuracy->find(key);
        if (given == nullptr) return;
        value = from_.number(*given);
        if (!(value >= 0)) from_.fail(*given, "A tolerance cannot be negative, but this is " + show(value) + ".");
    };
    read_tolerance("rtol", made_.rtol);
    read_tolerance("atol", made_.atol);
    if (made_.rtol == 0 && made_.atol == 0) from_.fail(*accuracy, "rtol and atol cannot both be 0.");
}

void method_reader::read_macro(entry const& macro) {
    from_.table(macro);
    bool const with_step = macro.find("step") != nullptr;
    std::string name(dormand_prince::name);
    if (auto const* given = macro.find("scheme")) {
        name = from_.text(*given);
        from_.require_known(*given, "scheme", name, known_schemes());
    } else if (made_.name == "flavors") {
        name = midpoint::name;
    } else if (made_.name == shake::name || made_.name == rattle::name) {
        name = made_.name;
    } else if (steps_over_springs(made_.name)) {
        name = verlet::name;
    } else if (with_step) {
        from_.fail(macro, "A step needs a scheme, as in { scheme = \"verlet\", step = 0.01 }.");
    }
    made_.macro = scheme_called(name, with_step);
    std::visit(
        [&](auto& stepper) {
            using stepper_type = std::remove_reference_t<decltype(stepper)>;
            std::vector<std::string> known{"scheme", "max_steps"};
            reader::add_option_names<stepper_type>(known);
            from_.allow_only(macro, known);
            if constexpr (stepper_type::is_adaptive) {
                stepper.rtol = made_.rtol;
                stepper.atol = made_.atol;
            }
            from_.read_options(macro, stepper);
            if constexpr (!stepper_type::is_adaptive) {
                auto const* step = macro.find("step");
                if (step == nullptr) from_.fail(macro, "The scheme " + name + " needs a step.");
                if (!(stepper.step > 0))
                    from_.fail(*step, "The step must be positive, but it is " + show(stepper.step) + ".");
            }
            if constexpr (std::is_same_v<stepper_type, verlet>) fit(stepper, macro, name, made_.name == "direct");
        },
        *made_.macro);
    if (auto const* most = macro.find("max_steps")) {
        auto const value = from_.whole(*most);
        if (value < 1)
            from_.fail(*most, "At least one step must be allowed, but this is " + std::to_string(value) + ".");
        made_.max_steps = static_cast<std::uint64_t>(value);
    }
}

void method_reader::fit(verlet& stepper, entry const& table, std::string const& name, bool fast) const {
    auto const* given = table.find("fitted_to");
    if (name != fitted_verlet) {
        if (given != nullptr) from_.fail(*given, "Only the scheme verlet-fitted is fitted to a frequency.");
        return;
    }
    if (given == nullptr) {
        if (!fast || what_.frequencies.empty()) from_.fail(table, "verlet-fitted needs fitted_to, a frequency.");
        stepper.fitted_to = *std::max_element(what_.frequencies.begin(), what_.frequencies.end());
    }
    if (!(stepper.fitted_to > 0))
        from_.fail(table, "fitted_to must be positive, but it is " + show(stepper.fitted_to) + ".");
}

std::string method_reader::kernel_name(entry const* table, std::string const& usual) const {
    auto const* given = table != nullptr ? from_.table(*table).find("kernel") : nullptr;
    if (given == nullptr) return usual;
    std::vector<std::string> known;
    for (auto const& each : window_kernels()) known.emplace_back(each.name);
    from_.require_known(*given, "kernel", from_.text(*given), known);
    return given->text;
}

kernel method_reader::read_kernel(entry const& table, std::string const& usual, names others) {
    std::string const wanted = kernel_name(&table, usual);
    if (wanted == "notch")
        refuse("the notch kernel has its zeros at the local frequencies of springs, which the method ipa follows; use "
               "another kernel");
    if (wanted == "picard") refuse("the picard kernel samples a period and filters nothing; use another kernel");
    kernel made;
    for_each_alternative<kernel>([&](auto const& each) {
        if (lento::name(kernel(each)) == wanted) made = each;
    });
    others.insert(others.begin(), "kernel");
    std::visit(
        [&](auto& each) {
            reader::add_option_names<std::remove_cvref_t<decltype(each)>>(others);
            from_.allow_only(table, others);
            from_.read_options(table, each);
        },
        made);
    from_.guarded(table, [&] { return check(made), 0; });
    return made;
}

method_options read_method(reader& from, problem const& what) { return method_reader(from, what).read(); }

} // namespace lento::detail

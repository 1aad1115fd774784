#include <lento/io/method.hpp>

#include "io/json.hpp"
#include "io/reader.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lento {
namespace {

using detail::entry;
using detail::reader;

template <class Variant, class Visit> void for_each_alternative(Visit const& visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (visit(std::variant_alternative_t<I, Variant>{}), ...);
    }(std::make_index_sequence<std::variant_size_v<Variant>>{});
}

constexpr std::string_view fitted = "verlet-fitted";

template <class Variant> std::vector<std::string> names_of() {
    std::vector<std::string> names;
    for_each_alternative<Variant>([&](auto const& each) {
        names.emplace_back(each.name);
        if (each.name == verlet::name) names.emplace_back(fitted);
    });
    return names;
}

template <class Variant> Variant scheme_called(std::string_view wanted) {
    Variant found;
    for_each_alternative<Variant>([&](auto const& each) {
        if (each.name == (wanted == fitted ? verlet::name : wanted)) found = each;
    });
    return found;
}

template <class Variant> std::string name_in_files(Variant const& s) {
    if (auto const* v = std::get_if<verlet>(&s); v != nullptr && v->fitted_to != 0) return std::string(fitted);
    return std::visit([](auto const& each) { return std::string(each.name); }, s);
}

/// Names of the contract that other parts of Lento are to bring.
std::vector<std::string> lacking_schemes() {
    return {"dormand-prince-8",
            "adams",
            "implicit-midpoint",
            "trapezoid",
            "shake",
            "rattle",
            "lobatto4",
            "cvode-adams",
            "cvode-bdf",
            "arkode-dormand-prince",
            "odeint-dormand-prince",
            "ida"};
}
std::vector<std::string> lacking_methods() {
    return {"ipa",     "underlying", "shake",    "rattle",  "backward-forward",  "stroboscopic",
            "flavors", "deuflhard",  "gautschi", "impulse", "mollified-impulse", "adiabatic"};
}
std::vector<std::string> lacking_kernels() { return {"chebyshev", "notch"}; }

class method_reader {
public:
    method_reader(reader& from, std::vector<double> const& frequencies) : from_(from), frequencies_(frequencies) {}

    method_options read() {
        read_accuracy();
        made_.engine = detail::read_engine(from_);
        auto const* method = from_.root().find("method");
        if (method == nullptr) return made_;
        from_.allow_only(from_.table(*method), {"name", "macro", "micro", "window", "start", "engine"});
        if (auto const* name = method->find("name")) {
            made_.name = from_.text(*name);
            from_.require_known(*name, "method", made_.name, known_methods(), lacking_methods());
        }
        if (auto const* macro = method->find("macro")) read_macro(*macro);
        for (auto const* key : {"micro", "window", "start"})
            if (auto const* given = method->find(key); given != nullptr && made_.name == "direct")
                direct_takes_no(*given);
            else if (given != nullptr && frequencies_.empty())
                from_.fail(*given, "This belongs to an averaging window, and only vibrated systems have one here.");
        if (made_.name == "hmm" && frequencies_.empty())
            from_.fail(*method->find("name"),
                       "hmm averages over the phases of a vibrated system, and this system has none. Use direct.");
        if (made_.name == "direct" || frequencies_.empty()) return made_;
        if (auto const* start = method->find("start")) read_start(*start);
        read_view(method->find("window"), method->find("micro"));
        return made_;
    }

private:
    /// --method direct turns off what the file says of windows; in the file itself both contradict each other.
    void direct_takes_no(entry const& given) const {
        auto const* name = from_.root().find("method")->find("name");
        if (name->setting.empty())
            from_.fail(given, "The method direct has no windows; leave this out, or use the name hmm.");
    }

    void read_accuracy() {
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

    void read_macro(entry const& macro) {
        from_.table(macro);
        std::string name(dormand_prince::name);
        if (auto const* given = macro.find("scheme")) {
            name = from_.text(*given);
            from_.require_known(*given, "scheme", name, known_schemes(), lacking_schemes());
        } else if (macro.find("step") != nullptr) {
            from_.fail(macro, "A step needs a scheme, as in { scheme = \"verlet\", step = 0.01 }.");
        }
        made_.macro = scheme_called<scheme>(name);
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

    /// verlet-fitted takes the fastest phase's frequency where it integrates the fast motion, unless it is told
    /// another.
    void fit(verlet& stepper, entry const& table, std::string const& name, bool fast) const {
        auto const* given = table.find("fitted_to");
        if (name != fitted) {
            if (given != nullptr) from_.fail(*given, "Only the scheme verlet-fitted is fitted to a frequency.");
            return;
        }
        if (given == nullptr) {
            if (!fast || frequencies_.empty()) from_.fail(table, "verlet-fitted needs fitted_to, a frequency.");
            stepper.fitted_to = *std::max_element(frequencies_.begin(), frequencies_.end());
        }
        if (!(stepper.fitted_to > 0))
            from_.fail(table, "fitted_to must be positive, but it is " + show(stepper.fitted_to) + ".");
    }

    void read_start(entry const& given) {
        std::vector<std::string> known;
        for (auto const each : {window_start::asynchronous, window_start::synchronous, window_start::centred}) {
            known.emplace_back(lento::name(each));
            if (from_.text(given) == lento::name(each)) made_.start = each;
        }
        from_.require_known(given, "start", given.text, known);
    }

    void read_view(entry const* view, entry const* micro) {
        if (view == nullptr && micro == nullptr && made_.start == window_start::chosen) return;
        std::string kernel = "exponential";
        std::vector<std::string> known{"kernel"};
        if (view != nullptr) {
            from_.table(*view);
            std::vector<std::string> kernels;
            for (auto const& each : known_kernels()) kernels.emplace_back(each.name);
            if (auto const* given = view->find("kernel")) {
                kernel = from_.text(*given);
                from_.require_known(*given, "kernel", kernel, kernels, lacking_kernels());
            }
        }
        if (kernel == "picard") read_picard(*view, micro, known);
        else read_window(view, micro, kernel, known);
    }

    void read_picard(entry const& view, entry const* micro, std::vector<std::string>& known) {
        picard closure;
        reader::add_option_names<picard>(known);
        from_.allow_only(view, known);
        from_.read_options(view, closure);
        if (micro != nullptr)
            from_.fail(*micro, "The picard kernel samples phases and has no micro steps; leave this out.");
        if (made_.start == window_start::asynchronous || made_.start == window_start::synchronous)
            from_.fail(*from_.root().find("method")->find("start"),
                       "The picard kernel is centred by construction; leave the start out.");
        if (closure.points < 3)
            from_.fail(view, "A period needs at least 3 points, but it has " + std::to_string(closure.points) + ".");
        if (closure.passes < 1)
            from_.fail(view, "At least one pass is needed, but there are " + std::to_string(closure.passes) + ".");
        made_.view = closure;
    }

    void read_window(entry const* view, entry const* micro, std::string const& kernel,
                     std::vector<std::string>& known) {
        window made{.kernel = kernel_called(kernel)};
        // steps belong to the micro table: they are the micro scheme's
        for (auto const* key : {"periods", "length", "unchecked"}) known.emplace_back(key);
        std::visit([&](auto const& each) { reader::add_option_names<std::remove_cvref_t<decltype(each)>>(known); },
                   made.kernel);
        bool const default_moments = view == nullptr || view->find("moments") == nullptr;
        if (view != nullptr) {
            from_.allow_only(*view, known);
            std::visit([&](auto& each) { from_.read_options(*view, each); }, made.kernel);
            if (auto const* given = view->find("periods")) made.periods = from_.positive(*given);
            if (auto const* given = view->find("length")) made.length = from_.positive(*given);
            if (auto const* given = view->find("unchecked")) made.unchecked = from_.truth(*given);
        }
        bool const whole_period = fixed_periods(made.kernel) > 0;
        if (view == nullptr || view->find("kernel") == nullptr)
            if (auto* smooth = std::get_if<exponential>(&made.kernel); smooth != nullptr && default_moments)
                smooth->moments = 3; // what `auto` uses; a kernel that is named is taken as published
        if (!whole_period && made.periods == 0 && made.length == 0) made.periods = 40;
        read_micro(micro, made, whole_period ? 80 : 32);
        if (auto* mean = std::get_if<one_period_mean>(&made.kernel)) mean->rule = rule_for(made);
        entry const& blamed = view != nullptr ? *view : micro != nullptr ? *micro : *from_.root().find("method");
        from_.guarded(blamed, [&] { return plan(made, frequencies_).step; });
        made_.view = made;
    }

    void read_micro(entry const* micro, window& made, double steps_per_period) {
        made_.micro = rk4{}; // Verlet at 32 steps a period leaves 3e-3 of the mean force, whatever the frequency
        if (micro != nullptr) {
            from_.table(*micro);
            std::string name(rk4::name);
            if (auto const* given = micro->find("scheme")) {
                name = from_.text(*given);
                auto others = known_schemes();
                for (auto const& each : lacking_schemes()) others.push_back(each);
                from_.require_known(*given, "micro scheme", name, known_micro_schemes(), others);
            }
            made_.micro = scheme_called<micro_scheme>(name);
            std::vector<std::string> known{"scheme", "steps_per_period", "step"};
            if (name == fitted) known.emplace_back("fitted_to");
            from_.allow_only(*micro, known);
            if (auto const* given = micro->find("steps_per_period")) made.steps_per_period = from_.positive(*given);
            if (auto const* given = micro->find("step")) made.step = from_.positive(*given);
            if (auto* stepper = std::get_if<verlet>(&*made_.micro)) {
                if (auto const* given = micro->find("fitted_to")) stepper->fitted_to = from_.positive(*given);
                fit(*stepper, *micro, name, true);
            }
        }
        if (made.steps_per_period == 0 && made.step == 0) made.steps_per_period = steps_per_period;
    }

    /// An even number of steps in the period is summed by trapezoids, an odd one uniformly.
    [[nodiscard]] mean_rule rule_for(window const& view) const {
        auto const fast = fast_frequencies(frequencies_);
        double const slowest = *std::min_element(fast.begin(), fast.end());
        double const fastest = *std::max_element(frequencies_.begin(), frequencies_.end());
        double const steps =
            view.step != 0 ? 2 * std::numbers::pi / slowest / view.step : view.steps_per_period * fastest / slowest;
        return std::fmod(std::round(steps), 2) == 0 ? mean_rule::trapezoid : mean_rule::uniform;
    }

    static kernel kernel_called(std::string_view wanted) {
        kernel found;
        for_each_alternative<kernel>([&](auto const& each) {
            if (lento::name(kernel(each)) == wanted) found = each;
        });
        return found;
    }

    reader& from_;
    std::vector<double> const& frequencies_;
    method_options made_;
};

template <class Options> void add_options(detail::json_object& to, Options const& options) {
    for_each_option(options, [&](std::string_view name, auto const& value, std::string_view) {
        using value_type = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_floating_point_v<value_type>)
            if (value == 0 || std::isinf(value)) return; // not given
        to.add(name, value);
    });
}

} // namespace

std::string_view name(window_start start) {
    switch (start) {
    case window_start::chosen: return "chosen";
    case window_start::asynchronous: return "asynchronous";
    case window_start::synchronous: return "synchronous";
    case window_start::centred: return "centred";
    }
    return "unknown";
}

std::string scheme_name(scheme const& s) { return name_in_files(s); }
std::string scheme_name(micro_scheme const& s) { return name_in_files(s); }
std::vector<std::string> known_schemes() { return names_of<scheme>(); }
std::vector<std::string> known_micro_schemes() { return names_of<micro_scheme>(); }
std::vector<std::string> known_methods() { return {"auto", "direct", "hmm"}; }

std::string to_json(method_options const& method) {
    detail::json_object macro;
    if (method.macro) {
        macro.add("scheme", scheme_name(*method.macro));
        std::visit([&](auto const& each) { add_options(macro, each); }, *method.macro);
    }
    detail::json_object micro;
    detail::json_object view;
    if (method.view && std::holds_alternative<picard>(*method.view)) {
        view.add("kernel", std::string_view("picard"));
        add_options(view, std::get<picard>(*method.view));
    } else if (method.view) {
        auto const& given = std::get<window>(*method.view);
        micro_scheme const inner = method.micro.value_or(rk4{});
        micro.add("scheme", scheme_name(inner));
        if (given.step != 0) micro.add("step", given.step);
        else micro.add("steps_per_period", given.steps_per_period);
        if (auto const* v = std::get_if<verlet>(&inner); v != nullptr && v->fitted_to != 0)
            micro.add("fitted_to", v->fitted_to);
        view.add("kernel", name(given.kernel));
        std::visit([&](auto const& each) { add_options(view, each); }, given.kernel);
        if (given.periods != 0) view.add("periods", given.periods);
        if (given.length != 0) view.add("length", given.length);
        view.add("unchecked", given.unchecked);
    }
    detail::json_object all;
    all.add("name", std::string_view(method.name));
    all.add_json("macro", macro.text());
    all.add_json("micro", micro.text());
    all.add_json("window", view.text());
    if (method.start != window_start::chosen) all.add("start", name(method.start));
    all.add("engine", name(method.engine));
    return all.text();
}

namespace detail {

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

method_options read_method(reader& from, std::vector<double> const& frequencies) {
    return method_reader(from, frequencies).read();
}

} // namespace detail
} // namespace lento

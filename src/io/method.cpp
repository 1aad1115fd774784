#include <lento/io/method.hpp>

#include "io/json.hpp"
#include "io/method_reader.hpp"

#include <algorithm>
#include <cmath>

namespace lento {
namespace {

using detail::json_object;

template <class Variant> std::string name_in_files(Variant const& s) {
    if (auto const* v = std::get_if<verlet>(&s); v != nullptr && v->fitted_to != 0)
        return std::string(detail::fitted_verlet);
    return std::visit([](auto const& each) { return std::string(detail::plain_name(each.name)); }, s);
}

template <class Options> void add_options(json_object& to, Options const& options) {
    for_each_option(options, [&](std::string_view name, auto const& value, std::string_view) {
        using value_type = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_floating_point_v<value_type>)
            if (value == 0 || std::isinf(value)) return; // not given
        if constexpr (std::is_enum_v<value_type>) {
            if (value != value_type{}) to.add(name, names_of(value)[static_cast<std::size_t>(value)]);
        } else {
            to.add(name, value);
        }
    });
}

void add_kernel(json_object& to, kernel const& k) {
    to.add("kernel", name(k));
    std::visit([&](auto const& each) { add_options(to, each); }, k);
}

/// The tables and keys of a method that tell what a slow evaluation looks at.
struct view_description {
    json_object micro;
    json_object window;
    json_object beside;
    double epsilon = 0;
    bool adaptive = false;
    bool switched = false;

    void describe(method_options const& method) {
        if (auto const* kicks = method.micro ? std::get_if<verlet>(&*method.micro) : nullptr;
            kicks != nullptr && !method.view) {
            micro.add("scheme", scheme_name(*method.micro));
            add_options(micro, *kicks);
        }
        if (!method.view) return;
        epsilon = method.epsilon;
        switched = method.name == "flavors";
        if (method.micro && !std::holds_alternative<picard>(*method.view)) {
            micro.add("scheme", scheme_name(*method.micro));
            if (auto const* v = std::get_if<verlet>(&*method.micro); v != nullptr && v->fitted_to != 0)
                micro.add("fitted_to", v->fitted_to);
            if (auto const* own_steps = std::get_if<dormand_prince>(&*method.micro)) {
                adaptive = true;
                add_options(micro, *own_steps);
            }
        }
        std::visit([&](auto const& each) { add(each); }, *method.view);
        if (method.long_windows) window.add("scalar", std::string_view("long double"));
    }

private:
    void add(lento::window const& given) {
        if (given.step != 0) micro.add("step", given.step);
        else micro.add("steps_per_period", given.steps_per_period);
        add_kernel(window, given.kernel);
        if (given.periods != 0) window.add("periods", given.periods);
        if (given.length != 0) window.add("length", given.length);
        window.add("unchecked", given.unchecked);
    }
    void add(picard const& given) {
        window.add("kernel", std::string_view("picard"));
        add_options(window, given);
    }
    void add(strobe const& given) {
        micro.add("steps_per_period", given.steps);
        beside.add("order", given.order);
    }
    void add(path_window const& given) {
        if (!adaptive) micro.add("step", given.delta * epsilon / given.steps);
        if (switched) { // FLAVORS has no path, only a time in which the fast part is on
            window.add("delta", given.delta);
            return;
        }
        add_kernel(window, given.filter.value_or(one_period_mean{}));
        window.add("delta", given.delta);
        window.add("points", given.points);
        if (given.extrapolate) {
            json_object second;
            add_kernel(second, *given.extrapolate);
            beside.add_json("extrapolate", second.text());
        }
        if (given.ramp) beside.add("ramp", true);
    }
};

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

std::vector<std::string> known_schemes() {
    std::vector<std::string> names;
    detail::for_each_alternative<scheme>([&](auto const& each) {
        auto const name = detail::plain_name(each.name);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
        if (each.name == verlet::name) names.emplace_back(detail::fitted_verlet);
    });
    return names;
}

std::string to_json(method_options const& method) {
    json_object macro;
    if (method.macro) {
        macro.add("scheme", scheme_name(*method.macro));
        std::visit([&](auto const& each) { add_options(macro, each); }, *method.macro);
        if (method.max_steps != method_options{}.max_steps) macro.add("max_steps", method.max_steps);
    }
    view_description view;
    view.describe(method);
    json_object all;
    all.add("name", std::string_view(method.name));
    all.add_json("macro", macro.text());
    all.add_json("micro", view.micro.text());
    all.add_json("window", view.window.text());
    all.append(view.beside);
    json_object back;
    if (method.name == "ipa")
        for_each_option(method.manifold, [&](std::string_view key, auto const& value, std::string_view) {
            if (value != 0) back.add(key, value);
        });
    if (method.project_every > 0) back.add("every", method.project_every);
    if (method.project_drift > 0) back.add("drift", method.project_drift);
    if (!back.empty()) all.add_json("projection", back.text());
    if (method.relaxation > 0) {
        json_object springs;
        springs.add("omega", method.relaxation);
        all.add_json("relaxation", springs.text());
    }
    if (method.interaction) all.add("picture", std::string_view("interaction"));
    if (method.start != window_start::chosen) all.add("start", name(method.start));
    all.add("engine", name(method.engine));
    return all.text();
}

} // namespace lento

#include "app/commands.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/nearest.hpp"
#include "reproduce/experiment.hpp"

#include <lento/io/problem.hpp>
#include <lento/lento.hpp>
#include <lento/problem/window_kernels.hpp>

namespace lento::app {
namespace {

struct line {
    std::string name;
    std::string options;
    std::string sentence;
};

/// A stepper's name, order and options, from its own description.
template <class Stepper> line scheme(std::string_view sentence) {
    std::string options;
    for_each_option(Stepper{}, [&](std::string_view name, auto const&, std::string_view) {
        options += (options.empty() ? "" : ", ") + std::string(name);
    });
    return {std::string(Stepper::name), options, fmt::format("{} (order {})", sentence, Stepper::order)};
}

/// An integrator of another library, which this program may have been built without.
template <class Stepper> line foreign(std::string_view sentence) {
    line made = scheme<Stepper>(sentence);
    bool const there = std::string_view(Stepper::name).starts_with("odeint") ? has_odeint() : has_sundials();
    if (!there) made.sentence += ", which this program was built without";
    return made;
}

std::vector<line> methods() {
    return {
        {"auto", "", "what is left out is chosen for the kind of system; the default"},
        {"direct", "macro", "integrates the system as it is, every oscillation resolved"},
        {"hmm", "macro, micro, window, start, projection, relaxation",
         "averages the force over short windows: asynchronous, centred, synchronous"},
        {"ipa", "macro, micro, window, projection, relaxation",
         "projects every evaluation of a stiff system onto its slow manifold"},
        {"underlying", "macro", "the ordinary differential equation under the constraints"},
        {"shake", "macro", "SHAKE for constraints, or for the limit of hard springs"},
        {"rattle", "macro", "RATTLE for constraints, or for the limit of hard springs"},
        {"backward-forward", "macro, micro, window, picture, extrapolate, ramp",
         "compares flows with and without the slow part"},
        {"stroboscopic", "macro, micro, order, picture", "differences the map over one fast period, known or found"},
        {"flavors", "macro, micro, window", "switches the fast part on and off (a rival)"},
        {"deuflhard", "macro", "kicks between exact motions of linear springs (a rival)"},
        {"gautschi", "macro", "the same, exact for a constant slow force (a rival)"},
        {"impulse", "macro, micro", "kicks between small steps under the fast force (a rival)"},
        {"mollified-impulse", "macro", "kicks by the slow force at the averaged position (a rival)"},
    };
}

std::vector<line> schemes() {
    return {
        scheme<euler>("forward Euler"),
        scheme<symplectic_euler>("symplectic Euler"),
        scheme<midpoint>("explicit midpoint rule"),
        scheme<verlet>("Stormer-Verlet"),
        {"verlet-fitted", "step, fitted_to", "Verlet, exact for one frequency (order 2)"},
        scheme<rk4>("classical Runge-Kutta"),
        scheme<rkn4>("Runge-Kutta-Nystrom of Nystrom"),
        scheme<rkn6>("Runge-Kutta-Nystrom of Albrecht"),
        scheme<rkn8>("Runge-Kutta-Nystrom of Dormand, El-Mikkawy and Prince"),
        scheme<composition4>("Suzuki's composition of Verlet steps"),
        scheme<composition6>("Kahan and Li's composition of Verlet steps"),
        scheme<composition8>("Kahan and Li's composition of Verlet steps"),
        scheme<stormer4>("Stormer's multistep method"),
        scheme<stormer6>("Stormer's multistep method"),
        scheme<stormer8>("Stormer's multistep method"),
        scheme<cowell4>("Stormer-Cowell, corrected once"),
        scheme<cowell6>("Stormer-Cowell, corrected once"),
        scheme<cowell8>("Stormer-Cowell, corrected once"),
        scheme<dormand_prince>("Dormand-Prince 5(4), adaptive"),
        scheme<implicit_midpoint>("implicit midpoint by fixed point, symmetric"),
        scheme<trapezoid>("trapezoid by fixed point, symmetric"),
        scheme<adams>("Adams of order 1 to 8, predictor and corrector"),
        scheme<shake>("SHAKE, for constraints; inside windows too"),
        scheme<rattle>("RATTLE, for constraints"),
        scheme<lobatto4>("Lobatto IIIA-IIIB, for constraints"),
        scheme<dormand_prince_8>("Dormand-Prince 8(7), adaptive"),
        scheme<turning_euler>("Euler with a turning fast phase, of backward-forward"),
        foreign<cvode_adams>("SUNDIALS CVODE, Adams's methods"),
        foreign<cvode_bdf>("SUNDIALS CVODE, backward differentiation"),
        foreign<arkode_dormand_prince>("SUNDIALS ARKODE, Dormand-Prince 5(4)"),
        foreign<odeint_dormand_prince>("Boost.odeint, Dormand-Prince 5(4)"),
        foreign<ida>("SUNDIALS IDA, for constraints"),
    };
}

std::vector<line> kernels() {
    std::vector<line> lines;
    for (auto const& each : window_kernels()) {
        auto usual = each.make();
        std::string options;
        for (auto const& option : write(fields_of(usual)).children)
            options += (options.empty() ? "" : ", ") + option.key + " = " + to_inline_toml(option);
        lines.push_back({std::string(each.name), options, std::string(each.sentence)});
    }
    return lines;
}

std::vector<line> problems() {
    std::vector<line> lines;
    for (auto const& each : builtin_problems()) {
        problem const what = read_problem(each.text, std::string(each.name));
        std::string parameters;
        for (auto const& parameter : what.parameters) parameters += (parameters.empty() ? "" : ", ") + parameter.first;
        lines.push_back({std::string(each.name), parameters, what.title});
    }
    return lines;
}

std::vector<line> experiments() {
    std::vector<line> lines;
    for (auto const& each : reproduce::experiments())
        lines.push_back({std::string(each.id), each.in_all ? "" : "long", std::string(each.sentence)});
    return lines;
}

void print(std::string_view title, std::vector<line> const& lines) {
    std::size_t width = 0;
    for (auto const& each : lines) width = std::max(width, each.name.size());
    fmt::print("{}\n", title);
    for (auto const& each : lines)
        fmt::print("  {:<{}}  {}{}\n", each.name, width, each.sentence,
                   each.options.empty() ? "" : " [" + each.options + "]");
}

} // namespace

int run_list(std::string const& topic) {
    static std::vector<std::string_view> const topics = {"problems", "methods", "kernels", "experiments"};
    if (!topic.empty() && std::find(topics.begin(), topics.end(), topic) == topics.end()) {
        fmt::print(stderr,
                   "lento: there is no list \"{}\"; did you mean \"{}\"? There are problems, methods, kernels, "
                   "experiments\n",
                   topic, nearest(topic, topics));
        return usage_error;
    }
    auto const wanted = [&](std::string_view name) { return topic.empty() || topic == name; };
    if (wanted("problems")) print("problems", problems());
    if (wanted("methods")) {
        print("methods", methods());
        print("schemes", schemes());
    }
    if (wanted("kernels")) print("kernels", kernels());
    if (wanted("experiments")) print("experiments", experiments());
    return 0;
}

} // namespace lento::app

#include "app/commands.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/nearest.hpp"
#include "reproduce/experiment.hpp"

#include <lento/io/problem.hpp>
#include <lento/lento.hpp>

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

std::vector<line> methods() {
    return {
        {"direct", "", "integrates the system as it is, every oscillation resolved"},
        {"hmm", "macro, micro, window, start",
         "averages the force over short windows: asynchronous, centred, synchronous"},
        {"ipa", "macro, micro, window, projection",
         "projects every evaluation of a stiff system onto its slow manifold"},
        {"underlying", "macro", "the ordinary differential equation under the constraints"},
        {"shake", "macro", "SHAKE for constraints, or for the limit of hard springs"},
        {"rattle", "macro", "RATTLE for constraints, or for the limit of hard springs"},
        {"backward-forward", "macro, micro, window, extrapolate, ramp",
         "compares flows with and without the slow part"},
        {"stroboscopic", "macro, micro, order", "differences the map over one known fast period"},
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
        scheme<verlet>("Stormer-Verlet, on request fitted to a frequency"),
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
        scheme<adams>("Adams's predictor and corrector"),
        scheme<turning_euler>("Euler with a turning fast phase, of backward-forward"),
    };
}

std::vector<line> kernels() {
    std::vector<line> lines;
    for (auto const& each : known_kernels())
        lines.push_back({std::string(each.name), std::string(each.options), std::string(each.sentence)});
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

#include "reproduce/judged.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <lento/io/problem_file.hpp>

namespace lento::reproduce {

problem read_for_score(std::string const& name, std::string const& text, double end, int rows, double rtol,
                       std::string const& more) {
    std::string times;
    for (int k = 1; k <= rows; ++k) times += fmt::format("{}{:.17g}", k > 1 ? ", " : "", end * k / rows);
    return read_problem(fmt::format("title = \"{}\"\n{}[time]\nend = {:.17g}\noutput = [{}]\n{}[accuracy]\nrtol = {}\n"
                                    "atol = {}\n",
                                    name, text, end, times, more, rtol, rtol * atol_share),
                        name, {});
}

score judged(problem const& what, problem_run const& run, std::vector<std::vector<double>> const& truth, double until) {
    double const none = std::numeric_limits<double>::infinity();
    if (exit_code(run.result) != 0 || run.t.size() != truth.size()) return {none, none};
    score made;
    for (std::size_t i = 0; i < what.size; ++i) {
        double size = std::abs(what.position[i]);
        for (auto const& row : truth) size = std::max(size, std::abs(row[i]));
        for (std::size_t k = 0; k < truth.size() && run.t[k] <= until; ++k) {
            double const error = std::abs(run.position[k][i] - truth[k][i]);
            made.ratio = std::max(made.ratio, error / std::max(what.atol, what.rtol * size));
            made.relative = std::max(made.relative, error / std::max(size, what.atol / what.rtol));
        }
    }
    return made;
}

} // namespace lento::reproduce

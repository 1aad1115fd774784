#pragma once

#include <optional>
#include <string>
#include <vector>

/// What a picture needs: named columns, and which of them are drawn how. `./dev pictures` draws it.
namespace lento::reproduce {

/// Curves or other columns of numbers, written as CSV and into the report's JSON.
struct table {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows;
};

/// How a curve is drawn. `printed` is for figures that the paper prints.
enum class stroke { line, dashes, dotted, dots, circles, stars, diamonds, squares, printed };

/// One column of a table over another.
struct curve {
    std::string table;
    std::string x;
    std::string y;
    std::string label; ///< in the legend; empty: not there
    stroke how = stroke::line;
    std::optional<int> colour{}; ///< curves of one colour belong together; left out: the next colour
};

struct axis {
    std::string label;
    bool logarithmic = false;
    std::optional<double> from{};
    std::optional<double> to{};
};

/// A height that the paper prints without a curve, such as where errors saturate.
struct level {
    double y;
    std::string label;
};

/// One pair of axes.
struct panel {
    std::string title;
    axis x;
    axis y;
    std::vector<curve> curves;
    std::vector<level> printed{};
    bool equal_scales = false;
};

/// A figure of a paper, or one of ours: panels in rows of `columns`.
struct figure {
    std::string name; ///< as 000/figure-1
    std::string caption;
    std::vector<panel> panels;
    int columns = 1;
};

} // namespace lento::reproduce

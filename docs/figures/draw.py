#!/usr/bin/python3
"""Draws the papers' figures from the files of `lento reproduce ID... --out FOLDER`, as SVG.

    docs/figures/draw.py FOLDER [TARGET]

Every report FOLDER/*.json says what it wants drawn: panels with axes, and curves as columns of its tables. The same files
give the same bytes: no date, fixed identifiers, letters as outlines. `./dev pictures` computes and draws all.
"""

import json
import math
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402 (the backend is chosen first)

LARGEST = 150_000  # bytes of a picture
FEW = 8  # so many values of x are ticks themselves

STROKES = {
    "line": {"linestyle": "-"},
    "dashes": {"linestyle": "--", "linewidth": 1.1},
    "dotted": {"linestyle": ":", "linewidth": 1.4},
    "dots": {"linestyle": "", "marker": ".", "markersize": 5},
    "circles": {"linestyle": "", "marker": "o", "markersize": 6, "fillstyle": "none"},
    "stars": {"linestyle": "", "marker": "*", "markersize": 7},
    "diamonds": {"linestyle": "", "marker": "D", "markersize": 5, "fillstyle": "none"},
    "squares": {"linestyle": "", "marker": "s", "markersize": 5, "fillstyle": "none"},
    "printed": {"linestyle": "", "marker": "x", "markersize": 7, "markeredgewidth": 1.4, "color": "black"},
}
# Points of a curve against a logarithmic axis belong together: a thin line says so. Those of a map do not.
JOINED = {"circles", "stars", "diamonds", "squares"}

STYLE = {
    "svg.hashsalt": "lento",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 8,
    "lines.linewidth": 1.2,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "figure.dpi": 100,
    "path.simplify_threshold": 0.3,
}

GREEK = "omega|epsilon|Delta|gamma|theta|Theta|Omega|Lambda|lambda|eta|xi|pi"


def words(text):
    """Greek letters for their names, with what follows as an index: omega_2, xi1; and r^2."""
    text = re.sub(r"\^(\d)", r"$^\1$", text)
    return re.sub(rf"\b({GREEK})(?:_?(\w))?\b", lambda m: f"$\\{m[1]}_{{{m[2]}}}$" if m[2] else f"$\\{m[1]}$", text)


def columns_of(report):
    """Every column by the name of its table and its own; what was not finite is null there and not a number here."""
    found = {}
    for table in report["tables"]:
        rows = [[math.nan if value is None else value for value in row] for row in table["rows"]]
        for index, name in enumerate(table["columns"]):
            found[table["name"], name] = [row[index] for row in rows]
    return found


def draw_curve(axes, curve, columns, logarithmic):
    style = dict(STROKES[curve["stroke"]])
    if "colour" in curve and "color" not in style:
        style["color"] = f"C{curve['colour']}"
    x, y = (columns[curve["table"], curve[axis]] for axis in "xy")
    is_curve = len(set(x)) == len(x) and len(set(y)) > 1
    if curve["stroke"] in JOINED and logarithmic and is_curve:
        style.update(linestyle="-", linewidth=0.6)
    axes.plot(x, y, label=words(curve["label"]) or "_", zorder=3 if curve["stroke"] == "printed" else 2, **style)


def draw_ticks(axes, panel, columns):
    """Ticks where the points are, if these are few: numbers of iterations, steps that were halved."""
    drawn = (x for curve in panel["curves"] for x in columns[curve["table"], curve["x"]])
    values = sorted({x for x in drawn if math.isfinite(x)})
    logarithmic = panel["x"]["scale"] == "logarithmic"
    whole = all(x == round(x) for x in values)
    if len(values) > FEW or not whole or (logarithmic and values[-1] > 100 * values[0]):
        if not logarithmic:
            axes.locator_params(axis="x", nbins=8)
        return
    axes.set_xticks(values, [f"{x:g}" for x in values])
    if logarithmic:
        axes.set_xticks([], minor=True)


def draw_legend(axes, panel, above):
    """Above the axes, where nothing is covered, or inside below a title; not again under a panel that has the same one."""
    labels = [curve["label"] for curve in panel["curves"] if curve["label"]]
    if not labels or (above and labels == [curve["label"] for curve in above["curves"] if curve["label"]]):
        return
    if panel["title"]:
        axes.legend(framealpha=0.85, handlelength=1.6, borderaxespad=0.3, ncol=2 if len(labels) > 3 else 1)
        return
    room = 72 if axes.get_gridspec().ncols == 1 else 52
    across = max(1, min(4, room // (6 + max(len(label) for label in labels))))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncol=across, frameon=False)


def draw_panel(axes, panel, columns, above):
    for name in "xy":
        axis = panel[name]
        getattr(axes, f"set_{name}label")(words(axis["label"]))
        if axis["scale"] == "logarithmic":
            getattr(axes, f"set_{name}scale")("log", nonpositive="mask")
    logarithmic = panel["y"]["scale"] == "logarithmic"
    for curve in panel["curves"]:
        draw_curve(axes, curve, columns, logarithmic)
    for level in panel["printed"]:
        axes.axhline(level["y"], color="black", linewidth=0.9, linestyle=":")
        axes.annotate(words(level["label"]), (0.01, level["y"]), xycoords=("axes fraction", "data"), ha="left",
                      va="bottom", fontsize=7)
    for name in "xy":
        limits = {side: panel[name][key] for side, key in (("left", "from"), ("right", "to")) if key in panel[name]}
        if name == "y":
            limits = {{"left": "bottom", "right": "top"}[side]: value for side, value in limits.items()}
        if limits:
            getattr(axes, f"set_{name}lim")(**limits)
    if panel.get("equal_scales"):
        axes.set_aspect("equal", adjustable="datalim")
    if panel["title"]:
        axes.set_title(words(panel["title"]))
    draw_ticks(axes, panel, columns)
    draw_legend(axes, panel, above)


def rounded(path):
    """A hundredth of a point is enough, and the last digits of a machine's arithmetic do not show."""
    text = path.read_text()
    path.write_text(re.sub(r"(?<!scale\()-?\b\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), text))


def draw(figure, columns, target):
    panels = figure["panels"]
    across = figure["columns"]
    down = math.ceil(len(panels) / across)
    many = len(panels) > 4
    size = (8.4 if across > 1 else 6.4, (1.7 if many else 3.1 if across > 1 or down > 1 else 4.2) * down)
    picture, grid = pyplot.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    for index, (axes, panel) in enumerate(zip(grid.flat, panels)):
        draw_panel(axes, panel, columns, panels[index - across] if index >= across else None)
    path = target / (figure["name"].replace("/", "-") + ".svg")
    picture.savefig(path, metadata={"Date": None, "Creator": None})
    pyplot.close(picture)
    rounded(path)
    if path.stat().st_size > LARGEST:
        sys.exit(f"{path} has {path.stat().st_size} bytes, more than {LARGEST}: draw fewer points")
    return path


def main(folder, target):
    matplotlib.rcParams.update(STYLE)
    drawn = 0
    for path in sorted(Path(folder).glob("*.json")):
        report = json.loads(path.read_text())
        columns = columns_of(report)
        for figure in report["figures"]:
            print(draw(figure, columns, Path(target)))
            drawn += 1
    if drawn == 0:
        sys.exit(f"there is no report with a figure in {folder}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else Path(__file__).parent)

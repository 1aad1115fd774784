"""Direct integration beside heyoka (Taylor's method, compiled by LLVM), at equal error.

usage: beside_heyoka.py LENTO [NAME...]     LENTO is the program; NAMEs are parts of problems' names

Both solve the same motion from a start to its end with 11 rows. Nothing is set by hand but the tolerance: for each code the
cheapest of 10^(-k/2) whose measured error is below the target. Errors are the largest difference of positions from a
solution in long double at 1e-18, in units of the largest position. Time is processor time of the solve alone, code
compiled before: heyoka's propagation, and what Lento's statistics say. Contestants take turns, medians count.
"""

import json
import math
import statistics
import subprocess
import sys
import tempfile
import time

import heyoka as hy
import numpy as np

ROWS = 11
TARGETS = (1e-3, 1e-6, 1e-9)
TOLERANCES = [10 ** (-k / 2) for k in range(4, 31)]
PATIENCE = 60  # seconds of scanning per code and problem
REPETITIONS = 7


class Problem:
    """A motion: for Lento a file (or a problem's name) with settings, for heyoka accelerations of its variables."""

    def __init__(self, name, end, start, lento, accelerations):
        self.name, self.end, self.lento = name, end, lento
        self.names = list(start)
        self.start = [float(x) for x, _ in start.values()] + [float(v) for _, v in start.values()]
        x = {n: hy.make_vars(n) for n in self.names}
        v = {n: hy.make_vars(n + "_v") for n in self.names}
        a = accelerations(x)
        self.equations = [(x[n], v[n]) for n in self.names] + [(v[n], a[n]) for n in self.names]
        self.grid = np.linspace(0, end, ROWS)


def pendulum(omega):
    return Problem(
        f"vibrated pendulum, omega {omega:g}", 1.0, {"q": (0.5, 0)},
        ("vibrated-pendulum", {"omega": omega}),
        lambda x: {"q": (9.8 + 4 * omega * hy.cos(omega * hy.time)) * hy.sin(x["q"]) / 0.2})


def trap(n, ratio):
    """The frequency of the trap over that of the slow motion in it."""
    strength, end = 8.0, 5.0
    omega = ratio * strength / math.sqrt(2)
    start = {}
    for i in range(1, n + 1):
        start[f"x{i}"] = (0.1 * math.cos(2 * i), 0)
    for i in range(1, n + 1):
        start[f"y{i}"] = (0.1 * math.sin(3 * i), 0)
    for i in range(1, n + 1):
        start[f"z{i}"] = (1.1 * (i - (n + 1) / 2), 0)

    def accelerations(x):
        quadrupole = strength * omega * hy.cos(omega * hy.time)
        sums = {}
        for i in range(1, n + 1):
            sums[f"x{i}"] = [quadrupole * x[f"x{i}"], 0.5 * x[f"x{i}"]]
            sums[f"y{i}"] = [-1.0 * quadrupole * x[f"y{i}"], 0.5 * x[f"y{i}"]]
            sums[f"z{i}"] = [-1.0 * x[f"z{i}"]]
        repel(x, sums, range(1, n + 1), lambda i, j: 1.0)
        return {name: hy.sum(terms) for name, terms in sums.items()}

    return Problem(f"Paul trap, {n} ions, ratio {ratio:g}", end, start,
                   ("paul-trap", {"n": n, "omega": omega, "a": strength}), accelerations)


def repel(x, sums, bodies, strength):
    """Forces along the lines between bodies, the inverse square of their distance: strength(on, from)."""
    for i in bodies:
        for j in bodies:
            if j <= i:
                continue
            d = [x[f"{c}{i}"] - x[f"{c}{j}"] for c in "xyz"]
            cube = hy.sum([each * each for each in d]) ** -1.5
            for c, each in zip("xyz", d):
                sums[f"{c}{i}"].append(strength(i, j) * each * cube)
                sums[f"{c}{j}"].append(-strength(j, i) * each * cube)


SATELLITE = """title = "Satellite of an oblate planet"
[system]
kind = "plain"
coordinates = ["x", "y", "z"]
potential = "-1/sqrt(x^2 + y^2 + z^2) + J2/2*(x^2 + y^2 + z^2)^(-1.5)*(3*z^2/(x^2 + y^2 + z^2) - 1)"
[parameters]
J2 = 1e-3
[initial]
x = 1.0
"y'" = 0.8
"z'" = 0.6
[time]
end = 6283.185307179586
"""


def satellite():
    def accelerations(x):
        square = hy.sum([x[c] * x[c] for c in "xyz"])
        cube = square ** -1.5
        flat = 1.5e-3 / square
        share = 5.0 * x["z"] * x["z"] / square
        plane = cube * (1.0 + flat * (1.0 - share))
        return {"x": -x["x"] * plane, "y": -x["y"] * plane, "z": -x["z"] * cube * (1.0 + flat * (3.0 - share))}

    return Problem("Kepler with J2, 1,000 orbits", 2000 * math.pi, {"x": (1, 0), "y": (0, 0.8), "z": (0, 0.6)},
                   (SATELLITE, {}), accelerations)


def springs(omega):
    def accelerations(x):
        first = hy.sqrt(x["x1"] * x["x1"] + x["y1"] * x["y1"])
        dx, dy = x["x2"] - x["x1"], x["y2"] - x["y1"]
        second = hy.sqrt(dx * dx + dy * dy)
        pull_1 = omega**2 * (first - 1.0) / first
        pull_2 = omega**2 * (second - 1.0) / second
        return {"x1": -pull_1 * x["x1"] + pull_2 * dx, "y1": -pull_1 * x["y1"] + pull_2 * dy,
                "x2": -pull_2 * dx, "y2": -pull_2 * dy}

    return Problem(f"two hard springs, omega {omega:g}", 10.0,
                   {"x1": (1, 0), "y1": (0, -0.5), "x2": (2, 0), "y2": (0, 0.5)},
                   ("two-springs", {"omega": omega}), accelerations)


def ten_bodies():
    mass = [1.0] + [1e-3 / (k + 1) for k in range(9)]
    start = {}
    for k in range(10):
        radius, angle = (0, 0) if k == 0 else (0.6 + 0.4 * k, 2.4 * k)
        speed = 0 if k == 0 else 1 / math.sqrt(radius)
        start[f"x{k}"] = (radius * math.cos(angle), -speed * math.sin(angle))
        start[f"y{k}"] = (radius * math.sin(angle), speed * math.cos(angle))
        start[f"z{k}"] = (0.02 * k * radius, 0)
    pairs = " ".join(
        f"{'-' if (i, j) == (0, 1) else ' -'}{mass[i] * mass[j]!r}/sqrt((x{i}-x{j})^2 + (y{i}-y{j})^2 + (z{i}-z{j})^2)"
        for i in range(10) for j in range(i + 1, 10))
    lines = ['title = "Ten bodies"', "[system]", 'kind = "plain"', f"coordinates = {json.dumps(list(start))}",
             f'potential = "{pairs}"', "[system.mass]"]
    lines += [f"{n} = {mass[int(n[1:])]!r}" for n in start] + ["[initial]"]
    lines += [f"{n} = {x!r}\n\"{n}'\" = {v!r}" for n, (x, v) in start.items()] + ["[time]", "end = 50.0", ""]

    def accelerations(x):
        sums = {n: [] for n in start}
        repel(x, sums, range(10), lambda on, by: -mass[by])
        return {n: hy.sum(terms) for n, terms in sums.items()}

    return Problem("ten bodies", 50.0, start, ("\n".join(lines), {}), accelerations)


PROBLEMS = [lambda w=w: pendulum(w) for w in (1e2, 1e3, 1e4)]
PROBLEMS += [lambda n=n, r=r: trap(n, r) for n in (2, 20) for r in (10, 100)]
PROBLEMS += [satellite, lambda: springs(1e2), lambda: springs(1e3), ten_bodies]


class Heyoka:
    name = "heyoka"

    def __init__(self, problem):
        self.problem = problem
        self.compact = len(problem.names) > 6

    def solve(self, tolerance, kind=float):
        p = self.problem
        start = np.array(p.start, dtype=kind)
        made = hy.taylor_adaptive(p.equations, start.copy(), tol=kind(tolerance), fp_type=kind, compact_mode=self.compact)
        return made, start

    def run(self, tolerance, repetitions=1, kind=float):
        made, start = self.solve(tolerance, kind)
        grid, seconds = self.problem.grid.astype(kind), []
        for _ in range(repetitions):
            made.time = kind(0)
            made.state[:] = start
            began = time.process_time()
            rows = made.propagate_grid(grid)[-1]
            seconds.append(time.process_time() - began)
        return rows[:, : len(self.problem.names)], statistics.median(seconds)


class Lento:
    name = "Lento"

    def __init__(self, problem, program):
        self.problem, self.program = problem, program
        text, self.settings = problem.lento
        self.file = text
        if "\n" in text:
            with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
                file.write(text)
            self.file = file.name
        schema = subprocess.run([program, "schema"], capture_output=True, text=True, check=True).stdout
        self.can_estimate = '"estimate"' in schema

    def run(self, tolerance, repetitions=1):
        settings = dict(self.settings)
        settings |= {"accuracy.rtol": tolerance, "accuracy.atol": tolerance, "time.end": self.problem.end,
                     "time.output": ROWS}
        if self.can_estimate:
            settings["accuracy.estimate"] = "false"
        command = [self.program, "solve", self.file, "--method", "direct", "--json"]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        seconds = []
        for _ in range(repetitions):
            found = json.loads(subprocess.run(command, capture_output=True, text=True).stdout or "{}")
            if found.get("outcome") != "success":
                return None, math.inf
            seconds.append(found["statistics"]["seconds"])
        return np.array(found["position"]), statistics.median(seconds)


def cheapest(contestant, truth, size):
    """For each target the tolerance that takes least, of those whose error is below it."""
    found, began = {}, time.monotonic()
    for tolerance in TOLERANCES:
        rows, seconds = contestant.run(tolerance)
        error = math.inf if rows is None else float(np.max(np.abs(rows - truth))) / size
        for target in TARGETS:
            if error < target and seconds < found.get(target, (None, math.inf))[1]:
                found[target] = (tolerance, seconds, error)
        if error < min(TARGETS) / 10 or time.monotonic() - began > PATIENCE:
            break
    return found


def compare(problem, program):
    theirs, ours = Heyoka(problem), Lento(problem, program)
    truth, _ = theirs.run(1e-18, kind=np.longdouble)
    truth = truth.astype(float)
    size = float(np.max(np.abs(truth)))
    settings = [cheapest(each, truth, size) for each in (theirs, ours)]
    for target in TARGETS:
        if target not in settings[0]:
            print(f"{problem.name:34} {target:7.0e}  heyoka does not reach it")
            continue
        if target not in settings[1]:
            print(f"{problem.name:34} {target:7.0e}  {1e3 * settings[0][target][1]:10.3f} ms, Lento does not reach it")
            continue
        seconds = [[], []]
        for _ in range(3):
            for each, setting, taken in zip((theirs, ours), settings, seconds):
                taken.append(each.run(setting[target][0], REPETITIONS // 3 + 1)[1])
        heyokas, lentos = (statistics.median(each) for each in seconds)
        print(f"{problem.name:34} {target:7.0e} {1e3 * heyokas:10.3f} {1e3 * lentos:10.3f} {lentos / heyokas:7.2f}"
              f"   {settings[0][target][2]:.0e} {settings[1][target][2]:.0e}", flush=True)


def main():
    program, wanted = sys.argv[1], sys.argv[2:]
    print(f"heyoka {hy.__version__}; processor time in ms; bar: ratio 1.1 at most")
    print(f"{'':34} {'error':>7} {'heyoka':>10} {'Lento':>10} {'ratio':>7}   errors measured")
    for make in PROBLEMS:
        problem = make()
        if not wanted or any(each in problem.name for each in wanted):
            compare(problem, program)


main()

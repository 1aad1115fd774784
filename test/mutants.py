#!/usr/bin/env python3
"""Changes operators of the sources, one at a time, and sees whether a test notices: ./dev mutants [NUMBER] [SEED].

Only lines that the test runs are changed, as `./dev coverage` has found them where it was run before (build/coverage);
else any line of code. A mutant that no test can notice, because it means the same, stands in test/equivalent-mutants.txt:
FILE: CODE BEFORE -> CODE AFTER. Everything happens in a copy of the sources, in build/mutants. Exit 1 where fewer than 85 %
of the others die."""

import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build" / "mutants"
MARK = 85

# Which test is rebuilt for a source: one that looks at it. The first prefix that fits.
TESTS = [
    ("src/stepper/trigonometric", "trigonometric"), ("src/stepper/", "steppers"),
    ("include/lento/stepper/trigonometric", "trigonometric"), ("include/lento/stepper/", "steppers"),
    ("src/kernel/", "kernels"), ("include/lento/kernel/", "kernels"),
    ("src/effective/adiabatic", "adiabatic"), ("src/effective/loaded", "limit"), ("src/effective/slow", "stiff"),
    ("src/effective/path", "split"), ("src/effective/", "effective"),
    ("include/lento/effective/adiabatic", "adiabatic"), ("include/lento/effective/moving", "moving_mean"),
    ("include/lento/effective/split", "split"), ("include/lento/effective/", "effective"),
    ("src/problem/kinds/", "bad_problems"), ("src/problem/methods/", "problem_kernels"),
    ("src/problem/check", "check"), ("src/problem/", "problem_files"),
]
FLIPS = [
    (r"(?<= )<(?= )", "<="), (r"(?<= )<=(?= )", "<"), (r"(?<= )>(?= )", ">="), (r"(?<= )>=(?= )", ">"),
    (r"(?<= )==(?= )", "!="), (r"(?<= )!=(?= )", "=="), (r"(?<= )&&(?= )", "||"), (r"(?<= )\|\|(?= )", "&&"),
    (r"(?<= )\+(?= )", "-"), (r"(?<= )-(?= )", "+"), (r"(?<= )\*(?= )", "/"), (r"(?<= )/(?= )", "*"),
    (r"(?<= )\+=(?= )", "-="), (r"(?<= )-=(?= )", "+="), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
]


def test_of(source):
    return next((test for prefix, test in TESTS if source.startswith(prefix)), None)


def never_executed():
    """The lines of which coverage knows that they never ran."""
    never = {}
    listed = ROOT / "build" / "coverage" / "uncovered.txt"
    if not listed.exists():
        return never
    for line in listed.read_text(encoding="utf-8").splitlines():
        path, _, numbers = line.partition(": ")
        lines = never.setdefault(path, set())
        for part in numbers.split(", "):
            first, _, last = part.partition("-")
            lines.update(range(int(first), int(last or first) + 1))
    return never


def is_code(line):
    text = line.strip()
    return text and not text.startswith(("//", "#", "*", "template", "static_assert", "concept", "requires", "using"))


def candidates():
    never = never_executed()
    for room in ("stepper", "kernel", "effective", "problem"):
        for folder in ("src", "include/lento"):
            for path in sorted((ROOT / folder / room).rglob("*.?pp")):
                source = str(path.relative_to(ROOT))
                if test_of(source) is None:
                    continue
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    code = line.split("//")[0]
                    if not is_code(code) or number in never.get(source, ()):
                        continue
                    quotes = [m.span() for m in re.finditer(r'"(?:[^"\\]|\\.)*"', code)]
                    for pattern, to in FLIPS:
                        for match in re.finditer(pattern, code):
                            if not any(a <= match.start() < b for a, b in quotes):
                                yield source, number, line, line[:match.start()] + to + line[match.end():]


def prepare():
    for name in ("src", "include", "app", "reproduce", "test", "problems", "docs", "cmake", "bench"):
        shutil.copytree(ROOT / name, COPY / name, dirs_exist_ok=True)
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md"):
        shutil.copy2(ROOT / name, COPY / name)
    subprocess.run(["cmake", "--preset", "release", "-DLENTO_BUILD_BENCH=OFF", "--log-level=WARNING"], cwd=COPY,
                   stdout=subprocess.DEVNULL, check=True)


def built(test):
    return subprocess.run(["cmake", "--build", "build/release", "--target", "test-" + test], cwd=COPY,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def passes(test):
    try:
        return subprocess.run(["build/release/bin/test-" + test], cwd=COPY, timeout=600, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    listed = (ROOT / "test" / "equivalent-mutants.txt").read_text(encoding="utf-8").splitlines()
    equivalent = {line for line in listed if line and not line.startswith("#")}
    drawn = random.Random(seed).sample(list(candidates()), count)
    prepare()
    clean = {test: built(test) and passes(test) for test in {test_of(each[0]) for each in drawn}}
    broken = [test for test, fine in clean.items() if not fine]
    if broken:
        sys.exit(f"These tests fail without any mutant: {', '.join(broken)}")
    dead, same, survivors = 0, 0, []
    for number, (source, line, before, after) in enumerate(drawn, 1):
        name = f"{source}: {before.strip()} -> {after.strip()}"
        if name in equivalent:
            same += 1
            continue
        begin = time.monotonic()
        path = COPY / source
        original = path.read_text(encoding="utf-8")
        lines = original.splitlines(keepends=True)
        lines[line - 1] = after + "\n"
        path.write_text("".join(lines), encoding="utf-8")
        test = test_of(source)
        if not built(test):
            fate = "does not compile"
            same += 1
        elif passes(test):
            fate = "SURVIVES"
            survivors.append(f"{source}:{line}: {before.strip()} -> {after.strip()}")
        else:
            fate = "dies"
            dead += 1
        path.write_text(original, encoding="utf-8")
        print(f"{number} of {count}: {fate} in {test}, {time.monotonic() - begin:.0f} s: {source}:{line}", flush=True)
    judged = count - same
    print(f"{dead} of {judged} mutants die; {same} more mean the same or do not compile. Those that live:")
    for each in survivors:
        print("  " + each)
    sys.exit(0 if 100 * dead >= MARK * judged else 1)


main()

#!/usr/bin/env python3
"""Which lines of src and include were run, by gcov's counts in a build folder: ./dev coverage.

Prints the share of every file below the mark and of everything, and writes the lines that never ran to
BUILD/uncovered.txt. Exit 1 where the whole is below the mark."""

import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

MARK = 92  # per cent of the lines of src and include


def counts_of(build, root):
    """Per source and line whether it has run in any of the objects that contain it."""
    ran = collections.defaultdict(dict)
    files = [str(each) for each in build.rglob("*.gcda")]
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, len(files), 50):
            subprocess.run(["gcov", "--json-format", "--hash-filenames", *files[first:first + 50]],
                           cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for report in pathlib.Path(folder).glob("*.gcov.json.gz"):
            with gzip.open(report) as text:
                document = json.load(text)
            for source in document["files"]:
                path = (pathlib.Path(document["current_working_directory"]) / source["file"]).resolve()
                if not path.is_relative_to(root / "src") and not path.is_relative_to(root / "include"):
                    continue
                lines = ran[str(path.relative_to(root))]
                for line in source["lines"]:
                    number = line["line_number"]
                    lines[number] = lines.get(number, False) or line["count"] > 0
    return ran


def ranges(numbers):
    """1, 2, 3, 7 as 1-3, 7."""
    made = []
    for number in sorted(numbers):
        if made and made[-1][1] == number - 1:
            made[-1][1] = number
        else:
            made.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in made)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    root = pathlib.Path(__file__).resolve().parent.parent
    ran = counts_of(build, root)
    if not ran:
        sys.exit("No counts were found; do the tests run?")
    total = covered = 0
    with open(build / "uncovered.txt", "w", encoding="utf-8") as never:
        for path in sorted(ran):
            lines = ran[path]
            good = sum(lines.values())
            total += len(lines)
            covered += good
            if good < len(lines):
                print(f"{path}: {ranges(n for n, has in lines.items() if not has)}", file=never)
            if 100 * good < MARK * len(lines):
                print(f"{100 * good / len(lines):6.1f} %  {path}")
    share = 100 * covered / total
    print(f"{share:6.1f} %  of {total} lines of src and include; the others are in {build / 'uncovered.txt'}")
    sys.exit(0 if share >= MARK else 1)


main()

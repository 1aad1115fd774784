"""Runs a benchmark of two builds in turn and prints ratios of the numbers that it prints.

usage: against.py REPETITIONS OLD NEW [ARGUMENTS...]
"""

import re
import statistics
import subprocess
import sys

NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")


def lines_of(program, arguments):
    """What a program prints, as words and numbers. The same words may come again: they are counted."""
    found, times = {}, {}
    text = subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        words = NUMBER.sub("#", line).rstrip()
        if "#" not in words:
            continue
        number = times[words] = times.get(words, 0) + 1
        found[words, number] = [float(each.replace(",", "")) for each in NUMBER.findall(line)]
    return found


def main():
    repetitions, old, new, *arguments = sys.argv[1:]
    seen = ({}, {})
    for _ in range(int(repetitions)):
        for program, all_lines in zip((old, new), seen):
            for key, numbers in lines_of(program, arguments).items():
                all_lines.setdefault(key, []).append(numbers)
    print(f"{'before':>14} {'now':>14} {'ratio':>7}   line, with the number in brackets (medians of {repetitions} runs)")
    for key, before in seen[0].items():
        now = seen[1].get(key)
        if now is None:
            continue
        for i, values in enumerate(zip(*before)):
            a, b = statistics.median(values), statistics.median(next(v for k, v in enumerate(zip(*now)) if k == i))
            if a == b:
                continue
            count = iter(range(len(before[0])))
            label = re.sub("#", lambda _: "[#]" if next(count) == i else "#", key[0])
            ratio = f"{b / a:7.3f}" if a != 0 else f"{'':7}"
            print(f"{a:14.6g} {b:14.6g} {ratio}   {' '.join(label.split())}")
    for which, one, other in (("gone", seen[0], seen[1]), ("new", seen[1], seen[0])):
        for words, _ in (key for key in one if key not in other):
            print(f"{which}: {' '.join(words.split())}")


main()

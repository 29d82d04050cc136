"""Instructions of each kernel, counted by callgrind, beside those of a stored baseline."""

import argparse
import pathlib
import platform
import re
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("baseline.txt")
TIMES = (1, 3)


def main():
    parser = argparse.ArgumentParser(prog="benches/instructions/run", description=__doc__)
    parser.add_argument("--binary", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--folder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true", help="make what is counted the baseline")
    parser.add_argument("--tolerance", type=float, default=3.0, help="percent that a count may grow")
    parser.add_argument("--only", default="", help="kernels whose name has this text")
    options = parser.parse_args()
    command = [options.binary, "--folder", options.folder]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    names = [name for name in names if options.only in name]
    known, made_with = load()
    here = machine()
    if known and made_with != here:
        print(f"the baseline is of another machine or compiler: {made_with}; here: {here}\n")
    print("| kernel | instructions | baseline | change | |\n| - | -: | -: | -: | - |", flush=True)
    counts, worse = {}, []
    for name in names:
        counts[name] = count(command, name)
        change = 100 * (counts[name] / known[name] - 1) if name in known else None
        verdict = ""
        if change is not None and change > options.tolerance:
            verdict = "MORE"
            worse.append(name)
        elif change is not None and change < -options.tolerance:
            verdict = "less"
        shown = "new" if change is None else f"{change:+.1f} %"
        print(f"| {name} | {counts[name]:,} | {known.get(name, 0):,} | {shown} | {verdict} |", flush=True)
        if options.save:
            save({**known, **counts}, here)
    if options.save:
        print(f"\nsaved: path={BASELINE}")
    elif worse and made_with == here:
        sys.exit(f"\nmore than {options.tolerance} % above the baseline: {', '.join(worse)}")


def count(command, name):
    """What one more run takes: setting up falls out of the difference of many runs and few."""
    totals = [total(command, name, times) for times in TIMES]
    return (totals[1] - totals[0]) // (TIMES[1] - TIMES[0])


def total(command, name, times):
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run([*valgrind, *command, name, "--times", str(times)], capture_output=True, text=True)
    found = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
    if run.returncode or not found:
        sys.exit(f"callgrind failed: kernel={name}\n{run.stderr[-2000:]}")
    return int(found[1])


def machine():
    rustc = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    return f"{rustc}, {platform.machine()}"


def load():
    if not BASELINE.exists():
        return {}, ""
    lines = BASELINE.read_text().splitlines()
    pairs = (line.rsplit(None, 1) for line in lines if line and not line.startswith("#"))
    return {name: int(value.replace(",", "")) for name, value in pairs}, lines[0].removeprefix("# ")


def save(counts, made_with):
    width = max(map(len, counts))
    lines = [f"# {made_with}"] + [f"{name:{width}}  {value:>14,}" for name, value in counts.items()]
    BASELINE.write_text("\n".join(lines) + "\n")


main()

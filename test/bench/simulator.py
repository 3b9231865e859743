#!/usr/bin/env python3
"""Runs tile-simulator-bench and prints how fast the simulator is; with --write, into the table of README.md.

  simulator.py [--build FOLDER] [--repetitions N] [--write]

Every number is the best of the repetitions: whatever else the machine does only makes a run slower. It fails
where a goal is missed. The two kernels need a build with tilec, or TILE_BENCH_PTX=FOLDER.
"""
import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
README = os.path.join(ROOT, "test", "bench", "README.md")
BEGIN, END = "<!-- begin simulator table -->\n", "<!-- end simulator table -->\n"
# Of the kernels: millions of instructions of warps in a second of one core; wall seconds on two cores, with all checks.
GOALS = {"all": 0.5, "none": 1.5}
WALL_GOALS = {"matmul": 3.0, "softmax": 1.0}


def measure(build, repetitions):
    """{name: {"all": row, "none": row, "all/two-cores": row, ...}}, the best of each."""
    command = [os.path.join(build, "bin", "tile-simulator-bench"), "--benchmark_format=json",
               f"--benchmark_repetitions={repetitions}", "--benchmark_min_time=0.1"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    best, problems = {}, set()
    for row in report["benchmarks"]:
        if row.get("run_type") == "aggregate":
            continue
        name, way = row["name"].replace("/real_time", "").split("/", 1)
        if row.get("error_occurred"):
            problems.add(f"{name}: {row['error_message']}")
            continue
        key = "real_time" if "two-cores" in way else "cpu_time"
        known = best.setdefault(name, {}).get(way)
        if known is None or row[key] < known[key]:
            best[name][way] = row
    for problem in sorted(problems):
        print(problem, file=sys.stderr)
    return best


def table(best):
    """The rows of README's table, and what misses its goal."""
    lines = ["| what | instructions of warps | all checks, M/s | none, M/s | wall on two cores, all checks |\n",
             "|---|---|---|---|---|\n"]
    missed = []
    for name, ways in best.items():
        rates = {way: ways[way]["rate"] / 1e6 for way in GOALS}
        wall = ways.get("all/two-cores")
        if name in WALL_GOALS:
            missed += [f"{name} with checks {way}" for way, goal in GOALS.items() if rates[way] < goal]
            missed += [f"{name} on two cores"] if wall["real_time"] > WALL_GOALS[name] * 1e3 else []
        lines.append(f"| {name} | {ways['all']['instructions']:.0f} | {rates['all']:.2f} | {rates['none']:.2f} | "
                     + (f"{wall['real_time']:.1f} ms" if wall else "") + " |\n")
    return "".join(lines), missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows, missed = table(measure(options.build, options.repetitions))
    sys.stdout.write(rows)
    if options.write:
        with open(README) as file:
            before, rest = file.read().split(BEGIN)
        with open(README, "w") as file:
            file.write(before + BEGIN + rows + END + rest.split(END)[1])
    if missed:
        print("below the goal: " + ", ".join(missed))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())

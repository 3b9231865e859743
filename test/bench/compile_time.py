#!/usr/bin/env python3
"""Times whole `tilec` processes from a .tile file to a cubin, and says which stage the time went to.

  compile_time.py [--tilec PATH] [--runs N] [--check]

Every run is a new process, so start-up, the parse of the embedded standard library and libdevice count. The stages are
those of `--time-passes`; `other` is what no stage claims: process start, dynamic linking, reading and writing files.
With --check it fails when a median is over its goal. On a machine that is not idle only the processor time means much.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# name, arguments of tilec, goal in ms for the whole process, if there is one. Every instance has two variants.
CASES = (
    ("softmax", ["softmax.tile", "-DT=f32", "-DN=1024"], 200),
    ("matmul 128 x 128 x 64", ["matmul.tile", "-DT=bf16"], 450),
    ("matmul, both instances", ["matmul.tile"], None),
)


def stage_times(report):
    """{stage: ms} of a `--time-passes` table: lines `stage step 1.25 ms`, the last of them the total."""
    times = defaultdict(float)
    for line in report.splitlines():
        words = line.split()
        if len(words) >= 3 and words[-1] == "ms" and words[0] != "total":
            times[words[0]] += float(words[-2])
    return times


def spawn(command):
    """Runs a process; its wall and CPU time in ms, and what it printed. Ends this program if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wall = (time.perf_counter() - begin) * 1e3
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"compile_time: {' '.join(command)}\n{done.stdout}")
    return wall, (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e3, done.stdout


def measure(tilec, arguments, runs):
    """Wall times in ms, sorted, the median CPU time, and the median time of each stage."""
    stages = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        command = [tilec, os.path.join(ROOT, "examples", arguments[0]), *arguments[1:], "--arch", "sm_90a", "-o",
                   os.path.join(folder, "kernel.cubin")]
        spawn(command)  # brings the files into the page cache
        wall, processor, _ = zip(*(spawn(command) for _ in range(runs)))
        for _ in range(max(3, runs // 4)):
            for stage, spent in stage_times(spawn([*command, "--time-passes"])[2]).items():
                stages[stage].append(spent)
    medians = {stage: statistics.median(times) for stage, times in stages.items()}
    return sorted(wall), statistics.median(processor), medians


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", default=os.path.join(ROOT, "build", "release", "bin", "tilec"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    over = []
    for name, arguments, goal in CASES:
        wall, processor, stages = measure(options.tilec, arguments, options.runs)
        median = statistics.median(wall)
        aim = f"goal {goal}; " if goal else ""
        print(f"{name}: {median:.0f} ms, p10 {wall[len(wall) // 10]:.0f}, p90 {wall[len(wall) * 9 // 10]:.0f}; "
              f"{aim}{processor:.0f} ms of processor time")
        for stage, spent in [*stages.items(), ("other", median - sum(stages.values()))]:
            print(f"    {stage:<10}{spent:8.1f} ms")
        if goal and median > goal:
            over.append(name)
    if over:
        print("over the goal: " + ", ".join(over))
    return int(bool(over) and options.check)


if __name__ == "__main__":
    sys.exit(main())

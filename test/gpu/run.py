#!/usr/bin/env python3
"""Runs the GPU tests and benchmarks of a bundle (see pack.sh) and writes OUT/results.json; prints a short table last.

Correctness comes first, then speed, then the sanitizers. Each step is a child process with its own time limit, so that
a kernel that fails or hangs costs that step alone; the record is written after each phase. Exits with 1 if a step
failed.
"""
import argparse
import datetime
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import cases
import table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKERS = 12  # processes that share the GPU while nothing is timed


class Steps:
    """Runs commands with a time limit and remembers how each went."""

    def __init__(self, folder, seconds=None):
        self.folder = folder
        self.end = time.monotonic() + seconds if seconds else None
        self.rows = []

    def run(self, name, command, limit, expected=""):
        """Whether `command` succeeded and printed `expected`; its output and outcome are kept."""
        begin = time.monotonic()
        if self.end:
            limit = max(1, min(limit, self.end - begin))
        # A session of its own, so that a child of the command cannot outlive it and hold the GPU.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                                   start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            code = "timeout"
        seconds = round(time.monotonic() - begin, 2)
        text = output.decode(errors="replace")
        if code == 0 and expected not in text:
            text += f"expected: {expected}\n"
            code = "output"
        self.rows.append({"name": name, "ok": code == 0, "exit": code, "seconds": seconds, "output": text[-3000:]})
        print(f"{'ok  ' if code == 0 else 'FAIL'} {seconds:7.2f} s  {name}")
        if code != 0:
            print(text[-1500:])
        return code == 0

    def run_all(self, steps):
        """Several at a time; for what is not timed."""
        with ThreadPoolExecutor(CHECKERS) as pool:
            return all(list(pool.map(lambda step: self.run(*step), steps)))


def query(command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


OLDEST = "sm_80"  # code for it is assembled for the GPU at hand; it lacks conversions and arithmetic that later ones have


def gpu_lines(path, tilec):
    """(name, command) of each line of a lit test that is for a GPU."""
    with open(path, encoding="utf-8") as file:
        lines = re.findall(r"RUN: %if gpu %{ tilec (.*) %}$", file.read(), re.MULTILINE)
    for line in lines:
        words = line.replace("%s", path).replace("%examples", f"{ROOT}/examples").split()
        yield f"tilec {line.replace('%s', os.path.relpath(path, ROOT))}", [tilec, *words]


def checks(tilec, bundle):
    """Every example and every op test against its specification, the latter also as code for the oldest GPU; tensors
    whose offsets need 64 bits; products in drawn types, orders and tiles."""
    for path in sorted(glob.glob(f"{ROOT}/test/examples/*.test") + glob.glob(f"{ROOT}/test/e2e/*.tile")):
        for name, command in gpu_lines(path, tilec):
            yield name, command, 90
            if command[1] == "check" and path.endswith(".tile"):
                yield f"{name} --arch {OLDEST}", [*command, "--arch", OLDEST], 90
    yield "large tensors", [f"{bundle}/large_tensors", f"{bundle}/kernels/large_offsets.cubin"], 60
    yield "random products", [sys.executable, f"{ROOT}/test/gpu/random_products.py", "--run", f"{bundle}/products"], 120


def embedded(bundle):
    """A program that compiles its kernels while it runs, in this order: what one process did the next one finds."""
    tuned = f"{ROOT}/test/tilec/Inputs/tuned_softmax.tile"
    for name, arguments, done in (
            ("compiles", [f"{ROOT}/examples/softmax.tile"], "compiled 1, from the cache 0"),
            ("finds code", [f"{ROOT}/examples/softmax.tile"], "compiled 0, from the cache 1"),
            ("searches", [tuned, "missing", f"{bundle}/tilec"], "known configurations 0, searches 1"),
            ("finds a choice", [tuned, "missing", f"{bundle}/tilec"], "known configurations 1, searches 0")):
        command = ["env", f"TILE_CACHE_DIR={bundle}/embed_jit-cache", f"{bundle}/embed_jit", *arguments]
        yield f"embed_jit {name}", command, 60, done


def sanitized(tilec):
    """Examples under each tool of compute-sanitizer; their @check shapes are small."""
    for tool in ("memcheck", "racecheck", "initcheck"):
        for path in sorted(glob.glob(f"{ROOT}/examples/*.tile")):
            name = os.path.basename(path)
            sanitizer = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9"]
            yield f"{tool} {name}", [*sanitizer, tilec, "check", path, "--device", "gpu"], 180


def time_launches(steps, bundle):
    """What a launch costs the CPU in each way, in microseconds; None where it could not be measured."""
    out = os.path.join(bundle, "launch.json")
    cubin = f"{ROOT}/test/unit/runtime/fixtures/add_one_sm_90.cubin"
    steps.run("time launches", [f"{bundle}/launch_overhead", cubin, out], 60)
    if not os.path.exists(out):
        return None
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def benchmark(steps, bundle):
    """The results of every case, and what went wrong as failed steps."""
    results = []
    for case in cases.CASES:
        out = os.path.join(bundle, "row.json")
        dims = [f"{name}={value}" for name, value in case.dims.items()]
        command = [f"{bundle}/bandwidth", case.file(f"{bundle}/kernels"), out, *dims]
        if steps.run(f"time {case.name} {case.problem()}", command, 60):
            with open(out, encoding="utf-8") as file:
                results.append({"name": case.name, "problem": case.problem(), "peer": "copy", "goal": case.goal,
                                **json.load(file)})
    for name, script in (("torch.compile", "peers"), ("cuBLAS and the attention of torch", "products")):
        out = os.path.join(bundle, f"{script}.json")
        steps.run(f"time against {name}", [sys.executable, f"{ROOT}/test/gpu/{script}.py", f"{bundle}/kernels", out], 240)
        if os.path.exists(out):
            with open(out, encoding="utf-8") as file:
                results += json.load(file)["results"]
    return results


def write(record, steps, folder):
    """The record so far; what passed is kept without its output."""
    rows = [{key: value for key, value in row.items() if key != "output" or not row["ok"]} for row in steps.rows]
    with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as file:
        json.dump({**record, "steps": rows}, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundle", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", choices=("smoke", "check", "time", "sanitize"), action="append")
    parser.add_argument("--seconds", type=float, help="time for all steps together")
    options = parser.parse_args()
    wanted = options.only or ["smoke", "check", "time", "sanitize"]
    os.makedirs(options.out, exist_ok=True)

    with tempfile.TemporaryDirectory() as bundle:
        with tarfile.open(options.bundle) as archive:
            archive.extractall(bundle)
        tilec = os.path.join(bundle, "tilec")
        steps = Steps(bundle, options.seconds)
        smi = query(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
        gpu, _, driver = smi.partition("\n")[0].partition(", ")
        with open(os.path.join(bundle, "commit"), encoding="utf-8") as file:
            commit = file.read().strip()
        record = {"schema": 1, "date": datetime.date.today().isoformat(), "gpu": gpu, "driver": driver,
                  "compiler": ", ".join(query([tilec, "--version"]).split("\n  ")), "commit": commit, "results": []}
        print(json.dumps(record))

        smoke = [tilec, "check", f"{ROOT}/examples/vector_add.tile", "--device", "gpu"]
        alive = steps.run("smoke: vector add", smoke, 60)
        if alive and "check" in wanted:
            steps.run_all(checks(tilec, bundle))
            for step in embedded(bundle):
                steps.run(*step)
        write(record, steps, options.out)
        if alive and "time" in wanted:
            record["results"] = benchmark(steps, bundle)
            record["launch"] = time_launches(steps, bundle)
        write(record, steps, options.out)
        if alive and "sanitize" in wanted:
            steps.run_all(sanitized(tilec))
        write(record, steps, options.out)

    failed = [row["name"] for row in steps.rows if not row["ok"]]
    missed = [result for result in record["results"]
              if result["peer_us"]["median"] / result["ours_us"]["median"] < result["goal"]]
    print(table.table(record))
    for result in missed:
        print(f"below its goal of {result['goal']}: {result['name']} {result['problem']} against {result['peer']}")
    print(f"{len(steps.rows) - len(failed)} passed, {len(failed)} failed" + "".join(f"\n  {name}" for name in failed))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())

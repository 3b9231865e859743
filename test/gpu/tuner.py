#!/usr/bin/env python3
"""What `tilec tune` finds on this GPU, against an exhaustive search, and what a search and its result cost.

  tuner.py TILEC OUT.json

The record, `test/gpu/results/DATE-GPU-tuner.json`: `searches`, a list of {`name`, `exhaustive`: of all configurations,
`searches`: of the default number of them, two in a row}, each with the configuration chosen, its median time in
microseconds, how much slower it was than the fastest in the rounds of the exhaustive search that both had, and seconds of
each part; `trials`: what became of configurations
that are wrong, fault or never end; `second_ms`: of a run whose choice and code are known, and of one of its cubin.
"""
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import cases

RUNS = 9
FAULTS = ("wrong", "faulted", "hung")  # of which a search of a right kernel has none


def arguments(**texts):
    return [word for name, text in texts.items() for word in ("--arg", f"{name}={text}")]


def square(n):
    return arguments(a=f"rand:bf16[{n},{n}]", b=f"rand:bf16[{n},{n}]", c=f"empty:bf16[{n},{n}]")


HEADS = "rand:bf16[4,16,4096,128]"
SEARCHES = [
    ("matmul 4096", "matmul", square(4096)),
    ("matmul 8192", "matmul", square(8192), "--seconds", "40"),
    ("16 rows", "splitk_matmul",
     arguments(x="rand:bf16[16,4096]", w="rand:bf16[4096,4096]", partial="zeros:f32[8,16,4096]", arrived="zeros:i32[64]",
               y="empty:bf16[16,4096]")),
    ("attention 4096 causal", "flash_attention",
     ["-D", "CAUSAL=true"] + arguments(q=HEADS, k=HEADS, v=HEADS, o="empty:bf16[4,16,4096,128]", lse="none", scale="0.088")),
]


def commit_of(tilec):
    """What pack.sh wrote beside it."""
    path = os.path.join(os.path.dirname(tilec), "commit")
    return open(path).read().strip() if os.path.exists(path) else "unknown"


def run(*command):
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(*command, done.stdout, done.stderr, sep="\n", flush=True)
    return done, time.perf_counter() - started


def search(tilec, kernel, given, *options):
    """The one launch of the report, and the seconds that the process took."""
    done, seconds = run(tilec, "tune", os.path.join(cases.ROOT, "examples", kernel + ".tile"), *given, "--report=json", *options)
    launches = json.loads(done.stdout or "{}").get("launches", [])
    return (launches[0] if launches else {"trials": [], "chosen": None, "why": done.stderr[:500]}), seconds


def summary(launch, seconds, slowdowns):
    """`slowdowns`: by configuration, against the exhaustive search's choice."""
    chosen = slowdowns.get(json.dumps(launch["chosen"], sort_keys=True))
    counts = {}
    for trial in launch["trials"]:
        counts[trial["outcome"]] = counts.get(trial["outcome"], 0) + 1
    return {"chosen": launch["chosen"], "why": launch["why"], "median_us": launch.get("medianUs"),
            "over_fastest": round(chosen / min(slowdowns.values()), 4) if chosen else None, "outcomes": counts,
            "faults": [{key: trial.get(key) for key in ("configuration", "outcome", "reason")} for trial in launch["trials"]
                       if trial["outcome"] in FAULTS],
            "seconds": round(seconds, 3),
            **{f"{part}_s": round(launch.get(f"{part}Seconds", 0), 3) for part in ("model", "compile", "measure")}}


def main(tilec, out):
    os.environ["TILE_CACHE_DIR"] = tempfile.mkdtemp(prefix="tile-tuner")
    gpu, driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                                 capture_output=True, text=True).stdout.strip().split(", ")
    record = {"schema": 1, "date": datetime.date.today().isoformat(), "gpu": gpu, "driver": driver, "cores": os.cpu_count(),
              "compiler": subprocess.run([tilec, "--version"], capture_output=True, text=True).stdout.split("\n")[0],
              "commit": commit_of(tilec),
              "searches": []}
    for name, kernel, given, *options in SEARCHES:
        whole, seconds = search(tilec, kernel, given, "--force", "--top", "10000", *options)
        slowdowns = {json.dumps(trial["configuration"], sort_keys=True): trial["slowdown"]
                     for trial in whole["trials"] if "slowdown" in trial}
        entry = {"name": name, "exhaustive": summary(whole, seconds, slowdowns), "searches": []}
        os.environ["TILE_CACHE_DIR"] = tempfile.mkdtemp(prefix="tile-tuner")  # nothing is compiled yet
        for _ in range(2):
            launch, seconds = search(tilec, kernel, given, "--force")
            entry["searches"].append(summary(launch, seconds, slowdowns))
        record["searches"].append(entry)
        print(json.dumps(entry), flush=True)
        with open(out, "w") as file:
            json.dump(record, file, indent=1)

    bad, seconds = search(tilec, os.path.join("..", "test", "gpu", "trials"), [])
    record["trials"] = {"seconds": round(seconds, 3), "chosen": bad["chosen"], "configurations": [
        {key: trial[key] for key in ("configuration", "outcome", "reason") if key in trial} for trial in bad["trials"]]}

    small = square(256)
    source = os.path.join(cases.ROOT, "examples", "matmul.tile")
    run(tilec, "tune", source, *small)
    run(tilec, "run", source, *small)
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "matmul.cubin")
        run(tilec, source, "--tuned", "-D", "T=bf16", "-o", cubin)
        seconds = {"source": [], "cubin": []}
        for _ in range(RUNS):
            for what, file in (("source", source), ("cubin", cubin)):
                seconds[what].append(run(tilec, "run", file, "--repeat", "1", *small)[1])
    record["second_ms"] = {what: round(1e3 * statistics.median(each), 1) for what, each in seconds.items()}
    with open(out, "w") as file:
        json.dump(record, file, indent=1)
    print(json.dumps({key: record[key] for key in ("trials", "second_ms")}))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("tuner: expected TILEC OUT.json")
    main(*sys.argv[1:])

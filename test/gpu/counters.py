#!/usr/bin/env python3
"""Compares what the simulator counts with what a GPU counts, by Nsight Compute (`ncu`); prints both side by side.

Where the simulator is, patterns of access and the kernels of CASES, into one folder:
    TILE_SIM_RECORD=FOLDER tile-sim-counters-test --gtest_filter=Patterns.*
    counters.py FOLDER --simulate TILEC
Where the GPU and ncu are; any tilec that reads cubins will do:
    counters.py FOLDER [--tilec TILEC] [--json RESULTS]

Exits with 1 if a count differs, with 2 if ncu may not read the GPU's counters.
"""
import argparse
import csv
import glob
import io
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")

# What is compared: the metric of ncu, the simulator's classes of instructions, and what is counted of them.
METRICS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": (["global load", "async copy"], "global_requests"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": (["global load", "async copy"], "global_sectors"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": (["global store"], "global_sectors"),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum": (["global atomic"], "global_sectors"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": (["shared load"], "shared_wavefronts"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": (["shared store"], "shared_wavefronts"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum": (["shared atomic"], "shared_wavefronts"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": (["shared load"], "conflicts"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": (["shared store"], "conflicts"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum": (["shared atomic"], "conflicts"),
    "smsp__inst_executed_pipe_tensor.sum": (["tensor core"], "mmas"),
}

# Kernels of ours: the file, what it is compiled for, and the arguments of `tilec run`.
CASES = {
    "matmul": ("matmul.tile", "-D BM=128 -D BN=128 -D BK=32 -D T=bf16 --warps=8",
               "a=rand:bf16[256,256] b=rand:bf16[256,256] c=empty:bf16[256,256]"),
    "matmul-tt": ("batched_matmul.tile", "-D TA=true -D TB=true",
                  "a=rand:bf16[2,128,128] b=rand:bf16[2,128,128] c=empty:bf16[2,128,128]"),
    "softmax": ("softmax.tile", "-D N=1024 -D T=f32", "x=rand:f32[64,1024] y=empty:f32[64,1024]"),
    "softmax-odd": ("softmax.tile", "-D N=127 -D T=bf16", "x=rand:bf16[64,127] y=empty:bf16[64,127]"),
    "rms-norm": ("rms_norm_silu_mul.tile", "-D N=4096 -D T=bf16",
                 "x=rand:bf16[16,4096] w=rand:bf16[4096] up=rand:bf16[16,4096] y=empty:bf16[16,4096]"),
}


def arguments(case):
    return [word for argument in CASES[case][2].split() for word in ("--arg", argument)] + ["--seed=1"]


def with_conflicts(counts):
    """Adds the wavefronts that conflicts cost, as the GPU counts them."""
    for of_class in counts.values():
        of_class["conflicts"] = of_class.get("shared_wavefronts", 0) - of_class.get("shared_ideal_wavefronts", 0)
    return counts


def simulate(folder, tilec):
    os.makedirs(folder, exist_ok=True)
    for case, (path, flags, _) in CASES.items():
        source, flags = os.path.join(EXAMPLES, path), flags.split() + ["--arch=sm_90a"]
        subprocess.run([tilec, source, *flags, "-o", os.path.join(folder, case + ".cubin")], check=True)
        report = subprocess.run([tilec, "run", source, *flags, *arguments(case), "--device=sim", "--counters=json"],
                                check=True, capture_output=True)
        with open(os.path.join(folder, case + ".json"), "wb") as file:
            file.write(report.stdout)


def recorded(stem):
    counts = {}
    with open(stem + ".counters") as file:
        for line in file:
            of_class, key, value = line.rstrip("\n").split("\t")
            counts.setdefault(of_class, {})[key] = int(value)
    return counts


def profile(ncu, kernel, program):
    """What ncu counted in each launch of a kernel whose name matches, in order: {metric: count}."""
    run = subprocess.run([ncu, "--csv", "--clock-control", "none", "--target-processes", "all", "--print-units", "base",
                          "--kernel-name", f"regex:{kernel}", "--metrics", ",".join(METRICS), *program],
                         capture_output=True, text=True)
    table = [line for line in run.stdout.splitlines() if line.startswith('"')]
    if len(table) < 2:
        sys.stderr.write(run.stdout[-2000:] + run.stderr[-2000:])
        print("ncu gave no counts; it may not be allowed to read them")
        sys.exit(2)
    launches = {}
    for row in csv.DictReader(io.StringIO("\n".join(table))):
        if row.get("Metric Name"):
            value = row["Metric Value"].replace(",", "")
            launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = int(value)
    return [launches[number] for number in sorted(launches)]


def compare(name, counts, found, results):
    """Prints one kernel's rows; gives how many differ."""
    different = 0
    with_conflicts(counts)
    for metric, value in found.items():
        classes, key = METRICS[metric]
        # Other machine instructions take the tensor pipe too: a kernel without any says nothing.
        if key == "mmas" and "tensor core" not in counts:
            continue
        simulated = sum(counts.get(of_class, {}).get(key, 0) for of_class in classes)
        if simulated == 0 and value == 0:
            continue
        is_equal = simulated == value
        different += not is_equal
        results.setdefault(name, {})[f"{classes[0]} {key}"] = [simulated, value]
        print(f"{name:28} {f'{classes[0]} {key}':32} {simulated:10} {value:10} {'' if is_equal else 'DIFFERS'}")
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--simulate", metavar="TILEC", help="only run CASES on the simulator of this tilec")
    parser.add_argument("--tilec", help="run CASES on the GPU with this tilec")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--json", help="write the rows here")
    options = parser.parse_args()
    if options.simulate:
        return simulate(options.folder, options.simulate)

    results, different = {}, 0
    print(f"{'kernel':28} {'what':32} {'simulator':>10} {'GPU':>10}")
    stems = sorted(path[: -len(".ptx")] for path in glob.glob(os.path.join(options.folder, "*.ptx")))
    if stems:
        replay = [sys.executable, os.path.join(HERE, "replay.py"), options.folder]
        launches = profile(options.ncu, "^k$", replay)
        if len(launches) != len(stems):
            sys.exit(f"found {len(launches)} launches; expected {len(stems)}, one for each record")
        for stem, found in zip(stems, launches):
            if os.path.exists(stem + ".counters"):
                different += compare(os.path.basename(stem), recorded(stem), found, results)
    for case in CASES if options.tilec else []:
        with open(os.path.join(options.folder, case + ".json")) as file:
            report = json.load(file)
        program = [options.tilec, "run", os.path.join(options.folder, case + ".cubin"), *arguments(case), "--repeat=0"]
        found = profile(options.ncu, report["kernel"], program)[0]
        different += compare(case, report["counters"]["classes"], found, results)
    print(f"{sum(map(len, results.values()))} counts of {len(results)} kernels, {different} differ")
    if options.json:  # a kernel a line
        with open(options.json, "w") as file:
            rows = (f"  {json.dumps(name)}: {json.dumps(counts)}" for name, counts in results.items())
            file.write("{\n" + ",\n".join(rows) + "\n}\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times every configuration of some search spaces, for the record with which the tuner's cost model is compared.

  spaces.py --compile TILEC FOLDER    compiles every configuration to a cubin in FOLDER, its contract beside it
  spaces.py KERNELS OUT.json          times what is in KERNELS; needs torch on a GPU

The record, `test/gpu/results/DATE-GPU-spaces.json`: `commit` that compiled, and `spaces`, a list of {`kernel`: of
examples/, `defines`: what all configurations are compiled with, `dims`: of the launch, `configurations`: a list of
{`values`, `us`: the median time of a launch}}. One that did not compile or whose result is wrong has a `reason` in place
of `us`. Kernels alternate in rounds of CUDA graphs, as those of products.py do.
"""
import datetime
import itertools
import json
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import grids

ROUNDS = 7
COMMIT = "commit"  # a file beside the kernels


def product(is_kept, **choices):
    """Every combination of values that is kept; the last name varies fastest."""
    points = (dict(zip(choices, values)) for values in itertools.product(*choices.values()))
    return [point for point in points if is_kept(**point)]


def matmul_tiles(BM, BN, **_):
    return 64 * 128 <= BM * BN <= 128 * 256


def attention_tiles(BM, warps, **_):
    return (warps == 12) == (BM == 192)


ATTENTION = {"T": "bf16", "D": 128, "CAUSAL": "true", "has(lse)": "false"}
SPACES = [
    grids.Grid("matmul", "matmul", {"T": "bf16"},
               product(matmul_tiles, BM=(64, 128, 256), BN=(64, 128, 192, 256), BK=(64, 128), warps=(4, 8), stages=(3, 4)),
               [{"M": n, "N": n, "K": n} for n in (4096, 8192)]),
    grids.Grid("few rows", "splitk_matmul", {"T": "bf16"},
               product(lambda **_: True, BM=(16,), BN=(64, 128), BK=(64, 128, 256), SPLIT_K=(1, 2, 4, 8), warps=(4, 8),
                       stages=(4, 8)),
               [{"M": 16, "N": 4096, "K": 4096, "PARTS": 8, "TILES": 64}]),
    grids.Grid("attention", "flash_attention", ATTENTION,
               product(attention_tiles, BM=(64, 128, 192), BN=(32, 64, 96, 128), warps=(4, 8, 12), stages=(2, 3, 4)),
               [grids.attention(16, 4096)]),
]


def query(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def text(record):
    """The record with a line for each configuration."""
    def opened(fields):
        return "{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items()
                               if not isinstance(value, list))

    spaces = []
    for space in record["spaces"]:
        rows = ",\n".join("    " + json.dumps(row) for row in space["configurations"])
        spaces.append(f'  {opened(space)},\n   "configurations": [\n{rows}]}}')
    return opened(record) + ',\n "spaces": [\n' + ",\n".join(spaces) + "]}\n"


def compile_all(tilec, folder):
    def compile_one(job):
        space, configuration = job
        out = space.file(folder, configuration)
        done = subprocess.run(space.compile_command(tilec, folder, configuration), capture_output=True, text=True)
        beside = out.replace(".cubin", ".json")
        if done.returncode:
            contract = json.dumps({"reason": done.stderr.partition("\n")[0]})
        else:
            contract = query(tilec, "inspect", "--json", out)
        with open(beside, "w", encoding="utf-8") as file:
            file.write(contract)

    with open(os.path.join(folder, COMMIT), "w", encoding="utf-8") as file:
        file.write(query("git", "-C", os.path.dirname(__file__) or ".", "rev-parse", "HEAD"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, ((space, each) for space in SPACES for each in space.configurations)))


def reason_against(space, configuration, folder):
    """Why the configuration did not compile; empty if it did."""
    with open(space.file(folder, configuration).replace(".cubin", ".json"), encoding="utf-8") as file:
        return json.load(file).get("reason", "")


def measure(products, space, dims, folder):
    import torch  # what only compiles has none
    given = products.PROBLEMS[space.kernel](space, dims)
    reference = given.reference()
    rows, graphs = [], {}
    for i, configuration in enumerate(space.configurations):
        row = {"values": configuration}
        rows.append(row)
        if reason := reason_against(space, configuration, folder):
            row["reason"] = reason
            continue
        given.out.fill_(float("nan"))
        kernels = products.load(space.file(folder, configuration), given, dims)
        kernels[0]()
        torch.cuda.synchronize()
        error = ((given.out[..., given.rows, :].double() - reference).norm() / reference.norm()).item()
        if not error < products.TOLERANCE or given.out.isnan().any():  # NaN included
            row["reason"] = f"differs from f64 by {error:.1e} of its norm"
        else:
            graphs[i] = products.graph(kernels)
    for i, times in products.interleave(graphs, ROUNDS).items():
        rows[i]["us"] = round(statistics.median(times), 3)
    return {"kernel": space.kernel, "defines": space.defines, "dims": dims, "configurations": rows}


def time_all(folder, out):
    import torch

    import products
    torch.zeros(1, device="cuda")  # makes the context current that our modules are loaded into
    products.GENERATOR = torch.Generator("cuda").manual_seed(7)
    gpu, driver = query("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").split(", ")
    with open(os.path.join(folder, COMMIT), encoding="utf-8") as file:
        commit = file.read()
    record = {"schema": 1, "date": datetime.date.today().isoformat(), "gpu": gpu, "driver": driver, "commit": commit,
              "torch": torch.__version__, "spaces": []}
    for space in SPACES:
        for dims in space.problems:
            record["spaces"].append(measure(products, space, dims, folder))
            timed = [row for row in record["spaces"][-1]["configurations"] if "us" in row]
            print(f"{space.kernel} {dims}: {len(timed)} of {len(space.configurations)} timed", flush=True)
            for row in sorted(timed, key=lambda row: row["us"])[:8]:
                print(f"  {row['us']:9.1f} us  {products.described(row['values'])}", flush=True)
            with open(out, "w", encoding="utf-8") as file:
                file.write(text(record))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--compile":
        compile_all(*sys.argv[2:])
    elif len(sys.argv) == 3:
        time_all(*sys.argv[1:])
    else:
        sys.exit("spaces: expected --compile TILEC FOLDER, or KERNELS OUT.json")

#!/usr/bin/env python3
"""Products in drawn types, orders, tiles, stages and warps: right against f64, and the same bits in every run.

  random_products.py --compile TILEC FOLDER [--count N] [--seed S]    draws kernels, compiles them
  random_products.py --simulate TILEC [--count N] [--seed S]    checks each on the simulator, under four schedules
  random_products.py --run FOLDER                               runs what was compiled, on a GPU with torch

A seed that is not given is drawn and printed. `--count` has a default for which compiling takes some minutes.
"""
import argparse
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import cases

SOURCE = os.path.join(cases.ROOT, "test", "gpu", "random_products.tile")
COUNT = 300
REPEATS = 20
SCHEDULES = 4
# T, U, R, bytes of T and of U
TYPES = [("bf16", "bf16", "f32", 2), ("f16", "f16", "f32", 2), ("f32", "f32", "f32", 4), ("i8", "i8", "i32", 1),
         ("u8", "u8", "i32", 1), ("f8e4m3", "f8e4m3", "f32", 1), ("f8e5m2", "f8e4m3", "f32", 1)]
FLOATS8 = ("f8e4m3", "f8e5m2")
FLOATS = ("bf16", "f16", "f32", *FLOATS8)
TF32_ROUNDING = 2.0**-10  # of a factor, rounded or cut to eleven bits
MAX_SUMS = 96  # accumulators of a thread
MAX_LOADED = 96  # elements of a factor that a thread loads
MAX_SHARED = 200 << 10
MAX_PIECES = 64  # instructions along M and N of one product, so that no kernel compiles for long


def draw(generator):
    """What `tilec` is told of one kernel, as -D NAME=VALUE."""
    while True:
        t, u, r, size = generator.choice(TYPES)
        warps = generator.choice((1, 2, 4, 4, 8, 8, 16))
        bm = generator.choice((16, 32, 48, 64, 64, 96, 128, 128, 192, 256))
        bn = generator.choice((16, 24, 32, 48, 64, 96, 128, 160, 256))
        bk, stages = generator.choice((16, 32, 48, 64, 128)), generator.choice((1, 2, 3, 4, 5))
        threads = 32 * warps
        fits = (bm * bn <= min(MAX_SUMS * threads, MAX_PIECES * 16 * 16) and bm >= 2 * warps and
                max(bm, bn) * bk <= MAX_LOADED * threads and stages * (bm + bn) * bk * size <= MAX_SHARED and
                bk * size >= 32 and (size > 1 or bk % 32 == 0))
        if fits:
            order = {name: generator.choice(("true", "false")) for name in ("TA", "TB")}
            return {"T": t, "U": u, "R": r, **order, "TF32": "true" if t == "f32" else "false", "BM": bm, "BN": bn, "BK": bk,
                    "STAGES": stages, "warps": warps}


def drawn(options):
    """(number, defines) of each kernel."""
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"random_products: seed {seed}", flush=True)
    generator = random.Random(seed)
    return [(i, draw(generator)) for i in range(options.count)]


def described(defines):
    return " ".join(f"{name} {value}" for name, value in defines.items())


def arguments(defines):
    return [f"-D{name}={value}" for name, value in defines.items()]


def compile_kernels(options):
    kernels = drawn(options)
    os.makedirs(options.folder, exist_ok=True)
    cases.compile_all(
        (f"random_products: {described(defines)}",
         [options.compile, SOURCE, "--kernel", "product", "--arch", "sm_90a", *arguments(defines), "-o",
          os.path.join(options.folder, f"product-{i}.cubin")]) for i, defines in kernels)
    with open(os.path.join(options.folder, "products.json"), "w", encoding="utf-8") as file:
        json.dump([defines for _, defines in kernels], file)


def simulate(options):
    def check(kernel):
        i, defines = kernel
        done = subprocess.run([options.simulate, "check", SOURCE, "--device=sim", "--arch=sm_90a",
                               f"--seeds={SCHEDULES}", *arguments(defines)], capture_output=True, text=True)
        if done.returncode:
            print(f"{i}: {described(defines)}\n{done.stdout}{done.stderr}", flush=True)
        return done.returncode == 0

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = sum(pool.map(check, drawn(options)))
    print(f"random_products: {passed} of {options.count} passed on the simulator, {SCHEDULES} schedules each")
    return passed == options.count


def run(options):
    import torch  # pylint: disable=import-outside-toplevel
    import peers  # pylint: disable=import-outside-toplevel

    torch.zeros(1, device="cuda")  # makes the context current that our modules are loaded into
    dtypes = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i8": torch.int8, "u8": torch.uint8,
              "i32": torch.int32, "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2}
    with open(os.path.join(options.folder, "products.json"), encoding="utf-8") as file:
        kernels = json.load(file)
    generator = random.Random()

    def tensor(shape, name):
        if name in FLOATS:
            return torch.randn(*shape, device="cuda").to(dtypes[name])
        low, high = (-128, 128) if name == "i8" else (0, 256)
        return torch.randint(low, high, shape, device="cuda").to(dtypes[name])

    def lost_places(x, y):
        """What tensor cores cut off of products of 8-bit floats: they add 16 of K or more at a time and keep 13 places
        of the largest term, for each of them and for the sum; a product loses no more than itself, and a subnormal
        factor counts as the smallest normal number."""
        terms = x[:, None, :] * y.mT[None, :, :]
        largest = terms.cumsum(2).abs().amax(2)
        normal = [torch.where(factor == 0, 0, factor.abs().clamp(min=2.0**-6)) for factor in (x, y)]
        most = (normal[0][:, None, :] * normal[1].mT[None, :, :]).amax(2)
        place = 2.0**-13 * torch.maximum(largest, most)
        return 2 * -(-x.shape[1] // 16) * place + torch.minimum(terms.abs(), place[:, :, None]).sum(2)

    def fault(i, defines, m, n, k, variant):
        """What is wrong with the kernel at one shape; empty if nothing is."""
        path = os.path.join(options.folder, f"product-{i}.cubin")
        with open(path.replace(".cubin", ".json"), encoding="utf-8") as file:
            contract = json.load(file)["kernels"][0]
        a = tensor((k, m) if defines["TA"] == "true" else (m, k), defines["T"])
        b = tensor((n, k) if defines["TB"] == "true" else (k, n), defines["U"])
        c = torch.empty(m, n, device="cuda", dtype=dtypes[defines["R"]])
        dims = {"M": m, "N": n, "AR": a.shape[0], "AC": a.shape[1], "BR": b.shape[0], "BC": b.shape[1]}
        launch = peers.Kernel(path, contract, {"a": a, "b": b, "c": c}, dims, variant=variant)
        results = []
        for _ in range(REPEATS):
            c.fill_(float("nan") if c.is_floating_point() else -123456789)
            launch()
            results.append(c.clone())
        torch.cuda.synchronize()
        if not all(torch.equal(results[0], result) for result in results):
            return "runs differ"
        x, y = (a.mT if defines["TA"] == "true" else a).double(), (b.mT if defines["TB"] == "true" else b).double()
        wanted, found = x @ y, results[0].double()
        if defines["T"] not in FLOATS:
            return "" if torch.equal(wanted, found) else "differs from the exact sums"
        # Factors of at most 16 bits have exact products, those of f32 become tf32; sums are f32 in some order.
        factor = TF32_ROUNDING if defines["T"] == "f32" else 0
        bound = (x.abs() @ y.abs()) * (2 * factor + (k + 1) * 2.0**-22) + 1e-30
        if defines["T"] in FLOATS8:
            bound += lost_places(x, y)
        worst = ((found - wanted).abs() / bound).max().item()
        return "" if worst <= 1 else f"differs from f64 by {worst:.2g} of the bound"

    bad = runs = 0
    for i, defines in enumerate(kernels):
        for whole in (True, True, False):  # rows of whole 16 bytes have the fast variant
            unit = 16 if whole else 1
            m, n, k = (unit * generator.randint(1, 400 // unit) for _ in range(3))
            wrong = fault(i, defines, m, n, k, 0 if whole else -1)
            runs += 1
            if wrong:
                bad += 1
                print(f"{described(defines)}, M {m} N {n} K {k}: {wrong}", flush=True)
    print(f"random_products: {len(kernels)} kernels, {runs} shapes, {REPEATS} runs each, {bad} wrong")
    return bad == 0


def main():
    parser = argparse.ArgumentParser()
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--compile", metavar="TILEC")
    action.add_argument("--simulate", metavar="TILEC")
    action.add_argument("--run", action="store_true")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    if options.simulate:
        return simulate(options)
    if options.run:
        return run(options)
    compile_kernels(options)
    return True


if __name__ == "__main__":
    sys.exit(0 if main() else 1)

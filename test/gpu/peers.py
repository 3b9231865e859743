#!/usr/bin/env python3
"""Times our fused kernels against torch.compile of the same formula, interleaved in one process. Needs torch on a GPU.

  peers.py KERNELS OUT.json      KERNELS holds <case>.cubin and <case>.json (its contract, by `tilec inspect --json`)

Our kernel is launched through the plain driver API, which also shows that a cubin needs nothing of ours to be loaded.
"""
import ctypes
import json
import math
import os
import statistics
import sys

import torch

import cases

SAMPLES = 60  # per implementation, in bursts of BURST that alternate
BURST = 10
FLUSHED_BYTES = 256 << 20  # a write of this size evicts the 60 MB L2 cache

driver = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(status, ctypes.byref(text))
        sys.exit(f"peers: the driver says: {text.value.decode() if text.value else status}")


def evaluate(expression, names):
    """The value of a postfix expression of the manifest; the grids of the cases need no more operators than these."""
    operators = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
                 "cdiv": lambda a, b: -(-a // b), "min": min, "max": max}
    stack = []
    for token in expression:
        if token in operators:
            right, left = stack.pop(), stack.pop()
            stack.append(operators[token](left, right))
        else:
            stack.append(names[token] if isinstance(token, str) else token)
    return stack.pop()


class Kernel:
    """A variant of a compiled kernel, the preferred one unless another is named, bound to its arguments."""

    def __init__(self, path, contract, tensors, dims, scalars=None, variant=0):
        variant = contract["variants"][variant]
        with open(path, "rb") as file:
            image = file.read()
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(driver.cuModuleLoadData(ctypes.byref(module), image))
        check(driver.cuModuleGetFunction(ctypes.byref(self.function), module, variant["symbol"].encode()))
        names = dict(dims) | {c["name"]: c["value"] for c in contract.get("constants", []) if c["type"] == "int"}
        values = []
        for slot in contract["abi"]:
            if "pointer" in slot:
                values.append(tensors[slot["pointer"]].data_ptr())
            elif "dim" in slot:
                values.append(names[slot["dim"]])
            elif "scalar" in slot:
                values.append(ctypes.c_float(scalars[slot["scalar"]]))
            else:
                values.append(tensors[slot["stride"]].stride(slot["axis"]))
        self.values = [value if isinstance(value, ctypes.c_float) else ctypes.c_int64(value) for value in values]
        self.arguments = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in self.values])
        grid = [evaluate(expression, names) for expression in contract["grid"]]
        self.grid = [math.prod(grid), 1, 1] if variant.get("grid") == "linear" else (grid + [1, 1])[:3]
        self.threads = 32 * variant["warps"]
        self.shared = variant.get("shared_bytes", 0)
        self.tensors = tensors  # keeps them alive
        if self.shared > 48 << 10:
            dynamic_limit = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(driver.cuFuncSetAttribute(self.function, dynamic_limit, self.shared))

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(driver.cuLaunchKernel(self.function, *self.grid, self.threads, 1, 1, self.shared, stream, self.arguments,
                                    None))


def interleave(implementations):
    """{name: sorted times in µs} of single launches, each after the cache was evicted; bursts alternate."""
    evict = torch.empty(FLUSHED_BYTES // 4, dtype=torch.int32, device="cuda")
    times = {name: [] for name in implementations}
    for _ in range(3):
        for run in implementations.values():
            run()
    for _ in range(SAMPLES // BURST):
        for name, run in implementations.items():
            events = []
            for _ in range(BURST):
                evict.zero_()
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                run()
                end.record()
                events.append((begin, end))
            torch.cuda.synchronize()
            times[name] += [begin.elapsed_time(end) * 1e3 for begin, end in events]
    return {name: sorted(values) for name, values in times.items()}


def summary(times):
    return {"p10": times[len(times) // 10], "median": statistics.median(times), "p90": times[len(times) * 9 // 10]}


def rms_norm_silu_mul(x, w, up):
    v = x.float()
    h = v * torch.rsqrt(v.square().mean(dim=1, keepdim=True) + 1e-6) * w.float()
    return (torch.nn.functional.silu(h) * up.float()).to(x.dtype)


def compare_rms_norm(case, folder):
    m, n = case.dims["M"], case.dims["N"]
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}[case.dtype]
    generator = torch.Generator("cuda").manual_seed(7)
    x, up = (torch.randn(m, n, device="cuda", generator=generator).to(dtype) for _ in range(2))
    w = torch.randn(n, device="cuda", generator=generator).to(dtype)
    y = torch.full_like(x, float("nan"))
    path = case.file(folder)
    with open(path.replace(".cubin", ".json"), encoding="utf-8") as file:
        contract = json.load(file)["kernels"][0]
    ours = Kernel(path, contract, {"x": x, "w": w, "up": up, "y": y}, case.dims)
    ours()
    torch.cuda.synchronize()
    reference = rms_norm_silu_mul(x.double(), w.double(), up.double()).double()
    error = ((y.double() - reference).norm() / reference.norm()).item()
    if not error < 4e-3:  # NaN included; a bf16 result is within 2^-9 of the truth
        sys.exit(f"peers: {case.name} {case.problem()} differs from torch by {error:.1e} of its norm")
    compiled = torch.compile(rms_norm_silu_mul)
    times = interleave({"ours": ours, "torch.compile": lambda: compiled(x, w, up)})
    return {"name": case.name, "problem": case.problem(), "bytes": 3 * x.nbytes + w.nbytes, "peer": "torch.compile",
            "ours_us": summary(times["ours"]), "peer_us": summary(times["torch.compile"]), "goal": 1.0}


def main():
    folder, out = sys.argv[1:]
    torch.zeros(1, device="cuda")  # makes the context current that our module is loaded into
    results = [compare_rms_norm(case, folder) for case in cases.CASES if case.kernel == "rms_norm_silu_mul"]
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"torch": torch.__version__, "results": results}, file, indent=1)


if __name__ == "__main__":
    main()

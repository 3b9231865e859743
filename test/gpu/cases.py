#!/usr/bin/env python3
"""The benchmark cases: kernels of examples/ at fixed shapes, with what each must reach of a copy of the same bytes.

  cases.py --compile TILEC FOLDER    compiles each case's kernel to a cubin in FOLDER, its contract beside it
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass
class Case:
    """A kernel at one shape. What `tilec` needs to know is passed as a user would: element type and dims by `-D`, and
    the heuristics choose the rest."""
    name: str
    kernel: str  # in examples/<kernel>.tile
    dtype: str
    dims: dict
    goal: float  # of the time of a copy of the same bytes; 0 for none

    def problem(self):
        return ", ".join(f"{name} = {value}" for name, value in self.dims.items())

    def file(self, folder):
        sizes = "-".join(f"{name}{value}" for name, value in self.dims.items())
        return os.path.join(folder, f"{self.kernel}-{self.dtype}-{sizes}.cubin")

    def compile_command(self, tilec, folder):
        source = os.path.join(ROOT, "examples", f"{self.kernel}.tile")
        defines = [f"-D{name}={value}" for name, value in [("T", self.dtype), *self.dims.items()]]
        return [tilec, source, "--kernel", self.kernel, "--arch", "sm_90a", *defines, "-o", self.file(folder)]


ELEMENTS = 1 << 26  # of the softmax cases: 256 MiB of f32, four times the L2 cache
CASES = (
    [Case("vector add, f32", "vector_add", "f32", {"N": 1 << 27}, 0.95)] +
    [Case(f"softmax, {dtype}", "softmax", dtype, {"M": ELEMENTS // n, "N": n}, 0.90)
     for dtype in ("f32", "bf16") for n in (1024, 2048, 4096, 8192, 16384)] +
    [Case("RMSNorm + SiLU + mul, bf16", "rms_norm_silu_mul", "bf16", {"M": m, "N": 4096}, 0.90)
     for m in (8192, 16384)])


def compile_all(kernels):
    """Compiles each (what it is, command of tilec that ends with the file it writes); the contract goes beside it."""
    def compile_one(kernel):
        what, command = kernel
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{what}: {done.stderr}"
        contract = subprocess.run([command[0], "inspect", "--json", command[-1]], check=True, capture_output=True,
                                  text=True).stdout
        with open(command[-1].replace(".cubin", ".json"), "w", encoding="utf-8") as file:
            file.write(contract)
        return None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for error in pool.map(compile_one, kernels):
            if error:
                sys.exit(error)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "--compile":
        sys.exit("cases: expected --compile TILEC FOLDER")
    tilec, folder = sys.argv[2:]
    compile_all((f"cases: {case.name}, {case.problem()}", case.compile_command(tilec, folder)) for case in CASES)

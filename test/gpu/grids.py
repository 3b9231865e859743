#!/usr/bin/env python3
"""The benchmark cases of the tensor cores: a kernel of examples/ at several problems, compiled in each configuration of
a fixed grid. The fastest configuration of a problem counts.

  grids.py --compile TILEC FOLDER    compiles every configuration to a cubin in FOLDER, its contract beside it
"""
import os
import subprocess
import sys
from dataclasses import dataclass

import cases


@dataclass
class Grid:
    """A kernel in several configurations; what all of them and each of them pass to `tilec` as `-D`."""
    name: str
    kernel: str  # in examples/<kernel>.tile
    defines: dict
    configurations: list
    problems: list  # (dims, goal of a vendor library's time) of each
    plain: dict = None  # defines of the kernel without an epilogue, to compare with in the same configuration
    arch: str = "sm_90a"  # whose instructions; the PTX of an older one is assembled for that of the benchmark

    def file(self, folder, configuration):
        words = [f"{name}{value}" for name, value in {**self.defines, **configuration}.items()]
        if self.arch != "sm_90a":
            words.append(self.arch)
        name = "-".join([self.kernel, *words]).translate(str.maketrans("()<>[]", "_" * 6))
        return os.path.join(folder, f"{name}.cubin")

    def compile_command(self, tilec, folder, configuration):
        source = os.path.join(cases.ROOT, "examples", f"{self.kernel}.tile")
        defines = [f"-D{name}={value}" for name, value in {**self.defines, **configuration}.items()]
        out = self.file(folder, configuration)
        return [tilec, source, "--kernel", self.kernel, "--arch", self.arch, *defines, "-o", out]

    def assemble(self, tilec, folder, configuration):
        """Puts the code for an older GPU, assembled for this one, in place of the cubin; its contract holds."""
        cubin = self.file(folder, configuration)
        ptx = cubin.replace(".cubin", ".ptx")
        subprocess.run([*self.compile_command(tilec, folder, configuration)[:-1], ptx, "--emit=ptx"], check=True)
        subprocess.run([tilec, ptx, "--arch", "sm_90a", "-o", cubin], check=True, capture_output=True)
        os.remove(ptx)


def tiles(*rows):
    return [dict(zip(("BM", "BN", "BK", "warps", "stages"), row)) for row in rows]


def attention_tiles(*rows):
    return [dict(zip(("BM", "BN", "warps", "stages"), row)) for row in rows]


def attention(heads, sequence, kv_heads=None):
    return {"B": 16384 // sequence, "H": heads, "HK": kv_heads or heads, "S": sequence, "L": sequence}


def ordered(order, m, n, k):
    """The dims of `batched_matmul` with one matrix; a factor whose letter in `order` is T is stored transposed."""
    (ar, ac), (br, bc) = ((k, m) if order[0] == "T" else (m, k)), ((n, k) if order[1] == "T" else (k, n))
    return {"B": 1, "M": m, "N": n, "AR": ar, "AC": ac, "BR": br, "BC": bc}


def transposes(order):
    return {"T": "bf16", "TA": str(order[0] == "T").lower(), "TB": str(order[1] == "T").lower()}


def split(*rows):
    return [dict(zip(("BM", "BN", "BK", "SPLIT_K", "warps", "stages"), row)) for row in rows]


def few_rows(m, n, k):
    """The dims of `splitk_matmul`, with room for the partials and tiles of any of its configurations."""
    return {"M": m, "N": n, "K": k, "PARTS": 4, "TILES": -(-m // 16) * -(-n // 32)}


PRODUCT_TILES = tiles((64, 64, 64, 4, 4), (64, 128, 128, 4, 4), (128, 64, 128, 8, 4), (128, 128, 64, 8, 6),
                      (128, 256, 64, 8, 4), (256, 128, 64, 8, 4), (128, 192, 64, 8, 5), (128, 224, 64, 8, 4))
PRODUCT_GOALS = {1024: 0.85, 2048: 0.85, 4096: 0.92, 8192: 0.92}
# A row of a tile is 128 bytes; the two of 64 leave room for more blocks.
FLOAT8_TILES = tiles((128, 128, 128, 4, 4), (128, 128, 128, 8, 4), (128, 256, 128, 8, 4), (256, 128, 128, 8, 4),
                     (128, 192, 128, 8, 4), (128, 128, 64, 4, 4))
FLOAT8_GOALS = {4096: 0.8, 8192: 0.8}
TF32_TILES = tiles((128, 128, 32, 4, 4), (128, 128, 32, 8, 4), (128, 256, 32, 8, 4), (128, 192, 32, 8, 4))
# Weights of language models (N, K), and how many rows meet them.
WEIGHTS = ((4096, 4096), (14336, 4096), (4096, 14336), (6144, 4096))
WEIGHT_ROWS = {512: 0.85, 4096: 0.92}
FEW_ROWS = {1: 0.95, 16: 0.95, 64: 0.95, 128: 0.80}
ROW_TILES = [{"BN": bn, "BK": bk, "warps": warps} for bn, bk, warps in ((1, 2048, 2), (1, 4096, 4), (4, 1024, 4))]
SPLIT_TILES = {16: split((16, 64, 128, 1, 4, 8), (16, 64, 256, 1, 4, 5), (16, 64, 128, 4, 4, 5), (16, 128, 128, 1, 8, 5)),
               64: split((64, 32, 128, 1, 4, 8), (64, 48, 128, 1, 4, 8), (64, 64, 128, 1, 4, 6), (64, 64, 128, 2, 4, 6),
                         (64, 112, 128, 1, 4, 5), (64, 128, 128, 1, 8, 4)),
               128: split((128, 48, 128, 1, 4, 5), (128, 64, 64, 1, 4, 8), (128, 64, 128, 2, 4, 4), (128, 128, 64, 1, 8, 6),
                          (128, 128, 64, 4, 8, 6))}
ATTENTION_TILES = {64: attention_tiles((64, 64, 4, 2), (64, 128, 4, 2), (128, 64, 8, 2)),
                   128: attention_tiles((128, 64, 8, 2), (128, 128, 8, 3), (64, 64, 4, 3)),
                   256: attention_tiles((128, 64, 8, 2), (128, 32, 8, 3))}
ATTENTION_GOALS = {64: 0.90, 128: 0.80, 256: 0.70}
EPILOGUES = {"GELU": "bias_gelu", "ReLU": "bias_relu", "SiLU": "bias_silu", "approx GELU": "bias_approx_gelu",
             "approx SiLU": "bias_approx_silu"}
EPILOGUE_GOAL = 0.97  # of the time without it
OLD_PRODUCT_TILES = tiles((128, 128, 32, 4, 4), (128, 128, 64, 4, 3), (128, 128, 64, 8, 3), (64, 128, 32, 4, 4))
OLD_ATTENTION_TILES = {64: attention_tiles((128, 64, 4, 2), (128, 96, 4, 2)),
                       128: attention_tiles((128, 32, 4, 2), (128, 48, 4, 2))}
OLD_PRODUCT_GOAL, OLD_ATTENTION_GOAL = 0.5, 0.45
SHORT_GOAL = 0.75  # of sequences of 1024

GRIDS = (
    [Grid("matmul NN, bf16", "matmul", {"T": "bf16"}, PRODUCT_TILES,
          [({"M": n, "N": n, "K": n}, goal) for n, goal in PRODUCT_GOALS.items()]),
     Grid("matmul NN, f16", "matmul", {"T": "f16"}, PRODUCT_TILES,
          [({"M": n, "N": n, "K": n}, goal) for n, goal in PRODUCT_GOALS.items()])] +
    [Grid(f"matmul NN + bias + {name}, bf16", "matmul", {"T": "bf16", "EPILOGUE": epilogue, "E": "tensor<f32>[N]"},
          PRODUCT_TILES, [({"M": n, "N": n, "K": n}, EPILOGUE_GOAL) for n in (4096, 8192)], plain={"T": "bf16"})
     for name, epilogue in EPILOGUES.items()] +
    [Grid("matmul NT, bf16", "batched_matmul", transposes("NT"), PRODUCT_TILES,
          [(ordered("NT", n, n, n), goal) for n, goal in PRODUCT_GOALS.items()] +
          [(ordered("NT", m, n, k), goal) for m, goal in WEIGHT_ROWS.items() for n, k in WEIGHTS])] +
    [Grid("matmul NT, f8e4m3", "scaled_matmul", {"T": "f8e4m3", "R": "bf16"}, FLOAT8_TILES,
          [({"M": n, "N": n, "K": n}, goal) for n, goal in FLOAT8_GOALS.items()]),
     Grid("matmul NT, tf32", "scaled_matmul", {"T": "f32", "R": "f32"}, TF32_TILES,
          [({"M": 4096, "N": 4096, "K": 4096}, 0)])] +
    [Grid(f"matmul {order}, bf16", "batched_matmul", transposes(order), PRODUCT_TILES,
          [(ordered(order, n, n, n), PRODUCT_GOALS[n]) for n in (1024, 4096)]) for order in ("TN", "TT")] +
    [Grid("matrix × vector, bf16", "matvec", {"T": "bf16"}, ROW_TILES,
          [({"M": 1, "N": n, "K": k}, FEW_ROWS[1]) for n, k in WEIGHTS])] +
    [Grid("matmul NT of few rows, bf16", "splitk_matmul", {"T": "bf16"}, configurations,
          [(few_rows(m, n, k), FEW_ROWS[m]) for n, k in WEIGHTS]) for m, configurations in SPLIT_TILES.items()] +
    [Grid(f"attention {'causal' if causal == 'true' else 'full'}, bf16", "flash_attention",
          {"T": "bf16", "D": depth, "CAUSAL": causal, "has(lse)": "false"},
          ATTENTION_TILES[depth],
          [(attention(2048 // depth, 16384), goal), (attention(2048 // depth, 1024), SHORT_GOAL)] +
          ([(attention(32, 8192, 8), goal)] if depth == 128 else []))
     for depth, goal in ATTENTION_GOALS.items() for causal in ("false", "true")] +
    [Grid("matmul NN, bf16, as sm_80", "matmul", {"T": "bf16"}, OLD_PRODUCT_TILES,
          [({"M": n, "N": n, "K": n}, OLD_PRODUCT_GOAL) for n in (4096, 8192)], arch="sm_80")] +
    [Grid("attention full, bf16, as sm_80", "flash_attention",
          {"T": "bf16", "D": depth, "CAUSAL": "false", "has(lse)": "false"},
          configurations,
          [(attention(2048 // depth, 16384), OLD_ATTENTION_GOAL)], arch="sm_80")
     for depth, configurations in OLD_ATTENTION_TILES.items()])


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "--compile":
        sys.exit("grids: expected --compile TILEC FOLDER")
    cases.compile_all((f"grids: {grid.name}, {configuration}", grid.compile_command(*sys.argv[2:], configuration))
                      for grid in GRIDS for configuration in grid.configurations)
    for grid in GRIDS:
        for configuration in grid.configurations if grid.arch != "sm_90a" else ():
            grid.assemble(*sys.argv[2:], configuration)

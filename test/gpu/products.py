#!/usr/bin/env python3
"""Times the kernels of grids.py against cuBLAS and the attention of torch. Needs torch on a GPU.

  products.py KERNELS OUT.json [--only WORD] [--seconds N]

Each configuration is first compared with f64. A sample is one replay of a CUDA graph of launches, and samples of all
kernels alternate in rounds: large products are limited by power, so only ratios of one process mean anything. Two
rounds find the best configuration; it and its peers then have the rounds that count. Products of few rows are bound by
reading the weights: the launches of a graph take several sets of them in turn, which the L2 cache cannot hold.
"""
import argparse
import dataclasses
import json
import os
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import gelu, relu, scaled_dot_product_attention, silu

import grids
import peers
import table

ROUNDS = 15
SAMPLE_US = 1500  # a graph holds as many launches as take about this long
TOLERANCE = 4e-3  # of the norm; a bf16 result is within 2^-9 of the truth
FLOAT8_TOLERANCE = 2e-2  # tensor cores cut sums of 8-bit products off below 2^-13 of them, for each 32 of K
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "f8e4m3": torch.float8_e4m3fn}
BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
ACTIVATIONS = {"bias_gelu": gelu, "bias_relu": relu, "bias_silu": silu, "bias_approx_gelu": gelu,
               "bias_approx_silu": silu}
PLAIN = "without it"
VENDOR = ("cuBLAS", "cuDNN", PLAIN)  # the peers that a goal is about


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", generator=GENERATOR).to(dtype)


class Product:
    """`c = op(a) @ op(b)`, where `batched_matmul` has a batch of one; perhaps with a bias and an activation."""

    def __init__(self, grid, dims):
        self.grid = grid
        dtype = DTYPES[grid.defines["T"]]
        m, n, k = self.extents(dims)
        batch = (1,) if "B" in dims else ()
        left, right = (grid.defines.get(name) == "true" for name in ("TA", "TB"))
        a = random(*batch, *((k, m) if left else (m, k)), dtype=dtype)
        b = random(*batch, *((n, k) if right else (k, n)), dtype=dtype)
        self.left, self.rights = a.mT if left else a, [b.mT if right else b]
        self.out = torch.empty(*batch, m, n, device="cuda", dtype=dtype)
        self.bias = torch.randn(n, device="cuda", generator=GENERATOR) if grid.plain else None
        self.sets = [{"a": a, "b": b, "c": self.out, "extra": self.bias}]
        self.describe(m, n, k)

    @staticmethod
    def extents(dims):
        return dims["M"], dims["N"], dims["K"] if "K" in dims else dims["AR"] * dims["AC"] // dims["M"]

    def describe(self, m, n, k):
        self.scalars = {}
        self.work = {"flops": 2 * m * n * k}
        self.rows = slice(max(0, m - 300), m)
        self.problem = f"M = N = K = {m}" if m == n == k else f"M = {m}, N = {n}, K = {k}"

    def reference(self):
        product = self.left[..., self.rows, :].double() @ self.rights[0].double()
        if self.bias is None:
            return product
        return ACTIVATIONS[self.grid.defines["EPILOGUE"]](product + self.bias.double())

    def peers(self):
        """The launches of each peer, one for every set of tensors."""
        if self.bias is not None:
            return self.fused_peers()
        out = torch.empty_like(self.out)
        return {"cuBLAS": [lambda right=right: torch.matmul(self.left, right, out=out) for right in self.rights]}

    def fused_peers(self):
        """The epilogues of the vendor's library; its GELU is the tanh form."""
        use_gelu = {"bias_relu": False, "bias_gelu": True, "bias_approx_gelu": True}
        epilogue, bias = self.grid.defines["EPILOGUE"], self.bias.to(self.out.dtype)
        if epilogue not in use_gelu:
            return {}
        return {"cuBLASLt, fused": [lambda right=right: torch._addmm_activation(bias, self.left, right,
                                                                               use_gelu=use_gelu[epilogue])
                                    for right in self.rights]}


class FewRows(Product):
    """`y = x @ w.T` with as many weights as the L2 cache cannot hold; scratch for the configuration that needs most."""

    def __init__(self, grid, dims):
        self.grid, self.bias = grid, None
        dtype = DTYPES[grid.defines["T"]]
        m, n, k = self.extents(dims)
        x = random(m, k, dtype=dtype)
        weights = [random(n, k, dtype=dtype) for _ in range(1 + peers.FLUSHED_BYTES // (n * k * x.element_size()))]
        self.left, self.rights = x, [w.T for w in weights]
        self.out = torch.empty(m, n, device="cuda", dtype=dtype)
        scratch = {}
        if "TILES" in dims:
            scratch = {"partial": torch.empty(dims["PARTS"], m, n, device="cuda"),
                       "arrived": torch.zeros(dims["TILES"], device="cuda", dtype=torch.int32)}
        self.sets = [{"x": x, "w": w, "y": self.out, **scratch} for w in weights]
        self.describe(m, n, k)
        self.work = {"bytes": x.nbytes + weights[0].nbytes + self.out.nbytes}


class ScaledProduct(Product):
    """`c = a @ b.T` of 8-bit floats, with scales of 1, or of f32 rounded to tf32."""

    def __init__(self, grid, dims):
        self.grid, self.bias = grid, None
        m, n, k = self.extents(dims)
        a, b = (random(*shape, dtype=DTYPES[grid.defines["T"]]) for shape in ((m, k), (n, k)))
        self.left, self.rights, self.one = a, [b.mT], torch.ones((), device="cuda")
        self.out = torch.empty(m, n, device="cuda", dtype=DTYPES[grid.defines["R"]])
        self.sets = [{"a": a, "b": b, "scale_a": self.one, "scale_b": self.one, "c": self.out}]
        self.tolerance = TOLERANCE if grid.defines["T"] == "f32" else FLOAT8_TOLERANCE
        self.describe(m, n, k)

    def peers(self):
        if self.grid.defines["T"] != "f32":
            return {"cuBLAS": [lambda: torch._scaled_mm(self.left, self.rights[0], scale_a=self.one, scale_b=self.one,
                                                        out_dtype=torch.bfloat16, use_fast_accum=True)]}
        out = torch.empty_like(self.out)

        def multiply():
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.matmul(self.left, self.rights[0], out=out)
            torch.backends.cuda.matmul.allow_tf32 = False
        return {"cuBLAS": [multiply]}


class Attention:
    """What flash_attention computes; the queries are as many as the keys."""

    def __init__(self, grid, dims):
        depth, self.causal = grid.defines["D"], grid.defines["CAUSAL"] == "true"
        b, h, hk, s, keys = (dims[name] for name in ("B", "H", "HK", "S", "L"))
        self.q, self.k, self.v = random(b, h, s, depth), random(b, hk, keys, depth), random(b, hk, keys, depth)
        self.group, self.scale = h // hk, depth**-0.5
        self.out = torch.empty_like(self.q)
        self.sets = [{"q": self.q, "k": self.k, "v": self.v, "o": self.out}]
        self.scalars = {"scale": self.scale}
        self.work = {"flops": 4 * b * h * s * keys * depth // (2 if self.causal else 1)}
        self.rows = slice(max(0, s - 300), s)
        self.problem = f"B = {b}, H = {h}, " + (f"HK = {hk}, " if hk != h else "") + f"S = {s}, D = {depth}"

    def reference(self):
        """The last rows, a head at a time: all scores in f64 would not fit."""
        b, h, s, depth = self.q.shape
        keys = self.k.shape[2]
        out = torch.empty(b, h, self.rows.stop - self.rows.start, depth, device="cuda", dtype=torch.float64)
        hidden = torch.ones(s, keys, device="cuda", dtype=torch.bool).triu(1 + keys - s)[self.rows]
        for head in range(h):
            key, value = (x[:, head // self.group].double() for x in (self.k, self.v))
            scores = self.q[:, head, self.rows].double() @ key.mT * self.scale
            if self.causal:
                scores.masked_fill_(hidden, float("-inf"))
            out[:, head] = torch.softmax(scores, dim=-1).nan_to_num() @ value
        return out

    def peers(self):
        def attend(backend):
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(self.q, self.k, self.v, is_causal=self.causal, scale=self.scale,
                                                    enable_gqa=self.group > 1)
        found = {}
        for name, backend in BACKENDS.items():
            try:
                attend(backend)
                found[name] = [lambda backend=backend: attend(backend)]
            except RuntimeError:  # a backend that does not take this problem
                continue
        return found


PROBLEMS = {"batched_matmul": Product, "flash_attention": Attention, "matmul": Product, "matvec": FewRows,
            "scaled_matmul": ScaledProduct, "splitk_matmul": FewRows}


def graph(runs):
    """(replay, launches in it) of enough launches to be timed, which take turns."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for run in runs + runs:
            run()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        runs[0]()
        end.record()
        side.synchronize()
        launches = max(1, min(50, int(SAMPLE_US / (begin.elapsed_time(end) * 1e3))))
    launches = -(-launches // len(runs)) * len(runs)
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded, stream=side):
        for i in range(launches):
            runs[i % len(runs)]()
    return recorded.replay, launches


def interleave(graphs, rounds):
    """{name: sorted µs of a launch}; the kernels alternate."""
    times = {name: [] for name in graphs}
    for _ in range(rounds):
        for name, (replay, launches) in graphs.items():
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            replay()
            end.record()
            torch.cuda.synchronize()
            times[name].append(begin.elapsed_time(end) * 1e3 / launches)
    return {name: sorted(values) for name, values in times.items()}


def described(configuration):
    return " ".join(f"{name} {value}" for name, value in configuration.items())


def load(path, given, dims):
    """The kernel, bound to each set of tensors."""
    with open(path.replace(".cubin", ".json"), encoding="utf-8") as file:
        contract = json.load(file)["kernels"][0]
    return [peers.Kernel(path, contract, tensors, dims, given.scalars) for tensors in given.sets]


def compare(grid, dims, goal, folder, faults):
    """The best right configuration against each peer; those that are wrong are added to `faults`."""
    given = PROBLEMS[grid.kernel](grid, dims)
    reference = given.reference()
    runs, configurations = {}, {}
    for configuration in grid.configurations:
        given.out.fill_(float("nan"))
        kernels = load(grid.file(folder, configuration), given, dims)
        configurations[described(configuration)] = configuration
        kernels[0]()
        torch.cuda.synchronize()
        error = ((given.out[..., given.rows, :].double() - reference).norm() / reference.norm()).item()
        if not error < getattr(given, "tolerance", TOLERANCE) or given.out.isnan().any():  # NaN included
            faults.append(f"{grid.name} {given.problem}, {described(configuration)}: differs from f64 by {error:.1e} "
                          "of its norm")
            print(faults[-1], flush=True)
        else:
            runs[described(configuration)] = kernels
    if not runs:
        return
    graphs = {name: graph(kernels) for name, kernels in runs.items()}
    screened = {name: times[0] for name, times in interleave(graphs, 2).items()}
    best = min(screened, key=screened.get)
    others = {name: graph(launches) for name, launches in given.peers().items()}
    if grid.plain:
        plain = dataclasses.replace(grid, defines=grid.plain)
        others[PLAIN] = graph(load(plain.file(folder, configurations[best]), given, dims))
    times = interleave({best: graphs[best], **others}, ROUNDS)
    for peer in others:
        yield {"name": grid.name, "problem": given.problem, "configuration": best, **given.work, "peer": peer,
               "ours_us": peers.summary(times[best]), "peer_us": peers.summary(times[peer]),
               "goal": goal if peer in VENDOR else 0, "configurations_us": screened}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--only", default="", help="cases whose name contains this word")
    parser.add_argument("--seconds", type=float, default=160, help="no case begins later")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    results, faults = [], []
    for grid in grids.GRIDS:
        for dims, goal in grid.problems:
            if options.only not in grid.name or time.monotonic() > end:
                continue
            for result in compare(grid, dims, goal, options.folder, faults):
                results.append(result)
                ours, peer = result["ours_us"]["median"], result["peer_us"]["median"]
                print(f"{result['name']:24} {result['problem']:40} {ours:9.1f} us {table.rate(result)}, "
                      f"{result['peer']} {peer:9.1f} us, {peer / ours:.3f}  {result['configuration']}", flush=True)
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump({"torch": torch.__version__, "results": results}, file, indent=1)
    if faults:
        sys.exit(f"products: {len(faults)} configurations are wrong")


if __name__ == "__main__":
    torch.zeros(1, device="cuda")  # makes the context current that our modules are loaded into
    GENERATOR = torch.Generator("cuda").manual_seed(7)
    main()

#!/usr/bin/env python3
"""The fast code of products and attention. `loops`: prints a line for whatever goes through shared memory on its way
between threads in a loop. `code`: for each message of the assembler about products that wait for one another, with the
variants, and for spills.

    main_loops.py TILEC PRODUCT.tile EXAMPLES loops|code
"""
import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SUM = {"bf16": "f32", "f16": "f32", "i8": "i32"}
# Depth and tile: what the heuristic says on GPUs with warpgroups, which it is made for.
ATTENTION = {"sm_90a": {depth: {} for depth in (64, 128, 256)},
             "sm_80": {depth: {"BM": 128, "BN": keys, "warps": 8}
                       for depth, keys in ((64, 64), (128, 64), (256, 32))}}


def moves_in_loops(text):
    """{op: how often} in the loops of the fast variant."""
    found, indents = {}, []
    for line in text.split("\n  func.func @")[1].splitlines():
        indent = len(line) - len(line.lstrip())
        op = re.match(r"\s*(?:%\S+(?:, %\S+)* = )?([a-z]+\.[a-z_]+)", line)
        if op and op[1] in ("scf.for", "scf.while"):
            indents.append(indent)
        elif indents and op and (op[1] in ("tgpu.convert_layout", "tgpu.store_shared") or "shared_offset" in line):
            found[op[1]] = found.get(op[1], 0) + 1
        elif indents and indent == indents[-1] and line.lstrip().startswith("}"):
            if "} do {" not in line:  # of an scf.while, whose body follows
                indents.pop()
    return found


def programs(product, examples):
    """(name, arguments of tilec)"""
    for arch, kind, left, right in itertools.product(ATTENTION, SUM, "NT", "NT"):
        defines = {"T": kind, "S": SUM[kind], "TA": left == "T", "TB": right == "T", "warps": 8}
        yield f"{arch} {kind} {left}{right}", [product, "--kernel", "product", *given(arch, defines)]
    for arch, depths in ATTENTION.items():
        for (depth, tile), causal in itertools.product(depths.items(), (False, True)):
            defines = {"T": "bf16", "D": depth, "CAUSAL": causal, "has(lse)": False, **tile}
            yield (f"{arch} attention {depth}{' causal' if causal else ''}",
                   [f"{examples}/flash_attention.tile", "--kernel", "flash_attention", *given(arch, defines)])
    for epilogue, extra in (("identity", "()"), ("bias_gelu", "tensor<f32>[N]")):
        defines = {"T": "bf16", "BM": 128, "BN": 256, "BK": 64, "EPILOGUE": epilogue, "E": extra, "warps": 8}
        yield f"sm_90a {epilogue}", [f"{examples}/matmul.tile", "--kernel", "matmul", *given("sm_90a", defines)]


def given(arch, defines):
    return ["--arch", arch] + [f"-D{name}={str(value).lower() if isinstance(value, bool) else value}"
                               for name, value in defines.items()]


def loops_of(tilec, name, arguments):
    run = subprocess.run([tilec, *arguments, "--emit=tgpu"], check=True, capture_output=True, text=True)
    return [f"{name}: {count} x {op} in loops" for op, count in sorted(moves_in_loops(run.stdout).items())]


def code_of(tilec, name, arguments):
    run = subprocess.run([tilec, *arguments, "-o", "-", "--report"], check=True, capture_output=True)
    report = run.stderr.decode()
    fast = report.split("kernel `")[1]
    spills = re.search(r"spills \d+ bytes.*", fast)
    waits = re.findall(r"wait for one another(.*?);.*\((C75\d\d)\)", report)
    return [f"{name}{variants}: {code}" for variants, code in waits] + ([f"{name}: {spills[0]}"] if spills else [])


def main():
    tilec, product, examples, what = sys.argv[1:]
    known = list(programs(product, examples))
    if what == "code":  # slow to make; f16 is multiplied as bf16 is, and only products of warpgroups wait for others
        known = [(name, arguments) for name, arguments in known if name.startswith("sm_90a") and " f16" not in name]
    look = loops_of if what == "loops" else code_of
    with ThreadPoolExecutor(2) as workers:
        for lines in workers.map(lambda program: look(tilec, *program), known):
            print("\n".join(lines), end="\n" if lines else "")
    print(f"{len(known)} programs")


main()

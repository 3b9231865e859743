#!/usr/bin/env python3
"""Functions whose f32 code is ours, on floats of every exponent, against f64: within the bounds that Functions.cpp
states. The code for the GPU runs on the simulator, whose exponential is the nearest float.

    functions.py TILEC FUNCTIONS.tile
"""
import array
import math
import os
import subprocess
import sys
import tempfile

PER_EXPONENT = 96
ULP = 2.0**-23  # of a number, at most so much of it
FLAT = 2.0**-126  # the smallest normal float: results below may be 0


def samples():
    """Floats of every exponent and both signs, dense where the functions bend."""
    bits = []
    for exponent in range(255):
        count = PER_EXPONENT * (8 if 122 <= exponent <= 131 else 1)
        bits += [exponent << 23 | i * (1 << 23) // count for i in range(count)]
    found = array.array("f", array.array("I", bits).tobytes())
    return found + array.array("f", (-x for x in found))


def write_npy(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    return array.array("f", data[10 + int.from_bytes(data[8:10], "little"):])


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


# The value, and how far from it a result may be.
FUNCTIONS = {
    "erf": ("a", math.erf, lambda x, r: 3 * ULP * abs(r)),
    "gelu": ("b", lambda x: max(x, 0) - abs(x) * 0.5 * math.erfc(abs(x) / math.sqrt(2)), lambda x, r: 2 * ULP * abs(x)),
    "sigmoid": ("c", sigmoid, lambda x, r: r * (4 * ULP + ULP * min(abs(x), 128))),
}


# Arguments, and the text of what each function gives; a sigmoid may be 0 early, a GELU next to nothing.
EDGES = [(math.inf, ("1.0", "inf", "1.0")), (-math.inf, ("-1.0", None, "0.0")), (math.nan, ("nan", "nan", "nan")),
         (0.0, ("0.0", "0.0", "0.5")), (-0.0, ("-0.0", "-0.0", "0.5"))]


def worst_of(function, bound, arguments, results):
    """The largest error as a part of its bound, and where."""
    worst = (0, 0)
    for x, result in zip(arguments, results):
        exact = function(x)
        error = abs(result - exact) / (bound(x, exact) + FLAT)
        worst = max(worst, (error if error == error else math.inf, x))
    return worst


def main():
    tilec, program = sys.argv[1:]
    x = samples()
    count = len(x)
    x.extend(argument for argument, _ in EDGES)
    with tempfile.TemporaryDirectory() as folder:
        write_npy(os.path.join(folder, "x.npy"), x)
        command = [tilec, "run", program, "--device=sim", "--checks=none", "--arg", f"x={folder}/x.npy"]
        for out, *_ in FUNCTIONS.values():
            command += ["--arg", f"{out}=empty:f32[{len(x)}]", "--save", f"{out}={folder}/{out}.npy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for column, (name, (out, function, bound)) in enumerate(FUNCTIONS.items()):
            results = read_npy(os.path.join(folder, f"{out}.npy"))
            part, place = worst_of(function, bound, x[:count], results)
            print(f"{name}: {'within' if part <= 1 else 'beyond'} its bound, {part:.2f} of it at {place:.9g}")
            for (argument, expected), result in zip(EDGES, results[count:]):
                if expected[column] not in (None, str(result)):
                    print(f"{name}: {argument} gives {result}; expected {expected[column]}")


main()

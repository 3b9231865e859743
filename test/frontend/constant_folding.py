#!/usr/bin/env python3
"""Generated operations on compile-time values and, beside them, the same operations on the same values read from memory:
both give the same bits, for a literal takes the type of what it meets and integers wrap wherever they are computed.

    constant_folding.py [--seed N] [--cases N] [--device cpu|sim] [--keep FILE] TILEC

Contraction is left out: `a * b + c` rounds once at run time, a product of constants on its own.
"""
import argparse
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

INTEGERS = {"i8": (8, True), "i16": (16, True), "i32": (32, True), "i64": (64, True), "u8": (8, False),
            "u16": (16, False), "u32": (32, False), "u64": (64, False)}
FLOATS = ["f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64"]
LARGEST = {"f8e4m3": 448.0, "f8e5m2": 57344.0}
# Around the largest numbers of 8-bit floats, and around what rounds to the next one.
PAST = {"f8e4m3": [448, 449, 463, 464, 465, 480, 512, 10**6, -464, -10**6],
        "f8e5m2": [57344, 57345, 61439, 61440, 61441, 65536, 10**6, -61440, -10**6]}
COMPARISONS = ["({0} " + op + " {1})" for op in ["<", "<=", ">", ">=", "==", "!="]]
EXTREMES = ["max({0}, {1})", "min({0}, {1})"]
INTEGER_FORMS = (["({0} " + op + " {1})" for op in ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]] + EXTREMES +
                 ["cdiv({0}, {1})", "floordiv({0}, {1})", "floormod({0}, {1})"])
INTEGER_UNARY = ["abs({0})", "next_pow2({0})", "(-{0})", "(~{0})"]
FLOAT_FORMS = ["({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "fmax({0}, {1})", "fmin({0}, {1})"] + EXTREMES
FLOAT_UNARY = ["abs({0})", "floor({0})", "ceil({0})", "trunc({0})", "(-{0})"]


def rounded(scalar, value):
    """`value` as `scalar` has it, ties to even."""
    if scalar == "f64" or math.isinf(value) or math.isnan(value):
        return value
    if scalar in LARGEST:  # of the numbers in use: 4 or 3 significant bits
        unit = 2.0 ** (math.floor(math.log2(abs(value))) - (3 if scalar == "f8e4m3" else 2)) if value else 1.0
        return math.copysign(round(value / unit) * unit, value)
    if scalar == "bf16":
        bits, = struct.unpack("<I", struct.pack("<f", value))
        return struct.unpack("<f", struct.pack("<I", bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000))[0]
    form = {"f16": "<e", "f32": "<f"}[scalar]
    return struct.unpack(form, struct.pack(form, value))[0]


def values_of(scalar):
    """Text of literals, each with its value in `scalar`."""
    if scalar in FLOATS:
        texts = ["0", "-0.0", "1", "3", "-2.5", "0.1", "0.2", "-0.3", "1.1", "1000", "4097", "0.001", "inf", "-inf", "nan"]
        if scalar in LARGEST:
            texts = ["0", "-0.0", "1", "3", "-2.5", "0.1", "-0.3", "1.1", "400", "-448", "0.02", "nan"]
            texts += ["57344", "inf", "-inf"] if scalar == "f8e5m2" else []
        return [(text, rounded(scalar, float(text))) for text in texts]
    bits, isSigned = INTEGERS[scalar]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if isSigned else (0, (1 << bits) - 1)
    numbers = [low, low + 1, 0, 1, 2, 3, 7, 8, bits - 1, bits, bits + 1, 100, high // 2 + 2, high - 1, high]
    numbers += [-1, -2, -7] if isSigned else []
    if bits == 64:
        numbers += [(1 << 24) + 1, (1 << 62) + (1 << 38) + 1]
    return [(str(number), number) for number in numbers]


def write_npy(path, scalar, values):
    code, letter = ("<f8", "d") if scalar in FLOATS else ("<i8", "q")
    if scalar == "u64":
        values = [value - (1 << 64) if value >> 63 else value for value in values]
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{letter}", *values))


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    data = data[10 + struct.unpack_from("<H", data, 8)[0]:]
    return [data[at:at + 8] for at in range(0, len(data), 8)]


def is_same(scalar, one, other):
    isNan = lambda data: scalar in FLOATS and math.isnan(struct.unpack("<d", data)[0])
    return one == other or (isNan(one) and isNan(other))


def make_case(choose, scalar, values):
    """An expression over constants, and over what was read."""
    isFloat = scalar in FLOATS
    indices = [choose.randrange(len(values)) for _ in range(3)]
    literal = choose.choice([None, None, 0, 1])  # the operand that is a literal

    def text(constant):
        names = [f"({values[at][0]})" if position == literal else f"c{at}" if constant else f"r{at}"
                 for position, at in enumerate(indices)]
        return form.format(*names)

    kind = choose.random()
    if kind < 0.2:
        literal = None if literal == 0 else literal
        form = choose.choice(FLOAT_UNARY if isFloat else INTEGER_UNARY)
        if not isFloat and choose.random() < 0.4:
            form = "({0} as " + choose.choice(list(INTEGERS) + FLOATS) + ")"
    elif kind < 0.4:
        form = choose.choice(COMPARISONS)
    else:
        form = choose.choice(FLOAT_FORMS if isFloat else INTEGER_FORMS)
        if not isFloat and choose.random() < 0.5:
            form = choose.choice(INTEGER_FORMS + COMPARISONS).format(form, "{2}")
    # What has another type than the others is converted as it is stored.
    target = "f64" if isFloat else "i64"
    if form.startswith("({0} as ") and form[8:-1] in FLOATS:
        return [f"bitcast<i64>({text(constant)} as f64)" for constant in (True, False)]
    return [f"{text(constant)} as {target}" for constant in (True, False)]


def make_casts(scalar, first):
    """Of numbers past the largest one of an 8-bit float, by floats, integers and literals; they lie at `first`."""
    forms = [scalar] + ([scalar + " with (overflow = inf)"] if scalar == "f8e5m2" else [])
    for at, number in enumerate(PAST[scalar], first):
        for form in forms:
            for source in ["f64", "f32", "i32"]:
                yield [f"{value} as {source} as {form} as f64" for value in (f"({number})", f"x[{at}]")]
            yield [f"{number}.0 as {form} as f64", f"x[{at}] as {form} as f64"]
            yield [f"{number} as {form} as f64", f"x[{at}] as i64 as {form} as f64"]


def check_type(given, scalar, seed):
    """How many cases of `scalar` differ, and of how many."""
    choose = random.Random(f"{seed}/{scalar}")
    values, memory = values_of(scalar), "f64" if scalar in FLOATS else "i64"
    cases = [make_case(choose, scalar, values) for _ in range(given.cases)]
    memoryValues = [value for _, value in values]
    if scalar in PAST:
        cases += make_casts(scalar, len(memoryValues))
        memoryValues += PAST[scalar]
    lines = [f"kernel k(x: tensor<{memory}>[N], out y: tensor<{memory}>[{2 * len(cases)}]) grid [1] {{"]
    lines += [f"    let c{at}: {scalar} = {text}" for at, (text, _) in enumerate(values)]
    keeping = " with (overflow = inf)" if scalar == "f8e5m2" else ""  # as a literal is
    lines += [f"    let r{at} = x[{at}] as {scalar}{keeping}" for at in range(len(values))]
    for at, (constant, loaded) in enumerate(cases):
        lines += [f"    y[{at}] = {constant}", f"    y[{at + len(cases)}] = {loaded}"]
    with tempfile.TemporaryDirectory() as folder:
        source = given.keep or os.path.join(folder, "constant_folding.tile")
        x, y = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
        with open(source, "w") as file:
            file.write("\n".join(lines + ["}", ""]))
        write_npy(x, scalar, memoryValues)
        run = subprocess.run([given.tilec, "run", source, f"--device={given.device}", "--arg", f"x={x}", "--arg",
                              f"y=empty:{memory}[{2 * len(cases)}]", "--save", f"y={y}"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            print(f"--seed {seed}, {scalar}:\n{run.stdout}")
            return len(cases), len(cases)
        found = read_npy(y)
    wrong = 0
    for (constant, loaded), one, other in zip(cases, found, found[len(cases):]):
        if not is_same(scalar, one, other):
            wrong += 1
            show = lambda data: struct.unpack("<d" if memory == "f64" else "<q", data)[0]
            print(f"--seed {seed}, {scalar}: found {show(one)} for {constant}; expected {show(other)} as for {loaded}, with "
                  + ", ".join(f"c{at} = {text}" for at, (text, _) in enumerate(values) if f"c{at}" in constant))
    return wrong, len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec", metavar="TILEC")
    parser.add_argument("--seed", type=int, help="default: another one in every run")
    parser.add_argument("--cases", type=int, default=300, help="drawn of each type")
    parser.add_argument("--type", choices=list(INTEGERS) + FLOATS, help="this type alone")
    parser.add_argument("--device", choices=["cpu", "sim"], default="cpu")
    parser.add_argument("--keep", metavar="FILE", help="write the Tile program there")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    scalars = [given.type] if given.type else list(INTEGERS) + FLOATS
    wrong, total = map(sum, zip(*(check_type(given, scalar, seed) for scalar in scalars)))
    print(f"{total - wrong} of {total} operations on constants give what they give at run time, seed {seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

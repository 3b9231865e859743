#!/usr/bin/env python3
"""Conversions of 8-bit floats against a model of them that knows no bit tricks: the table of all numbers, and the nearest
one of it.

    float8.py [--device cpu|sim|gpu] [--arch sm_NN] TILEC

All 256 numbers of both formats widen. To them is rounded: f32 for every upper half of its bits, each with the lowest and
the highest lower half, and every tie with both of its neighbours; f64 next to each tie, which f32 would take for it; f16
and bf16, all of them; integers around each tie and at the ends.
"""
import argparse
import bisect
import math
import os
import struct
import subprocess
import sys
import tempfile

FORMATS = {"f8e4m3": (4, 3), "f8e5m2": (5, 2)}
BLOCK = 1024

PROGRAM = """
kernel widen<T: type = f8e4m3>(x: tensor<T>[N], out a: tensor<f32>[N], out b: tensor<f16>[N], out c: tensor<bf16>[N],
                               out d: tensor<f64>[N]) grid [1] {
    let v = x[0 :+ 256]
    a[0 :+ 256] = v
    b[0 :+ 256] = v
    c[0 :+ 256] = v
    d[0 :+ 256] = v
}

kernel narrow<S: type = f32>(x: tensor<S>[N], out a: tensor<f8e4m3>[N], out b: tensor<f8e5m2>[N],
                             out c: tensor<f8e5m2>[N]) grid [cdiv(N, 1024)] {
    let i = program_id(0) * 1024
    let v = x[i :+ 1024]
    a[i :+ 1024] = v as f8e4m3
    b[i :+ 1024] = v as f8e5m2
    c[i :+ 1024] = v as f8e5m2 with (overflow = inf)
}

kernel scalars(x: tensor<f8e4m3>[N], out a: tensor<f32>[N], out b: tensor<f8e5m2>[N]) grid [N] {
    let i = program_id(0)
    a[i] = x[i]
    b[i] = x[i] as f8e5m2
}
"""


def value_of(form, code):
    """The number of a code."""
    exponentBits, mantissaBits = FORMATS[form]
    bias = (1 << exponentBits - 1) - 1
    exponent, mantissa = code >> mantissaBits & (1 << exponentBits) - 1, code & (1 << mantissaBits) - 1
    sign = -1.0 if code & 0x80 else 1.0
    if form == "f8e4m3" and code & 0x7f == 0x7f:
        return math.nan
    if form == "f8e5m2" and exponent == 31:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissaBits)
    return sign * math.ldexp((1 << mantissaBits) + mantissa, exponent - bias - mantissaBits)


FINITE = {form: [value for value in (value_of(form, code) for code in range(0x80)) if math.isfinite(value)]
          for form in FORMATS}


def ties_of(form):
    """What lies halfway between two neighbours, and halfway past the largest number."""
    table = FINITE[form]
    past = table[-1] + (table[-1] - table[-2])
    return [(low + high) / 2 for low, high in zip(table, table[1:] + [past])]


def nearest(form, value, overflow="finite"):
    """The code that `value`, a float that has all of its digits, or an integer, rounds to; None for NaN."""
    if value != value:
        return None
    table = FINITE[form]
    sign = 0x80 if math.copysign(1, value) < 0 else 0
    size = abs(value)
    last = len(table) - 1
    past = table[last] + (table[last] - table[last - 1])
    if size >= table[last]:
        # Past the end rounding is as if the next number were there, which is not finite.
        isBeyond = size > (table[last] + past) / 2 or (size == (table[last] + past) / 2 and last % 2 == 1)
        return sign | (last + 1 if isBeyond and overflow == "inf" else last)
    low = bisect.bisect_right(table, size) - 1
    half = (table[low] + table[low + 1]) / 2
    return sign | (low + 1 if size > half or (size == half and low % 2 == 1) else low)


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def singles():
    bits = [half << 16 | low for half in range(1 << 16) for low in (0, 0xffff)]
    for form in FORMATS:
        for tie in ties_of(form):
            at = bits_of(tie)
            bits += [sign | at + step for sign in (0, 1 << 31) for step in (-1, 0, 1)]
    return struct.pack(f"<{len(bits)}I", *bits), [single(each) for each in bits]


def doubles():
    values = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e300, -1e300, 1e-300, -1e-300, 5e-324, 447.9, 57343.9]
    for form in FORMATS:
        for tie in ties_of(form):
            for factor in (1 - 2**-52, 1.0, 1 + 2**-52, 1 - 2**-30, 1 + 2**-30):
                values += [tie * factor, -tie * factor]
    return struct.pack(f"<{len(values)}d", *values), values


def halves():
    data = struct.pack("<65536H", *range(1 << 16))
    return data, list(struct.unpack("<65536e", data))


def brains():
    return struct.pack("<65536H", *range(1 << 16)), [single(bits << 16) for bits in range(1 << 16)]


def integers(bits, isSigned):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if isSigned else (0, (1 << bits) - 1)
    values = {low, low + 1, high, high - 1}
    for form in FORMATS:
        for tie in ties_of(form):
            values |= {sign * int(tie) + step for sign in (1, -1) for step in (-1, 0, 1)}
    for power in range(20, bits):
        values |= {(1 << power) + step for step in (-1, 0, 1)} | {-(1 << power) + step for step in (-1, 0, 1)}
    values = sorted(value for value in values if low <= value <= high)
    letter = {8: "b", 16: "h", 32: "i", 64: "q"}[bits]
    return struct.pack(f"<{len(values)}{letter if isSigned else letter.upper()}", *values), values


SOURCES = {"f32": ("<f4", singles), "f64": ("<f8", doubles), "f16": ("<f2", halves), "bf16": ("<u2", brains),
           "i8": ("<i1", lambda: integers(8, True)), "u16": ("<u2", lambda: integers(16, False)),
           "i32": ("<i4", lambda: integers(32, True)), "u32": ("<u4", lambda: integers(32, False)),
           "i64": ("<i8", lambda: integers(64, True))}


def write_npy(path, code, data):
    count = len(data) // int(code[2:])
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    return data[10 + struct.unpack_from("<H", data, 8)[0]:]


class Checker:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.source = os.path.join(folder, "float8.tile")
        self.checked = self.wrong = 0
        with open(self.source, "w") as file:
            file.write(PROGRAM)

    def run(self, kernel, code, data, outputs):
        """Bytes of the outputs, which are `name: type`."""
        path = {name: os.path.join(self.folder, name + ".npy") for name in ["x", *outputs]}
        write_npy(path["x"], code, data)
        count = len(data) // int(code[2:])
        command = [self.given.tilec, "run", self.source, "--kernel", kernel, f"--device={self.given.device}",
                   f"--arch={self.given.arch}", "--arg", "x=" + path["x"], "--checks=none"]
        if self.given.device != "sim":
            command.remove("--checks=none")
        for name, scalar in outputs.items():
            command += ["--arg", f"{name}=empty:{scalar}[{count}]", "--save", f"{name}={path[name]}"]
        return command, path

    def call(self, kernel, code, data, outputs, extra):
        command, path = self.run(kernel, code, data, outputs)
        done = subprocess.run(command + extra, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command + extra)}\n{done.stdout}")
        return {name: read_npy(path[name]) for name in outputs}

    def expect(self, what, found, wanted, show):
        self.checked += 1
        if found == wanted:
            return
        self.wrong += 1
        if self.wrong <= 20:
            print(f"{what}: found {show(found)}; expected {show(wanted)}")

    def widen(self, form):
        outputs = {"a": ("f32", "<256f"), "b": ("f16", "<256e"), "c": ("bf16", "<256H"), "d": ("f64", "<256d")}
        found = self.call("widen", "|u1", bytes(range(256)), {name: of for name, (of, _) in outputs.items()},
                          ["-D", f"T={form}"])
        for name, (scalar, letters) in outputs.items():
            values = struct.unpack(letters, found[name])
            for code, value in enumerate(values):
                value = single(value << 16) if scalar == "bf16" else value
                wanted = value_of(form, code)
                asText = lambda number: "nan" if number != number else f"{number!r}"
                self.expect(f"{form} 0x{code:02x} as {scalar}", asText(value), asText(wanted), str)

    def narrow(self, scalar):
        code, make = SOURCES[scalar]
        data, values = make()
        found = self.call("narrow", code, data, {"a": "f8e4m3", "b": "f8e5m2", "c": "f8e5m2"}, ["-D", f"S={scalar}"])
        show = lambda code: "nan" if code is None else f"0x{code:02x}"
        for name, form, overflow in [("a", "f8e4m3", "finite"), ("b", "f8e5m2", "finite"), ("c", "f8e5m2", "inf")]:
            for value, byte in zip(values, found[name]):
                isNan = value_of(form, byte) != value_of(form, byte)
                self.expect(f"{scalar} {value!r} as {form}, overflow = {overflow}", None if isNan else byte,
                            nearest(form, value, overflow), show)

    def scalars(self):
        found = self.call("scalars", "|u1", bytes(range(256)), {"a": "f32", "b": "f8e5m2"}, [])
        show = lambda code: "nan" if code is None else f"0x{code:02x}"
        for code, byte in enumerate(found["b"]):
            isNan = value_of("f8e5m2", byte) != value_of("f8e5m2", byte)
            self.expect(f"f8e4m3 0x{code:02x} as f8e5m2", None if isNan else byte,
                        nearest("f8e5m2", value_of("f8e4m3", code)), show)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec", metavar="TILEC")
    parser.add_argument("--device", choices=["cpu", "sim", "gpu"], default="cpu")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--source", choices=list(SOURCES), help="what is rounded; default: all")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(given, folder)
        for form in FORMATS:
            checker.widen(form)
        checker.scalars()
        for scalar in [given.source] if given.source else SOURCES:
            checker.narrow(scalar)
    print(f"{checker.checked - checker.wrong} of {checker.checked} conversions are right")
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

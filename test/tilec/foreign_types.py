#!/usr/bin/env python3
"""Every row of ForeignTypes.def gets its suggestion: in a source, and in an argument of a launch where a tensor may have
the type.

    foreign_types.py TILEC ForeignTypes.def
"""
import os
import re
import subprocess
import sys
import tempfile

PREFIXES = ["", "tl.", "torch."]


def messages(*command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.stdout


def main():
    tilec, table = sys.argv[1:]
    with open(table) as file:
        rows = re.findall(r'^TILE_FOREIGN_TYPE\("(.+)", "(.+)"\)', file.read(), re.MULTILINE)
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "types.tile")
        for at, (theirs, ours) in enumerate(rows):
            with open(source, "w") as file:
                file.write(f"kernel k(x: tensor<{theirs}>[N]) grid [1] {{ }}\n")
            wanted = f"the type is called `{ours}`"
            found = messages(tilec, source, "-o", os.path.join(folder, "k.cubin"))
            text = f"rand:{PREFIXES[at % len(PREFIXES)]}{theirs}[3]"
            argument = f"found `{text}`; expected `rand:{ours}[3]`" if ours != "index" else "unknown element type"
            given = messages(tilec, "run", source, "--device=cpu", "--arg", f"x={text}")
            right += wanted in found and argument in given
            if wanted not in found:
                print(f"{theirs}: expected {wanted}; found:\n{found}")
            if argument not in given:
                print(f"{text}: expected {argument}; found:\n{given}")
    print(f"{right} of {len(rows)} types get their suggestions")


main()

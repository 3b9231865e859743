#!/usr/bin/env python3
"""Proves the simulator's checks by kernels with one fault each.

  mutants.py TABLE.toml... [--tilec PATH] [--examples FOLDER] [--base NAME] [--readme FILE [--write]]

A table names bases, which are right kernels with their launch, and mutants of them, each an edit of the PTX. Every base
must run under eight schedules without a finding and with one result. Every mutant must be caught: by a finding, or since
what it leaves in memory is not what the base leaves. Caught under how many schedules, and as what, goes into the table of
the README, which `--readme` compares and `--write` writes.

An edit is `find` and `replace`, and `find` must stand in the kernel exactly once; or `line`, a regular expression of which
the `nth` line (from 1) becomes `replace`, nothing if that is left out. An edit that does not apply is an error: the
kernel has changed and the mutant must follow.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib

SEEDS = 8
MOST_STEPS = 20000  # of a warp; bases need less than a tenth
BEGIN, END = "<!-- begin mutants -->\n", "<!-- end mutants -->\n"


class Failure(Exception):
    pass


def kernel_text(ptx, name):
    """The place of the kernel's text in the module."""
    start = re.search(r"\.entry\s+" + re.escape(name) + r"\s*\(", ptx)
    if not start:
        raise Failure(f"the module has no kernel `{name}`")
    end = ptx.find("\n}", start.start())
    return start.start(), end


def edit(ptx, kernel, mutant):
    begin, end = kernel_text(ptx, kernel)
    text = ptx[begin:end]
    if "find" in mutant:
        count = text.count(mutant["find"])
        if count != 1:
            raise Failure(f"`{mutant['find'].strip()}` stands {count} times in `{kernel}`; expected once")
        text = text.replace(mutant["find"], mutant["replace"])
    else:
        places = [match for match in re.finditer(r"^.*$", text, re.M) if re.search(mutant["line"], match[0])]
        nth = mutant.get("nth", 1)
        if len(places) < nth:
            raise Failure(f"found {len(places)} lines like `{mutant['line']}` in `{kernel}`; expected {nth} or more")
        match = places[nth - 1]
        line = re.sub(r"^.*?" + mutant["line"] + r".*$", mutant.get("replace", ""), match[0])
        if line == match[0]:
            raise Failure(f"the edit of line {nth} like `{mutant['line']}` changes nothing")
        text = text[:match.start()] + line + text[match.end():]
    return ptx[:begin] + text + ptx[end:]


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def ptx_of(self, base):
        if "ptx" in base:
            with open(os.path.join(self.options.folder, base["ptx"])) as file:
                return file.read()
        source = base["tile"].replace("%examples", os.path.abspath(self.options.examples))
        cubin = os.path.join(self.folder, "kernel.cubin")
        compiled = [self.options.tilec, os.path.join(self.options.folder, source), *base["options"]]
        self.output_of(compiled + ["-o", cubin])
        shared = re.search(re.escape(base["kernel"]) + r", .* (\d+) bytes of shared memory",
                           self.output_of([self.options.tilec, "inspect", cubin]))
        base["shared"] = int(shared[1]) if shared else 0
        return self.output_of(compiled + ["--emit=ptx"])

    def output_of(self, command):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise Failure(f"`{' '.join(command)}` failed:\n{result.stderr}")
        return result.stdout

    def run(self, ptx, base, seed, seeds=1):
        """The kinds of what is found, and the bytes of each output."""
        path = os.path.join(self.folder, "kernel.ptx")
        with open(path, "w") as file:
            file.write(ptx)
        saved = [os.path.join(self.folder, f"{number}.npy") for number in base["outputs"]]
        command = [self.options.tilec, "sim", path, "--kernel=" + base["kernel"], "--json", f"--seed={seed}",
                   f"--seeds={seeds}", f"--max-steps={MOST_STEPS}",
                   "--grid=" + base.get("grid", "1"), f"--shared={base.get('shared', 0)}"]
        command += ["--block=" + base["block"]] if "block" in base else []
        for argument in base["arguments"]:
            # The values do not depend on the schedule: files, not seeds.
            command += ["--arg", self.value(argument)]
        for number, file in zip(base["outputs"], saved):
            command += ["--save", f"{number}={file}"]
        result = subprocess.run(command, capture_output=True, text=True)
        try:
            found = json.loads(result.stdout)
        except json.JSONDecodeError:
            raise Failure(f"no result:\n{result.stderr}") from None
        kinds = sorted({finding["fault"] for finding in found["findings"]})
        if result.returncode and not kinds:
            kinds = ["differs"]  # between schedules
        contents = []
        for file in saved:
            with open(file, "rb") as stream:
                contents.append(stream.read())
        return kinds, contents, result.stderr

    def value(self, argument):
        """`rand:f16[4,4]` as a file that is the same for every schedule; what no seed changes as it is."""
        if not argument.startswith(("rand:", "uniform:")):
            return argument
        path = os.path.join(self.folder, re.sub(r"\W", "_", argument) + ".npy")
        if not os.path.exists(path):
            copy = os.path.join(self.options.folder, "Inputs", "nothing.ptx")
            subprocess.run([self.options.tilec, "sim", copy, "--seed=7", "--arg", argument, "--save", f"0={path}"],
                           check=True, capture_output=True)
        return path


def try_base(runner, name, base):
    """The base's text and results, if nothing is wrong with it."""
    ptx = runner.ptx_of(base)
    kinds, expected, errors = runner.run(ptx, base, 1, SEEDS)
    if kinds:
        raise Failure(f"the base is not right: {', '.join(kinds)}\n{errors}")
    return ptx, expected


def try_mutant(runner, base, mutant, ptx, expected):
    """A row of the table: as what it is caught, and under how many schedules."""
    edited = edit(ptx, base["kernel"], mutant)
    for seed in range(1, SEEDS + 1):
        kinds, contents, _ = runner.run(edited, base, seed)
        if contents != expected:
            kinds = kinds + ["wrong-result"]
        if not kinds:
            continue
        wanted = mutant["expect"]
        if not set(kinds) & set(wanted):
            raise Failure(f"caught as {', '.join(kinds)}; expected {' or '.join(wanted)}")
        return next(kind for kind in wanted if kind in kinds), seed
    raise Failure(f"survives {SEEDS} schedules; expected {' or '.join(mutant['expect'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--tilec", default="tilec")
    parser.add_argument("--examples", default="")
    parser.add_argument("--base", help="only this one")
    parser.add_argument("--readme")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.folder = os.path.dirname(os.path.abspath(__file__))
    bases = {}
    for table in options.tables:
        with open(table, "rb") as file:
            bases.update(tomllib.load(file)["base"])
    rows, failures = [], 0

    def attempt(what, function, *arguments):
        nonlocal failures
        try:
            return function(*arguments)
        except Failure as failure:
            failures += 1
            print(f"{what}: {failure}")
            return None

    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        for name, base in bases.items():
            if options.base not in (None, name):
                continue
            right = attempt(name, try_base, runner, name, base)
            for mutant in base["mutant"] if right else []:
                what = f"{name}, {mutant['name']}"
                caught = attempt(what, try_mutant, runner, base, mutant, *right)
                if caught:
                    rows.append(f"| {name} | {mutant['name']} | {caught[0]} | {caught[1]} |\n")
    text = BEGIN + "| kernel | fault | caught as | schedules |\n|---|---|---|---|\n" + "".join(rows) + END
    print(f"{len(rows)} mutants caught, {failures} failures")
    if options.readme and not failures and not options.base:
        with open(options.readme) as file:
            readme = file.read()
        head, _, rest = readme.partition(BEGIN)
        tail = rest.partition(END)[2]
        if options.write:
            with open(options.readme, "w") as file:
                file.write(head + text + tail)
        elif head + text + tail != readme:
            print(f"{options.readme} is not what was found; run this with --write\n{text}")
            failures += 1
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())

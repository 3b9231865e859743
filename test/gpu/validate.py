#!/usr/bin/env python3
"""Holds the simulator against a GPU, and keeps the record of that.

  validate.py run FOLDER OUT      on a machine with a GPU and ptxas: runs FOLDER/tile-sim-validate class by class and the
                                  kernels in FOLDER/record, and writes OUT/results.json; test/gpu/pack_validation.sh makes
                                  FOLDER
  validate.py table [--check]     rewrites the section of backend/simulator/README.md from the newest record; with --check
                                  fails if that would change anything
  validate.py hashes PROGRAM      fails if the simulator, tile-sim-validate, gives other results than when the newest record
                                  was made
"""
import argparse
import concurrent.futures
import datetime
import glob
import json
import os
import subprocess
import sys
import tempfile

import table

README = os.path.join(table.ROOT, "backend", "simulator", "README.md")
BEGIN = "<!-- begin test/gpu/validate.py -->\n"
END = "<!-- end test/gpu/validate.py -->\n"
CLASS_LIMIT = 240  # seconds


def output(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def newest():
    """The last record by name, which starts with its date."""
    paths = sorted(glob.glob(os.path.join(table.RESULTS, f"*{table.SIMULATOR}")))
    return read_json(paths[-1]) if paths else None


# On the GPU.


def assemble(path):
    """Makes a cubin beside the PTX; gives the assembler's words where it refuses."""
    process = subprocess.run(["ptxas", "-arch=sm_90a", path, "-o", path[: -len("ptx")] + "cubin"], capture_output=True,
                             text=True)
    return f"{os.path.basename(path)}: {process.stdout}{process.stderr}" if process.returncode else ""


def assemble_all(folder):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(assemble, sorted(glob.glob(os.path.join(folder, "*.ptx")))):
            print(text, end="", flush=True)


def step(command, limit):
    """Runs a step; gives its exit code, or "timeout", and what it printed."""
    try:
        process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit)
        return process.returncode, process.stdout
    except subprocess.TimeoutExpired as error:
        return "timeout", (error.stdout or b"").decode()


def start_record(folder):
    """What a record says about where it was made."""
    gpu, driver = output(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).strip().split(", ")
    record = {"date": datetime.date.today().isoformat(), "gpu": gpu, "driver": driver,
              "assembler": "ptxas " + output(["ptxas", "--version"]).split(", V")[1].split()[0]}
    for name in ("commit", "compiler"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            record[name] = file.read().strip()
    return {**record, "classes": [], "failures": []}


def run(options):
    program = os.path.join(options.folder, "tile-sim-validate")
    sweep, keep, path = (os.path.join(options.out, name) for name in ("sweep", "differing", "class.json"))
    for folder in (sweep, keep):
        os.makedirs(folder, exist_ok=True)
    subprocess.run([program, "--write", sweep], check=True)
    assemble_all(sweep)
    record = start_record(options.folder)
    for name in output([program, "--classes"]).splitlines():
        code, text = step([program, "--class", name, "--gpu", "--cubins", sweep, "--keep", keep, "--json", path],
                          CLASS_LIMIT)
        print(f"{name}: {'ok' if code == 0 else f'{code}, {text[:2000]}'}", flush=True)
        if code == 0:
            record["classes"] += read_json(path)
        else:
            record["failures"].append({"class": name, "exit": code, "output": text[:2000]})
    tests = os.path.join(options.folder, "record")
    assemble_all(tests)
    replay = os.path.join(os.path.dirname(os.path.abspath(__file__)), "replay.py")
    code, text = step([sys.executable, replay, tests], CLASS_LIMIT)
    print(text, end="")
    record["tests"] = text.splitlines()
    if code:
        record["failures"].append({"class": "tests", "exit": code})
    with open(os.path.join(options.out, "results.json"), "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1)
    return int(bool(record["failures"]))


# The record.


def row(found):
    """A class as cells: how many elements of exact instructions differ, and which ones."""
    exact = [one for one in found["differences"] if "beyond" not in one]
    differing = sum(one["differing"] for one in exact)
    names = ", ".join(f"`{one['instruction']}`" for one in exact)
    only_bounded = len(found["differences"]) > len(exact) == 0
    return (found["class"], str(found["kernels"]), str(found["instructions"]), f"{found['elements']:,}",
            "see below" if only_bounded else f"{differing:,}" + (f": {names}" if names else ""))


def bounded_rows(record):
    """Approximate instructions as cells."""
    for found in record["classes"]:
        for one in found["differences"]:
            if "beyond" in one:
                yield (f"`{one['instruction']}`", f"{one['elements']:,}", f"{one['differing']:,}",
                       f"{one['of_bound']:.2f}" + (f", {one['beyond']} beyond" if one["beyond"] else ""))


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(cells) + " |" for cells in rows]


def section(record):
    """The record as Markdown."""
    lines = [f"{record['gpu']}, driver {record['driver']}, {record['assembler']}, {record['compiler']}, commit "
             f"{record['commit'][:10]}, {record['date']}. The recorded runs of the unit tests: {record['tests'][-1]}.", ""]
    lines += markdown(("class", "kernels", "forms", "elements compared", "elements that differ"),
                      map(row, record["classes"]))
    lines += ["", "Approximate instructions differ in their last bits; the largest difference, as a part of what their "
              "bound and one rounding allow:", ""]
    lines += markdown(("instruction", "elements", "other bits", "largest, of what is allowed"), bounded_rows(record))
    return "\n".join(lines) + "\n"


def write_table(options):
    old = table.read(README)
    new = table.replaced(old, section(newest()), BEGIN, END)
    if options.check:
        if old != new:
            print("validate: backend/simulator/README.md differs from the newest record; run test/gpu/validate.py table")
        return int(old != new)
    with open(README, "w", encoding="utf-8") as file:
        file.write(new)
    return 0


def changed(record, classes):
    """What the simulator gives otherwise than the record says, one line each."""
    known = {found["class"]: found for found in record["classes"]}
    for found in classes:
        then = known.get(found["class"])
        for key in ("kernels", "instructions", "elements", "hash"):
            if then is None or then[key] != found[key]:
                yield f"{found['class']}: {key} {found[key]}; expected {then[key] if then else 'none'}"


def check_hashes(options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "classes.json")
        subprocess.run([options.program, "--json", path], check=True)
        lines = list(changed(newest(), read_json(path)))
    for line in lines:
        print(line)
    if lines:
        print("validate: not what was compared with a GPU; run test/gpu/validate.py on one and record its results")
    return int(bool(lines))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("folder")
    command.add_argument("out")
    command.set_defaults(call=run)
    command = commands.add_parser("table")
    command.add_argument("--check", action="store_true")
    command.set_defaults(call=write_table)
    command = commands.add_parser("hashes")
    command.add_argument("program")
    command.set_defaults(call=check_hashes)
    options = parser.parse_args(arguments)
    return options.call(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

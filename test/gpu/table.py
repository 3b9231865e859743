#!/usr/bin/env python3
"""Writes README.md's section on speed from the newest record in test/gpu/results.

  table.py            rewrites what stands between the markers in README.md; nothing where there is no record
  table.py --check    fails if that would change anything
  table.py FILE       prints the table of one record
"""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = os.path.join(ROOT, "test", "gpu", "results")
README = os.path.join(ROOT, "README.md")
BEGIN = "<!-- begin test/gpu/table.py -->\n"
END = "<!-- end test/gpu/table.py -->\n"
SIMULATOR = "-simulator.json"  # ends the names of validate.py's records
SPACES = "-spaces.json"  # and of those of spaces.py
PRODUCTS = (" Matrix products and attention are the best configuration of the grid in `test/gpu/grids.py`; their launches "
            "follow each other in CUDA graphs, and the cache stays as it is. Products of few rows, with GB/s, take "
            "other weights each time.")
HEAD = ("kernel", "problem", "µs, median (p10, p90)", "rate", "peer", "µs", "peer's time / ours")


def rate(result):
    """What the kernel is bound by, in a second: bytes, or operations where it multiplies matrices."""
    time = result["ours_us"]["median"]
    if "flops" in result:
        return f"{result['flops'] / time * 1e-6:.0f} TFLOP/s"
    return f"{result['bytes'] / time * 1e-3:.0f} GB/s"


def row(result):
    """One measurement against one peer as cells."""
    ours, peer = result["ours_us"], result["peer_us"]
    problem = "; ".join([result["problem"]] + [result[key] for key in ("configuration",) if key in result])
    return (result["name"], problem, f"{ours['median']:.1f} ({ours['p10']:.1f}, {ours['p90']:.1f})", rate(result),
            result["peer"], f"{peer['median']:.1f}", f"{peer['median'] / ours['median']:.3f}")


def launches(record):
    """What launches cost the CPU as Markdown lines; none where the record does not have it."""
    launch = record.get("launch")
    if not launch:
        return []
    bare = launch["bare_us"]
    ways = (("prepared", "a prepared launch"), ("rebased", "one with new memory"), ("checked", "one that checks anew"))
    costs = ", ".join(f"{text} {launch[f'{name}_us'] / bare:.2f}" for name, text in ways)
    return ["", f"A launch costs the CPU {bare:.2f} µs by the bare driver call; of that, {costs}."]


def table(record):
    """The record as Markdown."""
    lines = [f"{record['gpu']}, driver {record['driver']}, {record['compiler']}, commit {record['commit'][:10]}, "
             f"{record['date']}. Each pair was measured interleaved in one process, on random data with the L2 cache "
             "evicted before every launch; `copy` is the driver's device-to-device copy of as many bytes."
             + (PRODUCTS if any("flops" in result for result in record["results"]) else ""), "",
             "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(row(result)) + " |" for result in record["results"]]
    lines += launches(record)
    return "\n".join(lines) + "\n"


def newest():
    """The last record by name, which starts with its date; None without any."""
    names = os.listdir(RESULTS) if os.path.isdir(RESULTS) else []
    names = sorted(name for name in names if name.endswith(".json") and not name.endswith((SIMULATOR, SPACES)))
    return os.path.join(RESULTS, names[-1]) if names else None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def replaced(readme, text, first=BEGIN, last=END):
    """`readme` with `text` between the markers."""
    head, begin, rest = readme.partition(first)
    _, end, tail = rest.partition(last)
    if not begin or not end:
        sys.exit(f"table: README.md lacks the lines {first.strip()} and {last.strip()}")
    return head + begin + text + end + tail


def main(arguments):
    if arguments and arguments[0] != "--check":
        print(table(json.loads(read(arguments[0]))), end="")
        return 0
    record = newest()
    section = f"## Speed\n\n{table(json.loads(read(record)))}\n" if record else ""
    old = read(README)
    new = replaced(old, section)
    if arguments:
        if old != new:
            print("table: README.md differs from the newest record in test/gpu/results; run test/gpu/table.py")
        return int(old != new)
    with open(README, "w", encoding="utf-8") as file:
        file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

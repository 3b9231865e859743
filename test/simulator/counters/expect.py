"""Reads what `tilec run --counters=json` prints and says which of the rules named on the command line it breaks.

A rule that speaks of what the kernel does not do would hold for nothing: each first expects that the kernel does it.
"""
import json
import sys


def instructions(report):
    for line in report["counters"]["lines"]:
        for instruction in line["instructions"]:
            yield line, instruction


def wasteful(report, found, ideal):
    """Instructions of which more was counted than had to be."""
    counted = 0
    for line, instruction in instructions(report):
        counted += instruction.get(found, 0)
        if instruction.get(found, 0) > instruction.get(ideal, 0):
            yield (f"`{instruction['text']}`, `{line['text']}`: "
                   f"{found} {instruction[found]}; expected {instruction.get(ideal, 0)}")
    if not counted:
        yield f"no {found}; expected some"


def no_conflicts(report):
    yield from wasteful(report, "shared_wavefronts", "shared_ideal_wavefronts")


def coalesced(report):
    yield from wasteful(report, "global_sectors", "global_ideal_sectors")


def wide(report):
    """Every lane that accesses global memory moves 16 bytes."""
    for line, instruction in instructions(report):
        moved, lanes = instruction.get("global_bytes", 0), instruction.get("lanes", 0)
        if moved and moved != 16 * lanes:
            yield f"`{instruction['text']}`, `{line['text']}`: {moved} bytes of {lanes} lanes; expected 16 each"


def aligned_barriers(report):
    total = report["counters"]["total"]
    if not total.get("barriers"):
        yield "no barriers; expected some"
    if total.get("divergent_barriers"):
        yield f"{total['divergent_barriers']} barriers without some lanes of their warp"


def no_divergence(report):
    if report["counters"]["total"].get("divergent_branches"):
        yield "lanes differ on a branch"


def tensor_cores(report):
    if not report["counters"]["total"].get("mmas"):
        yield "no matrix instruction"


def in_registers(report):
    if report["counters"]["total"].get("shared_requests"):
        yield "shared memory is accessed"


RULES = {rule.__name__.replace("_", "-"): rule for rule in
         (no_conflicts, coalesced, wide, aligned_barriers, no_divergence, tensor_cores, in_registers)}


def main():
    report = json.load(sys.stdin)
    faults = [fault for name in sys.argv[1:] for fault in RULES[name](report)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs every lint rule over the tree and prints the faults; exits with 1 if there is one.

A fault listed in exemptions.txt is forgiven. That list may only shrink: a line that forgives nothing is itself a fault.
"""
import os
import sys

import layers
import rules

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOT_OURS = {".git", ".cache", "build", "__pycache__"}
RULES = (layers.include_edges, layers.link_edges, layers.unused_rows, rules.file_sizes, rules.file_names,
         rules.top_level, rules.machine_paths, rules.message_wording, rules.messages_tested, rules.diagnostics_tested,
         rules.tile_ops_tested)


def read_tree(root):
    """Path from `root`: text, of every text file that is not built."""
    files = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in NOT_OURS]
        for name in set(names) - NOT_OURS:
            path = os.path.join(folder, name)
            try:
                with open(path, encoding="utf-8") as file:
                    files[os.path.relpath(path, root)] = file.read()
            except (UnicodeDecodeError, FileNotFoundError):
                pass  # not text: an .npy file, or a link to nowhere
    return files


def forgive(faults, exemptions):
    """The faults that no exemption starts, and a fault for each exemption that forgave nothing. An exemption is a line
    `rule: start of the fault  # reason`."""
    listed = {}
    for line in exemptions.split("\n"):
        text, _, reason = line.partition("  # ")
        if text.strip() and not text.startswith("#"):
            listed[text.strip()] = reason.strip()
    used = set()
    left = []
    for fault in faults:
        start = next((text for text in listed if fault.startswith(text)), None)
        if start:
            used.add(start)
        else:
            left.append(fault)
    for text, reason in listed.items():
        if text not in used:
            left.append(f"exemptions.txt: `{text}` forgives nothing any more; remove the line")
        elif not reason:
            left.append(f"exemptions.txt: `{text}` gives no reason; add `  # why`")
    return left


def main():
    files = read_tree(ROOT)
    faults = [f"{rule.__name__}: {fault}" for rule in RULES for fault in rule(files)]
    left = forgive(faults, files.get("test/lint/exemptions.txt", ""))
    print("\n".join(left), end="\n" if left else "")
    print(f"lint: {len(RULES)} rules over {len(files)} files, {len(left)} faults")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())

"""Prints which fields of a report in JSON, from standard input, the README at `argv[1]` does not name."""
import json
import sys

# What has names of the kernel, or is explained elsewhere.
OTHERS = {"launch", "key", "configuration", "chosen", "pruned"}


def fields(value):
    if isinstance(value, list):
        for each in value:
            yield from fields(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            if name not in OTHERS:
                yield from fields(each)


with open(sys.argv[1], encoding="utf-8") as readme:
    text = readme.read()
found = sorted(set(fields(json.load(sys.stdin)["launches"])))
print(f"{len(found)} fields; not in the README:", *(name for name in found if f"`{name}`" not in text))

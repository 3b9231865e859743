"""Compares each trial of the report in argv[1] with the line that an export, on standard input, has of it."""
import json
import sys

ENVELOPE = {"record", "schema", "date"}

exported = [json.loads(line) for line in sys.stdin]
compared = 0
for launch in json.load(open(sys.argv[1], encoding="utf-8"))["launches"]:
    key = launch["key"]
    for trial in launch["trials"]:
        [line] = [each for each in exported if each["record"] == "trial" and key.items() <= each.items()
                  and each["configuration"] == trial["configuration"]]
        content = {name: value for name, value in line.items() if name not in ENVELOPE and name not in key}
        different = [name for name in content if trial.get(name) != content[name]]
        if different:
            sys.exit(f"{trial['configuration']}: {different} are not as exported")
        compared += 1
print(f"{compared} trials as exported")

"""Says of the first launch of a report what was chosen, and how many configurations had which outcome."""
import collections
import json
import sys

launch = json.load(sys.stdin)["launches"][0]
trials = launch["trials"]
counts = sorted(collections.Counter(trial["outcome"] for trial in trials).items())
samples = [len(trial["samplesUs"]) for trial in trials if "samplesUs" in trial]
print(f"{launch['source']} BLOCK = {launch['chosen']['BLOCK']}; earlier {sum('earlier' in trial for trial in trials)};",
      ", ".join(f"{outcome} {count}" for outcome, count in counts) + f"; rounds {min(samples)} to {max(samples)}")

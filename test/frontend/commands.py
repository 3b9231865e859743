"""Runs every command of a Markdown file that uses `tilec`.

    python3 commands.py FILE.md

Taken are the lines of `sh` fences that begin with `tilec`, in order, each with the shell, all in one new folder. There
stand `examples`, and every `tile` fence whose paragraph before it ends by naming a file: "Put this into `argmax.tile`:".
A command must exit with 0, or with 1 where the comment behind it says `# fails`; of those behind `on the GPU` also for the
reason that there is none.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(\w+\.tile)`[^`\n]*:\n\n```tile[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text):
    """(line number, command) of every command."""
    for block in SHELL.finditer(text):
        first = text.count("\n", 0, block.start()) + 2
        for number, line in enumerate(block.group(1).splitlines()):
            if line.startswith("tilec "):
                yield first + number, line


def main(path):
    text = pathlib.Path(path).read_text()
    found, faults = list(commands(text)), 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
        for name, code in NAMED.findall(text):
            pathlib.Path(folder, name).write_text(code)
        # Nothing of what whoever runs this has compiled and tuned is read, or pruned.
        environment = {**os.environ, "TILE_CACHE_DIR": os.path.join(folder, "cache")}
        for number, command in found:
            result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                    capture_output=True)
            expected = 1 if re.search(r"# fails\b", command) else 0
            if re.search(r"#.*\bon the GPU\b", command) and re.search(r"found no CUDA driver|sees no GPU|on a GPU, found CPU", result.stderr):
                continue
            if result.returncode != expected:
                faults += 1
                print(f"{path}:{number}: exit code {result.returncode}; expected {expected}\n{result.stdout}{result.stderr}",
                      file=sys.stderr)
    print(f"{len(found)} commands, {faults} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Runs a command on a file that is another one, with a line more, as soon as it has been opened once.

A source `gone:FILE` is taken away instead."""
import os
import subprocess
import sys

source, path, command = sys.argv[1], sys.argv[2], sys.argv[3:]
goes = source.startswith("gone:")
source = source.removeprefix("gone:")
with open(source) as file:
    text = file.read()
with open(path + ".changed", "w") as changed:
    changed.write(text + "// more\n")
if os.path.lexists(path):
    os.remove(path)
os.mkfifo(path)
process = subprocess.Popen(command)
with open(path, "w") as pipe:  # waits for the reader
    if goes:
        os.remove(path)
    else:
        os.replace(path + ".changed", path)
    pipe.write(text)
sys.exit(process.wait(timeout=60))

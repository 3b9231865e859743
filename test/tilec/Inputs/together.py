"""Runs a command twice at the same time and prints what both print; fails where one does."""
import subprocess
import sys

both = [subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True) for _ in range(2)]
for command in both:
    print(command.communicate()[0])
sys.exit(any(command.returncode for command in both))

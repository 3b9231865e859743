"""Starts a command, interrupts it after some seconds as ctrl-C does, or by another signal, and says how it ended.

  interrupted.py SECONDS [SIGNAL] COMMAND..."""
import signal
import subprocess
import sys
import time

words = sys.argv[2:]
number = signal.Signals[words.pop(0)] if words[0].startswith("SIG") else signal.SIGINT
# Shells start background jobs with interrupts ignored.
command = subprocess.Popen(words, preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in (signal.SIGINT, number)
                                                      if each != signal.SIGKILL])
time.sleep(float(sys.argv[1]))
interrupted = time.monotonic()
command.send_signal(number)
code = command.wait(timeout=60)
print("exit code", code, "in time" if time.monotonic() < interrupted + 10 else "late")

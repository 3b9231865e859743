"""Starts a command, interrupts it after some seconds as ctrl-C does, and says how it ended."""
import signal
import subprocess
import sys
import time

command = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(float(sys.argv[1]))
interrupted = time.monotonic()
command.send_signal(signal.SIGINT)
code = command.wait(timeout=60)
print("exit code", code, "in time" if time.monotonic() < interrupted + 10 else "late")

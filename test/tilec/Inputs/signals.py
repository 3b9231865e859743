"""Runs an endless kernel on the CPU and ends it by each of several signals; prints the exit code and what was said."""
import signal
import subprocess
import sys
import time

command = ["tilec", "run", sys.argv[1], "--device=cpu", "--arg", "y=zeros:i32[4]", "--max-steps=0"]
for name in ("SIGSEGV", "SIGABRT", "SIGINT", "SIGQUIT"):
    # Shells start background jobs with interrupts ignored.
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(0.5)
    process.send_signal(getattr(signal, name))
    said = process.communicate(timeout=60)[1]
    print(f"{name}: {process.returncode}\n{said}", end="")

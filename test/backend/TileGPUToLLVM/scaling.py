"""Fails where lowering takes more than its share of time for a longer kernel.

    python3 scaling.py FOLDER

Lowers `static for` with 300 and with 1200 copies. Four times the copies take about four times as long; they would take
sixteen times where a pass looks at the whole kernel for each op. Counted is the time of the processor, which depends
the least on what else the machine does.
"""
import pathlib
import resource
import subprocess
import sys

KERNEL = """kernel k(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] {{
    var t = zeros<f32>[128]
    static for i in 0 .. {copies} {{ t = t * 0.5 + x[i * 128 :+ 128] }}
    y[0 :+ 128] = t
}}
"""
MOST = 8


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def lowering(folder, copies):
    source, tiles = (pathlib.Path(folder, f"copies{copies}{end}") for end in (".tile", ".mlir"))
    source.write_text(KERNEL.format(copies=copies))
    subprocess.run(["tilec", source, "--emit=tgpu", "-o", tiles], check=True)
    command = ["tile-opt", tiles, "--tgpu-lower-tiles", "--tgpu-scalars-to-llvm", "-o", "/dev/null"]
    return min(seconds(command) for _ in range(2))


def main(folder):
    ratio = lowering(folder, 1200) / lowering(folder, 300)
    print(f"{ratio:.1f} times as long for 4 times the copies; expected at most {MOST}")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

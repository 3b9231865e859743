"""lit's configuration of test/ir, test/frontend, test/backend and test/e2e.

Run all by `ninja check-lit`, one by `lit -v test/ir/Tile/ops.mlir`; build trees other than build/release are named by
`--param build=DIR`. In RUN lines `tile-opt` stands for `tile-opt --verify-roundtrip`. GPU lines are written
`RUN: %if gpu %{ ... %}` and run under `--param gpu=1`; those that read SASS, `%if nvdisasm %{ ... %}`.
"""
import os
import shutil
import subprocess

import lit.formats

source = os.path.dirname(__file__)
build = lit_config.params.get("build") or os.path.join(os.path.dirname(source), "build", "release")
llvm_tools = lit_config.params.get("llvm_tools") or subprocess.check_output(
    ["llvm-config-22", "--bindir"], text=True).strip()

config.name = "tile"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = source
config.test_exec_root = os.path.join(build, "test", "lit")
config.suffixes = [".mlir", ".tile", ".ll", ".test"]
config.excludes = ["Inputs", "bench", "diagnostics", "gpu", "lint", "programs", "unit"]  # run by others, or input

config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), llvm_tools, os.environ["PATH"]])
# Not that of whoever runs the tests.
config.environment["TILE_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
config.substitutions += [
    (r"(?<![\w./-])tile-opt(?![\w./-])", "tile-opt --verify-roundtrip"),
    ("%drivers", os.path.join(build, "test", "unit", "runtime")),
    ("%examples", os.path.join(os.path.dirname(source), "examples")),
]

if lit_config.params.get("gpu"):
    config.available_features.add("gpu")
if shutil.which("nvdisasm"):
    config.available_features.add("nvdisasm")

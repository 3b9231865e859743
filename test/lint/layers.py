"""Which folder may include which: the layer table as data, and the rule that reads `#include` lines against it.

A folder not listed here takes the row of its nearest listed parent. A folder may always include itself. The right side
names folders, with all below them, or single headers.
"""
import re

ROWS = {
    # folder: (folders it may include, third parties it may include)
    "ir": ("", "mlir llvm"),  # the precompiled header
    "ir/Layout": ("", ""),
    "ir/Tile": ("", "mlir llvm"),
    "ir/TileGPU": ("ir/Layout ir/Tile", "mlir llvm"),
    "ir/Analysis": ("ir/Layout ir/Tile ir/TileGPU", "mlir llvm"),
    "ir/TileToTileGPU": ("ir/Layout ir/Tile ir/TileGPU ir/Analysis", "mlir llvm"),
    "frontend/diagnostic": ("", ""),
    "frontend/ast": ("frontend/diagnostic", ""),
    "frontend/parse": ("frontend/ast frontend/diagnostic grammar", "antlr4"),
    "frontend/std": ("", ""),
    "frontend/irgen": ("frontend/ast frontend/parse frontend/diagnostic frontend/std ir/Tile", "mlir llvm"),
    "backend/target": ("", ""),
    "backend/ptx": ("backend/target", "mlir llvm nvptx"),
    "backend/TileGPUToLLVM": ("backend/target ir", "mlir llvm"),
    "backend/pipeline": ("backend/target backend/TileGPUToLLVM backend/ptx ir", "mlir llvm"),
    "backend/interpreter": ("ir/Tile", "mlir llvm"),
    "backend/tile-opt": ("backend ir", "mlir llvm"),
    "backend/simulator": ("backend/simulator", ""),
    "backend/simulator/ptx": ("", ""),
    "backend/simulator/numerics": ("", ""),
    # What decodes, runs and checks instructions is one library.
    "backend/simulator/machine": ("backend/simulator", ""),
    "backend/simulator/decode": ("backend/simulator", ""),
    "backend/simulator/exec": ("backend/simulator", ""),
    "backend/simulator/check": ("backend/simulator/ptx backend/simulator/machine", ""),
    "backend/simulator/counters": ("backend/simulator/ptx backend/simulator/machine", ""),
    "runtime": ("", ""),  # errors as values
    "runtime/artifact": ("runtime/Result.h", "json"),
    "runtime/npy": ("runtime/Result.h runtime/artifact", ""),
    "runtime/arguments": ("runtime/Result.h runtime/artifact runtime/npy", "xxhash"),
    "runtime/driver": ("runtime/Result.h", "cuda"),
    "runtime/launch": ("runtime/Result.h runtime/artifact runtime/driver", "json cuda"),
    "runtime/tune": ("runtime/Result.h runtime/artifact runtime/driver runtime/launch", "json cuda"),
    "runtime/compile": ("frontend backend ir runtime/Result.h runtime/artifact", "mlir llvm json"),
    "runtime/execute": ("frontend/diagnostic backend ir runtime", "mlir llvm json"),
    "runtime/search": ("runtime/Result.h runtime/compile runtime/tune", "llvm json"),
    "runtime/capi": ("runtime/Result.h runtime/launch runtime/tune runtime/compile", ""),
    "runtime/tilec": ("frontend backend ir runtime", "mlir llvm json cuda"),
    "examples": ("runtime/launch runtime/driver runtime/capi", "cuda"),
    "test": ("frontend backend ir runtime test", "mlir llvm antlr4 nvptx json cuda gtest benchmark"),
}

THIRD_PARTY = (
    ("mlir", re.compile(r"mlir(-c)?/")),
    ("llvm", re.compile(r"(llvm(-c)?|clang)/")),
    ("antlr4", re.compile(r"antlr4")),
    ("nvptx", re.compile(r"nvPTXCompiler\.h")),
    ("cuda", re.compile(r"cuda\.h")),
    ("json", re.compile(r"nlohmann/")),
    ("xxhash", re.compile(r"xxhash\.h")),
    ("gtest", re.compile(r"g(test|mock)/")),
    ("benchmark", re.compile(r"benchmark/")),
)
TOP = ("frontend/", "ir/", "backend/", "runtime/", "grammar/", "examples/", "test/")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def owns_tree(row):
    return not any(other.startswith(row + "/") for other in ROWS)


def row_of(folder):
    """The listed folder whose row governs `folder`, or None. A row with rows below it governs its own files alone."""
    row = folder
    while row and row not in ROWS:
        row = row.rpartition("/")[0]
    return row if row and (row == folder or owns_tree(row)) else None


def within(folder, parents):
    return any(folder == parent or folder.startswith(parent + "/") for parent in parents)


def include_edges(files):
    """Every include of a project or third-party header is one that the row of its folder allows."""
    for path, text in files.items():
        if not path.endswith((".cpp", ".h")):
            continue
        folder = path.rpartition("/")[0]
        row = row_of(folder)
        if row is None:
            yield f"{path}: folder `{folder}` has no row in test/lint/layers.py"
            continue
        folders, parties = (column.split() for column in ROWS[row])
        for include in INCLUDE.finditer(text):
            name = include.group(1)
            line = text.count("\n", 0, include.start(1)) + 1
            target = name.rpartition("/")[0]
            if name.startswith(TOP):
                own = target == folder or owns_tree(row) and within(target, [row])
                if name not in folders and not own and not within(target, folders):
                    allowed = ", ".join(folders) or "nothing"
                    yield f"{path}:{line}: `{row}` includes `{target}`; its row allows {allowed}"
                continue
            for party, pattern in THIRD_PARTY:
                if pattern.match(name) and party not in parties:
                    yield f"{path}:{line}: `{row}` includes {party}; its row allows {', '.join(parties) or 'none'}"

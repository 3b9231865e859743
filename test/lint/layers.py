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
    "ir/Analysis": ("ir/Tile", "mlir llvm"),
    "ir/TileToTileGPU": ("ir/Layout ir/Tile ir/TileGPU ir/Analysis", "mlir llvm"),
    "frontend/diagnostic": ("", ""),
    "frontend/ast": ("frontend/diagnostic", ""),
    "frontend/parse": ("frontend/ast frontend/diagnostic", "antlr4"),
    "frontend/std": ("", ""),
    "frontend/irgen": ("frontend/ast frontend/parse frontend/diagnostic frontend/std ir/Tile", "mlir llvm"),
    "backend/target": ("", ""),
    "backend/ptx": ("backend/target", "mlir llvm nvptx"),
    "backend/TileGPUToLLVM": ("ir", "mlir llvm"),
    "backend/pipeline": ("backend/target backend/TileGPUToLLVM backend/ptx ir", "mlir llvm"),
    "backend/interpreter": ("ir/Tile", "mlir llvm"),
    "backend/tile-opt": ("backend", "mlir llvm"),
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
    "runtime/arguments": ("runtime/Result.h runtime/artifact runtime/launch runtime/npy frontend/diagnostic/ForeignTypes.def",
                          "xxhash"),
    "runtime/driver": ("runtime/Result.h", "cuda"),
    "runtime/launch": ("runtime/Result.h runtime/artifact runtime/driver", ""),
    "runtime/tune": ("runtime/Result.h runtime/artifact runtime/arguments runtime/driver runtime/launch runtime/npy", "json"),
    "runtime/store": ("runtime/Result.h runtime/artifact runtime/tune", "json sqlite xxhash"),
    "runtime/compile": ("frontend backend ir runtime/artifact", "mlir llvm"),
    "runtime/execute": ("frontend/irgen backend ir runtime", "mlir llvm"),
    "runtime/search": ("frontend/ast frontend/irgen backend/pipeline backend/target ir runtime/artifact runtime/compile "
                       "runtime/execute runtime/store runtime/tune", "mlir llvm"),
    "runtime/jit": ("frontend/irgen runtime/Result.h runtime/arguments runtime/artifact runtime/driver runtime/execute "
                    "runtime/launch runtime/search runtime/store runtime/tune", "llvm"),
    "runtime/tilec": ("frontend backend ir/Tile runtime", "llvm"),
    "examples": ("runtime/driver runtime/jit runtime/launch", ""),
    "test": ("frontend backend ir runtime test", "mlir llvm cuda gtest benchmark sqlite"),
}

THIRD_PARTY = (
    ("mlir", re.compile(r"mlir(-c)?/")),
    ("llvm", re.compile(r"(llvm(-c)?|clang)/")),
    ("antlr4", re.compile(r"antlr4")),
    ("nvptx", re.compile(r"nvPTXCompiler\.h")),
    ("cuda", re.compile(r"cuda\.h")),
    ("json", re.compile(r"nlohmann/")),
    ("sqlite", re.compile(r"sqlite3\.h")),
    ("xxhash", re.compile(r"xxhash\.h")),
    ("gtest", re.compile(r"g(test|mock)/")),
    ("benchmark", re.compile(r"benchmark/")),
)
TOP = ("frontend/", "ir/", "backend/", "runtime/", "grammar/", "examples/", "test/")
SOURCES = (".cpp", ".h", ".td", ".def", ".inc")
INCLUDE = re.compile(r'^\s*#?\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


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
    for path, text in sorted(files.items()):
        if not path.endswith(SOURCES) or not path.startswith(TOP):
            if path.endswith((".cpp", ".h")):
                yield f"{path}: folder `{path.rpartition('/')[0]}` has no row in test/lint/layers.py"
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


LIBRARY = re.compile(r"\b(?:tile_add_(?:mlir_)?(?:library|executable)|add_mlir_dialect_library)\(\s*([\w.-]+)([^)]*)\)")


def link_edges(files):
    """A library of ours links those of folders whose headers its own folder may include, directly or through others:
    what is linked and may not be included is there for nobody."""
    libraries = {}
    for path, text in sorted(files.items()):
        if path.endswith("CMakeLists.txt") and path.startswith(TOP) and not path.startswith(("test/", "examples/")):
            text = re.sub(r"#.*", "", text)
            for library in LIBRARY.finditer(text):
                words = library.group(2).split()
                linked = words[words.index("LINK") + 1:] if "LINK" in words else []
                line = text.count("\n", 0, library.start()) + 1
                libraries[library.group(1)] = (path, line, path.rpartition("/")[0], linked)
    for name, (path, line, folder, linked) in libraries.items():
        row = row_of(folder)
        for other in linked:
            target = libraries[other][2] if other in libraries else None
            if target is None or row is None or target == folder or within(target, [row]):
                continue
            folders = ROWS[row][0].split()
            if not within(target, folders) and not within(folder, [target]):
                yield (f"{path}:{line}: `{name}` links `{other}` of `{target}`; the row of `{row}` allows "
                       f"{', '.join(folders) or 'nothing'}")


def unused_rows(files):
    """Every row governs a file, and every edge of it is one that an include takes: what nobody needs, nobody has
    decided. Headers of one's own folder need no edge."""
    used = {row: set() for row in ROWS}
    governs = set()
    for path, text in files.items():
        row = row_of(path.rpartition("/")[0]) if path.endswith(SOURCES) else None
        if row is None:
            continue
        governs.add(row)
        for name in INCLUDE.findall(text):
            target = name.rpartition("/")[0]
            used[row].update(edge for edge in ROWS[row][0].split() if name == edge or within(target, [edge]))
            used[row].update(party for party, pattern in THIRD_PARTY if pattern.match(name))
    for row, columns in ROWS.items():
        if row not in governs:
            yield f"row `{row}` governs no file; remove it"
            continue
        for edge in " ".join(columns).split():
            # Headers of MLIR bring those of LLVM along.
            if edge not in used[row] and not (edge == "llvm" and "mlir" in used[row]):
                yield f"row `{row}` allows `{edge}`, which nothing in it includes; remove it"

"""The lint rules beside the layers: sizes, names, message wording, machine paths, the top level, coverage.

A rule is a generator over `files` (path from the repository's root: text) that yields one line per fault.
"""
import re

LONGEST_FILE = 600  # lines; at this size a file has a second subject, unless it is a table
SOURCES = (".cpp", ".h", ".td", ".g4", ".py", ".sh", ".tile", ".mlir", ".cmake")
CODES = "frontend/diagnostic/Codes.def"
TOP_LEVEL = set("CMakeLists.txt CMakePresets.json README.md grammar frontend ir backend runtime examples test".split())


def file_sizes(files):
    """Sources stay within LONGEST_FILE lines."""
    for path, text in files.items():
        lines = text.count("\n")
        if path.endswith(SOURCES) and lines > LONGEST_FILE:
            yield f"{path}: {lines} lines; expected at most {LONGEST_FILE}: name its second subject and split"


def file_names(files):
    """A file is named for its main thing."""
    for path in files:
        if re.search(r"(utils?|common|helpers?|misc)(\.\w+)?$", path, re.IGNORECASE):
            yield f"{path}: the name says nothing; name the main thing in it"


def top_level(files):
    """The design's top level, and files or folders that start with a dot."""
    for name in sorted({path.partition("/")[0] for path in files} - TOP_LEVEL):
        if not name.startswith("."):
            yield f"{name}: not part of the top level; expected one of {', '.join(sorted(TOP_LEVEL))}"


def machine_paths(files):
    """Nothing names a folder of one machine."""
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            found = re.search(r"(?<![\w.$}])/(home|root|work|Users)/\w+", line)
            if found and not path.startswith("test/lint/"):
                yield f"{path}:{number}: names a path of one machine, `{found.group()}`"


QUOTED = r'"(?:[^"\\]|\\.)*"'
# What words a message: a stream into one (its text goes on to the semicolon), or a call that takes the text.
STREAM = re.compile(
    r"\b(?:emitOpError|emitError|emitWarning|emitRemark|emitOptionalError|notifyMatchFailure|createStringError|"
    r"remark::reason)\s*\(((?:" + QUOTED + r'|[^;"])*);')
CALL = re.compile(r"(?:\b(?:report|fail|invalid|fileError|Error)|\.label|\.secondary|\.note|\.help)\s*[({]"
                  r"((?:" + QUOTED + r'|[^;"(){}]|'
                  r"[({](?:" + QUOTED + r'|[^;"(){}]|[({](?:' + QUOTED + r'|[^;"(){}])*[)}])*[)}])*)[)}]')


def message_wording(files):
    """Messages start in lower case and end without a period; names such as PTX keep their capitals."""
    for path, text in files.items():
        if not path.endswith((".cpp", ".h", ".td")) or path.startswith("test/"):
            continue
        code = re.sub(QUOTED + r"|//[^\n]*", lambda token: "" if token.group().startswith("/") else token.group(), text)
        for pattern in (STREAM, CALL):
            for message in pattern.finditer(code):
                texts = [quoted[1:-1] for quoted in re.findall(QUOTED, message.group(1))]
                if texts:
                    ends = message.group(1).rstrip().endswith('"') or pattern is STREAM
                    yield from wording_faults(f'{path}: message "{texts[0]}"', texts[0], texts[-1] if ends else "")
    for title in re.findall(r'^TILE_DIAGNOSTIC\(\w+,\s*"([^"]*)"', files.get(CODES, ""), re.MULTILINE):
        yield from wording_faults(f'{CODES}: title "{title}"', title, title)


def wording_faults(place, first, last):
    if re.match(r"[A-Z][a-z]", first):
        yield f"{place} starts with a capital"
    if re.search(r"[^.]\.\s*$", last):
        yield f"{place} ends with a period"


def diagnostics_tested(files):
    """Each code of Codes.def is provoked: by a program test/frontend/diagnostics/<code>-<what>.tile, or, when no
    program can, by a lit test that expects `[<code>]`."""
    tested = {path.rpartition("/")[2].partition("-")[0] for path in files
              if path.startswith("test/frontend/diagnostics/")}
    lit = "\n".join(text for path, text in files.items()
                    if path.startswith("test/") and path.endswith((".test", ".tile")))
    for code in re.findall(r"^TILE_DIAGNOSTIC\((\w+)", files.get(CODES, ""), re.MULTILINE):
        if code not in tested and f"[{code}]" not in lit:
            yield f"{CODES}: {code} has no test/frontend/diagnostics/{code}-<what>.tile"


def tile_ops_tested(files):
    """Each op of the tile dialect has test/e2e/<op>.tile, which expects the op in its tile IR: a program whose op folds
    away tests nothing of it."""
    for path, text in files.items():
        if not path.startswith("ir/Tile/") or not path.endswith(".td"):
            continue
        for mnemonic in re.findall(r'^def Tile_\w+Op\s*:\s*Tile_\w*Op\w*<\s*"(\w+)"', text, re.MULTILINE):
            program = files.get(f"test/e2e/{mnemonic}.tile")
            if program is None:
                yield f"{path}: op `{mnemonic}` has no test/e2e/{mnemonic}.tile"
            elif "--emit=tile |" not in program or not re.search(rf"^// [A-Z-]+: .*tile\.{mnemonic}\b", program,
                                                                  re.MULTILINE):
                yield f"test/e2e/{mnemonic}.tile: expects no `tile.{mnemonic}` of `--emit=tile | FileCheck`"


SHORTEST_PART = 8  # characters: below this a part of a message proves nothing


def messages_tested(files):
    """A part of every message stands in a test: a text that none shows may be wrong, or never be said."""
    shown = " ".join(text for path, text in files.items()
                     if path.startswith(("test/", "examples/", "grammar/")) and not path.startswith("test/lint/"))
    shown = re.sub(r'(?<!\\)"\s*"', "", shown)  # a string in two parts
    shown = re.sub(r"\s+", " ", shown.replace('\\"', '"'))
    for path, text in sorted(files.items()):
        if not path.endswith((".cpp", ".h")) or not path.startswith(("ir/", "frontend/", "backend/", "runtime/")):
            continue
        code = re.sub(QUOTED + r"|//[^\n]*", lambda token: "" if token.group().startswith("/") else token.group(), text)
        code = re.sub(r'"\s*\n\s*"', "", code)
        for pattern in (STREAM, CALL):
            for message in pattern.finditer(code):
                if message.group().startswith("notifyMatchFailure"):
                    continue  # for whoever debugs the compiler
                parts = [part.replace('\\"', '"').replace("\\\\", "\\").strip(" `';,:()[]")
                         for quoted in re.findall(QUOTED, message.group(1))
                         for part in re.split(r"\{\d(?::\w+)?\}", quoted[1:-1])]
                parts = [part for part in parts if len(part) >= SHORTEST_PART]
                if parts and not any(part in shown for part in parts):
                    yield f'{path}: message "{max(parts, key=len)}" is in no test'

"""Compiles every `tile` snippet of a Markdown file.

    python3 snippets.py FILE.md COMPILER [ARGUMENT...]

The info string of a fence says what is expected: `tile` compiles, `tile,fails E0204` fails with that code among its
errors. `tile,preamble` is the head of a kernel, without a body, that is put around the snippets that declare no item.
The compiler is run once per snippet with the snippet's file as its last argument.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```tile([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"^(import|const|kernel|fn [^\n]*\{|@)", re.MULTILINE)


def snippets(text):
    """(line, info, code) of every fence."""
    for match in FENCE.finditer(text):
        yield text.count("\n", 0, match.start()) + 2, match.group(1).strip(" ,"), match.group(2)


def program(code, preamble):
    """The snippet as a file; one that declares no item becomes the body of the preamble's kernel."""
    if ITEM.search(code):
        return code
    return preamble.rstrip() + "\n{\n" + "".join(f"    {line}\n" if line else "\n" for line in code.splitlines()) + "}\n"


def fault(info, result):
    """What is wrong with the outcome, or None."""
    expected = re.fullmatch(r"fails (E\d{4})", info)
    if expected is None:
        return result.stderr or f"exit code {result.returncode}" if result.returncode else None
    if result.returncode == 0:
        return f"compiles; expected {expected.group(1)}"
    return None if f"error[{expected.group(1)}]" in result.stderr else f"expected {expected.group(1)}\n{result.stderr}"


def main(path, compiler):
    text = pathlib.Path(path).read_text()
    found = list(snippets(text))
    preamble = next((code for _, info, code in found if info == "preamble"), "")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for line, info, code in found:
            source = pathlib.Path(folder) / "snippet.tile"
            source.write_text(program(code, preamble) if info != "preamble" else program("let unused = 0\n", preamble))
            wrong = fault("" if info == "preamble" else info, subprocess.run([*compiler, source], text=True, capture_output=True))
            if wrong:
                faults += 1
                print(f"{path}:{line}: {wrong}\n", file=sys.stderr)
    print(f"{len(found)} snippets, {faults} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))

#!/usr/bin/env python3
"""Each lint rule on small trees: one that it must refuse, one that it must let pass."""
import unittest

import layers
import lint
import rules


class IncludeEdges(unittest.TestCase):
    def check(self, path, include):
        return list(layers.include_edges({path: f'/// Idea.\n#include "{include}"\n'}))

    def test_frontend_and_backend_never_meet(self):
        self.assertEqual(self.check("frontend/irgen/A.cpp", "backend/target/Target.h"),
                         ["frontend/irgen/A.cpp:2: `frontend/irgen` includes `backend/target`; its row allows "
                          "frontend/ast, frontend/parse, frontend/diagnostic, frontend/std, ir/Tile"])

    def test_only_parse_sees_antlr(self):
        self.assertEqual(len(self.check("frontend/irgen/A.cpp", "antlr4-runtime.h")), 1)
        self.assertEqual(self.check("frontend/parse/A.cpp", "antlr4-runtime.h"), [])

    def test_libtile_sees_no_llvm(self):
        self.assertEqual(len(self.check("runtime/launch/A.cpp", "llvm/ADT/StringRef.h")), 1)

    def test_allowed_edge_and_own_folder(self):
        self.assertEqual(self.check("ir/TileGPU/A.cpp", "ir/Layout/Layout.h"), [])
        self.assertEqual(self.check("ir/TileGPU/Transforms/A.cpp", "ir/TileGPU/Ops.h"), [])

    def test_prefix_of_a_name_is_not_its_folder(self):
        self.assertEqual(len(self.check("ir/Tile/A.cpp", "ir/TileGPU/Ops.h")), 1)

    def test_unknown_folder(self):
        self.assertEqual(self.check("tools/A.cpp", "vector"),
                         ["tools/A.cpp: folder `tools` has no row in test/lint/layers.py"])
        self.assertEqual(self.check("runtime/new/A.cpp", "vector"),
                         ["runtime/new/A.cpp: folder `runtime/new` has no row in test/lint/layers.py"])

    def test_single_header_of_the_parent(self):
        self.assertEqual(self.check("runtime/npy/A.cpp", "runtime/Result.h"), [])
        self.assertEqual(len(self.check("runtime/npy/A.cpp", "runtime/Other.h")), 1)


    def test_tablegen_includes(self):
        self.assertEqual(len(list(layers.include_edges({"ir/Tile/A.td": 'include "ir/TileGPU/B.td"\n'}))), 1)
        self.assertEqual(list(layers.include_edges({"ir/Tile/A.td": 'include "mlir/IR/OpBase.td"\n'})), [])


class LinkEdges(unittest.TestCase):
    def check(self, linked):
        files = {"runtime/npy/CMakeLists.txt": f"tile_add_library(npy\n  Npy.cpp\n  LINK {linked})\n"}
        for name, folder in (("artifact", "runtime/artifact"), ("driver", "runtime/driver")):
            files[folder + "/CMakeLists.txt"] = f"tile_add_library({name} A.cpp)\n"
        return list(layers.link_edges(files))

    def test_allowed(self):
        self.assertEqual(self.check("artifact Threads::Threads"), [])

    def test_not_allowed(self):
        self.assertEqual(self.check("artifact driver"),
                         ["runtime/npy/CMakeLists.txt:1: `npy` links `driver` of `runtime/driver`; the row of "
                          "`runtime/npy` allows runtime/Result.h, runtime/artifact"])


class UnusedRows(unittest.TestCase):
    def faults(self, files):
        return [fault for fault in layers.unused_rows(files) if "`runtime/npy`" in fault]

    def test_row_without_files(self):
        self.assertEqual(self.faults({}), ["row `runtime/npy` governs no file; remove it"])

    def test_edge_that_nothing_takes(self):
        self.assertEqual(self.faults({"runtime/npy/A.h": '#include "runtime/Result.h"\n'}),
                         ["row `runtime/npy` allows `runtime/artifact`, which nothing in it includes; remove it"])

    def test_all_edges_taken(self):
        self.assertEqual(self.faults({"runtime/npy/A.h": '#include "runtime/Result.h"\n',
                                      "runtime/npy/B.h": '#include "runtime/artifact/DataType.h"\n'}), [])


class Files(unittest.TestCase):
    def test_size(self):
        self.assertEqual(len(list(rules.file_sizes({"ir/A.cpp": "\n" * 601}))), 1)
        self.assertEqual(list(rules.file_sizes({"ir/A.cpp": "\n" * 600, "data.txt": "\n" * 9000})), [])

    def test_names(self):
        for name in ("ir/Utils.h", "ir/StringUtil.cpp", "ir/misc", "test/Helpers.py"):
            self.assertEqual(len(list(rules.file_names({name: ""}))), 1, name)
        self.assertEqual(list(rules.file_names({"ir/CommonDivisor.h": "", "ir/Utilization.h": ""})), [])

    def test_top_level(self):
        self.assertEqual(len(list(rules.top_level({"tools/a.sh": "", ".ci/run": "", "ir/A.h": ""}))), 1)

    def test_machine_paths(self):
        self.assertEqual(len(list(rules.machine_paths({"a.sh": "cd /home/anna/tile\n"}))), 1)
        self.assertEqual(list(rules.machine_paths({"a.sh": "cd $there/work/a; ls /usr/lib/llvm-22\n"})), [])


class Wording(unittest.TestCase):
    def check(self, statement):
        return list(rules.message_wording({"ir/Tile/A.cpp": statement}))

    def test_capital(self):
        self.assertEqual(self.check('return emitOpError("Shape is ") << shape;'),
                         ['ir/Tile/A.cpp: message "Shape is " starts with a capital'])

    def test_period(self):
        self.assertEqual(self.check('emitError(loc) << "unknown `" << n << "`.";'),
                         ['ir/Tile/A.cpp: message "unknown `" ends with a period'])

    def test_good(self):
        self.assertEqual(self.check('return emitOpError("dim is ") << d << "; expected 0 .. " << r << "...";'), [])
        self.assertEqual(self.check('emitError(loc) << "PTX of " << v << " is too new";'), [])

    def test_comment_between_is_not_text(self):
        self.assertEqual(self.check('emitError(loc) << "found " // The type.\n << type;'), [])

    def test_semicolon_and_slashes_inside_a_text(self):
        self.assertEqual(len(self.check('emitError(loc) << "found // " << a << "; expected b.";')), 1)

    def test_calls_that_take_a_text(self):
        self.assertEqual(len(self.check('report(Code::E0001, r, "Unknown " + quote(b)).note("never.");')), 2)
        self.assertEqual(len(self.check('return Error{ErrorCode::File, "cannot read `" + path + "`."};')), 1)
        self.assertEqual(self.check('report(Code::E0001, r, "unknown " + quote(b)).note("a " + f("x.") + "b");'), [])

    def test_titles_of_codes(self):
        codes = {rules.CODES: 'TILE_DIAGNOSTIC(E0101, "Unknown name.", R"(Text. More.)")\n'}
        self.assertEqual(len(list(rules.message_wording(codes))), 2)


class Coverage(unittest.TestCase):
    def test_diagnostic_without_test(self):
        files = {rules.CODES: 'TILE_DIAGNOSTIC(E0101, "a", "")\nTILE_DIAGNOSTIC(E0102, "b", "")\n'
                 'TILE_DIAGNOSTIC(E0103, "c", "")\n',
                 "test/frontend/diagnostics/E0101-swapped-names.tile": "",
                 "test/tilec/flags.test": "CHECK: error[E0103]: no input\n"}
        self.assertEqual(list(rules.diagnostics_tested(files)),
                         [f"{rules.CODES}: E0102 has no test/frontend/diagnostics/E0102-<what>.tile"])

    def test_op_without_test(self):
        files = {"ir/Tile/ShapeOps.td": 'def Tile_IotaOp : Tile_Op<"iota", [Pure]> {\ndef Tile_CatOp\n'
                                        '    : Tile_ShapeOp<"cat"> {\n',
                 "test/e2e/cat.tile": "// RUN: tilec %s --emit=tile | FileCheck %s\n// CHECK: tile.cat\n"}
        self.assertEqual(list(rules.tile_ops_tested(files)),
                         ["ir/Tile/ShapeOps.td: op `iota` has no test/e2e/iota.tile"])

    def test_op_that_its_test_does_not_expect(self):
        files = {"ir/Tile/ShapeOps.td": 'def Tile_CatOp : Tile_ShapeOp<"cat"> {\n',
                 "test/e2e/cat.tile": "// RUN: tilec %s --emit=tile | FileCheck %s\n// CHECK: tile.cats\n"}
        self.assertEqual(list(rules.tile_ops_tested(files)),
                         ["test/e2e/cat.tile: expects no `tile.cat` of `--emit=tile | FileCheck`"])

    def messages(self, statement, test):
        return list(rules.messages_tested({"ir/Tile/A.cpp": statement, "test/a.mlir": test}))

    def test_message_without_test(self):
        self.assertEqual(self.messages('return emitOpError() << "axis " << a << " is out of range";', "axis of range"),
                         ['ir/Tile/A.cpp: message "is out of range" is in no test'])
        self.assertEqual(len(self.messages('evaluator.report(Code::E0100, r, "unknown name " + what);', "")), 1)

    def test_message_with_test(self):
        self.assertEqual(self.messages('return emitOpError() << "axis " << a << " is out of range";',
                                       "// expected-error {{axis 2 is out of\n range}}"), [])
        self.assertEqual(self.messages('return emitOpError() << "a \\"b\\" in "\n    "two parts";',
                                       'EXPECT_EQ(text, "a \\"b\\" "\n "in two parts");'), [])

    def test_what_is_no_message_for_users(self):
        self.assertEqual(self.messages('return rewriter.notifyMatchFailure(op, "has more uses than one");', ""), [])


class Exemptions(unittest.TestCase):
    def test_forgiven(self):
        self.assertEqual(lint.forgive(["file_sizes: a.td: 700 lines"], "# head\nfile_sizes: a.td:  # a table\n"), [])

    def test_unused_line_is_a_fault(self):
        self.assertEqual(lint.forgive([], "file_sizes: a.td:  # a table\n"),
                         ["exemptions.txt: `file_sizes: a.td:` forgives nothing any more; remove the line"])

    def test_reason_is_required(self):
        self.assertEqual(lint.forgive(["file_sizes: a.td: 700 lines"], "file_sizes: a.td:\n"),
                         ["exemptions.txt: `file_sizes: a.td:` gives no reason; add `  # why`"])


if __name__ == "__main__":
    unittest.main()

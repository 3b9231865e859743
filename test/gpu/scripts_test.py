#!/usr/bin/env python3
"""What the GPU scripts do without a GPU: steps that fail or hang, the table, grids from postfix expressions."""
import glob
import os
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
sys.modules.setdefault("torch", mock.MagicMock())  # peers.py needs it only on a GPU
with mock.patch("ctypes.CDLL"):
    import peers
import cases
import compile_time
import counters
import grids
import run
import table
import validate

RESULT = {"name": "softmax f32", "problem": "M = 4, N = 8", "bytes": 4_000_000, "peer": "copy", "goal": 0.9,
          "ours_us": {"p10": 1.9, "median": 2.0, "p90": 2.5}, "peer_us": {"p10": 1.8, "median": 1.9, "p90": 2.0}}
RECORD = {"gpu": "NVIDIA H200", "driver": "580.159", "compiler": "tilec 0.1.0", "commit": "0123456789abcdef",
          "date": "2026-01-02", "results": [RESULT]}


class Counters(unittest.TestCase):
    TABLE = """==PROF== Connected
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"1","k","l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum","","7"
"0","k","l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum","","1,024"
"""

    def test_launches_come_in_their_order(self):
        with mock.patch("subprocess.run", return_value=mock.Mock(stdout=self.TABLE, stderr="")):
            launches = counters.profile("ncu", "k", ["program"])
        self.assertEqual([list(launch.values()) for launch in launches], [[1024], [7]])

    def test_no_permission_is_said(self):
        with mock.patch("subprocess.run", return_value=mock.Mock(stdout="", stderr="")), mock.patch("builtins.print"):
            with self.assertRaises(SystemExit) as ended:
                counters.profile("ncu", "k", ["program"])
        self.assertEqual(ended.exception.code, 2)

    def test_counts_of_a_metric_are_added_up_and_compared(self):
        simulated = {"global load": {"global_sectors": 3}, "async copy": {"global_sectors": 4},
                     "shared load": {"shared_wavefronts": 9, "shared_ideal_wavefronts": 4}}
        found = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 7,
                 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 6, "smsp__inst_executed_pipe_tensor.sum": 2}
        results = {}
        with mock.patch("builtins.print"):
            self.assertEqual(counters.compare("k", simulated, found, results), 1)
        self.assertEqual(results, {"k": {"global load global_sectors": [7, 7], "shared load conflicts": [5, 6]}})


class Steps(unittest.TestCase):
    def setUp(self):
        self.steps = run.Steps(tempfile.gettempdir())
        quiet = mock.patch("builtins.print")
        quiet.start()
        self.addCleanup(quiet.stop)

    def test_failure_keeps_output(self):
        self.assertFalse(self.steps.run("a", ["sh", "-c", "echo found it; exit 3"], 10))
        self.assertEqual((self.steps.rows[0]["exit"], self.steps.rows[0]["output"]), (3, "found it\n"))

    def test_hang_costs_its_limit_alone_with_its_children(self):
        begin = time.monotonic()
        self.assertFalse(self.steps.run("a", ["sh", "-c", "echo begun; sleep 60 | cat"], 0.3))
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual((self.steps.rows[0]["exit"], self.steps.rows[0]["output"]), ("timeout", "begun\n"))

    def test_success_without_what_was_expected_is_a_failure(self):
        self.assertTrue(self.steps.run("a", ["echo", "searches 1"], 10, "searches 1"))
        self.assertFalse(self.steps.run("a", ["echo", "searches 0"], 10, "searches 1"))
        self.assertEqual((self.steps.rows[1]["exit"], self.steps.rows[1]["output"]),
                         ("output", "searches 0\nexpected: searches 1\n"))

    def test_one_failure_among_several(self):
        self.assertFalse(self.steps.run_all([("a", ["true"], 10), ("b", ["false"], 10)]))
        self.assertEqual(sorted(row["ok"] for row in self.steps.rows), [False, True])


class GpuLines(unittest.TestCase):
    def test_lines_of_a_test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.tile")
            with open(path, "w", encoding="utf-8") as file:
                file.write("// RUN: tilec check %s --device=cpu\n// RUN: %if gpu %{ tilec check %s --device=gpu %}\n")
            commands = [command for _, command in run.gpu_lines(path, "/bin/tilec")]
            self.assertEqual(commands, [["/bin/tilec", "check", path, "--device=gpu"]])

    def test_every_program_has_one(self):
        for path in glob.glob(f"{run.ROOT}/test/e2e/*.tile") + glob.glob(f"{run.ROOT}/test/examples/*.test"):
            self.assertTrue(list(run.gpu_lines(path, "tilec")), path)


class Table(unittest.TestCase):
    def test_row(self):
        cells = ("softmax f32", "M = 4, N = 8", "2.0 (1.9, 2.5)", "2000 GB/s", "copy", "1.9", "0.950")
        self.assertEqual(table.row(RESULT), cells)

    def test_row_of_a_product(self):
        product = {**RESULT, "flops": 5_000_000_000, "configuration": "BM 64"}
        self.assertEqual(table.row(product)[1::2], ("M = 4, N = 8; BM 64", "2500 TFLOP/s", "1.9"))
        self.assertIn(table.PRODUCTS, table.table({**RECORD, "results": [product]}))
        self.assertNotIn(table.PRODUCTS, table.table(RECORD))

    def test_launches_where_the_record_has_them(self):
        launch = {"bare_us": 2.0, "prepared_us": 2.02, "rebased_us": 2.1, "checked_us": 3.0}
        line = "A launch costs the CPU 2.00 µs by the bare driver call; of that, a prepared launch 1.01, one with new memory 1.05, one that checks anew 1.50."
        self.assertEqual(table.table({**RECORD, "launch": launch}).splitlines()[-1], line)
        self.assertNotIn("A launch costs", table.table(RECORD))
        self.assertNotIn("A launch costs", table.table({**RECORD, "launch": None}))

    def test_only_what_stands_between_the_markers_changes(self):
        readme = f"head\n{table.BEGIN}old\n{table.END}tail\n"
        self.assertEqual(table.replaced(readme, "new\n"), f"head\n{table.BEGIN}new\n{table.END}tail\n")
        with self.assertRaises(SystemExit):
            table.replaced("no markers\n", "new\n")


class Validation(unittest.TestCase):
    EXACT = {"instruction": "add.f32", "elements": 8, "differing": 3, "some": []}
    BOUNDED = {"instruction": "sin.approx.f32", "elements": 9, "differing": 5, "beyond": 2, "of_bound": 1.25, "some": []}
    CLASS = {"class": "sums", "kernels": 1, "instructions": 2, "elements": 1700, "hash": "0a",
             "differences": [EXACT, BOUNDED]}

    def test_what_differs_is_named(self):
        self.assertEqual(validate.row(self.CLASS), ("sums", "1", "2", "1,700", "3: `add.f32`"))
        self.assertEqual(validate.row({**self.CLASS, "differences": []})[-1], "0")

    def test_what_a_bound_does_not_allow_is_counted(self):
        rows = list(validate.bounded_rows({"classes": [self.CLASS]}))
        self.assertEqual(rows, [("`sin.approx.f32`", "9", "5", "1.25, 2 beyond")])

    def test_another_result_is_no_longer_what_was_compared(self):
        record = {"classes": [self.CLASS]}
        self.assertEqual(list(validate.changed(record, [self.CLASS])), [])
        self.assertEqual(list(validate.changed(record, [{**self.CLASS, "hash": "0b"}])),
                         ["sums: hash 0b; expected 0a"])
        self.assertEqual(list(validate.changed({"classes": []}, [self.CLASS]))[0], "sums: kernels 1; expected none")

    def test_speed_and_simulator_have_records_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch("table.RESULTS", folder):
            for name in ("2026-01-01-h200.json", "2026-01-02-h200-simulator.json"):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write('{"of": "' + name + '"}')
            self.assertTrue(table.newest().endswith("-01-h200.json"))
            self.assertEqual(validate.newest(), {"of": "2026-01-02-h200-simulator.json"})


class Expressions(unittest.TestCase):
    def test_postfix(self):
        self.assertEqual(peers.evaluate(["M", 128, "cdiv", "N", "*"], {"M": 129, "N": 3}), 6)
        self.assertEqual(peers.evaluate([7, 2, "-"], {}), 5)


class Compilation(unittest.TestCase):
    def test_every_configuration_has_its_own_file(self):
        files = [grid.file("f", configuration) for grid in grids.GRIDS for configuration in grid.configurations]
        self.assertEqual(len(files), len(set(files)))

    def test_contract_lies_beside_the_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            cases.compile_all([("a", ["echo", f"{folder}/a.cubin"])])
            with open(f"{folder}/a.json", encoding="utf-8") as file:
                self.assertEqual(file.read(), f"inspect --json {folder}/a.cubin\n")

    def test_failure_ends_it_with_what_the_compiler_says(self):
        with self.assertRaises(SystemExit) as ended:
            cases.compile_all([("b", ["sh", "-c", "echo found >&2; exit 1", "b.cubin"])])
        self.assertEqual(ended.exception.code, "b: found\n")


class Grids(unittest.TestCase):
    def test_orders_are_those_of_the_kernel(self):
        stored = {order: list(grids.ordered(order, 2, 3, 5).values())[3:] for order in ("NN", "NT", "TN", "TT")}
        self.assertEqual(stored, {"NN": [2, 5, 5, 3], "NT": [2, 5, 3, 5], "TN": [5, 2, 5, 3], "TT": [5, 2, 3, 5]})
        self.assertEqual(grids.transposes("TN"), {"T": "bf16", "TA": "true", "TB": "false"})

    def test_scratch_suffices_for_every_configuration(self):
        def tiles(dims, configuration):
            return -(-dims["M"] // configuration["BM"]) * -(-dims["N"] // configuration["BN"])
        for grid in grids.GRIDS:
            for dims, _ in grid.problems if grid.kernel == "splitk_matmul" else ():
                for configuration in grid.configurations:
                    self.assertGreaterEqual(dims["PARTS"], configuration["SPLIT_K"])
                    self.assertGreaterEqual(dims["TILES"], tiles(dims, configuration))


class CompileTime(unittest.TestCase):
    def test_stages_are_summed_and_the_total_is_not_one(self):
        report = "tile    canonicalize  1.25 ms\ntile    cse  0.75 ms\nptx  generate  3.00 ms\ntotal    5.00 ms\n"
        self.assertEqual(dict(compile_time.stage_times(report)), {"tile": 2.0, "ptx": 3.0})


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""bench/fit_convs on canned numbers: the fit, the table it writes, what it refuses."""
import contextlib, importlib.machinery, importlib.util, io, json, pathlib, sys, tempfile, unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("fit_convs", str(ROOT / "bench/fit_convs"))
fit_convs = importlib.util.module_from_spec(importlib.util.spec_from_loader("fit_convs", loader))
loader.exec_module(fit_convs)

TRUE = {"direct": [7000, 0, 0, 1000000, 0, 0, 90000, 0], "winograd:f4": [9000, 70000, 0, 300000, 0, 0, 0, 50000000]}


def convolution(channels: int, size: int, direct: dict, f4: dict, implementation: str = "jit:avx2") -> dict:
    one = {"convolution": f"{channels}@{size}x{size}->{channels}/3x3/s1/p1", "pass": "forward", "kind": "window",
           "batch": 4, "algorithms": {}}
    for name, work in (("direct", direct), ("winograd:f4", f4)):
        seconds = fit_convs.estimate(TRUE[name], work) / 1e12
        one["algorithms"][name] = {"seconds": seconds, "work": work, "usual_work": work,
                                   "implementation": implementation if name == "direct" else name}
    return one


def canned(isa: str) -> dict:
    convolutions = []
    for channels in (8, 24, 64, 200):
        for size in (4, 13, 30):
            tiles, pixels, square = 4 * (-(-size // 4)) ** 2, 4 * size * size, channels * channels
            convolutions.append(convolution(
                channels, size,
                {"products": pixels * 9 * square, "points": 0, "far": 0, "weights": 9 * square, "reads": 0,
                 "sums": 0, "pixels": 2 * pixels * channels},
                {"products": tiles * 36 * square, "points": tiles * 72 * channels, "far": 0, "weights": 36 * square,
                 "reads": 0, "sums": 0, "pixels": 2 * pixels * channels}))
    slow = json.loads(json.dumps(convolutions[0]))
    slow["convolution"] = "8@5x5->8/3x3/s1/p1"
    slow["algorithms"]["direct"] |= {"seconds": 3.0, "implementation": "ref:any"}
    return {"isa": isa, "convolutions": convolutions + [slow]}


class FitConvs(unittest.TestCase):
    def test_least_squares_finds_what_is_not_negative(self):
        rows = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [2, 1, 1]]
        for wanted in ([1, 2, 3], [0.5, 0, 2], [0, 0, 1]):
            right = [sum(a * x for a, x in zip(row, wanted)) for row in rows]
            for x, w in zip(fit_convs.least_squares(rows, right), wanted):
                self.assertAlmostEqual(x, w)
        found = fit_convs.least_squares([[1, 1], [1, 2], [1, 3]], [3, 2, 1])  # by itself the second would be -1
        self.assertAlmostEqual(found[0], 2)
        self.assertEqual(found[1], 0)

    def test_rates_come_back_and_references_teach_nothing(self):
        rates = fit_convs.fit(canned("avx2")["convolutions"])
        for name, wanted in TRUE.items():
            for rate, w in zip(rates["window", "forward", name], wanted):
                self.assertAlmostEqual(rate, w, delta=2)

    def test_two_commands_measure_and_write_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            program = folder / "convoy"
            program.write_text("#!/bin/sh\nwhile [ \"$1\" != --isa ]; do shift; done\ncat \"$(dirname $0)/$2.canned\"\n")
            program.chmod(0o755)
            for isa, precision in fit_convs.LEVELS.values():
                report = canned(isa)
                for one in report["convolutions"]:
                    one["convolution"] += "/bf16" if precision == "16.32" else ""
                (folder / f"{isa}.canned").write_text(json.dumps(report))
            self.run_main("measure", str(folder / "data"), "--program", str(program), "--repeats", "2")
            self.assertEqual(len(list((folder / "data").glob("*.json"))), 2 * len(fit_convs.LEVELS))
            said = self.run_main("fit", str(folder / "data"), "--output", str(folder / "table.cpp"))
            self.assertIn("avx512: 12 choices; mean regret 0.0%", said)
            table = (folder / "table.cpp").read_text()
            self.assertIn("constexpr ConvRates avx2_rates[] = {", table)
            self.assertRegex(table, r"\{window, +forward, +winograd_f4, +9000, +70000, +0, +300000, +0, +0, +0, +50000000\}")

    def test_a_level_that_was_not_measured_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.json").write_text(json.dumps(canned("avx2")))
            with self.assertRaises(SystemExit) as left:
                self.run_main("fit", folder)
            self.assertIn("no measurements of avx512", str(left.exception))

    def test_measurements_that_lack_a_count_are_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            old = canned("avx2")
            del old["convolutions"][3]["algorithms"]["direct"]["work"]["sums"]
            (pathlib.Path(folder) / "a.json").write_text(json.dumps(old))
            with self.assertRaises(SystemExit) as left:
                self.run_main("fit", folder)
            self.assertIn("a.json was measured by another version", str(left.exception))

    def test_the_table_of_the_tree_has_the_form_of_ours(self):
        text = fit_convs.TABLE.read_text()
        self.assertTrue(text.startswith("// The rates of conv_cost.h, written by bench/fit_convs"))
        self.assertIn(", ".join(fit_convs.TERMS) + ", call.", text)

    def run_main(self, *arguments: str) -> str:
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["fit_convs", *arguments]), contextlib.redirect_stderr(said):
            fit_convs.main()
        return said.getvalue()


if __name__ == "__main__":
    unittest.main()

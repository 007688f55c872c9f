#!/usr/bin/env python3
"""bench/compare on canned numbers and canned programs: statistics, table, README, peers that are missing or fail."""
import importlib.machinery, importlib.util, json, os, pathlib, subprocess, sys, tempfile, textwrap, unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
from parts import machine, programs, results

GIB = 1 << 30


def convoy(speed: float) -> dict:
    return {"images_per_s": speed, "peak_rss_bytes": 2 * GIB, "foreign": 0.0}


def peer(*seconds: float) -> dict:
    middle = sorted(seconds)[len(seconds) // 2]
    return {"images_per_s": 10 / middle, "step_s": list(seconds), "peak_rss_bytes": 4 * GIB, "foreign": 0.01}


def canned_case() -> dict:
    rounds = [
        {"convoy": convoy(10), "torch": peer(2.0, 2.0, 2.0), "broken": peer(1.0)},
        {"torch": peer(2.5, 2.5, 9.0), "convoy": convoy(12)},
        {"convoy": convoy(11), "torch": peer(5.0, 1.0, 5.0)},
    ]
    return {"model": "resnet50", "batch": 10, "image_size": 224, "steps": 3, "rounds": rounds,
            "failed": {"broken": "exit code 3: no"}}


def canned_report() -> dict:
    return {"date": "2026-01-02", "machine": {"cpu": "A CPU", "cores": 2, "isa": "AVX2", "kernel": "6"},
            "programs": {"convoy": "Convoy 1", "torch": "PyTorch 9", "broken": "PyTorch 8"},
            "missing": {"gone": "no such file"}, "cases": [canned_case()]}


class Statistics(unittest.TestCase):
    def test_a_peers_speed_is_by_the_median_of_all_steps(self):
        self.assertEqual(results.summarize(canned_case())["torch"]["images_per_s"], 10 / 2.5)

    def test_convoys_speed_is_the_median_of_its_rounds(self):
        self.assertEqual(results.summarize(canned_case())["convoy"]["images_per_s"], 11)

    def test_ratios_are_taken_within_a_round(self):
        s = results.summarize(canned_case())["torch"]  # 10/5, 12/4, 11/2
        self.assertEqual((s["ratio_min"], s["ratio"], s["ratio_max"]), (2.0, 3.0, 5.5))
        self.assertEqual(s["peak_rss_ratio"], 0.5)

    def test_a_peer_that_was_given_up_has_no_numbers(self):
        self.assertNotIn("broken", results.summarize(canned_case()))


class Text(unittest.TestCase):
    def test_the_table_has_a_column_for_each_measured_program(self):
        self.assertEqual(results.table(canned_report()).splitlines(), [
            "| model, batch | | Convoy | PyTorch at its best | PyTorch 9 |",
            "|---|---|---|---|---|",
            "| resnet50 224x224, 10 | images/s | **11.0** | 4.00, **3.00x** (2.00..5.50): PyTorch 9 | 4.00, **3.00x** (2.00..5.50) |",
            "| | GiB | 2.00 | 4.00, 0.50x | 4.00, 0.50x |",
        ])

    def test_what_was_not_measured_is_named(self):
        text = results.document(canned_report())
        self.assertIn("Not measured: gone: no such file.", text)
        self.assertIn("Not measured: broken on resnet50, batch 10: exit code 3: no.", text)
        for part in ("A CPU, 2 cores, AVX2", "Convoy 1", "2026-01-02", "resnet50 3 x 3"):
            self.assertIn(part, text)
        self.assertNotIn("not quiet", text)

    def test_a_busy_machine_is_told(self):
        report = canned_report()
        report["cases"][0]["rounds"][1]["torch"]["foreign"] = 0.4
        self.assertIn("in 1 of 7 measurements others had up to 40 %", results.document(report))

    def test_the_readme_changes_between_the_markers_only(self):
        b, e = results.BEGIN, results.END
        once = results.into_readme(f"one\n{b}\nold\n{e}\ntwo\n", "new\n\n| t |\n")
        self.assertEqual(once, f"one\n{b}\nnew\n\n| t |\n{e}\ntwo\n")
        self.assertEqual(results.into_readme(once, "new\n\n| t |\n"), once)
        for wrong in ("", b, e, f"{e}{b}", f"{b}{e}{b}{e}", f"{b}{b}{e}"):
            with self.assertRaises(ValueError, msg=wrong):
                results.into_readme(wrong, "x")

    def test_our_readme_has_the_markers(self):
        results.into_readme((ROOT / "README.md").read_text(), "x")


    def test_the_best_peer_is_the_one_that_is_nearest_to_us(self):
        report = canned_report()
        for r in report["cases"][0]["rounds"]:
            r["other"] = peer(0.5)  # 20 images/s
        report["programs"]["other"] = "PyTorch 10"
        row = results.table(report).splitlines()[2].split(" | ")
        self.assertEqual(row[3], "20.0, **0.55x** (0.50..0.60): PyTorch 10")
        self.assertEqual(results.best_peer({"convoy": {}}), None)

    def test_the_header_tells_bf16_and_the_peaks(self):
        report = canned_report()
        self.assertIn("AVX2 without bf16 products; Convoy 1; training steps, Convoy in fp32", results.header(report))
        report["machine"]["bf16"] = ["AVX512-BF16"]
        report |= {"mode": "infer", "convoy_options": "--precision 16.32"}
        report["cases"][0]["rounds"][0]["convoy"]["bench"] = {"peak_gflops": 500.4, "bf16_peak_gflops": 990.0}
        report["cases"][0]["rounds"][1]["convoy"]["bench"] = {"peak_gflops": 510.0, "bf16_peak_gflops": 0.0}
        self.assertIn("AVX2 with AVX512-BF16; peaks 510 GFLOP/s in fp32, 990 GFLOP/s in bf16; Convoy 1; forward passes, "
                      "Convoy with --precision 16.32", results.header(report))


class Machine(unittest.TestCase):
    def test_it_describes_this_one(self):
        self.assertEqual(machine.describe()["cores"], len(os.sched_getaffinity(0)))
        total, free = machine.memory_bytes()
        self.assertTrue(0 < free <= total)
        self.assertGreater(machine.process_seconds(os.getpid()), 0)
        self.assertTrue(0 <= machine.Watch(machine.children_seconds).foreign() <= 1)


class Programs(unittest.TestCase):
    """The whole script, with programs that only pretend: Convoy, and a Python whose torch cannot compile."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.convoy = self.script("convoy", """
            options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
            if sys.argv[1] == "--version":
                print("convoy 7.0 (Release)")
            elif options["--model"] == "unknown":
                sys.exit("convoy: no such model: unknown")
            elif options["--model"] == "mute":
                print("fast")
            else:
                assert options["--image-size"] == "32" and options["--steps"] == "3", options
                print(json.dumps({"images_per_s": 100.0, "peak_rss_bytes": 1 << 30, "step_s": 0.04}))
            """)
        self.script("env/bin/python", """
            if sys.argv[1] == "-c":
                print("9.9 False /somewhere/torch")
                sys.exit()
            if "--compile" in sys.argv:
                print("no compiler", file=sys.stderr)
                sys.exit(3)
            print(json.dumps({"ready": "9.9"}), flush=True)
            for line in sys.stdin:
                count = int(line.split()[1])
                print(json.dumps({"seconds": [5.0] + [0.08] * (count - 1), "peak_rss_bytes": 2 << 30}), flush=True)
            """)

    def script(self, name: str, body: str) -> pathlib.Path:
        path = pathlib.Path(self.folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\nimport json, sys\n{textwrap.dedent(body)}")
        path.chmod(0o755)
        return path

    def compare(self, *options: str, environment: str = "env") -> subprocess.CompletedProcess:
        given = ["--convoy", self.convoy, "--steps", "3", "--rounds", "2",
                 "--peers-env", pathlib.Path(self.folder.name, environment), *options]
        return subprocess.run([sys.executable, ROOT / "bench" / "compare", *given], capture_output=True, text=True)

    def test_inference_has_its_own_peers_and_convoy_gets_its_options(self):
        self.script("convoy", """
            if sys.argv[1] == "--version":
                print("convoy 7.0 (Release)")
            else:
                assert sys.argv[-1] == "16.32" and sys.argv[sys.argv.index("--mode") + 1] == "infer", sys.argv
                print(json.dumps({"images_per_s": 100.0, "peak_rss_bytes": 1 << 30, "peak_gflops": 500.0}))
            """)
        run = self.compare("--case", "cifar_resnet20:4", "--mode", "infer", "--peers", "torch-new-frozen",
                           "--convoy-options", "--precision 16.32")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("forward passes, Convoy with --precision 16.32", run.stdout)
        self.assertIn("traced and frozen", run.stdout)
        refused = self.compare("--peers", "torch-new-frozen")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no peer is called 'torch-new-frozen'", refused.stderr)

    def test_rounds_become_a_table_and_json(self):
        file = pathlib.Path(self.folder.name, "all.json")
        run = self.compare("--case", "cifar_resnet20:4", "--peers", "torch-new,torch-new-compile", "--json", str(file))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("| cifar_resnet20 32x32, 4 | images/s | **100** | 50.0, **2.00x** (2.00..2.00): PyTorch 9.9, malloc tuned |"
                      " 50.0, **2.00x** (2.00..2.00) |", run.stdout)
        self.assertIn("| | GiB | 1.00 | 2.00, 0.50x | 2.00, 0.50x |", run.stdout)
        self.assertIn("Not measured: torch-new-compile on cifar_resnet20, batch 4: exit code 3: no compiler.", run.stdout)
        self.assertIn("round 2 of 2, images/s: convoy 100", run.stderr)
        report = json.loads(file.read_text())
        self.assertEqual(report["cases"][0]["summary"]["torch-new"]["ratio"], 2.0)
        self.assertEqual(list(report["cases"][0]["rounds"][0])[0], "convoy")
        self.assertEqual(list(report["cases"][0]["rounds"][1])[-1], "convoy", "the order changes from round to round")
        again = self.compare("--from-json", str(file))
        self.assertEqual(again.stdout, run.stdout)

    def test_peers_live_on_only_while_half_of_the_memory_is_free(self):
        loader = importlib.machinery.SourceFileLoader("compare", str(ROOT / "bench" / "compare"))
        compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
        loader.exec_module(compare)
        new = next(p for p in programs.peers(pathlib.Path(self.folder.name, "env")) if p.name == "torch-new")
        for free, living in ((6, 1), (5, 0)):
            crew = compare.Crew(programs.Case("cifar_resnet20", 4, 32), None, 3)
            self.addCleanup(crew.close)
            with mock.patch.object(machine, "memory_bytes", lambda: (10, free)):
                for _ in range(2):
                    self.assertEqual(crew.measure(new)["images_per_s"], 50.0)
                    self.assertEqual(len(crew.living), living)

    def test_a_missing_peer_is_named(self):
        run = self.compare("--case", "cifar_resnet20:4", "--peers", "torch-new", environment="nowhere")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "torch-new is left out: no .*/nowhere/bin/python; try: bench/compare --install")
        self.assertIn("no peer is available", run.stderr)

    def test_convoys_failure_is_ours(self):
        for model, why in (("unknown", "no such model: unknown"), ("mute", "not the JSON of its contract")):
            run = self.compare("--case", f"{model}:4:32", "--peers", "torch-new")
            self.assertEqual(run.returncode, 1)
            self.assertIn(why, run.stderr)
            self.assertNotIn("Traceback", run.stderr)

    def test_what_was_mistyped_is_refused(self):
        for options in (["--case", "resnet50"], ["--case", "resnet50:0"], ["--case", "a:1:2:3"], ["--peers", "tensorflow"],
                        ["--rounds", "0"], ["--steps", "x"]):
            run = self.compare(*options)
            self.assertEqual(run.returncode, 2, options)
            self.assertIn("try: ", run.stderr)

    def test_tuned_malloc_is_for_the_peer_alone(self):
        self.assertEqual([p.name for p in programs.peers(pathlib.Path("x")) if not p.environment], ["torch-debian"])
        self.assertFalse([k for k in programs.clean_environment() if k.startswith(("MALLOC_", "OMP_"))])


if __name__ == "__main__":
    unittest.main()

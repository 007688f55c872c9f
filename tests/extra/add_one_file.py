#!/usr/bin/env python3
"""`add_one_file.py BUILD`: one entry of each kind of catalogue (the .cpp files beside this script, laid out as src/) is
copied to a scratch folder, compiled into a program of its own and used: help, lists, a training, its resume, eval, and
what is refused. Objects of src/ are taken from BUILD, so that tables, entries and the link are all there is to do."""
import json, pathlib, shutil, struct, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# What a build must have in common with the one whose objects it takes.
COPIED = ["CMAKE_BUILD_TYPE", "CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE",
          "CMAKE_CXX_FLAGS_DEBUG", "CONVOY_SANITIZE", "CCACHE"]
LISTED = {"augmentations": "speckle", "datasets": "stripes", "models": "small_net", "optimizers": "sign-sgd",
          "lr-schedules": "sawtooth", "verbs": "catalogues"}
OPTIONS = ["speckle-share", "corner-share", "small-width", "small-dropped", "dead-zone", "saw-teeth"]
STRIPES = ["--dataset", "stripes", "--model", "small_net", "--small-width", "12", "--small-dropped", "0.1",
           "--augment", "speckle,flip", "--speckle-share", "0.2", "--optimizer", "sign-sgd", "--dead-zone", "1e-7",
           "--lr", "0.01", "--lr-schedule", "sawtooth", "--saw-teeth", "3", "--batch-size", "16", "--epochs", "6"]


def expect(is_so: bool, what: str) -> None:
    if not is_so:
        sys.exit(f"add_one_file: {what}")


def cached(build: pathlib.Path) -> dict[str, str]:
    values = {}
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in COPIED:
            values[name] = rest.partition("=")[2]
    return values


def run(*words) -> str:
    end = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=ROOT)
    expect(end.returncode == 0, f"{' '.join(map(str, words))} left with {end.returncode}:\n{end.stdout}{end.stderr}")
    return end.stdout


def make(build: pathlib.Path) -> pathlib.Path:
    """The program with the extra files. The scratch folder stays for the next time; nothing in src/ changes."""
    scratch = build / "extra"
    sources = scratch / "sources"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(HERE, sources, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    options = {**cached(build), "CONVOY_EXTRA": sources, "CONVOY_OBJECTS_OF": build, "BUILD_TESTING": "OFF"}
    run("cmake", "-S", ROOT, "-B", scratch / "build", "-G", "Ninja", *(f"-D{k}={v}" for k, v in options.items()))
    run("ninja", "-C", scratch / "build", "convoy")
    return scratch / "build/convoy"


class Checks:
    def __init__(self, program: pathlib.Path, folder: pathlib.Path):
        self.program, self.folder = program, folder

    def train(self, name: str, *words) -> str:
        """The hash of the weights."""
        out = run(self.program, "train", *STRIPES, "--output", self.folder, "--name", name, "--threads", "2", *words)
        return out.splitlines()[-1]

    def refused(self, words: list[str], *parts: str) -> None:
        end = subprocess.run([self.program, *words], capture_output=True, text=True, cwd=ROOT)
        expect(end.returncode == 2, f"{words} left with {end.returncode}, not 2: {end.stderr}")
        for part in parts:
            expect(part in end.stderr, f"{words}: no '{part}' in: {end.stderr}")

    def told(self) -> None:
        help_text = run(self.program, "train", "--help", "all")
        for option in OPTIONS:
            expect(f"--{option} " in help_text, f"--help does not tell of --{option}")
        for kind, name in LISTED.items():
            expect(name in run(self.program, "list", kind), f"`list {kind}` has no {name}")
        expect("families of models" in run(self.program, "catalogues"), "the verb does nothing")
        explained = json.loads(run(self.program, "tiny", "-n", "5", "--device", "b", "--explain", "--json"))
        expect(explained["global_batch"] == 5 and explained["recorded_only"] == ["device"], "the dialect explains nothing")
        expect("tiny" in run(self.program, "list", "verbs"), "`list verbs` has no dialect")
        expect("corner" in run(self.program, "train", "--help", "eval-crop"), "--eval-crop knows no corner")

    def trains_and_resumes(self) -> None:
        whole = self.train("whole")
        args = (self.folder / "whole/args.yml").read_text()
        for line in ["speckle-share: 0.2", "small-width: 12", "small-dropped: 0.1", "dead-zone:", "saw-teeth: 3"]:
            expect(f"\n{line}" in args, f"args.yml has no '{line}'")
        for words in (["--speckle-share", "0.3"], ["--small-dropped", "0.3"], ["--saw-teeth", "2"], ["--dead-zone", "1"]):
            expect(self.train("other", *words) != whole, f"{words} changed nothing")
        self.train("pieces", "--verify-resume")  # killed and resumed, it ends with the same weights

    def another_task(self) -> None:
        """Two heads, two labels and results of any length: the same on any ranks, resumed in the middle of an epoch."""
        words = ["train", "--dataset", "stripes", "--model", "two_heads_net", "--augment", "flip", "--batch-size", "4", "--epochs", "3",
                 "--lr", "0.1", "--threads", "1", "--checkpoint-steps", "3", "--log-steps", "1", "--output", self.folder]
        hashes, evals = set(), set()
        for ranks in (1, 2, 3):
            replicas = [*words, "--name", f"heads-{ranks}", "--replicas", "6" if ranks == 3 else "2"]
            launch = [] if ranks == 1 else ["launch", "--oversubscribe", "-np", str(ranks), "--"]
            hashes.add((ranks == 3, run(self.program, *launch, *replicas).splitlines()[-1]))
            if ranks == 3:  # six replicas need a run of one rank of their own
                hashes.add((True, run(self.program, *words, "--name", "heads-six", "--replicas", "6").splitlines()[-1]))
            evaluated = run(self.program, *launch, "eval", "--checkpoint", self.folder / "heads-1", "--json")
            evals.add(json.dumps(json.loads(evaluated)))
        expect(len(hashes) == 2, f"ranks train something else: {hashes}")
        expect(len(evals) == 1 and '"order"' in min(evals) and '"both_right"' in min(evals), f"ranks evaluate otherwise: {evals}")
        events = [json.loads(line) for line in (self.folder / "heads-1/metrics.jsonl").read_text().splitlines()]
        found = [event for event in events if event["event"] == "eval"]
        expect(len(found) == 3 and len({event["order"] for event in found}) > 1, f"evaluations: {found}")
        expect(found[-1]["both"] == json.loads(min(evals))["both"], "the evaluation of training is another")
        head = (self.folder / "heads-1/summary.csv").read_text().splitlines()[0]
        expect(head == "epoch,train_loss,eval_loss,eval_both,eval_order,lr", head)
        run(self.program, *words, "--name", "heads-pieces", "--replicas", "2", "--verify-resume")
        file = self.folder / "heads.onnx"
        told = run(self.program, "export", "--checkpoint", self.folder / "heads-1", "--output", file, "--verify", "8", "--json")
        expect(json.loads(told)["outputs"] == ["what", "group"], told)
        self.refused([*words, "--name", "x", "--best-metric", "top1"], "best-metric", "both, order, loss")

    def weights_say_what_they_are(self) -> None:
        weights = self.folder / "whole/weights/last.safetensors"
        plain = run(self.program, "eval", "--checkpoint", weights, "--json")
        data = weights.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        header = data[8:8 + size]
        for name in ("conv1.weight", "bn1.weight", "bn1.bias", "bn1.running_mean", "bn1.running_var", "fc.weight", "fc.bias"):
            expect(b'"%s"' % name.encode() in header, f"the weights have no {name}")
            header = header.replace(b'"%s"' % name.encode(), b'"%s"' % name.upper().encode())
        shouted = self.folder / "shouted.safetensors"
        shouted.write_bytes(data[:8] + header + data[8 + size:])
        top1 = [part for part in plain.split(",") if '"top1"' in part]
        again = run(self.program, "eval", "--checkpoint", shouted, "--json")
        expect(bool(top1) and top1 == [part for part in again.split(",") if '"top1"' in part], f"{plain} and {again}")

    def exports_an_op_of_its_own(self) -> None:
        """The op of small_net has an ONNX form, and `--verify` reads the file back and compares the outputs."""
        file = self.folder / "whole.onnx"
        run(self.program, "export", "--checkpoint", self.folder / "whole", "--output", file, "--verify", "8")
        expect(b"Softsign" in file.read_bytes(), "the ONNX file has no Softsign")

    def reads_a_format_of_its_own(self) -> None:
        """The same weights in another format train on to the same ones."""
        weights = self.folder / "whole/weights/last.safetensors"
        data = weights.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        tagged = b"TAGGED\n"
        for name, about in json.loads(data[8:8 + size]).items():
            if name != "__metadata__" and about["dtype"] == "F32":
                begin, end = (8 + size + at for at in about["data_offsets"])
                tagged += " ".join([name, *map(str, about["shape"])]).encode() + b"\n" + data[begin:end]
        own = self.folder / "weights.tagged"
        own.write_bytes(tagged)
        expect(self.train("from-own", "--init-from", own) == self.train("from-st", "--init-from", weights),
               "the format of its own gives other weights")
        own.write_bytes(tagged[:-1])
        end = subprocess.run([self.program, "train", *STRIPES, "--init-from", own, "--output", self.folder, "--name", "cut"],
                             capture_output=True, text=True, cwd=ROOT)
        expect(end.returncode == 4 and "its tensors" in end.stderr, f"a file that is cut off: {end.returncode} {end.stderr}")

    def sees_corners(self) -> None:
        for split, count in (("train", 8), ("val", 4)):
            for label in ("dark", "light"):
                folder = self.folder / "photos" / split / label
                folder.mkdir(parents=True)
                for i in range(count):
                    (folder / f"{i}.bmp").write_bytes(picture(i, 0 if label == "dark" else 120))
        words = ["train", "--data-dir", self.folder / "photos", "--dataset", "imagefolder", "--model", "small_net", "--image-size",
                 "16", "--crop", "corner", "--eval-crop", "corner", "--batch-size", "8", "--epochs", "2", "--threads", "1",
                 "--output", self.folder]
        hashes = {run(self.program, *words, "--name", f"corner-{share}", "--corner-share", share).splitlines()[-1]
                  for share in ("0.5", "0.9")}
        expect(len(hashes) == 2, "--corner-share changes nothing")
        weights = (self.folder / "corner-0.9/weights/last.safetensors").read_bytes()
        expect(b'"convoy.option.corner-share":"0.9"' in weights, "weights do not tell --corner-share")

    def refuses_what_does_nothing(self) -> None:
        self.refused(["train", "--dataset", "stripes", "--speckle-share", "0.2"], "speckle-share", "augment speckle")
        self.refused(["train", "--dataset", "stripes", "--model", "resnet18", "--small-width", "4"], "--small-width", "resnet")
        self.refused(["train", "--dataset", "stripes", "--lr-schedule", "cosine", "--saw-teeth", "2"], "saw-teeth", "sawtooth")
        self.refused(["train", "--dataset", "imagefolder", "--data-dir", self.folder / "photos", "--corner-share", "0.3"],
                     "corner-share", "corner")
        self.refused(["train", "--dataset", "stripes", "--small-width", "65"], "small-width", "between 1 and 64")


def picture(number: int, base: int) -> bytes:
    """A BMP of 20x20 pixels, 24 bits."""
    rows = bytes((base + (x * number + y * 5 + channel) % 90) for y in range(20) for x in range(20) for channel in range(3))
    return (b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, 20, 20, 1, 24, 0, len(rows), 2835, 2835, 0, 0) + rows)


if __name__ == "__main__":
    program = make(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="convoy-extra-") as place:
        checks = Checks(program, pathlib.Path(place))
        checks.told()
        checks.trains_and_resumes()
        checks.another_task()
        checks.weights_say_what_they_are()
        checks.exports_an_op_of_its_own()
        checks.reads_a_format_of_its_own()
        checks.sees_corners()
        checks.refuses_what_does_nothing()
    print("one file of each kind, added and used")

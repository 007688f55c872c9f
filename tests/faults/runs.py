"""Short runs of the program with something going wrong in them, and what must hold afterwards. Shared by sweep.py and
kill_runs.py."""
import json, os, pathlib, re, shutil, subprocess

TIMES = {"t", "images_per_s", "data_wait_s", "seconds", "peak_rss_bytes", "rss_bytes"}
RECIPE = ("--dataset generated --generated-samples 64 --generated-image-size 8 --model cifar_resnet8 --batch-size 16 "
          "--threads 2 --epochs 2 --checkpoint-steps 3 --checkpoint-keep 2 --ema-decay 0.5 --log-steps 1 --quiet").split()


class Bench:
    """A folder for runs, the program, and the library that makes faults."""

    def __init__(self, program: str, library: str, folder: pathlib.Path):
        self.program, self.library, self.folder = program, library, folder
        self.run = folder / "runs" / "a"
        self.count_file = folder / "count"

    def words(self) -> list[str]:
        if (self.run / "args.yml").exists():
            return [self.program, "resume", str(self.run), "--quiet"]
        shutil.rmtree(self.run, ignore_errors=True)  # never became a run; its name must be free again
        return [self.program, "train", "--output", str(self.run.parent), "--name", "a", *RECIPE]

    def go(self, do: str = "", at: int = 0) -> subprocess.CompletedProcess:
        """Trains, or goes on; at operation `at` something goes wrong."""
        faults = {"LD_PRELOAD": self.library, "FAULTS_FOLDER": str(self.run.parent), "FAULTS_DO": do,
                  "FAULTS_AT": str(at), "FAULTS_COUNT": str(self.count_file), "FAULTS_LINK": str(self.run / "checkpoints/last")} if do else {}
        self.run.parent.mkdir(parents=True, exist_ok=True)
        self.count_file.unlink(missing_ok=True)
        return subprocess.run(self.words(), env={**os.environ, **faults}, capture_output=True, text=True, timeout=300)

    def count(self) -> int:
        return int(self.count_file.read_text())

    def linked_before_cut(self) -> int:
        """The step of the link `last` when the power was cut: that checkpoint must be there afterwards."""
        text = self.count_file.read_text()
        return int(text[5:]) if text.startswith("step-") else -1

    def clear(self):
        shutil.rmtree(self.run.parent, ignore_errors=True)

    def saved_step(self) -> int:
        """Of the newest checkpoint; -1: there is none."""
        found = [int(p.name[5:]) for p in (self.run / "checkpoints").glob("step-*") if (p / "state.json").exists()]
        return max(found, default=-1)


def record(run: pathlib.Path) -> dict[str, object]:
    """All that a run leaves behind, times aside: two runs of one recipe, however often interrupted, have equal ones."""
    found: dict[str, object] = {}
    for path in sorted(run.rglob("*")):
        name = str(path.relative_to(run))
        if name in ("env.json", "sessions.jsonl", ".lock") or name.split("/")[0] in ("tb", "plots"):
            continue  # what tells of processes, and what a run goes on without
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_dir():
            found[name] = "folder"
        elif name == "metrics.jsonl":
            events = [json.loads(line) for line in path.read_text().splitlines()]
            found[name] = [{k: v for k, v in e.items() if k not in TIMES} for e in events]
        elif path.name == "state.json":
            state = json.loads(path.read_text())
            state["numbers"].pop("seconds")
            found[name] = {k: v for k, v in state.items() if k not in ("hash", "log_lengths")}
        elif path.name == "log.txt":
            text = re.sub(r"  Time: .*?(?=  LR:|  Loss:|$)|  Data: .*", "", path.read_text(), flags=re.M)
            text = re.sub(r"Warning: TensorBoard's files end here.*\n", "", text)
            text = re.sub(r"(End: step \d+), .*(, exit \d+), .*", r"\1\2", text)
            found[name] = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "(date)", text)
        else:
            found[name] = path.read_bytes()
    return found


def differences(actual: dict[str, object], wanted: dict[str, object]) -> list[str]:
    return [f"{name}: {'missing' if name not in actual else 'not expected' if name not in wanted else 'differs'}"
            for name in sorted(actual.keys() | wanted.keys()) if actual.get(name) != wanted.get(name)]

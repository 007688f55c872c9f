"""Short runs of the program with something going wrong in them, and what must hold afterwards. Shared by sweep.py and
kill_runs.py."""
import json, os, pathlib, re, shutil, subprocess

TIMES = {"t", "images_per_s", "data_wait_s", "seconds", "peak_rss_bytes", "rss_bytes"}
RECIPE = ("--dataset generated --generated-samples 64 --generated-image-size 8 --model cifar_resnet8 --batch-size 16 "
          "--threads 2 --epochs 2 --checkpoint-steps 3 --checkpoint-keep 2 --ema-decay 0.5 --log-steps 1 --quiet "
          "--histogram-epochs 1 --wandb --trace-steps 2").split()
SPARE = ("tb", "plots", "wandb", "trace")  # folders that a run goes on without


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
        if name in ("env.json", "sessions.jsonl", ".lock") or name.split("/")[0] in SPARE:
            continue  # what tells of processes, and what `unsound` judges
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
            text = re.sub(r"Warning: .* end here.*\n|Warning: no trace.*\n", "", text)
            text = re.sub(r"(End: step \d+), .*(, exit \d+), .*", r"\1\2", text)
            found[name] = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "(date)", text)
        else:
            found[name] = path.read_bytes()
    return found


def records_of(data: bytes):
    """The payloads of a file of TFRecords; the last one is None if it is not whole."""
    at = 0
    while at < len(data):
        end = at + 16 + int.from_bytes(data[at:at + 8], "little")
        yield data[at + 12:end - 4] if end <= len(data) else None
        at = end


def unsound(run: pathlib.Path) -> list[str]:
    """What is wrong in the files that other programs read: they may be absent or end early, but no reader stumbles over them."""
    wrong = []
    for path in sorted(p for folder in SPARE for p in (run / folder).rglob("*") if p.is_file()):
        data, name = path.read_bytes(), str(path.relative_to(run))
        if name.startswith("tb/"):
            ok = None not in list(records_of(data))
        elif path.suffix == ".json":
            ok = bool(json.loads(data))
        elif path.suffix == ".png":
            ok = data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")
        elif path.suffix == ".html":
            ok = data.endswith(b"</html>\n")
        elif path.suffix == ".wandb":
            ok = data.startswith(b":W&B")
        else:
            ok = not path.name.startswith(".") or path.suffix == ""
        if not ok:
            wrong.append(f"{name} is not sound")
    return wrong


def differences(actual: dict[str, object], wanted: dict[str, object]) -> list[str]:
    return [f"{name}: {'missing' if name not in actual else 'not expected' if name not in wanted else 'differs'}"
            for name in sorted(actual.keys() | wanted.keys()) if actual.get(name) != wanted.get(name)]

#!/usr/bin/env python3
"""TensorBoard reads what runs write: `tensorboard_shows.py PROGRAM`.

A run that is killed and resumed while TensorBoard watches it, and one that is not, with both of TensorBoard's loaders: every tag
is listed, each line of the interrupted run goes through every step once and equals the other's, and the tabs of hyper-parameters,
pictures, text, histograms and precision curves have their data.
"""
import json, os, pathlib, signal, subprocess, sys, tempfile, time, urllib.parse, urllib.request

from tensorboard import program

RECIPE = ["--dataset", "generated", "--generated-samples", "256", "--generated-image-size", "16", "--batch-size", "32", "--model", "cifar_resnet8",
          "--epochs", "40", "--lr", "0.05", "--log-steps", "1", "--checkpoint-steps", "10", "--eval-epochs", "5", "--histogram-epochs", "10",
          "--threads", "1", "--quiet"]
STEPS = 40 * 8
SCALARS = {"train/loss", "val/loss", "val/top1", "val/top5", "lr", "throughput/images_per_s", "time/step", "time/data", "memory/rss_gb"}
SAME = ("train/loss", "lr", "val/top1")  # values that depend on no clock


class Board:
    def __init__(self, folder: pathlib.Path, fast: bool):
        board = program.TensorBoard()
        board.configure(argv=[None, "--logdir", str(folder), "--port", "0", "--reload_interval", "1", "--load_fast", "true" if fast else "false",
                              "--samples_per_plugin", "scalars=100000,images=100"])
        self.url = board.launch()

    def get(self, path: str, data=None, **query):
        url = f"{self.url}data/plugin/{path}" + ("?" + urllib.parse.urlencode(query) if query else "")
        body = json.dumps(data).encode() if data is not None else None
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"} if body else {})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def line(self, run: str, tag: str) -> list[tuple[int, float]]:
        return [(step, value) for _, step, value in self.get("scalars/scalars", run=run, tag=tag)]


def train(program_path: str, folder: pathlib.Path, name: str) -> subprocess.Popen:
    return subprocess.Popen([program_path, "train", *RECIPE, "--output", str(folder), "--name", name], stdout=subprocess.DEVNULL)


def last_step(run: pathlib.Path) -> int:
    try:
        lines = (run / "metrics.jsonl").read_text().splitlines()
        return max([json.loads(line).get("step", 0) for line in lines[-3:] if line.endswith("}")], default=0)
    except (OSError, ValueError):
        return 0


def until(what: str, is_true, seconds: float = 120):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.2)


def sessions(board: Board) -> list[dict]:
    """The rows of the tab of hyper-parameters."""
    groups = board.get("hparams/session_groups", data={
        "experimentName": "", "allowedStatuses": ["STATUS_SUCCESS", "STATUS_RUNNING", "STATUS_FAILURE", "STATUS_UNKNOWN"],
        "colParams": [{"metric": {"tag": "val/top1", "group": ""}, "order": "ORDER_DESC"}], "startIndex": 0, "sliceSize": 10})
    assert all(len(group["sessions"]) == 1 for group in groups["sessionGroups"]), "runs share a row of the tab"
    return [session for group in groups["sessionGroups"] for session in group["sessions"]]


def check(board: Board, fast: bool):
    runs = {"whole/tb", "killed/tb"}
    # The last record of each.
    until("the end of both runs", lambda: [session["status"] for session in sessions(board)] == ["STATUS_SUCCESS"] * 2)
    tags = board.get("scalars/tags")
    for run in runs:
        assert SCALARS <= set(tags[run]), SCALARS - set(tags[run])
        for tag in tags[run]:
            steps = [step for step, _ in board.line(run, tag)]
            assert steps == sorted(set(steps)), f"{run} {tag}: {steps}"
        assert [step for step, _ in board.line(run, "train/loss")] == list(range(1, STEPS + 1)), run
        assert set(board.get("images/tags")[run]) >= {"train/first_batch", "val/worst"}
        assert len(board.get("images/images", run=run, tag="val/worst", sample=0)) == 40 // 5
        assert "recipe" in board.get("text/tags")[run]
        assert "pr_curves/all" in board.get("pr_curves/tags")[run]
        points = board.get("pr_curves/pr_curves", run=run, tag="pr_curves/all")[run]
        assert len(points) == 40 // 5 and all(0 <= p <= 1 for entry in points for p in entry["precision"])
        histograms = board.get("histograms/tags")[run]
        assert "weights/conv1.weight" in histograms and "gradients/fc.weight" in histograms, list(histograms)
        assert len(board.get("histograms/histograms", run=run, tag="weights/fc.weight")) == 4
    for tag in SAME:
        assert board.line("whole/tb", tag) == board.line("killed/tb", tag), tag
    experiment = board.get("hparams/experiment", data={"experimentName": ""})
    assert {"lr", "batch-size", "model", "optimizer"} <= {info["name"] for info in experiment["hparamInfos"]}
    metrics = {info["name"]["tag"] for info in experiment["metricInfos"]}
    assert "val/top1" in metrics, metrics
    for session in sessions(board):
        assert any(value["name"]["tag"] == "val/top1" and value["value"] > 0 for value in session["metricValues"]), session
    print("TensorBoard's", "fast" if fast else "slow", "loader shows both runs")


def check_detector(program_path: str):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = lambda *words: subprocess.run([program_path, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run("prepare", "shapes", "--output", "set", "--train-pictures", "32", "--val-pictures", "16")
        run("train", "--dataset", "shapes", "--data-dir", "set", "--model", "ssd_tiny", "--batch-size", "16", "--epochs", "2", "--name", "boxes",
            "--output", "runs", "--quiet", "--no-plots")
        board = Board(folder / "runs", False)
        until("the end of the detector's run", lambda: [session["status"] for session in sessions(board)] == ["STATUS_SUCCESS"])
        assert {"metrics/mAP50-95", "metrics/mAP50", "metrics/mAP75", "val/loss"} <= set(board.get("scalars/tags")["boxes/tb"])
        assert set(board.get("images/tags")["boxes/tb"]) >= {"train/first_batch", "val/predictions", "val/worst"}
        points = board.get("pr_curves/pr_curves", run="boxes/tb", tag="pr_curves/all")["boxes/tb"]
        assert len(points) == 2 and all(0 <= p <= 1 for entry in points for p in entry["precision"] + entry["recall"])
        assert len(board.get("pr_curves/tags")["boxes/tb"]) > 5, "a curve of each class"
    print("TensorBoard shows a detector")


def main(program_path: str):
    check_detector(program_path)
    for fast in (False, True):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            board = Board(folder, fast)  # watches from the start
            killed = train(program_path, folder, "killed")
            until("step 100", lambda: last_step(folder / "killed") >= 100)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            until("the killed run in TensorBoard", lambda: "killed/tb" in board.get("scalars/tags"))
            subprocess.run([program_path, "resume", str(folder / "killed"), "--quiet"], check=True, stdout=subprocess.DEVNULL)
            assert train(program_path, folder, "whole").wait() == 0
            assert len(list((folder / "killed/tb").iterdir())) == 2
            check(board, fast)


if __name__ == "__main__":
    main(sys.argv[1])

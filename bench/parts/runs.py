"""Runs whose result is what counts: made once, and what their directories tell."""
import json, pathlib, subprocess


def events(run: pathlib.Path) -> list[dict]:
    try:
        return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    except (OSError, ValueError):
        return []


def good_end(run: pathlib.Path) -> dict | None:
    """The run's last event, if it ended well."""
    last = next(iter(events(run)[-1:]), {})
    return last if last.get("event") == "run_end" and last["exit"] == 0 else None


def train(program: pathlib.Path, run: pathlib.Path, options: list, threads: int, quiet: bool = False) -> None:
    """Makes that run with `convoy train OPTIONS`, unless it is there; one that was stopped goes on."""
    if good_end(run):
        return
    command = ["resume", run] if run.exists() else ["train", *options, "--output", run.parent, "--name", run.name]
    subprocess.run([program, *command, "--threads", str(threads)], check=True,
                   **(dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if quiet else {}))

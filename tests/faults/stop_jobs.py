#!/usr/bin/env python3
"""`stop_jobs.py PROGRAM [--count N] [--seed S]`: starts N small jobs and stops each after a random moment, by one of
SIGTERM, SIGINT, SIGHUP, SIGUSR1 to one of launcher, mpirun, ranks, all of them, in random order. Every one must leave with
75 and a checkpoint of the step it stopped at and leave no process."""
import argparse, collections, json, os, pathlib, random, signal, subprocess, sys, tempfile, time

TRAIN = ["train", "--dataset", "generated", "--generated-samples", "256", "--generated-image-size", "8", "--model",
         "cifar_resnet8", "--replicas", "2", "--batch-size", "4", "--threads", "1", "--checkpoint-steps", "10",
         "--checkpoint-epochs", "0", "--eval-epochs", "0", "--quiet"]
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1]
TARGETS = ["launcher", "mpirun", "ranks", "all"]


def children(pid: int) -> list[int]:
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_rank(pid: int) -> bool:
    try:
        return b"OMPI_COMM_WORLD_RANK=" in pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def processes(launcher: int) -> dict[str, list[int]]:
    mpirun = children(launcher)[:1]
    ranks = [pid for parent in mpirun for pid in children(parent) if is_rank(pid)]
    return {"launcher": [launcher], "mpirun": mpirun, "ranks": ranks, "all": [launcher, *mpirun, *ranks]}


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def saved_steps(folder: pathlib.Path) -> list[int]:
    return sorted(int(path.name[5:]) for path in (folder / "checkpoints").glob("step-*"))


def stop_one(program: str, folder: pathlib.Path, target: str, number: int, draw: random.Random) -> str:
    """Empty: as it must be. Otherwise what was wrong."""
    job = subprocess.Popen([program, "launch", "-np", "2", "--oversubscribe", "--", *TRAIN, "--epochs", "30000",
                            "--output", folder, "--name", "a"],
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 120
    while not saved_steps(folder / "a"):
        if job.poll() is not None or time.monotonic() > end:
            job.kill()
            return f"no checkpoint came: {job.communicate()}"
        time.sleep(0.01)
    time.sleep(draw.random())
    everybody = processes(job.pid)
    victims = list(everybody[target])
    draw.shuffle(victims)
    for pid in victims:
        os.kill(pid, number)
    try:
        out, err = job.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        job.kill()
        return "it did not end within two minutes"
    left = [pid for pid in everybody["all"] if runs(pid)]
    events = [json.loads(line) for line in (folder / "a/metrics.jsonl").read_text().splitlines()]
    stops = [event for event in events if event["event"] == "stop"]
    if job.returncode != 75:
        return f"exit {job.returncode}: {out}{err}"
    if len(stops) != 1 or saved_steps(folder / "a")[-1] != stops[0]["step"]:
        return f"stopped {stops}, saved {saved_steps(folder / 'a')}"
    return f"still run: {left}" if left else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for number in (signal.SIGHUP, signal.SIGINT):  # a shell's background job ignores them
        signal.signal(number, signal.SIG_DFL)
    draw = random.Random(arguments.seed)
    tally, wrong = collections.Counter(), 0
    for i in range(arguments.count):
        target, number = TARGETS[i % 4], SIGNALS[i // 4 % 4]
        with tempfile.TemporaryDirectory(prefix="convoy-stops-") as folder:
            problem = stop_one(os.path.abspath(arguments.program), pathlib.Path(folder), target, number, draw)
        tally[(target, number.name, "wrong" if problem else "75")] += 1
        if problem:
            wrong += 1
            print(f"{i}: {number.name} to {target}: {problem}", flush=True)
    for key, count in sorted(tally.items()):
        print(*key, count)
    print(f"{arguments.count - wrong} of {arguments.count}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()

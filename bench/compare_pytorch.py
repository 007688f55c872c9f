#!/usr/bin/env python3
"""Training speed of Convoy and PyTorch side by side: one process at a time, in turns, medians, a Markdown table.

    bench/compare_pytorch.py [--rounds 5] [--python PYTHON]   (PYTHON has torch; default: this interpreter)

Both train on random images in memory: forward, loss, backward, SGD with momentum. PyTorch uses all cores and flushes
denormals; it runs with glibc's malloc as it is, and with its thresholds raised (no page faults for big tensors)."""
import argparse, json, os, pathlib, platform, statistics, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = [  # model, depth, channels, image size, batch, steps
    ("cifar_resnet8", 8, 1, 28, 128, 60),
    ("cifar_resnet20", 20, 3, 32, 128, 30),
]
TUNED = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "8589934592", "MALLOC_TOP_PAD_": "268435456"}


def convoy(case) -> float:
    model, _, channels, size, batch, steps = case
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "build/release/convoy", "train", "--model", model, "--dataset", "generated",
                        "--generated-channels", str(channels), "--generated-image-size", str(size),
                        "--batch-size", str(batch), "--max-steps", str(2 * steps), "--log-steps", str(steps),
                        "--eval-epochs", "0", "--output", folder, "--name", "run", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        lines = pathlib.Path(folder, "run/metrics.jsonl").read_text().splitlines()
        return [e["images_per_s"] for e in map(json.loads, lines) if e["event"] == "train"][-1]


def torch_worker(case) -> None:
    """In a process of its own: prints images per second of the second half of the steps."""
    import time, torch
    sys.path.insert(0, str(ROOT / "tests/fixtures"))
    from cifar_resnet import CifarResNet
    _, depth, channels, size, batch, steps = case
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    model = CifarResNet(depth, channels=channels)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    x, y = torch.randn(batch, channels, size, size), torch.randint(10, (batch,))
    for step in range(2 * steps):
        if step == steps:
            begin = time.perf_counter()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    print(json.dumps({"images_per_s": batch * steps / (time.perf_counter() - begin), "version": torch.__version__}))


def peer(case, python, tuned) -> dict:
    run = subprocess.run([python, __file__, "--worker", json.dumps(case)], check=True, capture_output=True, text=True,
                         env=os.environ | (TUNED if tuned else {}))
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--worker", help=argparse.SUPPRESS)
    o = options.parse_args()
    if o.worker:
        return torch_worker(json.loads(o.worker))
    version = ""
    print("| model, batch | Convoy images/s | PyTorch | PyTorch, malloc tuned | ratio |\n|---|---|---|---|---|")
    for case in CASES:
        ours, plain, tuned = [], [], []
        for _ in range(o.rounds):
            ours.append(convoy(case))
            for speeds, malloc in ((plain, False), (tuned, True)):
                result = peer(case, o.python, malloc)
                version = result["version"]
                speeds.append(result["images_per_s"])
        a, b, c = map(statistics.median, (ours, plain, tuned))
        print(f"| {case[0]} {case[3]}x{case[3]}x{case[2]}, {case[4]} | {a:.0f} | {b:.0f} | {c:.0f} | {a / b:.2f}x / {a / c:.2f}x |", flush=True)
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    print(f"\nPyTorch {version}; {cpu}, {len(os.sched_getaffinity(0))} cores; medians of {o.rounds} rounds")


if __name__ == "__main__":
    main()

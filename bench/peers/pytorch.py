#!/usr/bin/env python3
"""PyTorch as a peer of bench/compare: trains a network, or only runs it, on one generated batch that stays in memory.

A server, so that the parent can take turns between living processes: it says `{"ready": ...}` when it is warm, then
reads lines `step N` and answers each with `{"seconds": [...], "peak_rss_bytes": ...}`; it leaves when its input ends.
Between two commands it sleeps on its input, and OpenMP's threads fall asleep by themselves within milliseconds.
Runs with PyTorch 1.13 and later."""
import argparse, contextlib, functools, inspect, json, math, os, sys, time

# What libraries print must not get between the answers.
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

import torch
from torch.nn import functional

import models, ssd

WARM_UP_STEPS = 3  # the first ones choose algorithms, compile, grow the heap


def peak_rss_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def sgd(parameters) -> torch.optim.Optimizer:
    """The fastest form this version has: fused takes a third of the time of the others, foreach more than none."""
    fused = {"fused": True} if "fused" in inspect.signature(torch.optim.SGD).parameters else {}
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, weight_decay=1e-4, **fused)


def autocast(o: argparse.Namespace):
    """What makes the context of a forward pass."""
    return functools.partial(torch.autocast, "cpu", torch.bfloat16) if o.autocast else lambda **_: contextlib.nullcontext()


def timed(self, steps: int) -> list:
    """Seconds of each of so many steps."""
    seconds = []
    for _ in range(steps):
        begin = time.perf_counter()
        found = self.step()
        seconds.append(time.perf_counter() - begin)
        if not math.isfinite(found):
            raise SystemExit(f"a step gave {found}; that is no measurement")
    return seconds


class Training:
    def __init__(self, o: argparse.Namespace):
        torch.manual_seed(0)
        layout = torch.channels_last if o.channels_last else torch.contiguous_format
        self.net = models.by_name(o.model).to(memory_format=layout).train()
        self.x = torch.randn(o.batch_size, 3, o.image_size, o.image_size).to(memory_format=layout)
        self.detects = isinstance(self.net, ssd.Ssd)
        self.y = ssd.some_objects(o.batch_size) if self.detects else torch.randint(self.net.classes, (o.batch_size,))
        self.optimizer = sgd(self.net.parameters())
        self.autocast = autocast(o)
        self.loss_of = self.forward
        if o.compile:
            self.loss_of = torch.compile(self.forward)

    def forward(self, x, *y):
        with self.autocast():
            outputs = self.net(x)
        if self.detects:
            return self.net.loss(*outputs, *y)
        return functional.cross_entropy(outputs.float(), *y)

    def step(self) -> float:
        """The loss before the step; reading it is the end of the work, as nothing on a CPU is asynchronous."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss_of(self.x, *(self.net.targets(self.y) if self.detects else (self.y,)))
        loss.backward()
        self.optimizer.step()
        return loss.item()

    timed = timed


class Inference:
    """Forward passes; `step` gives a number of the result, which must be finite."""

    def __init__(self, o: argparse.Namespace):
        torch.manual_seed(0)
        layout = torch.channels_last if o.channels_last else torch.contiguous_format
        net = models.by_name(o.model).to(memory_format=layout).eval()
        self.x = torch.randn(o.batch_size, 3, o.image_size, o.image_size).to(memory_format=layout)
        self.autocast = autocast(o)
        self.run = net
        if o.freeze:
            # The tracer's cache of casts would make them constants of a graph that is not frozen yet.
            with torch.no_grad(), self.autocast(cache_enabled=False):
                self.run = torch.jit.freeze(torch.jit.trace(net, self.x))
                if not o.autocast:
                    self.run = torch.jit.optimize_for_inference(self.run)
            self.autocast = contextlib.nullcontext  # the graph contains the casts
        if o.compile:
            self.run = torch.compile(net)

    def step(self) -> float:
        with torch.inference_mode(), self.autocast():
            result = self.run(self.x)
        return (result[0] if isinstance(result, tuple) else result).flatten()[0].item()

    timed = timed


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", required=True)
    options.add_argument("--batch-size", type=int, required=True)
    options.add_argument("--image-size", type=int, required=True)
    options.add_argument("--threads", type=int)
    options.add_argument("--channels-last", action="store_true")
    options.add_argument("--compile", action="store_true")
    options.add_argument("--autocast", action="store_true", help="compute in bf16 what PyTorch's autocast does")
    options.add_argument("--freeze", action="store_true", help="traced, frozen and optimised; of --mode infer")
    options.add_argument("--mode", choices=["train", "infer"], default="train")
    o = options.parse_args()

    # Threads take the flag from the one that starts them: before the first parallel loop.
    torch.set_flush_denormal(True)
    # Debian's build starts with one thread.
    torch.set_num_threads(o.threads or len(os.sched_getaffinity(0)))
    work = Inference(o) if o.mode == "infer" else Training(o)
    work.timed(WARM_UP_STEPS)
    print(json.dumps({"ready": torch.__version__, "threads": torch.get_num_threads()}), file=answers)

    for line in sys.stdin:
        word, count = line.split()
        if word != "step":
            raise SystemExit(f"not a command: {line.strip()}; try: step 5")
        answer = {"seconds": work.timed(int(count)), "peak_rss_bytes": peak_rss_bytes()}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Weights go to PyTorch and back: `load_safetensors.py PROGRAM` trains cifar_resnet20 for three steps, loads
weights/last.safetensors strictly into the equivalent module, saves it again from PyTorch, and requires
that `convoy eval` gives the same digits for both files, and others for a file that was changed.

    load_safetensors.py PROGRAM [--weights FILE]     --weights: an existing file of cifar_resnet20 instead
"""
import argparse, json, pathlib, subprocess, sys, tempfile

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import formula
from cifar_resnet import CifarResNet

DATA = ["--dataset", "generated", "--model", "cifar_resnet20"]


def convoy(program: str, *arguments: str) -> str:
    ran = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"convoy {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip()}")
    return ran.stdout


def train(program: str, folder: pathlib.Path) -> pathlib.Path:
    convoy(program, "train", *DATA, "--max-steps", "3", "--batch-size", "16", "--seed", "1", "--output", str(folder))
    found = sorted(folder.rglob("weights/last.safetensors"))
    assert len(found) == 1, f"one weights/last.safetensors was expected below --output, found {found}"
    return found[0]


def evaluate(program: str, weights: pathlib.Path) -> dict:
    said = convoy(program, "eval", "--checkpoint", str(weights), *DATA, "--json")
    result = json.loads(said)
    missing = {"top1", "top5", "correct", "total", "loss"} - result.keys()
    assert not missing, f"eval --json lacks {sorted(missing)}"
    return {key: result[key] for key in ("top1", "top5", "correct", "total", "loss")}


def check_module(weights: pathlib.Path) -> CifarResNet:
    """Strict: every name and shape of the module is in the file, and nothing else."""
    tensors = load_file(weights)
    classes, channels = tensors["fc.weight"].shape[0], tensors["conv1.weight"].shape[1]
    net = CifarResNet(20, channels=channels, classes=classes)
    net.load_state_dict(tensors, strict=True)
    for name, value in tensors.items():
        wanted = torch.int64 if name.endswith("num_batches_tracked") else torch.float32
        assert value.dtype == wanted, f"{name} is {value.dtype}, not {wanted}"
        assert torch.isfinite(value.double()).all(), f"{name} is not finite"
    counters = [value for name, value in tensors.items() if name.endswith("num_batches_tracked")]
    assert len(counters) == 19 and len({int(c) for c in counters}) == 1, "19 equal num_batches_tracked were expected"
    net.eval()
    with torch.no_grad():
        logits = net(torch.from_numpy(formula.images(1, (4, channels, 32, 32))))
    assert torch.isfinite(logits).all() and logits.shape == (4, classes)
    return net


def save(net: CifarResNet, like: pathlib.Path, path: pathlib.Path) -> pathlib.Path:
    with safe_open(like, framework="pt") as file:
        metadata = file.metadata()  # a weight file describes itself; PyTorch only hands that on
    save_file(net.state_dict(), path, metadata=metadata)
    return path


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program")
    options.add_argument("--weights", type=pathlib.Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        folder = pathlib.Path(name)
        weights = given.weights or train(given.program, folder / "runs")
        net = check_module(weights)
        before = evaluate(given.program, weights)
        after = evaluate(given.program, save(net, weights, folder / "again.safetensors"))
        assert before == after, f"saved by PyTorch: {after}; by convoy: {before}"
        with torch.no_grad():
            net.fc.bias[0] += 100  # always class 0 now
        changed = evaluate(given.program, save(net, weights, folder / "changed.safetensors"))
        assert changed["loss"] != before["loss"] and changed["total"] == before["total"], changed
    print(f"to PyTorch and back: {before}")


if __name__ == "__main__":
    main()

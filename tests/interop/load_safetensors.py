#!/usr/bin/env python3
"""Weights go to PyTorch and back: `load_safetensors.py PROGRAM` trains one network of each kind for some steps.

Each weights/last.safetensors loads strictly into the equivalent module; saved again from PyTorch, `convoy eval`
gives the same digits for it, and others for a file that was changed. On Fashion-MNIST, where it is installed
(Debian's dataset-fashion-mnist), PyTorch's own evaluation of the module counts the same images and has the same
loss as `convoy eval`.

    load_safetensors.py PROGRAM [--weights FILE]     --weights: an existing file of a ResNet instead
"""
import argparse, gzip, json, pathlib, subprocess, sys, tempfile

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import networks

FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
GENERATED = ["--dataset", "generated", "--generated-samples", "500", "--batch-size", "16", "--max-steps", "3"]
REAL = ["--dataset", "fashion-mnist", "--data-dir", str(FASHION), "--batch-size", "128", "--lr", "0.02"]
PHOTOGRAPHS = GENERATED + ["--generated-image-size", "64", "--generated-classes", "11", "--lr", "0.001"]
RUNS = [
    ("cifar_resnet20", GENERATED),
    ("cifar_resnet14_projection", GENERATED),
    ("cifar_resnet11_bottleneck_wide", GENERATED + ["--generated-image-size", "16", "--generated-classes", "7"]),
    ("cifar_resnet8", REAL + ["--max-steps", "60"]),
    ("cifar_resnet11_bottleneck", REAL + ["--max-steps", "30"]),
    ("resnet18", REAL + ["--max-steps", "20"]),  # torchvision's own module
    ("resnet50", PHOTOGRAPHS),
    ("resnet18_v1", PHOTOGRAPHS),
    ("resnet50_v2", PHOTOGRAPHS),
    ("cifar_resnext11", GENERATED),
    ("cifar_efficientnet", GENERATED),
    ("mobilenet_v1_025", REAL + ["--max-steps", "20"]),
    ("squeezenet1_0", PHOTOGRAPHS),
    ("resnext50_32x4d", PHOTOGRAPHS),
    ("efficientnet_b0", PHOTOGRAPHS),
    ("graphcore_efficientnet_b0_g16", PHOTOGRAPHS),
    ("graphcore_resnet18", PHOTOGRAPHS),
    ("graphcore_resnext14", PHOTOGRAPHS),
    ("habana_keras_resnet50", PHOTOGRAPHS),
    ("keras_resnet50", PHOTOGRAPHS),
    ("keras_resnet50v2", PHOTOGRAPHS),
]
STEMS = ("conv1.weight", "features.0.0.weight", "features.0.weight", "stage1.0.0.weight")
HEADS = ("fc.weight", "classifier.1.weight")


def convoy(program: str, *arguments: str) -> str:
    ran = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"convoy {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip()}")
    return ran.stdout


def train(program: str, model: str, options: list[str], folder: pathlib.Path) -> pathlib.Path:
    convoy(program, "train", "--model", model, *options, "--eval-epochs", "0", "--seed", "1", "--output", str(folder))
    found = sorted(folder.rglob("weights/last.safetensors"))
    assert len(found) == 1, f"one weights/last.safetensors was expected below --output, found {found}"
    return found[0]


def evaluate(program: str, weights: pathlib.Path) -> dict:
    """The file says which model and data it belongs to."""
    result = json.loads(convoy(program, "eval", "--checkpoint", str(weights), "--json"))
    missing = {"top1", "top5", "correct", "total", "loss"} - result.keys()
    assert not missing, f"eval --json lacks {sorted(missing)}"
    return {key: result[key] for key in ("top1", "top5", "correct", "total", "loss")}


def metadata(weights: pathlib.Path) -> dict[str, str]:
    with safe_open(weights, framework="pt") as file:
        return file.metadata()


def load(weights: pathlib.Path) -> nn.Module:
    """Strict: every name and shape of the module is in the file, and nothing else."""
    tensors = load_file(weights)
    model = metadata(weights)["convoy.option.model"]
    stem, head = (next(tensors[name].shape for name in names if name in tensors) for names in (STEMS, HEADS))
    net = networks.by_name(model, channels=stem[1], classes=head[0])
    net.load_state_dict(tensors, strict=True)
    for name, value in tensors.items():
        wanted = torch.int64 if name.endswith("num_batches_tracked") else torch.float32
        assert value.dtype == wanted, f"{name} is {value.dtype}, not {wanted}"
        assert torch.isfinite(value.double()).all(), f"{name} is not finite"
    counters = {int(value) for name, value in tensors.items() if name.endswith("num_batches_tracked")}
    if any(name.endswith("running_mean") for name in tensors):
        assert len(counters) == 1 and min(counters) > 0, f"num_batches_tracked are {counters}: one number was expected"
    return net.eval()


def save(net: nn.Module, like: pathlib.Path, path: pathlib.Path) -> pathlib.Path:
    save_file(net.state_dict(), path, metadata=metadata(like))  # PyTorch only hands the description on
    return path


def read_idx(path: pathlib.Path) -> np.ndarray:
    data = gzip.decompress(path.read_bytes())
    rank = data[3]
    shape = np.frombuffer(data, ">u4", rank, 4).astype(int)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def evaluate_here(net: nn.Module, weights: pathlib.Path) -> tuple[int, float]:
    """Correct images and mean loss of Fashion-MNIST's test set, normalised as the file says."""
    said = metadata(weights)
    mean, std = float(said["convoy.option.mean"]), float(said["convoy.option.std"])
    images = torch.from_numpy(read_idx(FASHION / "t10k-images-idx3-ubyte.gz").copy())[:, None].float()
    labels = torch.from_numpy(read_idx(FASHION / "t10k-labels-idx1-ubyte.gz").astype(np.int64))
    correct, loss = 0, 0.0
    with torch.no_grad():
        for x, y in zip(((images / 255 - mean) / std).split(500), labels.split(500)):
            logits = net(x)
            correct += int((logits.argmax(1) == y).sum())
            loss += functional.cross_entropy(logits.double(), y, reduction="sum").item()
    return correct, loss / len(labels)


def check(program: str, weights: pathlib.Path, folder: pathlib.Path) -> str:
    net = load(weights)
    before = evaluate(program, weights)
    after = evaluate(program, save(net, weights, folder / "again.safetensors"))
    assert before == after, f"saved by PyTorch: {after}; by convoy: {before}"
    said = f"{before['correct']} of {before['total']} correct, loss {before['loss']:.7f}"
    if metadata(weights)["convoy.option.dataset"] == "fashion-mnist":
        correct, loss = evaluate_here(net, weights)
        said += f"; PyTorch: {correct} correct, loss {loss:.7f}"
        assert before["total"] == 10000 and abs(correct - before["correct"]) <= 2, said
        assert abs(loss / before["loss"] - 1) <= 1e-4, said
    with torch.no_grad():
        list(net.parameters())[-1][0] += 100  # the head's bias: always class 0 now
    changed = evaluate(program, save(net, weights, folder / "changed.safetensors"))
    assert changed["loss"] != before["loss"] and changed["total"] == before["total"], changed
    return said


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program")
    options.add_argument("--weights", type=pathlib.Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        folder = pathlib.Path(name)
        if given.weights:
            print(check(given.program, given.weights, folder))
            return
        for model, how in RUNS:
            if how[:2] == REAL[:2] and not FASHION.is_dir():
                print(f"{model}: NOT TESTED: no {FASHION}; try: apt-get install dataset-fashion-mnist")
                continue
            weights = train(given.program, model, how, folder / model)
            print(f"{model}: {check(given.program, weights, folder)}", flush=True)


if __name__ == "__main__":
    main()

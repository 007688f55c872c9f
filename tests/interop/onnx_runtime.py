#!/usr/bin/env python3
"""ONNX files in ONNX Runtime: `onnx_runtime.py PROGRAM` trains one network of each kind for a step and exports it.

Each file passes onnx's own checker with full shape inference, in several forms (batch norms folded or not, fixed or
free batch, probabilities, other operator sets, weights in bf16). ONNX Runtime's logits for the same floats agree with
those of `convoy predict`, and the class of every image is the same; those of a file in bf16 agree with the same weights in
a safetensors file.
"""
import json, pathlib, subprocess, sys, tempfile

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import load_file

RUNS = [
    ("cifar_resnet8", ["--generated-image-size", "32"]),
    ("cifar_resnet11_bottleneck", ["--generated-image-size", "24", "--generated-channels", "1"]),
    ("resnet18", ["--generated-image-size", "64", "--generated-classes", "11"]),
    ("resnet50", ["--generated-image-size", "64", "--generated-classes", "7"]),
    ("resnet18_v2", ["--generated-image-size", "64", "--generated-classes", "5"]),
    ("resnext50_32x4d", ["--generated-image-size", "64"]),
    ("efficientnet_b0", ["--generated-image-size", "64"]),
    ("graphcore_efficientnet_b0_g16", ["--generated-image-size", "64"]),
    ("graphcore_resnet18", ["--generated-image-size", "64"]),
    ("habana_keras_resnet50", ["--generated-image-size", "64"]),
    ("keras_resnet50", ["--generated-image-size", "64"]),
    ("keras_resnet50v2", ["--generated-image-size", "64"]),
    ("mobilenet_v1_025", ["--generated-image-size", "64"]),
    ("squeezenet1_0", ["--generated-image-size", "96"]),
]
FORMS = [
    ["--verify", "4"],
    ["--no-fold-batch-norm", "--opset", "15"],
    ["--batch-size", "3", "--opset", "18"],
    ["--softmax", "--opset", "21"],
    ["--dtype", "bf16", "--verify", "4"],
]
IMAGES = 6


def convoy(program: str, *arguments: str) -> str:
    ran = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"convoy {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip()}")
    return ran.stdout


def train(program: str, model: str, options: list[str], folder: pathlib.Path) -> pathlib.Path:
    convoy(program, "train", "--model", model, "--dataset", "generated", "--generated-samples", "40", "--batch-size", "4",
           "--max-steps", "1", "--lr", "0.01", *options, "--eval-epochs", "0", "--seed", "1", "--output", str(folder))
    return next(folder.rglob("weights/last.safetensors"))


def softmax(logits: np.ndarray) -> np.ndarray:
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def in_onnx_runtime(file: pathlib.Path, images: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    (given,), (wanted,) = session.get_inputs(), session.get_outputs()
    assert given.name == "image", given.name
    batch = given.shape[0] if isinstance(given.shape[0], int) else len(images)
    return np.concatenate([session.run([wanted.name], {"image": part})[0]
                           for part in np.split(images, len(images) // batch)])


def predicted(program: str, weights: pathlib.Path, folder: pathlib.Path) -> np.ndarray:
    convoy(program, "predict", "--checkpoint", str(weights), "--input", str(folder / "images.npy"),
           "--logits", str(folder / "logits.safetensors"), "--winograd", "off")
    return load_file(folder / "logits.safetensors")["logits"]


def check(program: str, model: str, options: list[str], folder: pathlib.Path) -> str:
    weights = train(program, model, options, folder)
    told = json.loads(convoy(program, "export", "--checkpoint", str(weights), "--output", str(folder / "first.onnx"), "--json"))
    images = np.random.default_rng(1).standard_normal((IMAGES, *told["image"]), dtype=np.float32)
    np.save(folder / "images.npy", images)
    logits = predicted(program, weights, folder)
    narrow = folder / "narrow.safetensors"
    convoy(program, "export", "--checkpoint", str(weights), "--output", str(narrow), "--dtype", "bf16")
    rounded = predicted(program, narrow, folder)
    worst = 0.0
    for number, form in enumerate(FORMS):
        file = folder / f"{number}.onnx"
        convoy(program, "export", "--checkpoint", str(weights), "--output", str(file), *form)
        onnx.checker.check_model(str(file), full_check=True)
        said = {p.key: p.value for p in onnx.load(file).metadata_props}
        assert said["convoy.option.model"] == model, said
        wanted = softmax(logits) if "--softmax" in form else rounded if "bf16" in form else logits
        got = in_onnx_runtime(file, images)
        assert got.shape == wanted.shape, (got.shape, wanted.shape)
        difference = float(np.abs(got - wanted).max() / np.abs(wanted).max())
        assert difference <= 1e-4, f"{model} {form}: outputs differ by {difference:.3g}, relative"
        assert (got.argmax(1) == wanted.argmax(1)).all(), f"{model} {form}: top-1 differs"
        worst = max(worst, difference)
    return f"{len(FORMS)} files, {IMAGES} images each: the same top-1, outputs within {worst:.2g}"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        for model, options in RUNS:
            folder = pathlib.Path(name) / model
            print(f"{model}: {check(sys.argv[1], model, options, folder)}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Exported networks on real pictures: `onnx_pictures.py PROGRAM` trains on a folder of pictures at several sizes.

Whoever has the ONNX file alone follows the metadata in it (size, resizing, crop, mean, deviation, class names) with
Pillow and numpy, and ONNX Runtime's logits agree with those of `convoy predict` on the same files.
"""
import json, pathlib, shutil, subprocess, sys, tempfile

import numpy as np
import onnx
import onnxruntime
from PIL import Image
from safetensors.numpy import load_file

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures/pictures"
NAMES = ["flower.jpg", "hopper.jpg", "grey.jpg", "rgb.jpg", "progressive.jpg", "restarts.jpg"]
RUNS = [
    ("cifar_resnet8", ["--image-size", "32"]),
    ("resnet18", ["--image-size", "96", "--interpolation", "bicubic"]),
    ("cifar_resnet8", ["--image-size", "64", "--eval-resize", "64", "--mean", "0.5", "--std", "0.25"]),
    ("graphcore_resnet10", ["--image-size", "80", "--eval-crop", "squash", "--channel-order", "bgr"]),
    ("resnet18", ["--image-size", "224"]),
    ("resnet18", ["--image-size", "256"]),
]
HOW = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "nearest": Image.NEAREST}


def convoy(program: str, folder: pathlib.Path, *arguments: str) -> str:
    ran = subprocess.run([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"convoy {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip()}")
    return ran.stdout


def lay_out(folder: pathlib.Path):
    for split in ("train", "val"):
        for label, name in enumerate(("ant", "bee", "cat")):
            (folder / split / name).mkdir(parents=True)
            for i in (0, 1):
                shutil.copy(FIXTURES / NAMES[2 * label + i], folder / split / name)


def preprocessed(path: pathlib.Path, about: dict[str, str]) -> np.ndarray:
    """As the metadata say, and nothing else."""
    option = lambda key: about["convoy.option." + key]
    picture = Image.open(path).convert("RGB")
    size, short, how = int(option("image-size")), int(option("eval-resize")), HOW[option("interpolation")]
    width, height = picture.size
    if option("eval-crop") == "squash":
        picture = picture.resize((short, short), how)
        left = top = (short - size) // 2
    else:
        scaled = (short, short * height // width) if width < height else (short * width // height, short)
        picture = picture.resize(scaled, how)
        left, top = (int(round((extent - size) / 2.0)) for extent in picture.size)
    pixels = np.asarray(picture.crop((left, top, left + size, top + size)), np.float32) / 255
    if option("channel-order") == "bgr":
        pixels = pixels[:, :, ::-1]
    numbers = lambda key: np.array([float(x) for x in option(key).split(",")], np.float32)
    return ((pixels - numbers("mean")) / numbers("std")).transpose(2, 0, 1)


def check(program: str, model: str, options: list[str], folder: pathlib.Path):
    lay_out(folder / "photos")
    convoy(program, folder, "train", "--data-dir", "photos", "--model", model, *options, "--batch-size", "2", "--max-steps",
           "2", "--lr", "0.01", "--eval-epochs", "0", "--name", "a", "--quiet")
    told = json.loads(convoy(program, folder, "export", "--checkpoint", "runs/a", "--output", "a.onnx", "--verify", "6", "--json"))
    assert told["verify"]["of"] == "imagefolder", told
    convoy(program, folder, "export", "--checkpoint", "runs/a", "--output", "a.safetensors", "--verify", "6")
    lines = convoy(program, folder, "predict", "--checkpoint", "runs/a", "--input", "photos/val", "--top", "1", "--json",
                   "--logits", "logits.safetensors")
    said = [json.loads(line) for line in lines.splitlines()]
    ours = load_file(folder / "logits.safetensors")["logits"]
    file = onnx.load(folder / "a.onnx")
    about = {entry.key: entry.value for entry in file.metadata_props}
    images = np.stack([preprocessed(folder / one["file"], about) for one in said])
    session = onnxruntime.InferenceSession(str(folder / "a.onnx"), providers=["CPUExecutionProvider"])
    theirs = session.run(None, {session.get_inputs()[0].name: np.ascontiguousarray(images)})[0]
    worst = np.abs(theirs - ours).max() / np.abs(ours).max()
    names = json.loads(about["convoy.class-names"])
    same = sum(names[row.argmax()] == one["top"][0]["name"] for row, one in zip(theirs, said))
    assert worst < 2e-3 and same == len(said), f"{model} {options}: {worst:.3g}, {same} of {len(said)}"
    print(f"{model} {' '.join(options)}: {len(said)} pictures, largest relative difference {worst:.2g}, same classes")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    for model, options in RUNS:
        with tempfile.TemporaryDirectory() as scratch:
            check(program, model, options, pathlib.Path(scratch))


if __name__ == "__main__":
    main()

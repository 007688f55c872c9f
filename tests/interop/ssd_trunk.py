#!/usr/bin/env python3
"""The trunk of a detector from files of its sources: `ssd_trunk.py PROGRAM`.

torchvision's resnet34, saved by PyTorch and as safetensors, and a checkpoint of an official ResNet-34, saved by TensorFlow, given as
folder and as prefix, each start a run of ssd_resnet34. At a learning rate of zero the trunk's weights are the file's afterwards, bit
for bit, and what the file does not have is as in a run without it.
"""
import json, os, pathlib, shutil, subprocess, sys, tempfile

import numpy as np
import torch
import torchvision
from PIL import Image
from safetensors.numpy import load_file
from safetensors.torch import save_file

PICTURE = pathlib.Path(__file__).parent.parent / "fixtures/pictures/hopper.jpg"
# Of torchvision's stages in MLPerf's names.
TRUNK = {"conv1.": "model.layer1.0.", "bn1.": "model.layer1.1.", "layer1.": "model.layer1.4.", "layer2.": "model.layer1.5.",
         "layer3.": "model.layer2.0."}
BLOCKS = [3, 4, 6, 3]


def lay_out(folder: pathlib.Path) -> None:
    (folder / "annotations").mkdir(parents=True)
    width, height = Image.open(PICTURE).size
    content = {"images": [{"id": 1, "file_name": "1.jpg", "width": width, "height": height}],
               "categories": [{"id": 1, "name": "admiral"}],
               "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [4, 4, width / 2, height / 2],
                                "area": width * height / 4, "iscrowd": 0}]}
    for split in ("train2017", "val2017"):
        (folder / split).mkdir()
        shutil.copy(PICTURE, folder / split / "1.jpg")
        (folder / f"annotations/instances_{split}.json").write_text(json.dumps(content))


def start(program: str, data: pathlib.Path, out: pathlib.Path, given: pathlib.Path | None) -> tuple[dict, str]:
    """The weights after a step that changes none, and what was said."""
    command = [program, "train", "--model", "ssd_resnet34", "--dataset", "coco", "--data-dir", data, "--output", out, "--batch-size",
               "1", "--max-steps", "1", "--epochs", "1", "--lr", "0", "--weight-decay", "0", "--eval-epochs", "0",
               "--freeze-statistics", "all"]
    if given:
        command += ["--resnet_checkpoint", given]
    ran = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{given}: ended with {ran.returncode}: {ran.stderr.strip()}")
    return load_file(next(out.glob("*/checkpoints/last/model.safetensors"))), ran.stdout


def in_creation_order() -> list[tuple[str, str]]:
    """torchvision's convolutions and norms as TensorFlow's program creates them."""
    order = [("conv1", "bn1")]
    for stage, count in enumerate(BLOCKS, 1):
        for block in range(count):
            name = f"layer{stage}.{block}."
            if block == 0 and stage > 1:
                order.append((name + "downsample.0", name + "downsample.1"))
            order += [(name + "conv1", name + "bn1"), (name + "conv2", name + "bn2")]
    return order


def save_tensorflows(tensors: dict[str, np.ndarray], folder: pathlib.Path) -> pathlib.Path:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    import tensorflow as tf

    saved = {"global_step": np.int64(28152)}
    for i, (conv, norm) in enumerate(in_creation_order()):
        number = f"_{i}" if i else ""
        saved[f"conv2d{number}/kernel"] = tensors[conv + ".weight"].transpose(2, 3, 1, 0)
        for theirs, ours in (("gamma", "weight"), ("beta", "bias"), ("moving_mean", "running_mean"),
                             ("moving_variance", "running_var")):
            saved[f"batch_normalization{number}/{theirs}"] = tensors[f"{norm}.{ours}"]
    saved["dense/kernel"], saved["dense/bias"] = tensors["fc.weight"].T, tensors["fc.bias"]
    folder.mkdir()
    prefix = folder / "model.ckpt-28152"
    names = list(saved)
    tf.raw_ops.SaveV2(prefix=str(prefix), tensor_names=names, shape_and_slices=[""] * len(names),
                      tensors=[tf.constant(saved[name]) for name in names])
    (folder / "checkpoint").write_text(f'model_checkpoint_path: "{prefix.name}"\n')
    return prefix


def main(program: str) -> None:
    torch.manual_seed(1)
    network = torchvision.models.resnet34(weights=None)
    with torch.no_grad():
        for tensor in network.state_dict().values():
            if tensor.dtype == torch.float32 and tensor.dim() == 1:
                tensor.uniform_(0.5, 1.5)
    tensors = {name: value.numpy() for name, value in network.state_dict().items()}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lay_out(folder / "coco")
        torch.save(network.state_dict(), folder / "resnet34.pth")
        save_file(network.state_dict(), folder / "resnet34.safetensors")
        prefix = save_tensorflows(tensors, folder / "tensorflow")
        plain, _ = start(program, folder / "coco", folder / "plain", None)
        for given in (folder / "resnet34.pth", folder / "resnet34.safetensors", prefix.parent, prefix):
            found, said = start(program, folder / "coco", folder / f"from-{given.name}", given)
            told = [line for line in said.splitlines() if "145 of 189 tensors" in line]
            if len(told) != 1 or "left out" not in told[0]:
                sys.exit(f"{given.name}: no verdict in: {said}")
            taken = 0
            for key, value in found.items():
                if key.endswith("num_batches_tracked"):
                    continue
                sources = [theirs + key[len(ours):] for theirs, ours in TRUNK.items() if key.startswith(ours)]
                wanted = tensors[sources[0]] if sources else plain[key]
                taken += len(sources)
                if not np.array_equal(value, wanted):
                    sys.exit(f"{given.name}: {key} is another one")
            print(f"{given.name}: {taken} tensors of {len(found)} as in the file")


if __name__ == "__main__":
    main(sys.argv[1])

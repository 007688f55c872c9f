#!/usr/bin/env python3
"""Real ImageNet weights on real pictures: `imagenet_predictions.py PROGRAM` has `convoy predict` name the likeliest
five classes of 140 pictures with MobileNetV1 x0.25 and SqueezeNet, and compares with what PyTorch said: once on tensors that
Pillow made, once on the JPEG files themselves.

The pictures, weights and PyTorch's answers are in the folder that the tests call shared data (CONVOY_SHARED_DATA, or
shared/data beside the repository); without it nothing is tested, and that is said.

The SqueezeNet is the one that was published for Caffe (squeezenet1_0_caffe): its head pads by a pixel, torchvision's does
not."""
import argparse, json, math, os, pathlib, subprocess, sys, tempfile

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEAR = 2e-3  # of logits; the reference has four digits after the point, fp32 on another machine as many
SQUEEZENET = "weights/squeezenet_deep_compression/squeezenet_v1.0_deepcompressed_decoded.npz"


def resized(picture: Image.Image, width: int, height: int) -> Image.Image:
    """Rows first, as Pillow did when the reference was made; newer ones begin with the columns of portraits."""
    return picture.resize((width, picture.height), Image.BILINEAR).resize((width, height), Image.BILINEAR)


def for_mobilenet(picture: Image.Image) -> np.ndarray:
    """torchvision's Resize(256) and CenterCrop(224), then ImageNet's mean and deviation."""
    width, height = picture.size
    short = min(width, height)
    picture = resized(picture, int(256 * width / short), int(256 * height / short))
    left, top = round((picture.width - 224) / 2), round((picture.height - 224) / 2)
    pixels = np.asarray(picture, np.float32)[top : top + 224, left : left + 224] / 255
    return (pixels - np.float32([0.485, 0.456, 0.406])) / np.float32([0.229, 0.224, 0.225])


def for_squeezenet(picture: Image.Image) -> np.ndarray:
    """Caffe's: squashed to a square, BGR, minus a mean."""
    pixels = np.asarray(resized(picture, 256, 256), np.float32)[14:241, 14:241, ::-1]
    return pixels - np.float32([104, 117, 123])


NETWORKS = [
    ("mobilenet_v1_025", "mobilenet_v1_025", "weights/mobilenetV1X0.25_pretrain.tar", for_mobilenet),
    ("squeezenet1_0_caffe", "squeezenet_v10_dc", SQUEEZENET, for_squeezenet),
]
# What tells `convoy predict` to do the same to files.
FROM_FILES = {
    "mobilenet_v1_025": ["--dataset", "imagenet"],
    "squeezenet1_0_caffe": ["--dataset", "imagenet", "--image-size", "227", "--eval-resize", "256", "--eval-crop", "squash",
                            "--channel-order", "bgr", "--mean", ",".join(str(m / 255) for m in (104, 117, 123)),
                            "--std", str(1 / 255)],
}


def predict(program: str, model: str, weights: pathlib.Path, images: pathlib.Path, more: list[str] = []) -> list[dict]:
    command = [program, "predict", "--checkpoint", str(weights), "--model", model, "--input", str(images), "--top", "5",
               "--json", *more]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command[1:])} ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip()}")
    return [json.loads(line) for line in ran.stdout.splitlines()]


def compare(said: dict, classes: list[int], logits: np.ndarray) -> None:
    """The list against the reference's five classes. A logit is known from a probability up to a term that all of the
    list share. A class that is missing must be behind the last of the list, one that is new no better than the
    reference's fifth would be: both by NEAR at most."""
    found = {guess["class"]: math.log(guess["p"]) for guess in said["top"]}
    assert len(found) == 5 and list(found.values()) == sorted(found.values(), reverse=True), said
    wanted = dict(zip(classes, logits))
    both = found.keys() & wanted.keys()
    assert len(both) >= 4, f"{list(found)}, not {classes}"
    shared = np.mean([found[k] - wanted[k] for k in both])
    for k in both:
        assert abs(found[k] - wanted[k] - shared) <= NEAR, f"class {k}: {found[k] - shared:.4f}, not {wanted[k]:.4f}"
    for k in wanted.keys() - both:
        assert wanted[k] + shared <= min(found.values()) + NEAR, f"class {k} is missing: {list(found)}, not {classes}"
    for k in found.keys() - both:
        assert found[k] - shared <= logits[-1] + NEAR, f"class {k} is new: {list(found)}, not {classes}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program")
    given = options.parse_args()
    data = pathlib.Path(os.environ.get("CONVOY_SHARED_DATA") or ROOT / ".." / "shared" / "data")
    reference_file, pictures = data / "imagenet/val140_reference_predictions.json", data / "imagenet/val140"
    for needed in (reference_file, pictures, *(data / weights for _, _, weights, _ in NETWORKS)):
        if not needed.exists():
            print(f"NOT TESTED: there is no {needed}; set CONVOY_SHARED_DATA")
            return
    reference = json.loads(reference_file.read_text())["images"]
    paths = {path.name: path for path in pictures.rglob("*.JPEG")}
    assert reference.keys() == paths.keys() and len(reference) == 140
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as folder:
        for model, key, weights, prepare in NETWORKS:
            images = [prepare(Image.open(paths[name]).convert("RGB")).transpose(2, 0, 1) for name in reference]
            file = pathlib.Path(folder) / "images.safetensors"
            save_file({"image": np.ascontiguousarray(np.stack(images), np.float32)}, file)
            lines = predict(given.program, model, data / weights, file)
            assert [line["index"] for line in lines] == list(range(140)), f"{len(lines)} lines"
            same = 0
            right = sum(line["top"][0]["class"] == one["label"] for line, one in zip(lines, reference.values()))
            for line, (name, one) in zip(lines, reference.items()):
                classes = one[key]["top5"]
                try:
                    compare(line, classes, np.array(one[key]["logits"]))
                except AssertionError as why:
                    sys.exit(f"{model}, {name}: {why}")
                same += [guess["class"] for guess in line["top"]] == classes
            print(f"{model}: {same} of 140 lists are PyTorch's place by place, the others by equal logits; "
                  f"{right} of 140 right", flush=True)
            lines = predict(given.program, model, data / weights, pictures, FROM_FILES[model])
            found = {pathlib.Path(line["file"]).name: [guess["class"] for guess in line["top"]] for line in lines}
            assert found.keys() == reference.keys()
            same = sum(set(found[name]) == set(one[key]["top5"]) for name, one in reference.items())
            first = sum(found[name][0] == one["label"] for name, one in reference.items())
            print(f"{model} from JPEG files: {same} of 140 have the same five classes; {first} of 140 right", flush=True)
            if same < 138 or abs(first - right) > 1:
                sys.exit(f"{model}: too few")


if __name__ == "__main__":
    main()

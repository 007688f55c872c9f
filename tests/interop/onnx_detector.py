#!/usr/bin/env python3
"""Detectors in ONNX Runtime: `onnx_detector.py PROGRAM` trains ssd_resnet34 for a step on a small COCO and exports it.

Each file passes onnx's own checker with full shape inference. From ONNX Runtime's boxes and scores of all default boxes, a
suppression written here in numpy finds the objects that `convoy predict` finds, and the file with the suppression inside
(--nms) gives them itself: for any batch, and with other operator sets. The results file of predict is what COCO expects.
"""
import json, pathlib, shutil, subprocess, sys, tempfile

import numpy as np
import onnx
import onnxruntime
from PIL import Image
from safetensors import safe_open
from safetensors.numpy import save_file

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures/pictures"
NAMES = ["flower.jpg", "hopper.jpg", "grey.jpg", "rgb.jpg"]
CATEGORIES = [{"id": 3, "name": "flower"}, {"id": 7, "name": "admiral"}, {"id": 20, "name": "stripe"}]
IMAGES, SIDE = 3, 300
PER_CLASS, PER_IMAGE, MIN_SCORE, MAX_OVERLAP = 200, 200, 0.05, 0.5


def convoy(program: str, *arguments: str) -> str:
    ran = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"convoy {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip()}")
    return ran.stdout


def lay_out(folder: pathlib.Path) -> None:
    """A COCO of a few pictures, each with one object in its middle; the same for training and validation."""
    (folder / "annotations").mkdir(parents=True)
    images, annotations = [], []
    for i, name in enumerate(NAMES):
        for split in ("train2017", "val2017"):
            (folder / split).mkdir(exist_ok=True)
            shutil.copy(FIXTURES / name, folder / split / f"{i + 1:012}.jpg")
        width, height = Image.open(FIXTURES / name).size
        images.append({"id": i + 1, "file_name": f"{i + 1:012}.jpg", "width": width, "height": height})
        box = [width / 4, height / 4, width / 2, height / 2]
        annotations.append({"id": i + 1, "image_id": i + 1, "category_id": CATEGORIES[i % 3]["id"], "bbox": box,
                            "area": box[2] * box[3], "iscrowd": 0})
    for split in ("train2017", "val2017"):
        with open(folder / f"annotations/instances_{split}.json", "w") as file:
            json.dump({"images": images, "categories": CATEGORIES, "annotations": annotations}, file)


def spread_scores(weights: pathlib.Path, out: pathlib.Path) -> None:
    """After one step all scores are nearly the same. Larger weights in the heads give objects of every score."""
    with safe_open(weights, "np") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        metadata = file.metadata()
    for name in tensors:
        if name.startswith("conf.") and name.endswith(".weight"):
            tensors[name] = tensors[name] * np.float32(6)
        elif name.startswith("loc.") and name.endswith(".weight"):
            tensors[name] = tensors[name] * np.float32(3)
    save_file(tensors, out, metadata)


def overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    common = np.prod(np.clip(np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]), 0, None), axis=1)
    area = lambda b: np.prod(b[..., 2:] - b[..., :2], axis=-1)
    return common / (area(box) + area(others) - common)


def suppressed(boxes: np.ndarray, scores: np.ndarray) -> list[tuple]:
    """Objects as (class, score, ymin, xmin, ymax, xmax), the best first."""
    rows = []
    for label in range(1, scores.shape[1]):
        order = np.argsort(-scores[:, label], kind="stable")[:PER_CLASS]
        order = order[scores[order, label] > MIN_SCORE]
        while len(order):
            best, order = order[0], order[1:]
            rows.append((label, scores[best, label], *boxes[best]))
            order = order[overlap(boxes[best], boxes[order]) < MAX_OVERLAP]
    return sorted(rows, key=lambda row: -row[1])[:PER_IMAGE]


def differing(got: list[tuple], wanted: list[tuple]) -> int:
    """How many objects of one list have no equal in the other. Rounding may decide some close cases otherwise."""
    left = [np.array(row, np.float64) for row in wanted]
    alone = 0
    for row in got:
        near = [i for i, other in enumerate(left) if other[0] == row[0] and np.abs(other - row).max() < 1e-3]
        left.pop(near[0]) if near else None
        alone += not near
    return alone + len(left)


def predicted(program: str, weights: pathlib.Path, images: pathlib.Path, *options: str) -> list[list[tuple]]:
    lines = convoy(program, "predict", "--checkpoint", str(weights), "--input", str(images), "--json", "--winograd", "off",
                   *options)
    return [[(o["class"], o["score"], o["box"][1] / SIDE, o["box"][0] / SIDE, (o["box"][1] + o["box"][3]) / SIDE,
              (o["box"][0] + o["box"][2]) / SIDE) for o in json.loads(line)["objects"]] for line in lines.splitlines()]


def check_files(program: str, weights: pathlib.Path, folder: pathlib.Path) -> None:
    images = np.random.default_rng(5).standard_normal((IMAGES, 3, SIDE, SIDE), dtype=np.float32)
    np.save(folder / "images.npy", images)
    ours = predicted(program, weights, folder / "images.npy")
    assert ours == predicted(program, weights, folder / "images.npy", "--batch-size", "1", "--threads", "1")
    found = sum(map(len, ours))
    assert len(ours) == IMAGES and found > 50, found
    for form in (["--verify", "2"], ["--opset", "18", "--batch-size", "1"]):
        for nms in ([], ["--nms"]):
            file = folder / "net.onnx"
            told = json.loads(convoy(program, "export", "--checkpoint", str(weights), "--output", str(file), "--json", *form, *nms))
            onnx.checker.check_model(str(file), full_check=True)
            session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
            names = [output.name for output in session.get_outputs()]
            assert names == told["outputs"] == ["boxes", "scores"] + (["classes", "counts"] if nms else []), names
            step = 1 if "--batch-size" in form else IMAGES
            parts = [session.run(names, {"image": images[i:i + step]}) for i in range(0, IMAGES, step)]
            outputs = dict(zip(names, (np.concatenate(part) for part in zip(*parts))))
            apart = 0
            for i, wanted in enumerate(ours):
                boxes, scores = outputs["boxes"][i], outputs["scores"][i]
                if nms:
                    count = outputs["counts"][i]
                    assert (scores[count:] == 0).all() and (boxes[count:] == 0).all() and (scores[:count] > 0).all()
                    got = [(c, s, *b) for c, s, b in zip(outputs["classes"][i][:count], scores[:count], boxes[:count])]
                else:
                    assert np.abs(scores.sum(1) - 1).max() < 1e-5
                    got = suppressed(boxes, scores)
                apart += differing(got, wanted)
            assert apart <= found * 0.01, f"{form} {nms}: {apart} of {found} objects differ"
            print(f"{' '.join(form + nms)}: {found} objects in {IMAGES} images, {apart} without an equal", flush=True)


def check_results(program: str, weights: pathlib.Path, folder: pathlib.Path) -> None:
    """Pictures and dataset give the same objects, with COCO's numbers; drawn pictures are written."""
    truth = folder / "coco/annotations/instances_val2017.json"
    common = ["predict", "--checkpoint", str(weights), "--annotations", str(truth), "--results"]
    summary = convoy(program, *common, str(folder / "a.json"), "--input", str(folder / "coco/val2017"), "--draw",
                     str(folder / "drawn"), "--shown-score", "0.2").splitlines()
    convoy(program, *common, str(folder / "b.json"), "--dataset", "coco", "--data-dir", str(folder / "coco"))
    first, second = (json.loads((folder / name).read_text()) for name in ("a.json", "b.json"))
    assert first == second and first, (len(first), len(second))
    assert {row["category_id"] for row in first} <= {c["id"] for c in CATEGORIES}
    assert {row["image_id"] for row in first} <= set(range(1, len(NAMES) + 1))
    assert len(list((folder / "drawn").glob("*.png"))) == len(NAMES)
    scored = json.loads(convoy(program, "eval", "--results", str(folder / "a.json"), "--annotations", str(truth), "--json"))
    own = json.loads(convoy(program, "eval", "--checkpoint", str(weights), "--dataset", "coco", "--data-dir",
                            str(folder / "coco"), "--json"))
    assert abs(own["mAP"] - scored["AP"]) < 1e-12 or abs(own["mAP"] - 100 * scored["AP"]) < 1e-9, (own, scored)
    print(f"{len(first)} objects in results; {summary[-1]}", flush=True)


def main() -> None:
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        folder = pathlib.Path(name)
        lay_out(folder / "coco")
        convoy(program, "train", "--model", "ssd_resnet34", "--dataset", "coco", "--data-dir", str(folder / "coco"),
               "--batch-size", "2", "--max-steps", "1", "--lr", "0.001", "--eval-epochs", "0", "--seed", "1", "--eval-crop",
               "ssd-whole", "--output", str(folder / "run"))
        weights = folder / "weights.safetensors"
        spread_scores(next((folder / "run").rglob("weights/last.safetensors")), weights)
        check_files(program, weights, folder)
        check_results(program, weights, folder)


if __name__ == "__main__":
    main()

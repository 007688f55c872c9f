#!/usr/bin/env python3
"""Sets of `convoy prepare boxes` against other readers: pycocotools, torchvision's VOC dataset, and PyYAML. All must see the boxes of the annotations that were converted.

    boxed_formats.py PROGRAM
"""
import json, pathlib, subprocess, sys, tempfile

import numpy as np
import torchvision, yaml
from PIL import Image
from pycocotools.coco import COCO

NAMES = ["it's a bee", "dog & <cat>", "traffic light: red"]


def write_set(folder: pathlib.Path, split: str, rng: np.random.Generator) -> dict[str, list]:
    """Pictures with up to five boxes. Gives the boxes of each: number of the class, x, y, width, height."""
    images, annotations, wanted = [], [], {}
    (folder / split).mkdir(parents=True)
    (folder / "annotations").mkdir(exist_ok=True)
    for number in range(9):
        height, width, name = 97 + number, 131 - 3 * number, f"{split}-{number}.jpg"
        Image.fromarray(rng.integers(0, 255, (height, width, 3), np.uint8)).save(folder / split / name)
        images.append({"id": 5 + number, "file_name": name, "height": height, "width": width})
        wanted[name] = []
        for _ in range(int(rng.integers(0, 6))):
            x, y = rng.uniform(0, width / 2), rng.uniform(0, height / 2)
            box = [x, y, rng.uniform(1, width - x), rng.uniform(1, height - y)]
            if rng.uniform() < 0.5:
                box = [round(side, 2) for side in box]
            kind = int(rng.integers(0, 3))
            annotations.append({"id": len(annotations) + 1, "image_id": 5 + number, "category_id": 10 + 7 * kind, "bbox": box,
                                "area": box[2] * box[3], "iscrowd": 0})
            wanted[name].append([kind, *box])
    told = {"images": images, "annotations": annotations,
            "categories": [{"id": 10 + 7 * i, "name": name} for i, name in enumerate(NAMES)]}
    (folder / "annotations" / f"instances_{split}.json").write_text(json.dumps(told))
    return wanted


def expect_same(found: list, wanted: list, name: str, most: float) -> None:
    assert len(found) == len(wanted), f"{name}: {len(found)} boxes, not {len(wanted)}"
    if wanted:
        np.testing.assert_allclose(found, wanted, rtol=0, atol=most, err_msg=name)


def check_coco(folder: pathlib.Path, split: str, wanted: dict) -> None:
    coco = COCO(str(folder / "annotations" / f"instances_{split}.json"))
    names = [c["name"] for c in coco.loadCats(coco.getCatIds())]
    assert names == NAMES, names
    for image in coco.loadImgs(coco.getImgIds()):
        boxes = coco.loadAnns(coco.getAnnIds(imgIds=[image["id"]]))
        kinds = {number: place for place, number in enumerate(coco.getCatIds())}
        expect_same([[kinds[b["category_id"]], *b["bbox"]] for b in boxes], wanted[image["file_name"]], image["file_name"], 1e-9)
        assert Image.open(folder / split / image["file_name"]).size == (image["width"], image["height"])


def check_voc(folder: pathlib.Path, split: str, wanted: dict) -> None:
    parse = torchvision.datasets.VOCDetection.parse_voc_xml
    from xml.etree import ElementTree
    for name in (folder / "ImageSets/Main" / f"{split}.txt").read_text().split():
        said = parse(ElementTree.parse(folder / "Annotations" / f"{name}.xml").getroot())["annotation"]
        found = []
        for one in said["object"]:
            side = {key: float(value) for key, value in one["bndbox"].items()}
            found.append([NAMES.index(one["name"]), side["xmin"] - 1, side["ymin"] - 1, side["xmax"] - side["xmin"] + 1,
                          side["ymax"] - side["ymin"] + 1])
        expect_same(found, wanted[said["filename"]], name, 1e-9)


def check_yolo(folder: pathlib.Path, split: str, wanted: dict) -> None:
    data = yaml.safe_load((folder / "data.yaml").read_text())
    assert list(data["names"].values()) == NAMES and data["nc"] == 3, data
    pictures = folder / data["path"] / data[split]
    for path in sorted(pictures.iterdir()):
        width, height = Image.open(path).size
        lines = (folder / "labels" / split / path.with_suffix(".txt").name).read_text().splitlines()
        found = []
        for line in lines:
            kind, cx, cy, w, h = map(float, line.split())
            found.append([kind, (cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height])
        expect_same(found, wanted[path.name], path.name, 1e-9)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        folder, rng = pathlib.Path(name), np.random.default_rng(7)
        wanted = {split: write_set(folder / "raw", split, rng) for split in ("train", "val")}
        steps = [("raw", "yolo"), ("raw", "voc"), ("yolo", "coco"), ("voc", "coco")]
        for source, to in steps:
            output = folder / (to if source == "raw" else f"{source}-{to}")
            command = [sys.argv[1], "prepare", "boxes", "--input", str(folder / source), "--output", str(output), "--to", to]
            ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            assert ran.returncode == 0, ran.stderr
        for split, boxes in wanted.items():
            check_yolo(folder / "yolo", split, boxes)
            check_voc(folder / "voc", split, boxes)
            check_coco(folder / "yolo-coco", split, boxes)
            check_coco(folder / "voc-coco", split, boxes)
            print(f"{split}: {sum(map(len, boxes.values()))} boxes are the same in COCO's, YOLO's and VOC's format")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""COCO's record files against TensorFlow: it reads those of `convoy prepare coco`, and they say what the annotations say.

    coco_records.py PROGRAM
"""
import hashlib, json, pathlib, subprocess, sys, tempfile

import numpy as np
import tensorflow as tf

SHARDS = {"train": 3, "val": 2}
CATEGORIES = [{"id": 3, "name": "bee"}, {"id": 9, "name": "dog"}]
ONE = {"image/encoded": tf.string, "image/format": tf.string, "image/filename": tf.string, "image/key/sha256": tf.string,
       "image/source_id": tf.string, "image/height": tf.int64, "image/width": tf.int64}
SEVERAL = {**{f"image/object/bbox/{side}": tf.float32 for side in ("ymin", "xmin", "ymax", "xmax")},
           "image/object/area": tf.float32, "image/object/class/label": tf.int64, "image/object/class/text": tf.string,
           "image/object/is_crowd": tf.int64}
FEATURES = {**{key: tf.io.FixedLenFeature([], kind) for key, kind in ONE.items()},
            **{key: tf.io.VarLenFeature(kind) for key, kind in SEVERAL.items()}}


def write_set(folder: pathlib.Path, split: str, rng: np.random.Generator) -> dict[str, dict]:
    """Pictures with up to four objects, one of them of no size now and then. Gives what each record must say."""
    images, annotations, wanted = [], [], {}
    (folder / split).mkdir(parents=True)
    (folder / "annotations").mkdir(exist_ok=True)
    for number in range(11):
        height, width = 30 + number, 50 - number
        jpeg = tf.io.encode_jpeg(rng.integers(0, 255, (height, width, 3), np.uint8)).numpy()
        name = f"{number:012}.jpg"
        (folder / split / name).write_bytes(jpeg)
        images.append({"id": number * 3, "file_name": name, "height": height, "width": width})
        kept = []
        for _ in range(int(rng.integers(0, 5))):
            x, y = rng.uniform(0, width / 2), rng.uniform(0, height / 2)
            w, h = rng.uniform(-2, width / 2), rng.uniform(0, height / 2)
            one = {"id": len(annotations), "image_id": number * 3, "category_id": int(rng.choice([3, 9])),
                   "bbox": [x, y, w, h], "area": float(rng.uniform(0, 99)), "iscrowd": int(rng.integers(0, 2))}
            annotations.append(one)
            if w > 0:
                kept.append(one)
        if kept or split.startswith("val"):
            wanted[name] = {"id": number * 3, "jpeg": jpeg, "size": (height, width), "objects": kept}
    told = {"images": images, "annotations": annotations, "categories": CATEGORIES}
    (folder / "annotations" / f"instances_{split}.json").write_text(json.dumps(told))
    return wanted


def check(record: dict, wanted: dict) -> None:
    assert record["image/encoded"] == wanted["jpeg"] and record["image/format"] == b"jpeg"
    assert record["image/key/sha256"].decode() == hashlib.sha256(wanted["jpeg"]).hexdigest()
    assert record["image/source_id"].decode() == str(wanted["id"])
    assert (record["image/height"], record["image/width"]) == wanted["size"]
    height, width = wanted["size"]
    objects = wanted["objects"]
    boxes = np.array([o["bbox"] for o in objects]).reshape(-1, 4)
    sides = {"xmin": boxes[:, 0] / width, "ymin": boxes[:, 1] / height,
             "xmax": (boxes[:, 0] + boxes[:, 2]) / width, "ymax": (boxes[:, 1] + boxes[:, 3]) / height}
    for side, values in sides.items():
        np.testing.assert_array_equal(record[f"image/object/bbox/{side}"], values.astype(np.float32))
    assert record["image/object/class/label"].tolist() == [o["category_id"] for o in objects]
    names = {c["id"]: c["name"].encode() for c in CATEGORIES}
    assert record["image/object/class/text"].tolist() == [names[o["category_id"]] for o in objects]
    assert record["image/object/is_crowd"].tolist() == [o["iscrowd"] for o in objects]
    np.testing.assert_array_equal(record["image/object/area"], np.array([o["area"] for o in objects], np.float32))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        folder, rng = pathlib.Path(name), np.random.default_rng(5)
        wanted = {split: write_set(folder / "raw", split + "2017", rng) for split in SHARDS}
        command = [sys.argv[1], "prepare", "coco", "--input", str(folder / "raw"), "--output", str(folder / "records"),
                   "--train-shards", str(SHARDS["train"]), "--validation-shards", str(SHARDS["val"])]
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        for split, count in SHARDS.items():
            seen = set()
            for shard in range(count):
                path = folder / "records" / f"{split}-{shard:05}-of-{count:05}.tfrecord"
                for place, serialized in enumerate(tf.data.TFRecordDataset(str(path))):
                    parsed = tf.io.parse_single_example(serialized, FEATURES)
                    record = {k: (tf.sparse.to_dense(v) if k in SEVERAL else v).numpy() for k, v in parsed.items()}
                    file = record["image/filename"].decode()
                    check(record, wanted[split][file])
                    assert list(wanted[split]).index(file) == place * count + shard, f"{file} is in another place"
                    seen.add(file)
            assert seen == set(wanted[split]), f"{split}: {len(seen)} of {len(wanted[split])} records"
            print(f"TensorFlow {tf.__version__} reads all {len(seen)} records of {split}")


if __name__ == "__main__":
    main()

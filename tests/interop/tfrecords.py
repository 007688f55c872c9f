#!/usr/bin/env python3
"""Record files go to TensorFlow and come back: `tfrecords.py PROGRAM`.

TensorFlow reads what `convoy prepare imagenet` wrote: every checksum, every feature, the very bytes of each picture, and
its decoder gives a picture of the size that the record says. And `convoy prepare imagenet` finds nothing to do
and nothing to complain about in a folder whose shards TensorFlow has written anew; one flipped bit in them, and it names
the file.
"""
import pathlib, shutil, subprocess, sys, tempfile

import numpy as np
import tensorflow as tf

CLASSES = ["n00000003", "n00000001", "n00000002"]
SHARDS = {"train": 4, "validation": 2}
FEATURES = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/filename": tf.io.FixedLenFeature([], tf.string),
    "image/format": tf.io.FixedLenFeature([], tf.string),
    "image/colorspace": tf.io.FixedLenFeature([], tf.string),
    "image/class/label": tf.io.FixedLenFeature([], tf.int64),
    "image/class/synset": tf.io.FixedLenFeature([], tf.string),
    "image/height": tf.io.FixedLenFeature([], tf.int64),
    "image/width": tf.io.FixedLenFeature([], tf.int64),
    "image/channels": tf.io.FixedLenFeature([], tf.int64),
}


def pictures(folder: pathlib.Path) -> dict[str, tuple[str, bytes]]:
    """Writes train/CLASS/ and val/CLASS/; gives class and bytes of each file."""
    made, number = {}, 0
    for split, each in (("train", 9), ("val", 4)):
        for name in CLASSES:
            (folder / split / name).mkdir(parents=True)
            for _ in range(each):
                shape = (20 + number % 13, 40 - number % 11, 1 if number % 5 == 0 else 3)
                ramp = (np.arange(np.prod(shape)) * (number + 3) % 256).reshape(shape).astype(np.uint8)
                content = tf.io.encode_jpeg(ramp).numpy()
                file = folder / split / name / f"{name}_{number}.JPEG"
                file.write_bytes(content)
                made[file.name] = (name, content)
                number += 1
    return made


def prepare(program: str, folder: pathlib.Path) -> subprocess.CompletedProcess:
    command = [program, "prepare", "imagenet", "--input", str(folder / "raw"), "--output", str(folder / "records")]
    for split, shards in SHARDS.items():
        command += [f"--{split}-shards", str(shards)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def expect_done(ran: subprocess.CompletedProcess) -> None:
    if ran.returncode != 0:
        sys.exit(f"prepare ended with {ran.returncode}: {ran.stderr.strip()}")


def shards(folder: pathlib.Path) -> list[str]:
    found = sorted(str(path) for path in (folder / "records").glob("*/*-of-*"))
    assert len(found) == sum(SHARDS.values()), found
    return found


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        folder = pathlib.Path(name)
        wanted = pictures(folder / "raw")
        expect_done(prepare(sys.argv[1], folder))
        labels = {synset: rank for rank, synset in enumerate(sorted(CLASSES), 1)}
        seen = {}
        for serialized in tf.data.TFRecordDataset(shards(folder)):
            record = {key: value.numpy() for key, value in tf.io.parse_single_example(serialized, FEATURES).items()}
            file = record["image/filename"].decode()
            synset, content = wanted[file]
            assert file not in seen, f"{file} is there twice"
            assert record["image/encoded"] == content, f"{file}: other bytes"
            assert record["image/class/synset"].decode() == synset and record["image/class/label"] == labels[synset], file
            assert record["image/format"] == b"JPEG" and record["image/colorspace"] == b"RGB", file
            shape = tf.io.decode_jpeg(record["image/encoded"], channels=int(record["image/channels"])).shape
            assert tuple(shape) == (record["image/height"], record["image/width"], 3), f"{file}: {shape}"
            seen[file] = True
        assert seen.keys() == wanted.keys(), f"{len(seen)} of {len(wanted)} pictures"
        print(f"TensorFlow {tf.__version__} reads all {len(seen)} records of ours")

        for shard in shards(folder):
            records = [record.numpy() for record in tf.data.TFRecordDataset(shard)]
            with tf.io.TFRecordWriter(shard) as writer:
                for record in records:
                    features = dict(sorted(tf.train.Example.FromString(record).features.feature.items(), reverse=True))
                    example = tf.train.Example(features=tf.train.Features(feature=features))
                    writer.write(example.SerializeToString())
        ran = prepare(sys.argv[1], folder)
        expect_done(ran)
        assert ran.stdout.count("0 shards were made now") == 2, ran.stdout
        print("convoy reads all records of TensorFlow's")

        victim = pathlib.Path(shards(folder)[1])
        content = bytearray(victim.read_bytes())
        content[len(content) // 2] ^= 16
        victim.write_bytes(content)
        ran = prepare(sys.argv[1], folder)
        assert ran.returncode == 3 and f"{victim.name} at byte" in ran.stderr, ran
        shutil.copy(victim, folder / "damaged")
        try:
            list(tf.data.TFRecordDataset(str(folder / "damaged")))
            sys.exit("TensorFlow does not mind the flipped bit")
        except tf.errors.DataLossError:
            print(f"both refuse one flipped bit: {ran.stderr.strip()}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Detections scored by pycocotools and by us: `coco_scores.py PROGRAM`.

The twelve numbers and those of each class agree to 1e-9 for 150 random scenes of all kinds (crowds, ties of scores and
of overlaps, empty images, more than 100 detections, ids from 0), and for one with as many images and detections
as COCO's val2017, whose times are printed.
"""
import json, pathlib, random, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
from coco_cases import NUMBERS, case, numbers

CASES, TOLERANCE = 150, 1e-9


def convoy(program: str, truth: dict, results: list, folder: pathlib.Path) -> tuple[dict, float]:
    """What `eval --json` prints, and its seconds, with the reading of both files."""
    (folder / "truth.json").write_text(json.dumps(truth))
    (folder / "found.json").write_text(json.dumps(results))
    begin = time.perf_counter()
    ran = subprocess.run([program, "eval", "--results", str(folder / "found.json"), "--annotations",
                          str(folder / "truth.json"), "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"convoy eval ended with {ran.returncode}: {ran.stderr.strip()}")
    return json.loads(ran.stdout), time.perf_counter() - begin


def difference(ours: dict, theirs: dict) -> float:
    pairs = [(ours[name], theirs["numbers"][name]) for name in NUMBERS]
    for mine, other in zip(ours["classes"], theirs["classes"], strict=True):
        pairs += zip((mine["AP"], mine["AP50"], mine["AR100"]), other, strict=True)
    return max(abs(a - b) for a, b in pairs)


def random_case(seed: int) -> tuple[dict, list]:
    draw = random.Random(seed)
    return case(seed, images=draw.choice([1, 3, 20]), categories=draw.choice([1, 2, 7]), objects=draw.choice([0, 3, 15]),
                detections=draw.choice([0, 5, 40, 300]), crowds=draw.choice([0, 0.1, 0.7]),
                steps=draw.choice([1, 4, 100, 10**6]), grid=draw.choice([0.01, 1, 25, 60]),
                blur=draw.choice([0, 0.02, 0.1, 0.4]), first_id=draw.choice([0, 1, 1000]))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="convoy-interop-") as name:
        folder, worst, scored = pathlib.Path(name), 0.0, 0
        for seed in range(CASES):
            truth, results = random_case(seed)
            theirs = numbers(truth, results)
            wrong = difference(convoy(sys.argv[1], truth, results, folder)[0], theirs)
            assert wrong <= TOLERANCE, f"seed {seed}: a number differs by {wrong}"
            worst = max(worst, wrong)
            scored += 0 < theirs["numbers"]["AP"] < 1
        assert scored > CASES / 3, f"only {scored} scenes have an AP between 0 and 1"
        print(f"{CASES} scenes: the greatest difference is {worst:.1e}")

        truth, results = case(1, images=5000, categories=80, objects=14, detections=200)
        begin = time.perf_counter()
        theirs = numbers(truth, results)
        their_time = time.perf_counter() - begin
        ours, our_time = convoy(sys.argv[1], truth, results, folder)
        wrong = difference(ours, theirs)
        assert wrong <= TOLERANCE, f"5,000 images: a number differs by {wrong}"
        print(f"5,000 images, {len(results)} detections: pycocotools {their_time:.1f} s without reading files, "
              f"convoy {our_time:.2f} s with it: {their_time / our_time:.0f} times as fast")


if __name__ == "__main__":
    main()

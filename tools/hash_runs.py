#!/usr/bin/env python3
"""Prints hashes of the final weights and logs of twelve short runs, to verify that a change of code does not change results.

  tools/hash_runs.py                                   the built program: one line for each run: name, hash of the weights,
                                                       hash of metrics.jsonl and summary.csv without times and memory
  tools/hash_runs.py --program A --against B           two programs: exit 1 where a run's hashes differ
  tools/hash_runs.py lars picture-mixing               these runs alone

The runs are of several models, optimisers, replicas, ranks, mixings and averages, on generated data and on the small
pictures of tests/fixtures. Every option that a default could stand for is written out, so that a default that is
repaired does not show here. The hashes belong to the kind of CPU: compare on one machine, or with --isa.
"""
import argparse, hashlib, json, os, pathlib, shutil, subprocess, sys, tempfile

root = pathlib.Path(__file__).resolve().parent.parent
pictures = root / "tests/fixtures/pictures"

plain = ("--dataset generated --generated-samples 96 --batch-size 8 --eval-batch-size 16 --epochs 2 "
         "--warmup-epochs 0.5 --lr 0.1 --weight-decay 1e-4 --lr-schedule cosine")
generated = plain + " --momentum 0.9"
photos = ("--dataset imagefolder --data-dir photos --image-size 64 --batch-size 4 --eval-batch-size 4 --epochs 2 "
          "--warmup-epochs 0 --lr 0.05 --momentum 0.9 --weight-decay 1e-4 --lr-schedule cosine")

# name: (ranks, options)
runs = {
    "sgd": (1, f"--model cifar_resnet8 --optimizer sgd {generated}"),
    "nesterov-replicas": (1, f"--model cifar_resnet8_projection --optimizer sgd --nesterov --replicas 4 {generated}"),
    "ranks": (2, f"--model cifar_resnet8 --optimizer sgd --replicas 2 --bucket-mb 0.02 {generated}"),
    "ranks-sharded-span": (3, "--model cifar_resnet8 --optimizer sgd --replicas 6 --bn-span 2 --shard-optimizer "
                              f"{generated}"),
    "lars": (1, f"--model cifar_resnet14 --optimizer lars --lars-eta 0.001 {generated}"),
    "adamw-groups": (1, f"--model cifar_resnext11 --optimizer adamw --gradient-accumulation-count 2 {plain}"),
    "rmsprop-ema": (1, "--model cifar_efficientnet --optimizer tf-rmsprop --rmsprop-epsilon 0.002 --rmsprop-decay 0.9 "
                       f"--ema-decay 0.9 --ema-steps 1 {generated}"),
    "mixing": (1, "--model cifar_resnet8 --optimizer sgd --mixup-alpha 0.2 --cutmix-alpha 1 --label-smoothing 0.1 "
                  f"{generated}"),
    "mixing-ranks-ema": (2, "--model cifar_resnet8 --optimizer sgd --replicas 4 --mixup-alpha 0.3 --ema-decay 0.95 "
                            f"--ema-steps 2 {generated}"),
    "picture": (1, f"--model resnet18 --optimizer sgd --crop random-resized --augment flip {photos}"),
    "picture-policy-ranks": (2, "--model cifar_resnet8 --optimizer sgd --replicas 2 --crop distorted-box "
                                f"--augment flip,rand-augment,random-erase --random-erase 0.5 {photos}"),
    "picture-mixing": (1, "--model graphcore_resnet10 --optimizer sgd --crop random-resized --augment flip --mixup-alpha 0.2 "
                          f"--label-smoothing 0.1 --gradient-accumulation-count 2 {photos}"),
}


def lay_out_pictures(folder):
    """Three classes of eight pictures to train and three to evaluate, all from the fixtures that decode."""
    names = ["flower.jpg", "hopper.jpg", "grey.jpg", "rgb.jpg", "progressive.jpg", "restarts.jpg", "cmyk.jpg",
             "palette.png", "sampled_2x2.jpg", "sampled_4x1.jpg", "alpha.png"]
    for label, kind in enumerate(["ant", "bee", "cat"]):
        for split, chosen in (("train", names[:8]), ("val", names[8:])):
            place = folder / split / kind
            place.mkdir(parents=True)
            for i in range(len(chosen)):
                name = chosen[(i + 3 * label) % len(chosen)]
                shutil.copy(pictures / name, place / f"{i}_{name}")


def logs_hash(events, summary):
    of_machine = ("t", "seconds", "images_per_s", "data_wait_s", "peak_rss_bytes", "rss_bytes", "state_bytes", "workspace_bytes")
    kept = [{key: value for key, value in event.items() if key not in of_machine} for event in events]
    return hashlib.sha256((json.dumps(kept) + summary).encode()).hexdigest()[:8]


def hash_of(program, ranks, options, more):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if "photos" in options:
            lay_out_pictures(folder / "photos")
        start = [] if ranks == 1 else ["mpirun", "--oversubscribe", "-np", str(ranks)]
        command = [*start, str(program), "train", "--name", "run", "--quiet", "--seed", "7", "--threads", "2",
                   *options.split(), *more]
        place = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        end = subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True)
        if end.returncode != 0:
            return f"exit {end.returncode}: {end.stderr.strip()}"
        events = [json.loads(line) for line in (folder / "runs/run/metrics.jsonl").read_text().splitlines()]
        return f"{events[-1]['weights_hash']} {logs_hash(events, (folder / 'runs/run/summary.csv').read_text())}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN", help="names of runs; none: all")
    parser.add_argument("--program", type=pathlib.Path, default=root / "build/release/convoy")
    parser.add_argument("--against", type=pathlib.Path, help="another program, which should give the same")
    parser.add_argument("--isa", help="passed on to the program")
    parser.add_argument("--list", action="store_true", help="the runs with their options, without running them")
    given = parser.parse_args()
    unknown = [name for name in given.runs if name not in runs]
    if unknown:
        parser.error(f"no such run: {', '.join(unknown)}; there are {', '.join(runs)}")
    chosen = {name: runs[name] for name in given.runs or runs}
    if given.list:
        for name, (ranks, options) in chosen.items():
            print(f"{name}: {ranks} rank{'s' * (ranks > 1)}: {options}")
        return 0
    more = ["--isa", given.isa] if given.isa else []
    different = failed = 0
    for name, (ranks, options) in chosen.items():
        found = hash_of(given.program.resolve(), ranks, options, more)
        failed += found.startswith("exit")
        line = f"{name:22} {found}"
        if given.against:
            other = hash_of(given.against.resolve(), ranks, options, more)
            different += other != found
            line += "  same" if other == found else f"  differs: {other}"
        print(line, flush=True)
    return 1 if different or failed else 0


if __name__ == "__main__":
    sys.exit(main())

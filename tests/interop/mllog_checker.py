#!/usr/bin/env python3
"""MLPerf's checker reads mllog.txt: `mllog_checker.py PROGRAM`.

A few steps of ResNet-50, with SGD and with LARS, and of SSD-ResNet34 on generated pictures, by the rules 1.1.0 of the closed division: the checker of the package
mlperf_logging finds nothing wrong but the accuracy, which a few steps do not reach.
"""
import pathlib, re, subprocess, sys, tempfile

COMMON = ["--dataset", "generated", "--threads", "1", "--quiet", "--mllog", "--mllog-org", "someone", "--no-tensorboard"]
RESNET = ["--model", "resnet50", "--generated-samples", "16", "--generated-image-size", "32", "--batch-size", "8", "--epochs", "2",
          "--lr-schedule", "polynomial", "--min-lr", "0.0001", "--lr", "0.008", "--warmup-epochs", "0.5", "--eval-epochs", "1"]
RUNS = {
    "sgd": [*RESNET, "--optimizer", "sgd", "--weight-decay", "0.0002"],
    "lars": [*RESNET, "--optimizer", "lars", "--weight-decay", "0.0002", "--lars-epsilon", "0"],
    "ssd": ["--model", "ssd_resnet34", "--generated-samples", "4", "--batch-size", "2", "--epochs", "1", "--lr", "0.003", "--warmup-epochs", "0.5",
            "--lr-schedule", "piecewise", "--piecewise-epochs", "40,50", "--piecewise-factors", "0.1,0.01", "--weight-decay", "0.0005"],
}
TARGET = re.compile(r"eval_accuracy|v\['value'\] >= 0\.")


def complaints(log: pathlib.Path) -> list[str]:
    ran = subprocess.run([sys.executable, "-m", "mlperf_logging.compliance_checker", "--usage", "training", "--ruleset", "1.1.0", str(log)],
                         capture_output=True, text=True, cwd=log.parent)  # where it writes a log
    text = (ran.stdout + ran.stderr).splitlines()
    print("\n".join(text[-12:]))
    assert ran.returncode in (0, 1), ran.returncode
    return [line for line in text if re.search(r"fail|error|not |required", line, re.I)]


def main(program: str):
    with tempfile.TemporaryDirectory() as folder:
        for name, options in RUNS.items():
            subprocess.run([program, "train", *COMMON, *options, "--output", folder, "--name", name], check=True, stdout=subprocess.DEVNULL)
            print(f"-- {name}")
            wrong = [line for line in complaints(pathlib.Path(folder) / name / "mllog.txt") if not TARGET.search(line)]
            assert all(re.search(r"FAILURE|failed|log file", line, re.I) for line in wrong), wrong


if __name__ == "__main__":
    main(sys.argv[1])

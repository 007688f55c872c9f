#!/usr/bin/env python3
"""Lets the n-th operation on the files of a short run fail (open, write, fsync, rename, truncate, mkdir, symlink), in a
first start and in a resume, and the n-th allocation, of all or of oneDNN's. Each time: an exit code of the contract,
one line of error, no checkpoint lost, and a resume after which every file is that of a run without trouble.

    sweep.py PROGRAM LIBRARY [--points N] [--allocations N] [--all] [--seed S]
"""
import argparse, errno, pathlib, random, shutil, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import runs

NO_SPACE, CHECKPOINT = 6, 4


def expected_codes(do: str) -> set[int]:
    """0: it was nothing the run needs. A failing disk is the owner's of the run directory (4), a full one no space (6)."""
    if do in ("allocation", "aligned", "full") or int(do) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return {0, NO_SPACE}
    return {0, CHECKPOINT}


class Sweep:
    def __init__(self, bench: runs.Bench):
        self.bench, self.wrong, self.tried = bench, [], 0
        self.whole = self.finish("without trouble")

    def finish(self, what: str) -> dict[str, object]:
        end = self.bench.go()
        if end.returncode != 0:
            self.wrong.append(f"{what}: then exit {end.returncode}: {end.stderr.strip()}")
            return {}
        return runs.record(self.bench.run)

    def keep_half(self, at: int):
        """A run that was killed when it had a checkpoint: its resume is to meet the trouble."""
        self.bench.clear()
        self.bench.go("kill", at)
        shutil.copytree(self.bench.run, self.bench.folder / "half", symlinks=True)

    def begin_half(self):
        self.bench.clear()
        shutil.copytree(self.bench.folder / "half", self.bench.run, symlinks=True)

    def count(self, do: str, from_half: bool) -> int:
        self.begin_half() if from_half else self.bench.clear()
        self.bench.go(do)
        return self.bench.count()

    def try_one(self, do: str, at: int, from_half: bool):
        what = f"{do} at {at}{' of a resume' if from_half else ''}"
        self.begin_half() if from_half else self.bench.clear()
        before = self.bench.saved_step()
        end = self.bench.go(do, at)
        self.tried += 1
        if end.returncode not in expected_codes(do):
            self.wrong.append(f"{what}: exit {end.returncode}: {end.stderr.strip()[-300:]}")
        if end.returncode and len(end.stderr.strip().splitlines()) != 1:
            self.wrong.append(f"{what}: not one line of error: {end.stderr.strip()!r}")
        if self.bench.saved_step() < before:
            self.wrong.append(f"{what}: a checkpoint is lost")
        found = self.finish(what)
        if found:
            self.wrong += [f"{what}: {text}" for text in runs.differences(found, self.whole) + runs.unsound(self.bench.run)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--points", type=int, default=12, help="operations on files, drawn")
    parser.add_argument("--allocations", type=int, default=6, help="allocations, drawn; half of them oneDNN's")
    parser.add_argument("--all", action="store_true", help="every operation on files, with each errno")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    kinds = [str(errno.EIO), str(errno.ENOSPC), "full"]
    with tempfile.TemporaryDirectory(prefix="convoy-faults-", dir=pathlib.Path("/dev/shm")
                                     if pathlib.Path("/dev/shm").is_dir() else None) as folder:
        sweep = Sweep(runs.Bench(options.program, options.library, pathlib.Path(folder)))
        count = sweep.count(str(errno.EIO), False)
        sweep.keep_half(count // 2)
        cases = [(do, at, False) for do in kinds for at in range(1, count + 1)]
        cases += [(do, at, True) for do in kinds for at in range(1, sweep.count(kinds[0], True) + 1)]
        allocations = [(do, draw.randint(1, most), half) for half in (False, True) for do in ("allocation", "aligned")
                       for most in [sweep.count(do, half)] for _ in range((options.allocations + 3) // 4)]
        if not options.all:
            cases = draw.sample(cases, min(options.points, len(cases)))
        for case in cases + allocations:
            sweep.try_one(*case)
    print("\n".join(sweep.wrong))
    print(f"{sweep.tried} faults ({len(cases)} of {count} operations on files a run, {len(allocations)} allocations), "
          f"{len(sweep.wrong)} wrong")
    return bool(sweep.wrong)


if __name__ == "__main__":
    sys.exit(main())

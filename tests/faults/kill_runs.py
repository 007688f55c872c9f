#!/usr/bin/env python3
"""Kills a short run again and again (kill -9), or cuts its power, at operations on files that are drawn: at once before
an open, write, fsync, rename ... Then it goes on, is perhaps interrupted again, and ends. Every file must be that of a
run that was never interrupted. After a power cut nothing is left that was not fsynced, names included.

    kill_runs.py PROGRAM LIBRARY [--count N] [--seed S]
"""
import argparse, pathlib, random, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import runs

KILLED = -9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--count", type=int, default=12, help="interruptions, half of them power cuts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    done, wrong = {"kill": 0, "cut": 0}, []
    with tempfile.TemporaryDirectory(prefix="convoy-kills-", dir=pathlib.Path("/dev/shm")
                                     if pathlib.Path("/dev/shm").is_dir() else None) as folder:
        bench = runs.Bench(options.program, options.library, pathlib.Path(folder))
        bench.go("kill", 0)
        operations, whole = bench.count(), runs.record(bench.run)
        while sum(done.values()) < options.count:
            bench.clear()
            story = []
            for _ in range(draw.randint(1, 3)):
                do = "cut" if done["cut"] < done["kill"] else "kill"
                # The first one comes between the last lines of the logs.
                at = draw.randint(1, operations) if any(done.values()) else operations - 1
                end = bench.go(do, at)
                story.append(f"{do} at {at}")
                if end.returncode == KILLED:
                    done[do] += 1
                    if do == "cut" and bench.saved_step() < bench.linked_before_cut():
                        wrong.append(f"{', '.join(story)}: the checkpoint of step {bench.linked_before_cut()} is lost")
                elif end.returncode != 0:
                    wrong.append(f"{', '.join(story)}: exit {end.returncode}: {end.stderr.strip()}")
                    break
            end = bench.go()
            if end.returncode != 0:
                wrong.append(f"{', '.join(story)}: then exit {end.returncode}: {end.stderr.strip()}")
                continue
            wrong += [f"{', '.join(story)}: {text}"
                      for text in runs.differences(runs.record(bench.run), whole) + runs.unsound(bench.run)]
    print("\n".join(wrong))
    print(f"{done['kill']} kills and {done['cut']} power cuts at {operations} operations, {len(wrong)} differences")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

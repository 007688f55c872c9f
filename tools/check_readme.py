#!/usr/bin/env python3
"""Runs the commands of README.md or another page, so that they stay true.

Every block fenced as `sh` is run by bash, as it stands, in order; blocks fenced as `console` or
`text` are for reading. All blocks share one scratch folder that has the repository's files but
keeps what they write (runs/) out of it. A block may take 60 seconds; `sh budget=300` after the
fence gives it more. The first that fails or takes longer ends the check.

With --program they run this program where they say ./convoy, which would build it first.

    tools/check_readme.py [README.md] [--list] [--program PATH]
"""
import argparse, os, pathlib, re, signal, subprocess, sys, tempfile, time

DEFAULT_BUDGET_S = 60


def blocks(text: str) -> list[tuple[int, float, str]]:
    """(line, budget in seconds, commands) of each `sh` block."""
    found, fence = [], None
    for number, line in enumerate(text.splitlines(), 1):
        opening = re.match(r"^\s{0,3}(`{3,}|~{3,})\s*([^`]*)$", line)
        if fence is None and opening:
            fence, words, start, body = opening[1], opening[2].split(), number, []
        elif fence is not None and opening and not opening[2] and opening[1].startswith(fence):
            fence = None
            if words[:1] == ["sh"]:
                found.append((start, budget(words[1:], start), "\n".join(body)))
        elif fence is not None:
            body.append(line)
    if fence is not None:
        raise SystemExit(f"README: the block of line {start} is not closed")
    return found


def budget(words: list[str], line: int) -> float:
    for word in words:
        key, _, value = word.partition("=")
        if key != "budget" or not value.isdigit():
            raise SystemExit(f"README: line {line}: {word} after the fence; try: budget=SECONDS")
        return float(value)
    return DEFAULT_BUDGET_S


def run(commands: str, folder: str, limit: float) -> int | None:
    """The exit code, or None after a timeout, when the whole process group was killed."""
    process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", commands], cwd=folder,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("readme", nargs="?", type=pathlib.Path)
    options.add_argument("--list", action="store_true", help="print the blocks, run nothing")
    options.add_argument("--program", type=pathlib.Path, help="what ./convoy is")
    given = options.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    readme = given.readme or root / "README.md"
    if not readme.exists():
        print(f"README: there is no {readme.name} yet")
        return 0
    if root not in readme.resolve().parents:
        root = readme.resolve().parent
    found = blocks(readme.read_text())
    with tempfile.TemporaryDirectory(prefix="convoy-readme-") as folder:
        for entry in root.iterdir():
            if entry.name not in (".git", "runs"):
                program = given.program if entry.name == "convoy" else None
                os.symlink((program or entry).resolve(), os.path.join(folder, entry.name))
        for line, limit, commands in found:
            print(f"README: line {line}, at most {limit:.0f} s\n{commands}", flush=True)
            if given.list:
                continue
            start = time.monotonic()
            code = run(commands, folder, limit)
            if code != 0:
                why = f"took longer than {limit:.0f} s" if code is None else f"ended with exit code {code}"
                print(f"README: the block of line {line} {why}", file=sys.stderr)
                return 1
            print(f"README: line {line} took {time.monotonic() - start:.1f} s", flush=True)
    print(f"README: {len(found)} blocks {'found' if given.list else 'ran'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

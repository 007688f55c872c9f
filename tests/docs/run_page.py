#!/usr/bin/env python3
"""Runs the `sh` blocks of a page of docs/ with the program as `./convoy`: `run_page.py PROGRAM PAGE.md`.

All blocks share one scratch folder; the first that fails ends the check. The rules of the blocks are those of tools/check_readme.py.
"""
import pathlib, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_readme


def main(program: str, page: str) -> int:
    blocks = check_readme.blocks(pathlib.Path(page).read_text())
    if not blocks:
        sys.exit(f"{page} has no block fenced as sh")
    with tempfile.TemporaryDirectory(prefix="convoy-page-") as folder:
        (pathlib.Path(folder) / "convoy").symlink_to(pathlib.Path(program).resolve())
        for line, limit, commands in blocks:
            print(f"{page}:{line}\n{commands}", flush=True)
            code = check_readme.run(commands, folder, limit)
            if code != 0:
                sys.exit(f"{page}:{line}: {'took too long' if code is None else f'exit code {code}'}")
    print(f"{len(blocks)} blocks ran")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

#!/usr/bin/env python3
"""Finds text that no file of the tree may contain: paths and hosts of one machine, notes to self, stray
whitespace. Run by ctest as lint.tree; `check_tree.py DIR` checks another tree."""
import os, pathlib, re, subprocess, sys

# Written in pieces, so that this file does not find itself.
FORBIDDEN = [
    (r"(?<![\w.])/(work|root|home|Users|opt)/" r"[\w.]+", "a path of one machine"),
    (r"pypi" r"\.org|python" r"hosted|deb\.debian" r"\.org|docker" r"\.io|ghcr" r"\.io|artifact" r"-?registry"
     r"|-index" r"-url", "a package host; it is the machine's to choose"),
    (r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b", "a note to self; an issue is the place for it"),
    (r"[ \t]+$", "space at the end of the line"),
    (r"\r", "a carriage return"),
]
SKIPPED_FOLDERS = {".git", "build", "runs", "__pycache__"}
LONGEST_BYTES = 1 << 20  # fixtures are small; data is generated or found, never committed


def files_of(root: pathlib.Path) -> list[pathlib.Path]:
    """All files that git tracks or would add; without git, all except those in folders that are never committed."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                         capture_output=True)
    if git.returncode == 0 and (root / ".git").exists():
        return [root / os.fsdecode(name) for name in sorted(git.stdout.split(b"\0")) if name]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        found += [pathlib.Path(folder, name) for name in sorted(names)]
    return found


def check(root: pathlib.Path) -> list[str]:
    wrong = []
    for path in files_of(root):
        if not path.is_file() or path.is_symlink():
            continue
        data, name = path.read_bytes(), path.relative_to(root)
        if len(data) > LONGEST_BYTES:
            wrong.append(f"{name}: {len(data)} bytes; nothing above {LONGEST_BYTES} is committed")
        if b"\0" in data:
            continue  # a binary fixture
        if data and not data.endswith(b"\n"):
            wrong.append(f"{name}: no end of line at the end")
        for number, line in enumerate(data.decode(errors="replace").split("\n"), 1):
            for pattern, what in FORBIDDEN:
                found = re.search(pattern, line)
                if found and name.name != "LICENSE":
                    wrong.append(f"{name}:{number}: {found[0].strip() or 'here'}: {what}")
    return wrong


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(found) or "the tree is clean")
    sys.exit(bool(found))

#!/usr/bin/env python3
"""Lines per folder and the five longest files of src/ and tests/. Printed in CI."""
import collections, pathlib, sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
lines, files, longest = collections.Counter(), collections.Counter(), []
for top in ("src", "tests"):
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        count = path.read_text().count("\n")
        inside = path.relative_to(root)
        folder = str(pathlib.Path(*inside.parts[:2])) if top == "src" else top
        lines[folder] += count
        files[folder] += 1
        longest.append((count, str(inside)))

for folder in sorted(lines):
    print(f"{lines[folder]:7}  {files[folder]:4} files  {folder}")
print(f"{lines.total():7}  {files.total():4} files  in all; the five longest:")
for count, name in sorted(longest, reverse=True)[:5]:
    print(f"{count:7}              {name}")

#!/usr/bin/env python3
"""Plants what check_tree.py must refuse in a tiny tree, and requires that it finds each."""
import pathlib, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_tree

# In pieces, so that the lint does not find this file.
RIGHT = {
    "a.cpp": "// reads /usr/share/datasets\nint todo = 1;\n",
    "b.md": "See docs/work/plan.md and https://example.com/home/page.\n",
    "build/x.txt": "/wor" "k/x\n",
    "empty": "",
}
WRONG = {
    "a.txt": "see /wor" "k/main\n",
    "b.py": "path = '/roo" "t/.cache'\n",
    "c.sh": "pip install --extra-index" "-url x\n",
    "d.md": "http://deb.debian" ".org/debian\n",
    "e.cpp": "// TO" "DO: later\n",
    "f.cpp": "// FIX" "ME\n",
    "g.cpp": "int x; \n",
    "h.cpp": "int x;\r\n",
    "i.cpp": "int x;",
    "j.json": "0" * (1 << 20) + "0\n",
}


def found_in(tree: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return check_tree.check(pathlib.Path(folder))


assert found_in(RIGHT) == [], found_in(RIGHT)
for name, text in WRONG.items():
    found = found_in({**RIGHT, name: text})
    assert found and all(line.startswith(name) for line in found), (name, found)
print(f"{len(WRONG)} planted violations were caught")

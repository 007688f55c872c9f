#!/usr/bin/env python3
"""Plants violations in a tiny tree and requires that check_layers.py finds each, and nothing else."""
import pathlib, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_layers

RIGHT = {
    "base/error.h": "#include <string>\n",
    "graph/graph.h": '#include "base/error.h"\n#include "graph/op.h"\n',
    "tensor/onednn.cpp": "#include <dnnl.hpp>\n",
    "kernels/simd.cpp": "#include <hwy/highway.h>\n",
    "base/shape.h": "struct Shape {\n  struct State {};\n};\nclass Later;\n",
    "base/local.cpp": "struct Shape {};\n",
    "base/text/words.cpp": '// #include "train/trainer.h"\n',
}
WRONG = {
    "base/up.cpp": '#include "train/trainer.h"\n',
    "engine/spaced.cpp": '#  include   "train/trainer.h"\n',
    "graph/door.cpp": "#include <dnnl.hpp>\n",
    "train/mpi.cpp": "#include <mpi.h>\n",
    "ops/simd.cpp": "#include <hwy/highway.h>\n",
    "elsewhere/new.cpp": "int x;\n",
    "base/quoted.cpp": '#include "dnnl.hpp"\n',
    "tensor/twice.h": "class Shape final : public Base {\n",
    "base/deeper/up.h": '#include "app/command.h"\n',
}


def found_in(tree: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, "src", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_layers.check(pathlib.Path(folder))


assert found_in(RIGHT) == [], found_in(RIGHT)
for name, text in WRONG.items():
    found = found_in({**RIGHT, name: text})
    assert len(found) == 1 and name in found[0], (name, found)
print(f"{len(WRONG)} planted violations were caught")

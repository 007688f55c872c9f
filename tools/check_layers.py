#!/usr/bin/env python3
"""Checks the layers of src/: allowed includes, headers that may be included in one place only, printing only through base/show.h,
and no two types of the same name (the linker would mix them up silently). Run by ctest as lint.layers."""
import pathlib, re, sys

MAY_INCLUDE = {
    "base": "",
    "config": "base",
    "tensor": "base",
    "kernels": "base tensor",
    "pictures": "base tensor kernels",
    "plot": "base pictures",
    "records": "base",
    "boxes": "base tensor kernels",
    "data": "base config tensor kernels pictures records boxes",
    "graph": "base tensor",
    "ops": "base tensor kernels boxes graph",
    "models": "base config tensor boxes graph ops",
    "compile": "base config tensor graph",
    "engine": "base tensor graph compile",
    "dist": "base config tensor kernels graph",
    "weights": "base tensor",
    "export": "base tensor boxes graph ops weights",
    "train": "base config tensor kernels pictures boxes data graph ops models compile engine dist weights",
    "report": "base config pictures plot records train",
    "board": "base report",
    "launch": "base config",
    "dialects": "base config models report launch",
    "app": "base config tensor pictures plot records boxes data graph ops models compile engine dist weights export train report "
    "board launch dialects",
}
ONE_DOOR = {  # header -> where it may be included
    r"dnnl": ("tensor/onednn.cpp",),
    r"omp\.h": ("tensor/onednn.cpp",),
    r"hwy/highway|hwy/foreach_target|hwy/contrib": ("kernels/",),
    r"hwy/targets": ("tensor/isa.cpp",),
    r"mpi\.h": ("dist/world.cpp",),
    r"jpeglib\.h|jerror\.h": ("pictures/jpeg",),
    r"png\.h": ("pictures/png.cpp",),
    r"tiff": ("pictures/tiff.cpp",),
    r"webp/": ("pictures/webp.cpp",),
    r"cairo": ("pictures/drawing.cpp",),
    r"expat": ("base/text/xml.cpp",),
    r"archive": ("records/tar.cpp",),
    r"httplib": ("board/http_server.cpp",),
    r"google/protobuf|.*\.pb\.h": ("export/onnx_file.cpp",),
}
# Names and paths from outside must be escaped before they reach a terminal; `show` does this.
PRINTS = r"\bfmt::v?print\(|\bstd::c(out|err)\b|\b(std::)?(f?puts|v?f?printf)\("
MAY_PRINT = ("base/show.", "app/progress.cpp")  # the second only erases a line


def check(root: pathlib.Path) -> list[str]:
    wrong, types = [], {}
    for path in sorted((root / "src").rglob("*.[hc]*")):
        inside = path.relative_to(root / "src")
        here = inside.parts[0]
        if here not in MAY_INCLUDE:
            wrong.append(f"{path}: the folder {here} is not on the road")
            continue
        allowed = {here, *MAY_INCLUDE[here].split()}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            defined = path.suffix == ".h" and re.match(r"(?:struct|class|enum class) (\w+)[^;]*\{", line)
            if defined and types.setdefault(defined[1], path) != path:
                wrong.append(f"{path}:{number}: {types[defined[1]]} defines a type {defined[1]} too")
            if re.search(PRINTS, line) and not str(inside).startswith(MAY_PRINT):
                wrong.append(f"{path}:{number}: printing is for base/show.h: show(...) instead of {line.strip()}")
            included = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not included:
                continue
            header = included[1]
            folder = header.split("/")[0]
            if folder in MAY_INCLUDE and folder not in allowed:
                wrong.append(f"{path}:{number}: {here} may not include {folder}")
            for pattern, doors in ONE_DOOR.items():
                if re.match(pattern, header) and not str(inside).startswith(doors or ("-",)):
                    wrong.append(f"{path}:{number}: <{header}> belongs in {' '.join(doors) or 'no file'}")
    return wrong


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = check(root)
    print("\n".join(found) or "every include points down the road")
    sys.exit(bool(found))

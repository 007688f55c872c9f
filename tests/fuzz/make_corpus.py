#!/usr/bin/env python3
"""Writes the corpora of the fuzz targets: small sound files to begin with, and files that were findings once.
`make_corpus.py PROGRAM`: convoy, which packs a JPEG. Python's standard library is enough; pictures, records and
weights are those of tests/fixtures."""
import io, pathlib, struct, subprocess, sys, tarfile, tempfile, zlib

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"


def put(target: str, name: str, content: bytes | str) -> None:
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def copy(target: str, *names: str) -> None:
    for name in names:
        put(target, pathlib.Path(name).name, (FIXTURES / name).read_bytes())


def texts() -> None:
    put("recipe", "sound.yml", "# comment\nbase: []\nlr: 1e-3  # why\nname: \"a: \\x62 # c\"\nother: 'it''s'\n"
        "milestones: [30, 60,\n  80]  # end\naugment:\n  - crop\n  - flip\nnotes: |\n  one\n  two\nnone: ''\n")
    put("recipe", "marks.yml", "---\na_b: |-\n  x\n\n  y\n...\n")
    put("recipe", "memory.yml", ",\n")  # took all memory with yaml-cpp 0.7
    put("recipe", "hang.yml", "# In---\n32; theirs is fp16.\n# mk1_resnet50_[16ipus.\n# Cost: ---\n,000 x 10^15\n"
        "base: resnet50.yml\nepochs: 65\n")  # never ended
    put("recipe", "nested.yml", "a: " + "[" * 300 + "\n")
    put("named_configs", "sound.yml", "parent: &p\n    a: 1\n    s: &s [x, 'y']\nchild:\n    <<: *p\n    a: *s\n")
    put("named_configs", "lists.yml", "both: # why\n  <<: [*p, *q]\n  c:\n    - u\n    - v\n")
    put("args", "sound.yml", "# The options of this run.\ngiven: [lr, name]\n\n# Training\nlr: 0.1  # command line\n"
        "name: \"a b\"  # configs/x.yml\nmilestones: []  # default\naugment: [crop, flip]  # default\n")
    put("state", "sound.json", '{\n  "best_step": 4,\n  "epoch": 0.5,\n  "files": {\n    "model.safetensors": {\n      '
        '"bytes": 3,\n      "hash": "0123456789abcdef"\n    }\n  },\n  "format": 1,\n  "hash": "0000000000000000",\n  '
        '"log_lengths": {\n    "log.txt": 7\n  },\n  "numbers": {\n    "loss": "bits:7ff4000000000123"\n  },\n  '
        '"samples": 32,\n  "step": 4,\n  "stopgap": false,\n  "texts": {\n    "isa": "avx2"\n  }\n}\n')
    put("state", "nested.json", '{"hash": "0123456789abcdef", "format": 1, "a": ' + "[" * 500 + "]" * 500 + "}\n")
    end = '{"event":"run_end","step":16,"weights_hash":"0123456789abcdef","seconds":1.5,"exit":0}\n'
    put("metrics", "sound.jsonl", '{"event":"train","epoch":0,"step":1,"loss":2.3}\n' + end)
    put("metrics", "stray_digit.jsonl", end + "7\n")
    put("json_line", "sound.json", '{"event":"train","step":50,"loss":"nan","ema":false,"note":"a\\n\\u00e9","more":{"x":[1,"]"]}}\n')
    put("json_line", "open_text.json", '{"event":"tr\\\n')
    put("metrics", "odd_kinds.jsonl", '{"event":"run_end","step":"x","exit":0}\n')
    put("hostfile", "hosts", "n1 slots=2\nn2:4\n# comment\nn3\nn1 slots=1 max_slots=4\n")
    put("hostfile", "list", "n1:2,n2,n2,[fe80::1]:3\n")
    put("class_map", "names.txt", "# names\ncat\ndog dog\n\ntench, Tinca tinca\n")
    put("class_map", "map.txt", "cat = n01440764\ndog=n02 = x\n= y\n")
    put("coco_annotations", "sound.json",
        '{"info":{"year":2017},"images":[{"id":4,"width":640,"height":480,"file_name":"a.jpg"},{"id":2}],\n'
        '"categories":[{"id":1,"name":"person"},{"id":90}],"annotations":[{"id":1,"image_id":4,"category_id":90,"bbox":'
        '[1,2.5,30,40.25],"area":700.5,"iscrowd":0,"segmentation":[[1,2.5,3,4]]},{"id":2,"image_id":2,"category_id":1,'
        '"bbox":[0,0,0,-1],"area":0,"iscrowd":1,"segmentation":{"counts":[1,2],"size":[3,4]}}]}\n')
    put("coco_annotations", "nested.json", '{"images":[{"id":1,"x":' + "[" * 500 + "]" * 500 + "}]}\n")
    put("coco_results", "sound.json",
        '[{"image_id":4,"category_id":90,"bbox":[1,2.5,30,40.25],"score":0.75},{"image_id":2,"category_id":1,"bbox":'
        '[0,1,9,8],"score":1e-3},\n{"image_id":4,"category_id":90,"bbox":[2,2,30,40],"score":0.75,"id":3}]\n')
    put("coco_results", "not_a_number.json", '[{"image_id":4,"category_id":90,"bbox":[1,2,3,4],"score":NaN}]\n')


def boxes() -> None:
    put("yolo_labels", "boxes.txt", "\ufeff0 0.5 0.25 0.125 0.5\n79 1 1 1e-3 +.5\n1.0 0 0 0 0\n")
    put("yolo_labels", "polygons.txt", "1 0.25 0.5 0.75 0.5 0.5 1.005\n2 0 0 1 0 1 1 0 1\n")
    put("yolo_labels", "wrong.txt", "80 nan inf -1 2\n0 1e999 0,5\n0 .5 .5 .1 .1 .2\n")
    put("data_yaml", "roboflow.yaml", "train: ../train/images\nval: ../valid/images\n\nnc: 2\nnames: ['a', 'b''c']\n\n"
        "roboflow:\n  version: 1\n")
    put("data_yaml", "ultralytics.yaml", "path: x\ntrain:\n  - a\n  - b # c\nval: v\nkpt_shape: [17, 3]\nnames:\n  1: b\n"
        "  0: \"a\\x41\"\ndownload: |\n  import os\n")
    put("data_yaml", "flow.yaml", "---\nnames: {0: a,\n 1: 'b, c'}\nother: {a: [1, {b: 2}]}\n...\n")
    put("data_yaml", "nested.yaml", "names: " + "[" * 300 + "\n")
    box = "<bndbox><xmin>1</xmin><ymin>2.5</ymin><xmax>30</xmax><ymax>4e1</ymax></bndbox>"
    put("voc_annotation", "sound.xml", "<?xml version=\"1.0\"?>\n<annotation><filename>a.jpg</filename><size><width>90</width>"
        f"<height>60</height></size><object><name>a &amp; b</name><difficult>1</difficult>{box}<part><name>x</name></part>"
        f"</object><object><name><![CDATA[c<d]]></name>{box}</object></annotation>\n")
    put("voc_annotation", "entities.xml", "<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;'>]><annotation>&d;</annotation>\n")
    put("voc_annotation", "nested.xml", "<annotation>" + "<a>" * 200 + "\n")
    put("voc_annotation", "twice.xml", f"<annotation><object>{box}{box}</object></annotation>\n")


def data() -> None:
    idx = lambda dims, content: struct.pack(f">I{len(dims)}I", 0x800 | len(dims), *dims) + content
    put("idx", "labels", idx([5], b"\0\1\2\3\4"))
    put("idx", "images", idx([2, 2, 3], bytes(range(12))))
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    put("idx", "images.gz", pack.compress(idx([2, 2, 3], bytes(range(12)))) + pack.flush())
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)  # expands a thousandfold
    put("idx", "zeros.gz", pack.compress(idx([1 << 20], bytes(1 << 20))) + pack.flush())
    put("cifar", "two.bin", (b"\1" + bytes(i * 7 % 256 for i in range(3072))) * 2)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in ("a.jpg", "folder/" + "b" * 120 + ".jpg"):
            about = tarfile.TarInfo(name)
            about.size = 5
            tar.addfile(about, io.BytesIO(b"hello"))
    members = stream.getvalue().rstrip(b"\0")
    put("tar", "pax.tar", members + bytes(-len(members) % 512 + 1024))
    copy("tfrecord", "tfrecords/train/train-00001-of-00002", "tfrecords/validation/validation-00000-of-00001")


def pictures(program: str) -> None:
    copy("jpeg", "pictures/grey.jpg", "pictures/progressive.jpg", "pictures/one_pixel.jpg", "pictures/arithmetic.jpg")
    copy("png", "pictures/bits.png", "pictures/palette_clear.png", "pictures/palette.png")
    copy("bmp", "pictures/core.bmp", "pictures/four_bits.bmp", "pictures/sixteen_565.bmp", "pictures/palette.bmp")
    copy("tiff", "pictures/lzw.tif", "pictures/jpeg.tif", "pictures/packbits.tif", "pictures/deflate.tif")
    copy("webp", "pictures/lossy.webp", "pictures/lossless.webp", "pictures/alpha.webp")
    # A coefficient that cannot be written, behind a comment for which libjpeg's buffer grows: what it had freed
    # was freed again.
    grey = (FIXTURES / "pictures/grey.jpg").read_bytes()
    comment = b"\xff\xfe" + struct.pack(">H", 9002) + bytes(9000)
    symbol = grey.index(b"\xff\xc4") + 22
    put("jpeg", "out_of_range.jpg",
        grey[:2] + comment + grey[2:symbol] + bytes([grey[symbol] | 15]) + grey[symbol + 1:])
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "in/class")
        source.mkdir(parents=True)
        for name in ("grey.jpg", "sampled_2x2.jpg"):
            (source / name).write_bytes((FIXTURES / "pictures" / name).read_bytes())
        subprocess.run([program, "prepare", "pack", "--input", f"{folder}/in", "--output", f"{folder}/out"], check=True)
        for path in sorted(pathlib.Path(folder, "out").rglob("*.jpg")):
            put("packed_jpeg", path.name, path.read_bytes())


def crc32c(data: bytes) -> int:
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number: int, value: int | bytes) -> bytes:
    """A field of a protocol buffer message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)


def tf_bundle() -> None:
    def block(entries):
        body = b"".join(varint(0) + varint(len(k)) + varint(len(v)) + k + v for k, v in entries)
        body += struct.pack("<II", 0, 1)
        return body + b"\0" + masked(body + b"\0")

    zeros = masked(bytes(16))
    tensor = field(1, 1) + field(2, field(2, field(1, 2)) * 2) + field(4, 0) + field(5, 16) + b"\x35" + zeros
    entries = [(b"", field(1, 1)), (b"net/conv2d/kernel", tensor), (b"net/conv2d_1/kernel", tensor)]
    content, meta = block(entries), block([])
    index = block([(b"o", varint(0) + varint(len(content) - 5))])
    at = len(content)
    footer = varint(at) + varint(len(meta) - 5) + varint(at + len(meta)) + varint(len(index) - 5)
    magic = bytes.fromhex("57fb808b247547db")
    put("tf_bundle", "sound.index", content + meta + index + footer.ljust(40, b"\0") + magic)
    # Entries of the index that name one block: it would be checked again for each.
    index = block([(b"%03d" % i, varint(at) + varint(len(meta) - 5)) for i in range(100)])
    footer = varint(at) + varint(len(meta) - 5) + varint(at + len(meta)) + varint(len(index) - 5)
    put("tf_bundle", "overlapping.index", content + meta + index + footer.ljust(40, b"\0") + magic)


def onnx() -> None:
    value = lambda name, dims: field(1, name) + field(2, field(1, field(1, 1) + field(2, b"".join(
        field(1, field(1, d)) for d in dims))))
    weight = field(1, 2) + field(1, 3) + field(1, 1) + field(1, 1) + field(2, 1) + field(8, b"w") + field(9, bytes(24))
    ints = lambda name, *numbers: field(5, field(1, name) + b"".join(field(8, n) for n in numbers) + field(20, 7))
    conv = (field(1, b"x") + field(1, b"w") + field(2, b"y") + field(4, b"Conv") + ints(b"kernel_shape", 1, 1)
            + ints(b"strides", 1, 1) + ints(b"pads", 0, 0, 0, 0) + ints(b"dilations", 1, 1))
    relu = field(1, b"y") + field(2, b"z") + field(4, b"Relu")
    graph = (field(1, conv) + field(1, relu) + field(2, b"g") + field(5, weight) + field(11, value(b"x", [1, 3, 4, 4]))
             + field(12, value(b"z", [1, 2, 4, 4])))
    put("onnx", "conv.onnx", field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, 13)))


def weights() -> None:
    header = (b'{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},'
              b'"b":{"dtype":"BOOL","shape":[],"data_offsets":[8,9]}}')
    put("safetensors", "two.safetensors", struct.pack("<Q", len(header)) + header + bytes(9))
    copy("torch_zip", "weights/torch_zip.pt")
    copy("torch_legacy", "weights/torch_legacy.th")
    copy("npz", "weights/compressed.npz", "weights/plain.npz")
    copy("npy", "weights/one.npy")


texts()
boxes()
data()
pictures(sys.argv[1])
tf_bundle()
onnx()
weights()

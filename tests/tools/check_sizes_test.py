#!/usr/bin/env python3
"""Plants violations in a tiny tree and requires that check_sizes.py finds each, and nothing else."""
import pathlib, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_sizes

TOP = "// What it is.\n#pragma once\n\n"


def function(lines: int, head: str = "int work(int x)") -> str:
    """A function of that many lines, with text that a counter of braces could mistake."""
    odd = ["  // no brace: {", "  const char brace = '{';", '  text = "}{ /*";', "  auto f = [&](int y) { return y; };"]
    return "\n".join([head + " {"] + (odd + ["  if (x) { ++x; }"] * lines)[:lines - 2] + ["}"]) + "\n"


def members(count: int, letter: str = "m") -> str:
    return "".join(f"  std::map<int, std::function<void(int, int)>> {letter}{i} = {{}};\n" for i in range(count))


def files(count: int) -> dict[str, str]:
    return {f"src/base/f{i}.cpp": "int x;\n" for i in range(count)}


OPTIONS = "  void describe(Fields& field);\n"
NO_MEMBERS = ("  A(int x) : a(x) {}\n  virtual void go(int x, int y) const = 0;\n  using T = int;\n  static int c;\n"
              "  friend class B;\n  enum class Kind { one, two };\n  bool operator==(const A&) const = default;\n")
RIGHT = {
    "src/base/long.cpp": "// Text.\n" * 400,
    "src/base/work.cpp": "namespace {\n" + function(70) + function(70, "template <class T>\nauto A<T>::go() const -> T")
                         .replace("  if (x) { ++x; }\n", "", 1) + "}  // namespace\n",
    "src/base/table.cpp": "const std::vector<Row> rows{\n" + '    {"a", f(1)},\n' * 100 + "};\n",
    "src/base/class.h": TOP + "class A {\n public:\n  void go();\n" + "  // why\n" * 80 + "};\n",
    "src/train/fifteen.h": TOP + "struct A {\n" + members(13) + "  int a = f(1, 2), b;\n" + NO_MEMBERS + "};\n",
    "src/train/options.h": TOP + "struct B {\n" + members(20) + OPTIONS + "};\n",
    "src/ops/many.h": TOP + "struct C {\n" + members(20) + "};\n",
    "tests/plain_test.cpp": "// Somewhat many bodies are hallowed.\nconst char* text = \"nobody\";\n",
    "src/data/contract.h": "#pragma once\n\n// After the pragma.\n",
    **{name.replace("base", "full"): text for name, text in files(30).items()},
}
WRONG = {
    "src/base/longer.cpp": "// Text.\n" * 401,
    "src/base/function.cpp": function(71),
    "src/base/method.cpp": "namespace convoy {\n" + function(71, "Thing::Thing(int x)\n    : x_(x), y_{x}") + "}\n",
    "src/base/inside.cpp": "class Local : public Base {\n public:\n" + function(71, "  void go() override") + "};\n",
    "src/base/operator.cpp": function(71, "bool operator()(int x) const"),
    "src/train/members.h": TOP + "struct A {\n" + members(14) + "  int a = 1, b;\n" + NO_MEMBERS + "};\n",
    "src/engine/private.h": TOP + "class A {\n public:\n  int get() const { return a_; }\n\n private:\n" +
                            members(16, "a_") + "};\n",
    "src/data/bare.h": "#pragma once\n\nint x;\n",
    "src/full/f31.cpp": "int x;\n",
    "tests/odd_test.cpp": "// That " "nobody" " reads.\n",
    "src/base/odd.cpp": "int x;  // The reader " "shall" " see.\n",
}


def found_in(tree: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_sizes.check(pathlib.Path(folder))


assert found_in(RIGHT) == [], found_in(RIGHT)
for name, text in WRONG.items():
    found = found_in({**RIGHT, name: text})
    where = "src/full: 31 files" if "f31" in name else name
    assert len(found) == 1 and found[0].startswith(where), (name, found)
print(f"{len(WRONG)} planted violations were caught")

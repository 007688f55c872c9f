#!/usr/bin/env python3
"""Plants in a small tree what check_acceptance.py must refuse, and requires that it finds each; and the patterns for ctest."""
import pathlib, re, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_acceptance as checker

SOURCE = """
TEST(Suite, Works) {
  EXPECT_TRUE(true);
}

TEST(Suite, NeedsData) {
  if (!found) GTEST_SKIP();
}

TEST(Suite, IsOneLine) { EXPECT_TRUE(true); }
TEST(Suite, FollowsOne) {
  EXPECT_TRUE(true);
}

TEST(DISABLED_Suite, Sleeps) {
  EXPECT_TRUE(true);
}

TEST_P(Every, Recipe) {
  EXPECT_TRUE(true);
}
"""
CMAKE = """
convoy_script_test(lint.one lint ${Python3_EXECUTABLE} x.py)
foreach(name a b)
  convoy_script_test(runs.${name} run x)
endforeach()
convoy_script_test(hosts.launch run x)
set_tests_properties(hosts.launch PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL TRUE)
"""
FILES = {
    "tests/suite_test.cpp": SOURCE,
    "tests/CMakeLists.txt": CMAKE,
    "tests/fixtures/parity/net_even.json": "{}\n",
    "tests/dialects/commands.tsv": "keras_default\t\tconvoy keras\n",
    "configs/imagenet/resnet50.yml": "epochs: 1\n",
    "docs/notes.md": "# Notes\n\n## ssh between hosts\n\n```sh\n# no heading\n```\n",
}
# No test stands for too many rows.
SOUND = ["Suite.Works", "Every.Recipe/net_even", "DOC docs/notes.md#ssh-between-hosts", "lint.one", "runs.b"]


def usual_rows() -> list[str]:
    return [f"{n}\tfeature {n}\t{SOUND[n % len(SOUND)]}" for n in range(1, checker.FEATURES + 1)]


def in_tree(lines: list[str], act):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**FILES, checker.TABLE: "# a comment\n" + "\n".join(lines) + "\n"}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return act(root)


def found_in(lines: list[str]) -> list[str]:
    def act(root):
        rows, wrong = checker.read_rows(root)
        return wrong + checker.check(root, rows, checker.Tests(root))
    return in_tree(lines, act)


def with_row(number: int, text: str) -> list[str]:
    rows = usual_rows()
    rows[number - 1] = text
    return rows


RIGHT = ["5\tx\tSuite.FollowsOne", "5\tx\tEvery.Recipe", "5\tx\tEvery.Recipe/keras_default", "5\tx\tEvery.Recipe/imagenet_resnet50", "5\tx\truns.a",
         "5\tx\tOPEN it is not there", "5\tx\tSuite.NeedsData; Suite.Works\t# weak: half of it", "5\tx\tSuite.Gone\t# from B",
         "5\tx\tSuite.Gone; DOC docs/gone.md#x\t# from B,C  # weak: half of it", "5\tx\tSuite.NeedsData; OPEN the rest"]
WRONG = {
    "5\tx\tSuite.Gone": "feature 5: there is no test Suite.Gone",
    "5\tx\tSuite.Works; Suite.Gone": "there is no test Suite.Gone",
    "5\tx\tEvery.Recipe/net_gone": "Every.Recipe has no parameter net_gone",
    "5\tx\tSuite.Works/net_even": "Suite.Works has no parameter net_even",
    "5\tx\tlint.two": "there is no test lint.two",
    "5\tx\tDOC docs/gone.md#notes": "there is no page docs/gone.md",
    "5\tx\tDOC docs/notes.md#no-heading": "docs/notes.md has no heading #no-heading",
    "5\tx\tSuite.NeedsData": "every test of it may be skipped",
    "5\tx\thosts.launch": "every test of it may be skipped",
    "5\tx\tDISABLED_Suite.Sleeps": "every test of it may be skipped",
    "5\tx\tSuite.Works\t# from B": "is there without branch B; try: tools/check_acceptance.py --write",
    "5\tx\tSuite.Works\tsoon": "a remark is",
    "5\tx\tSuite.Works\t# from b": "a remark is",
    "5\tx": "divided by tabs",
    "5\t\tSuite.Works": "divided by tabs",
    "4\tx\tSuite.Works": "feature 5 has 0 rows",
    "339\tx\tSuite.Works": "there is no feature 339",
    "5\tfeature 4\tSuite.Works": "2 features are called 'feature 4'",
    "5\t" + "x" * 81 + "\tSuite.Works": "more than 80 characters",
}

assert found_in(usual_rows()) == [], found_in(usual_rows())
for row in RIGHT:
    assert found_in(with_row(5, row)) == [], (row, found_in(with_row(5, row)))
for row, words in WRONG.items():
    found = found_in(with_row(5, row))
    assert any(words in line for line in found), (row, words, found)
assert any("feature 7 has 2 rows" in line for line in found_in(usual_rows() + ["7\tagain\tSuite.Works"]))

# The parameters of one test are one test.
last, first = checker.SYSTEMS[3][0], checker.SYSTEMS[2][0] + 1
many = usual_rows()
for n in range(first, last + 1):
    many[n - 1] = f"{n}\tfeature {n}\tEvery.Recipe/{'net_even' if n % 2 else 'imagenet_resnet50'}"
assert [line for line in found_in(many) if "29 of 29 rows point at Every.Recipe" in line], found_in(many)
for n in range(first, first + 10):
    many[n - 1] = f"{n}\tfeature {n}\tSuite.Works"
assert found_in(many) == [], found_in(many)


def written(root: pathlib.Path) -> str:
    checker.write(root, checker.Tests(root))
    rows, _ = checker.read_rows(root)
    assert (root / checker.PAGE).read_text() == checker.page_of(rows)
    return (root / checker.TABLE).read_text()


# A mark goes when what it waits for is there, and no earlier.
for remark, kept in {"# from B": "", "# from B  # weak: half of it": "\t# weak: half of it"}.items():
    assert f"5\tx\tSuite.Works{kept}\n" in in_tree(with_row(5, f"5\tx\tSuite.Works\t{remark}"), written)
assert "5\tx\tSuite.Gone\t# from B\n" in in_tree(with_row(5, "5\tx\tSuite.Gone\t# from B"), written)

# What ctest calls them.
row = checker.Row(1, "5", "x", ["Suite.Works", "Every.Recipe/net_even", "DOC a#b"], "")
pattern = re.compile(checker.pattern_of(row))
for name in ["Suite.Works", 'Models/Every.Recipe/net_even  # GetParam() = "net_even"', "Models/Every.Recipe/net_even"]:
    assert pattern.search(name), name
for name in ["Suite.WorksToo", "OtherSuite.Works", "Suite_Works", "Models/Every.Recipe/net_even_more", "Models/Every.Recipe/net_odd"]:
    assert not pattern.search(name), name
print(f"{len(WRONG)} planted mistakes were found")

#!/usr/bin/env python3
"""Checks tests/acceptance/features.tsv, which says what proves each feature of the five documents: a test that exists and cannot be skipped
everywhere, a page and an anchor, or what lacks. docs/acceptance.md is made from it. Run by ctest as lint.acceptance.

    tools/check_acceptance.py              check; a page that is not what the table gives is an error
    tools/check_acceptance.py --write      write the page, and take marks of branches away whose tests are there now
    tools/check_acceptance.py --feature N  print the regular expression of ctest for the tests of a feature (./test --feature N)
"""
import argparse, collections, dataclasses, pathlib, re, sys

SYSTEMS = [(74, "keras", "ResNet-50 in Keras"), (152, "resnext", "ResNeXt-101"), (208, "ssd", "SSD-ResNet34"),
           (237, "torchvision", "torchvision's training"), (338, "cnns", "Graphcore's CNN training")]
FEATURES = SYSTEMS[-1][0]
TABLE, PAGE = "tests/acceptance/features.tsv", "docs/acceptance.md"
LONGEST_NAME = 80
MARK = re.compile(r"# from ([A-Z](?:,[A-Z])*)\s*")


@dataclasses.dataclass
class Row:
    line: int
    number: str
    name: str
    proofs: list[str]
    remark: str

    def of_kind(self, kind: str) -> list[str]:
        return [proof[len(kind) + 1:] for proof in self.proofs if proof.startswith(kind + " ")]

    @property
    def tests(self) -> list[str]:
        return [proof for proof in self.proofs if not proof.startswith(("DOC ", "OPEN "))]

    @property
    def branch(self) -> str:
        mark = MARK.search(self.remark)
        return mark[1] if mark else ""

    @property
    def weakness(self) -> str:
        return self.remark.partition("# weak: ")[2]


def system_of(number: int) -> str:
    return next(name for last, name, _ in SYSTEMS if number <= last)


def read_rows(root: pathlib.Path) -> tuple[list[Row], list[str]]:
    rows, wrong = [], []
    for line, text in enumerate((root / TABLE).read_text().splitlines(), 1):
        if not text or text.startswith("#"):
            continue
        cells = text.split("\t")
        if len(cells) not in (3, 4) or not all(cells[:3]):
            wrong.append(f"{TABLE}:{line}: a row is number, feature, proof and perhaps a remark, divided by tabs")
            continue
        remark = cells[3] if len(cells) == 4 else ""
        if remark and not re.fullmatch(r"(# from [A-Z](,[A-Z])*)?( {2})?(# weak: .+)?", remark):
            wrong.append(f"{TABLE}:{line}: a remark is '# from X', '# weak: what the proof leaves out', or both")
        rows.append(Row(line, cells[0], cells[1], cells[2].split("; "), remark))
    return rows, wrong


@dataclasses.dataclass
class Test:
    parameters: set[str] | None  # None: it has none
    may_skip: bool


class Tests:
    """What ctest runs, as far as the sources tell."""

    def __init__(self, root: pathlib.Path):
        self.all: dict[str, Test] = {}
        data = self._names_of_data(root)
        for path in sorted((root / "tests").rglob("*_test.cpp")):
            text = path.read_text()
            heads = list(re.finditer(r"^TEST(_F|_P)?\(\s*(\w+),\s*(\w+)\)", text, re.M))
            for head, following in zip(heads, [*heads[1:], None]):
                kind, suite, name = head.groups()
                body = text[head.end():following.start() if following else None].partition("\n}")[0]
                parameters = data | set(re.findall(r'"([\w/-]+)"', text)) if kind == "_P" else None
                skips = "GTEST_SKIP" in body or name.startswith("DISABLED_") or suite.startswith("DISABLED_")
                self.all[f"{suite}.{name}"] = Test(parameters, skips)
        for name, skips in self._scripts(root):
            self.all[name] = Test(None, skips)

    @staticmethod
    def _names_of_data(root: pathlib.Path) -> set[str]:
        """Tests over files are named after them: fixtures, recipes, rows of tables, keys of configurations."""
        names = {path.stem for path in (root / "tests/fixtures").rglob("*.json")}
        for path in (root / "configs").rglob("*.yml"):
            names.add(re.sub(r"\W", "_", str(path.relative_to(root / "configs").with_suffix(""))))
        for path in (root / "tests").rglob("*.tsv"):
            names |= {line.split("\t")[0] for line in path.read_text().splitlines()}
        for path in (root / "src").rglob("assets/*.yml"):
            names |= set(re.findall(r"^(\w+):", path.read_text(), re.M))
        return names

    @staticmethod
    def _scripts(root: pathlib.Path) -> list[tuple[str, bool]]:
        text = (root / "tests/CMakeLists.txt").read_text()
        found = set(re.findall(r"(?:convoy_script_test\(|add_test\(NAME )([\w.]+)[ \n]", text))
        for variable, values, body in re.findall(r"foreach\((\w+) ([^)]*)\)(.*?)endforeach", text, re.S):
            for name in re.findall(r"(?:convoy_script_test\(|add_test\(NAME )([\w.${}]+)[ \n]", body):
                found |= {name.replace(f"${{{variable}}}", value) for value in values.split()}
        skipped = set(re.findall(r"set_tests_properties\(([\w.]+) PROPERTIES[^)]*SKIP_RETURN_CODE", text))
        return [(name, name in skipped) for name in sorted(found) if "$" not in name]

    def problem(self, proof: str) -> str:
        name, _, parameter = proof.partition("/")
        test = self.all.get(name)
        if test is None:
            return f"there is no test {name}"
        if parameter and (test.parameters is None or parameter not in test.parameters):
            return f"{name} has no parameter {parameter}"
        return ""

    def may_skip(self, proof: str) -> bool:
        return self.all[proof.partition("/")[0]].may_skip


def anchors_of(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def page_problem(root: pathlib.Path, place: str) -> str:
    page, _, anchor = place.partition("#")
    if not (root / page).is_file():
        return f"there is no page {page}"
    return "" if anchor in anchors_of((root / page).read_text()) else f"{page} has no heading #{anchor}"


def problems_of(root: pathlib.Path, row: Row, tests: Tests) -> list[str]:
    found = [tests.problem(test) for test in row.tests] + [page_problem(root, place) for place in row.of_kind("DOC")]
    return [problem for problem in found if problem]


def check_row(root: pathlib.Path, row: Row, tests: Tests) -> list[str]:
    missing = problems_of(root, row, tests)
    if row.branch and not missing:
        return [f"what proves it is there without branch {row.branch}; try: tools/check_acceptance.py --write"]
    if missing:
        return [] if row.branch else missing
    wrong = []
    if len(row.name) > LONGEST_NAME:
        wrong.append(f"its name has more than {LONGEST_NAME} characters")
    if row.tests and all(map(tests.may_skip, row.tests)) and not row.of_kind("OPEN"):
        wrong.append(f"every test of it may be skipped: {', '.join(row.tests)}")
    return wrong


def check_shares(rows: list[Row]) -> list[str]:
    """One test cannot stand for two thirds of a system."""
    wrong = []
    for last, system, _ in SYSTEMS:
        own = [row for row in rows if row.number.isdecimal() and int(row.number) <= last and system_of(int(row.number)) == system]
        counts = collections.Counter(test.partition("/")[0] for row in own for test in {t.partition("/")[0]: t for t in row.tests}.values())
        wrong += [f"{system}: {count} of {len(own)} rows point at {test}" for test, count in counts.items() if 3 * count > 2 * len(own)]
    return wrong


def check(root: pathlib.Path, rows: list[Row], tests: Tests) -> list[str]:
    wrong = []
    numbers = [row.number for row in rows]
    for number in map(str, range(1, FEATURES + 1)):
        if (count := numbers.count(number)) != 1:
            wrong.append(f"{TABLE}: feature {number} has {count} rows, not one")
    wrong += [f"{TABLE}:{row.line}: there is no feature {row.number}" for row in rows
              if not row.number.isdecimal() or not 0 < int(row.number) <= FEATURES]
    for name, count in collections.Counter(row.name for row in rows).items():
        if count > 1:
            wrong.append(f"{TABLE}: {count} features are called '{name}'")
    for row in rows:
        wrong += [f"{TABLE}:{row.line}: feature {row.number}: {problem}" for problem in check_row(root, row, tests)]
    return wrong + check_shares(rows)


def state_of(row: Row) -> str:
    if row.of_kind("OPEN"):
        return "open"
    if row.branch:
        return "waits"
    return "tested" if row.tests else "documented"


def summary(rows: list[Row]) -> str:
    counts = collections.Counter(map(state_of, rows))
    waits = f", {counts['waits']} wait for another branch" if counts["waits"] else ""
    return (f"{len(rows)} features: {counts['tested']} are proved by tests, {counts['documented']} are documentation, "
            f"{counts['open']} are open{waits}")


def told(row: Row) -> str:
    cells = [f"`{test}`" for test in row.tests]
    for place in row.of_kind("DOC"):
        page, _, anchor = place.partition("#")
        link = page.removeprefix("docs/") if page.startswith("docs/") else f"../{page}"
        cells.append(f"[{page}]({link}#{anchor})")
    cells += [f"**open**: {what}" for what in row.of_kind("OPEN")]
    if row.branch:
        cells.append(f"(with branch {row.branch})")
    return "<br>".join(cells)


def page_of(rows: list[Row]) -> str:
    lines = ["# Acceptance", "",
             "What the documents of five training programs say, feature by feature, and what proves that Convoy does it. Made by",
             f"`tools/check_acceptance.py --write` from `{TABLE}`; `./test --feature N` runs the tests of a row.", "", summary(rows) + ".", ""]
    for last, system, title in SYSTEMS:
        lines += [f"## {title}", "", "| | feature | proof |", "|---|---|---|"]
        lines += [f"| {row.number} | {row.name} | {told(row)} |" for row in rows if system_of(int(row.number)) == system]
        lines.append("")
    weak = [f"- {row.number}, {row.name}: {row.weakness}." for row in rows if row.weakness]
    if weak:
        lines += ["## Weak proofs", "", "A test that leaves something out:", "", *weak, ""]
    return "\n".join(lines)


def write(root: pathlib.Path, tests: Tests) -> None:
    rows, _ = read_rows(root)
    lines = (root / TABLE).read_text().splitlines()
    for row in rows:
        if row.branch and not problems_of(root, row, tests):
            lines[row.line - 1] = MARK.sub("", lines[row.line - 1]).rstrip()
    (root / TABLE).write_text("\n".join(lines) + "\n")
    rows, _ = read_rows(root)
    (root / PAGE).write_text(page_of(rows))


def pattern_of(row: Row) -> str:
    """ctest calls a test of a parameter `Prefix/Suite.Name/parameter  # GetParam() = ...`."""
    words = [test.replace(".", r"\.") + ("($| )" if "/" in test else "($|/)") for test in row.tests]
    return f"(^|/)({'|'.join(words)})"


def tell_feature(rows: list[Row], number: str) -> int:
    row = next((row for row in rows if row.number == number), None)
    if row is None:
        print(f"there is no feature {number}; try: 1 to {FEATURES}", file=sys.stderr)
        return 2
    print(f"feature {number}: {row.name}", file=sys.stderr)
    for place in row.of_kind("DOC"):
        print(f"see {place}", file=sys.stderr)
    for what in row.of_kind("OPEN"):
        print(f"open: {what}", file=sys.stderr)
    if row.branch:
        print(f"some of what proves it comes with branch {row.branch}", file=sys.stderr)
    if row.tests:
        print(pattern_of(row))
    return 0 if row.tests or not row.of_kind("OPEN") else 1


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--feature")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[1], type=pathlib.Path)
    options = parser.parse_args()
    rows, wrong = read_rows(options.root)
    if options.feature:
        return tell_feature(rows, options.feature)
    tests = Tests(options.root)
    if options.write:
        write(options.root, tests)
        rows, wrong = read_rows(options.root)
    wrong += check(options.root, rows, tests)
    page = options.root / PAGE
    if not wrong and (not page.is_file() or page.read_text() != page_of(rows)):
        wrong.append(f"{PAGE} is not what {TABLE} gives; try: tools/check_acceptance.py --write")
    print("\n".join(wrong) or summary(rows))
    for row in rows if not wrong else []:
        for what in row.of_kind("OPEN"):
            print(f"open: {row.number}, {row.name}: {what}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks tests/acceptance/features.tsv: every feature of the five documents has what proves it: a test that exists, or a page and an
anchor of docs/. What is still open says why, and is listed. No test may stand for two thirds of a document. docs/acceptance.md is made
from it: --write writes it, without it a difference is an error. `--feature N` prints the test of a feature, for ./test --feature N.

    tools/check_acceptance.py [--write] [--feature N] [ROOT]
"""
import argparse, collections, pathlib, re, sys

DOCUMENTS = {"000": "Habana, ResNet-50 in Keras", "001": "Habana, ResNeXt-101", "002": "Habana, SSD-ResNet34",
             "003": "torchvision", "004": "Graphcore, CNN training"}
FEATURES = 338


def rows(root: pathlib.Path) -> list[list[str]]:
    text = (root / "tests/acceptance/features.tsv").read_text()
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def known_tests(root: pathlib.Path) -> tuple[set[str], set[str]]:
    """Names of tests ("Suite.Name"), and the words that parameters are named after."""
    names, words = set(), set()
    for path in (root / "tests").rglob("*_test.cpp"):
        text = path.read_text()
        names |= {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text, re.M)}
        words |= set(re.findall(r'"(\w+)"', text))
    words |= {line.split("\t")[0] for line in (root / "tests/dialects/commands.tsv").read_text().splitlines()}
    words |= set(re.findall(r"^(\w+):", (root / "src/dialects/assets/graphcore_configs.yml").read_text(), re.M))
    return names, words


def anchors(page: pathlib.Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def problem(root: pathlib.Path, proof: str, names: set[str], words: set[str]) -> str:
    if not proof:
        return "has nothing that proves it"
    if proof.startswith("open:"):
        return "" if len(proof) > 10 else "is open and does not say why"
    if proof.startswith("doc:"):
        page, _, anchor = proof[4:].partition("#")
        if not (root / page).is_file():
            return f"there is no page {page}"
        return "" if anchor in anchors(root / page) else f"{page} has no heading #{anchor}"
    parts = proof.split("/")
    test = next((part for part in parts if "." in part), "")
    if test not in names:
        return f"there is no test {test}"
    parameter = parts[-1] if "." not in parts[-1] else ""
    return f"{test} has no parameter {parameter}" if parameter and parameter not in words else ""


def page_of(all_rows: list[list[str]]) -> str:
    lines = ["# What of the five documents works, and what proves it", "",
             "Made from `tests/acceptance/features.tsv` by `tools/check_acceptance.py --write`. `./test --feature N` runs the test of a row.", ""]
    for document, title in DOCUMENTS.items():
        lines += [f"## {title}", "", "| | feature | proof |", "|---|---|---|"]
        for number, where, feature, proof in all_rows:
            if where == document:
                cell = proof[5:] if proof.startswith("open:") else f"`{proof}`"
                lines.append(f"| {number} | {feature} | {'open: ' if proof.startswith('open:') else ''}{cell} |")
        lines.append("")
    return "\n".join(lines)


def check(root: pathlib.Path) -> list[str]:
    found, all_rows = [], rows(root)
    names, words = known_tests(root)
    if [row[0] for row in all_rows] != [str(n) for n in range(1, FEATURES + 1)]:
        found.append(f"features.tsv has {len(all_rows)} rows, or not in their order; there are {FEATURES} features")
    for row in all_rows:
        if why := problem(root, row[3], names, words):
            found.append(f"feature {row[0]}: {why}")
    for document in DOCUMENTS:
        proofs = [row[3] for row in all_rows if row[1] == document]
        for proof, count in collections.Counter(proofs).items():
            if count * 3 >= len(proofs) * 2:
                found.append(f"document {document}: {count} of {len(proofs)} rows point at {proof}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--feature")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[1], type=pathlib.Path)
    options = parser.parse_args()
    all_rows = rows(options.root)
    if options.feature:
        proof = next((row[3] for row in all_rows if row[0] == options.feature), None)
        if proof is None or proof.startswith(("open:", "doc:")):
            sys.exit(f"feature {options.feature}: {proof or 'there is none of this number'}")
        print(proof)
        return 0
    page = options.root / "docs/acceptance.md"
    if options.write:
        page.write_text(page_of(all_rows))
    found = check(options.root)
    if not page.is_file() or page.read_text() != page_of(all_rows):
        found.append("docs/acceptance.md is not what features.tsv gives; try: tools/check_acceptance.py --write")
    print("\n".join(found) or f"{sum(not row[3].startswith('open:') for row in all_rows)} of {len(all_rows)} features have their proof")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

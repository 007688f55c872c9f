#!/usr/bin/env python3
"""tools/check_acceptance.py finds what is wrong in a copy of the tree's own files."""
import pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_acceptance as checker

names, words = checker.known_tests(ROOT)


def problem(proof: str) -> str:
    return checker.problem(ROOT, proof, names, words)


sound = "Documents/DialectCommandsCatalog.IsExplainedWithTheNumbersOfItsDocument/keras_default"
assert problem(sound) == "", problem(sound)
assert problem("EpochPlan.TakesFractionsOfAnEpoch") == ""
assert problem("doc:docs/migration/README.md#coming-from-another-program") == ""
assert "nothing that proves" in problem("")
assert "no test EpochPlan.IsGone" in problem("EpochPlan.IsGone")
assert "no parameter" in problem(sound + "_that_is_gone")
assert "no page" in problem("doc:docs/nowhere.md#x")
assert "no heading" in problem("doc:docs/migration/README.md#nowhere")
assert "does not say why" in problem("open:")
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder)
    for name in ("tests", "docs", "src/dialects/assets"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).symlink_to(ROOT / name)
    (copy / "tests").unlink()
    subprocess.run(["cp", "-r", str(ROOT / "tests/acceptance"), str(copy / "acceptance")], check=True)
    (copy / "tests").mkdir()
    for path in (ROOT / "tests").iterdir():
        if path.name != "acceptance":
            (copy / "tests" / path.name).symlink_to(path)
    (copy / "acceptance").rename(copy / "tests/acceptance")
    table = copy / "tests/acceptance/features.tsv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join(lines[:-1]) + "\n")
    assert any("in their order" in each for each in checker.check(copy))
    one = [line.rsplit("\t", 1)[0] + "\tEpochPlan.TakesFractionsOfAnEpoch" if "\t003\t" in line else line for line in lines]
    table.write_text("\n".join(one) + "\n")
    assert any("document 003" in each and "point at" in each for each in checker.check(copy))
print("check_acceptance finds what is wrong")

#!/usr/bin/env python3
"""check_readme.py runs what it should, reports what fails, and ends what takes too long."""
import pathlib, subprocess, sys, tempfile, time

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_readme.py"


def check(text: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        readme = pathlib.Path(folder, "README.md")
        readme.write_text(text)
        pathlib.Path(folder, "here").write_text("")
        ran = subprocess.run([sys.executable, SCRIPT, readme], capture_output=True, text=True)
        assert sorted(p.name for p in pathlib.Path(folder).iterdir()) == ["README.md", "here"]
        return ran.returncode, ran.stdout + ran.stderr


good = "```sh\ntest -f here; echo one > made\n```\n```sh budget=9\ncat made\n```\n"
code, said = check(good + "```console\n$ false\n```\n```text\nfalse\n```\n")
assert code == 0 and "2 blocks ran" in said and "\none\n" in said, said

code, said = check("text\n\n```sh\nfalse\ntrue\n```\n")
assert code == 1 and "line 3 ended with exit code 1" in said, said

start = time.monotonic()
code, said = check("```sh budget=1\nsleep 60 & wait\n```\n")
assert code == 1 and "longer than 1 s" in said and time.monotonic() - start < 30, said

assert check("```sh\ntrue\n")[0] == 1, "a fence that is not closed"
assert check("```sh bugdet=3\ntrue\n```\n")[0] == 1, "a misspelt budget"
print("the README check runs, reports and ends what it should")

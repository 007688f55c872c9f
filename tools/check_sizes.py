#!/usr/bin/env python3
"""Checks the sizes of src/: lines of files and functions, data members of classes, files of a folder; that a header opens
with its contract; and words that comments of src/ and tests/ do not use. Run by ctest as lint.sizes; `check_sizes.py DIR`
checks another tree."""
import pathlib, re, sys

FILE_LINES = 400
FUNCTION_LINES = 70
CLASS_MEMBERS = 15
MEMBERS_COUNTED_IN = ("train", "engine")
# A struct of options is a table, one row for each option (config/fields.h): it may be long.
OPTIONS = re.compile(r"\bdescribe\w*\([^()]*\bFields\s*&")
FOLDER_FILES = 30  # directly in it, so that its content can be seen at a glance
# Written in pieces, so that a search for them does not find this file.
WORDS = re.compile(r"//.*\b(sha" r"ll|nobo" r"dy|someb" r"ody|so ma" r"ny|who" r"m)\b", re.IGNORECASE)

# Comments, literals and preprocessor lines: what may hold a brace that opens no block.
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
                  r"|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
CLASS = re.compile(r"^(?:template\b.*?>\s*)?(?:class|struct|union)\b(?!.*\()\s*([\w:]*)", re.DOTALL)
CONTROL = re.compile(r"^(?:if|for|while|switch|do|else|try|catch|return)\b")
NO_MEMBER = re.compile(r"^(?:using|typedef|friend|static|class|struct|union|enum|template)\b")


def code_only(text: str) -> str:
    """The text with its lines, but literals as "", and without comments and preprocessor lines."""
    def blank(found: re.Match) -> str:
        return ('""' if found[0][0] in "\"'R" else "") + "\n" * found[0].count("\n")
    return TEXT.sub(blank, text)


def outermost(text: str) -> str:
    """The text without what stands in angle brackets, which are those of templates in a declaration."""
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text


def members_of(statement: str) -> int:
    """How many data members a statement in a class declares."""
    statement = re.sub(r"^(?:(?:public|private|protected)\s*:\s*)+", "", statement.strip())
    statement = re.sub(r"\[\[.*?\]\]\s*", "", statement)
    if not statement or NO_MEMBER.match(statement) or re.search(r"\boperator\b", statement):
        return 0
    declared = outermost(re.sub(r"\{[^{}]*\}", "", statement))
    names = re.split(r"[={]", declared)[0]
    if "(" in names:  # a function; a member that is a pointer to one does not occur
        return 0
    return 1 + len(re.findall(r",\s*[*&]*\w+\s*(?=[=,{\[]|$)", re.sub(r"\([^()]*\)", "", declared)))


def blocks(text: str):
    """(kind, name, first line, lines, members) of each class and each function that is in no other function. Structs
    of options have no members here."""
    text = code_only(text)
    stack = []  # [kind, name, first line, members, has options], of each open brace
    start = 0   # where the current statement begins
    for found in re.finditer(r"[{};]", text):
        at, mark = found.start(), found[0]
        inside = stack[-1] if stack else ["namespace", "", 0, 0, False]
        if mark == "{":
            head = text[start:at].strip()
            head = re.sub(r"^(?:(?:public|private|protected)\s*:\s*)+", "", head)
            line = text.count("\n", 0, start + len(text[start:at]) - len(text[start:at].lstrip())) + 1
            if inside[0] not in ("namespace", "class") or not text[at - 1].isspace():
                kind, name = "block", ""  # formatted code has no space before the brace of an initialiser
            elif re.match(r"^(?:inline )?namespace\b", head) or head.startswith('extern ""'):
                kind, name = "namespace", ""
            elif (of_class := CLASS.match(head)) and "=" not in outermost(head):
                kind, name = "class", of_class[1]
            elif (named := re.search(r"(~?\w+|operator\W+)\s*\(", outermost(head))) and not (
                    CONTROL.match(head) or "=" in outermost(head[:head.find("(")]).replace("operator=", "")):
                kind, name = "function", named[1]
            else:
                kind, name = "block", ""
            if kind == "function" and inside[0] == "class":
                inside[4] = inside[4] or bool(OPTIONS.search(head))
            stack.append([kind, name, line, 0, False])
            if kind in ("namespace", "class", "function"):
                start = at + 1
        elif mark == "}" and stack:
            kind, name, line, members, has_options = stack.pop()
            if kind in ("class", "function"):
                yield kind, name, line, text.count("\n", 0, at) + 2 - line, 0 if has_options else members
            if kind != "block" or (stack and stack[-1][0] in ("function", "block")):
                start = at + 1
        elif mark == ";":
            if inside[0] == "class":
                inside[3] += members_of(text[start:at])
                inside[4] = inside[4] or bool(OPTIONS.search(text[start:at]))
            if inside[0] != "block" or len(stack) > 1 and stack[-2][0] in ("function", "block"):
                start = at + 1


def check_file(path: pathlib.Path, text: str, counted: bool) -> list[str]:
    wrong = []
    lines = text.count("\n")
    if lines > FILE_LINES:
        wrong.append(f"{path}: {lines} lines; at most {FILE_LINES}: it is probably two things")
    if path.suffix == ".h" and not re.match(r"(?:#pragma once\s+)?(?://|/\*)", text):
        wrong.append(f"{path}:1: a header opens with a comment: what it is, what it needs, what it gives")
    for kind, name, line, length, members in blocks(text):
        if kind == "function" and length > FUNCTION_LINES:
            wrong.append(f"{path}:{line}: {name}: {length} lines; a function has at most {FUNCTION_LINES}")
        if kind == "class" and counted and members > CLASS_MEMBERS:
            wrong.append(f"{path}:{line}: {name}: {members} data members; a class has at most {CLASS_MEMBERS}")
    return wrong


def check(root: pathlib.Path) -> list[str]:
    wrong, files = [], {}
    for top in ("src", "tests"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            text, inside = path.read_text(), path.relative_to(root)
            wrong += [f"{inside}:{number}: {found[1]}: say it in plain words"
                      for number, line in enumerate(text.split("\n"), 1) if (found := WORDS.search(line))]
            if top == "src":
                files[inside.parent] = files.get(inside.parent, 0) + 1
                wrong += check_file(inside, text, inside.parts[1] in MEMBERS_COUNTED_IN)
    wrong += [f"{folder}: {count} files; at most {FOLDER_FILES} directly in a folder"
              for folder, count in files.items() if count > FOLDER_FILES]
    return wrong


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(found) or "every file, function, class and folder is small enough")
    sys.exit(bool(found))

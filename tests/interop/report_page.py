#!/usr/bin/env python3
"""The report in a headless Chromium: `report_page.py PROGRAM`.

Of a classifier, a detector, a run on two processes, and of several runs side by side: the page that training leaves and the one
that `convoy report` writes draw their curves without a message on the console and without asking any host; keys tell their
values; nothing is wider than a phone; on paper all parts are open and no curve is cut; it looks otherwise in the dark.
"""
import base64, pathlib, re, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser

GENERATED = ["--dataset", "generated", "--generated-samples", "256", "--generated-image-size", "16", "--model", "cifar_resnet8",
             "--epochs", "2", "--log-steps", "2"]
KINDS = {
    "plain": [*GENERATED, "--batch-size", "32"],
    "other": [*GENERATED, "--batch-size", "32", "--lr", "0.01", "--ema-decay", "0.9"],
    "boxes": ["--dataset", "shapes", "--data-dir", "set", "--model", "ssd_tiny", "--batch-size", "16", "--epochs", "2", "--log-steps", "2"],
}
# What the page of each must have.
PARTS = {
    "plain": ["Results of", "Most frequent mistakes|Each class", "Largest losses", "first batch", "The command", "Environment"],
    "other": ["evaluation|Results of", "Right with the lowest"],
    "boxes": ["Each class, by the best weights", "Precision by recall", "Truth and prediction", "Evaluation pictures, first page: truth"],
    "ranks": ["Results of", "Processes that worked on it"],
    "three": ["Options that differ", "plain", "other", "boxes"],
}
NEEDLES = "document.querySelectorAll('.chart path.curve').length"


def train(program: str, folder: pathlib.Path):
    run = lambda *words: subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run("prepare", "shapes", "--output", "set", "--train-pictures", "48", "--val-pictures", "24")
    for name, options in KINDS.items():
        run("train", *options, "--name", name, "--quiet")
    run("launch", "-np", "2", "--", "train", *GENERATED, "--batch-size", "16", "--replicas", "2", "--name", "ranks", "--quiet")
    run("report", "runs/plain", "runs/other", "runs/boxes", "--output", "three.html")


def pages_of(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    return {**{name: folder / "runs" / name / "plots/report.html" for name in [*KINDS, "ranks"]}, "three": folder / "three.html"}


def open_page(browser: Browser, page: pathlib.Path):
    browser.open(page.as_uri())
    browser.wait_for(NEEDLES + " >= 4")
    assert not browser.messages()
    others = [url for url in browser.requests() if not url.startswith(("file:", "data:"))]
    assert not others, others
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{page}: wider than the window"


def check_screen(browser: Browser, name: str, page: pathlib.Path):
    open_page(browser, page)
    text = browser.run("for (const box of document.querySelectorAll('details')) box.open = true; return document.body.innerText")
    for part in PARTS[name]:
        assert re.search(part, text), f"{name}: no {part}"
    broken = browser.run("return [...document.querySelectorAll('img')].filter((i) => !i.complete || !i.naturalWidth).length")
    assert broken == 0, f"{name}: {broken} pictures"
    told = browser.run("""const place = document.querySelector('.chart-place'); place.focus();
        place.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}));
        return document.querySelector('.chart-tell[aria-live]').textContent""")
    assert re.search(r"step [\d,]+ .*\d", told), told
    first = "document.querySelector('.chart path.curve').getAttribute('d')"
    before = browser.run("return " + first)
    browser.run("""const form = document.getElementById('controls'); form.elements.axis.value = 'time';
        form.elements.log.checked = true; form.dispatchEvent(new Event('input'))""")
    assert browser.run("return " + first) != before, f"{name}: the axis changes nothing"


def check_paper(browser: Browser, name: str, page: pathlib.Path, to: pathlib.Path):
    """Made as the browser prints; the curves lie in their frames."""
    open_page(browser, page)
    browser.devtools("Emulation.setEmulatedMedia", {"media": "print"})
    outside = browser.run("""return [...document.querySelectorAll('.chart')].filter((chart) => {
        const frame = chart.getBoundingClientRect(), svg = chart.querySelector('svg').getBoundingClientRect();
        return frame.right > innerWidth + 1 || svg.right > frame.right || svg.bottom > frame.bottom;}).length""")
    assert outside == 0, f"{name}: {outside} charts are cut"
    pdf = base64.b64decode(browser.devtools("Page.printToPDF", {"printBackground": True})["data"])
    browser.devtools("Emulation.setEmulatedMedia", {"media": ""})
    assert browser.run("return [...document.querySelectorAll('details')].every((d) => d.open)"), "parts are closed on paper"
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 1 <= pages <= (24 if name == "three" else 8), pages
    (to / f"{name}.pdf").write_bytes(pdf)
    print(f"{name}: {pages} sheets")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        train(program, folder)
        pages = pages_of(folder)
        with Browser() as browser:
            for kind, page in pages.items():
                check_screen(browser, kind, page)
                check_paper(browser, kind, page, folder)
        with Browser(width=360, height=740) as browser:
            for page in pages.values():
                open_page(browser, page)
        paper = "return getComputedStyle(document.body).backgroundColor"
        with Browser(dark=True) as browser:
            open_page(browser, pages["plain"])
            assert browser.run(paper) != "rgb(255, 255, 255)"
        print(len(pages), "pages passed")


if __name__ == "__main__":
    main()

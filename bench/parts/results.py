"""From measured rounds to a table: statistics, Markdown, the README. Knows nothing of processes or files of JSON.

A case is {"model", "batch", "image_size", "rounds", "failed"}; a round maps the name of a program to
{"images_per_s", "peak_rss_bytes", "foreign"} (the share of the processors that others had meanwhile) and, for peers,
"step_s", the seconds of each of its steps."""
import statistics

CONVOY = "convoy"
DISTURBED = 0.05  # the share of the processors that others may have
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


def disturbed(measured: dict) -> bool:
    return measured["foreign"] > DISTURBED


def speed(case: dict, name: str) -> float:
    """Images per second by the median of all steps; of Convoy, which tells only medians, by that of its rounds."""
    rounds = [r[name] for r in case["rounds"]]
    if all("step_s" in r for r in rounds):
        return case["batch"] / statistics.median(s for r in rounds for s in r["step_s"])
    return statistics.median(r["images_per_s"] for r in rounds)


def ratios(case: dict, name: str) -> list[float]:
    """How many times faster Convoy was, round by round: what slows a whole round down is in both."""
    return [r[CONVOY]["images_per_s"] / r[name]["images_per_s"] for r in case["rounds"]]


def peak(case: dict, name: str) -> int:
    return max(r[name]["peak_rss_bytes"] for r in case["rounds"])


def summarize(case: dict) -> dict:
    """A program that is not in every round was given up and is left out; the case's "failed" says why."""
    names = [n for n in case["rounds"][0] if all(n in r for r in case["rounds"])]
    summary = {}
    for name in names:
        summary[name] = {"images_per_s": speed(case, name), "peak_rss_bytes": peak(case, name)}
        if name != CONVOY:
            each = ratios(case, name)
            summary[name] |= {
                "ratio": statistics.median(each), "ratio_min": min(each), "ratio_max": max(each),
                "peak_rss_ratio": peak(case, CONVOY) / peak(case, name),
            }
    return summary


def rounded(number: float) -> str:
    """Three digits that count: 4.01, 41.2, 412."""
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f}"


def gib(size: int) -> str:
    return f"{size / 2**30:.2f}"


def speed_cell(s: dict | None) -> str:
    if s is None:
        return "–"
    return f"{rounded(s['images_per_s'])}, **{s['ratio']:.2f}x** ({s['ratio_min']:.2f}..{s['ratio_max']:.2f})"


def memory_cell(s: dict | None) -> str:
    return "–" if s is None else f"{gib(s['peak_rss_bytes'])}, {s['peak_rss_ratio']:.2f}x"


def peaks(report: dict) -> str:
    """What multiply-adds reach on this machine, as Convoy measured it beside its steps; empty: it did not tell."""
    told = [r[CONVOY]["bench"] for c in report["cases"] for r in c["rounds"] if "bench" in r.get(CONVOY, {})]
    said = []
    for key, what in (("peak_gflops", "fp32"), ("bf16_peak_gflops", "bf16")):
        found = [one[key] for one in told if one.get(key)]
        said += [f"{max(found):.0f} GFLOP/s in {what}"] if found else []
    return f"; peaks {', '.join(said)}" if said else ""


def best_peer(summary: dict) -> str | None:
    """The peer that Convoy is ahead of by the least."""
    names = [n for n in summary if n != CONVOY]
    return min(names, key=lambda n: summary[n]["ratio"], default=None)


def header(report: dict) -> str:
    m = report["machine"]
    bf16 = f" with {' and '.join(m['bf16'])}" if m.get("bf16") else " without bf16 products"
    does = "forward passes" if report.get("mode") == "infer" else "training steps"
    ours = f"Convoy with {report['convoy_options']}" if report.get("convoy_options") else "Convoy in fp32"
    limit = f" (all programs kept to {report['isa'].upper()})" if report.get("isa") else ""
    shape = "; ".join(f"{c['model']} {len(c['rounds'])} x {c['steps']}" for c in report["cases"])
    return (f"{m['cpu']}, {m['cores']} cores, {m['isa']}{bf16}{limit}{peaks(report)}; {report['programs'][CONVOY]}; "
            f"{does}, {ours}; {report['date']}. Measured in turns (rounds x steps: {shape}). images/s: median, then how many times faster Convoy is: the "
            f"median of the rounds' ratios (lowest..highest). GiB: peak resident memory, then Convoy's divided by it.")


def table(report: dict) -> str:
    """Two rows for each case: speed and memory; a column for each program that was measured in any."""
    summaries = [summarize(case) for case in report["cases"]]
    peers = [n for n in report["programs"] if n != CONVOY and any(n in s for s in summaries)]
    lines = ["| model, batch | | Convoy | PyTorch at its best | " + " | ".join(report["programs"][n] for n in peers) + " |",
             "|---" * (4 + len(peers)) + "|"]
    for case, s in zip(report["cases"], summaries):
        size = case["image_size"]
        ours, best = s[CONVOY], best_peer(s)
        title = "–" if best is None else f"{speed_cell(s[best])}: {report['programs'][best]}"
        lines.append(f"| {case['model']} {size}x{size}, {case['batch']} | images/s | **{rounded(ours['images_per_s'])}** | {title} | "
                     + " | ".join(speed_cell(s.get(n)) for n in peers) + " |")
        lines.append(f"| | GiB | {gib(ours['peak_rss_bytes'])} | {memory_cell(s.get(best))} | "
                     + " | ".join(memory_cell(s.get(n)) for n in peers) + " |")
    return "\n".join(lines)


def notes(report: dict) -> list[str]:
    """What was not measured, and why; what makes the numbers doubtful."""
    said = [f"Not measured: {name}: {why}." for name, why in report["missing"].items()]
    for case in report["cases"]:
        said += [f"Not measured: {name} on {case['model']}, batch {case['batch']}: {why}."
                 for name, why in case["failed"].items()]
    foreign = [m["foreign"] for case in report["cases"] for r in case["rounds"] for m in r.values()]
    disturbances = [f for f in foreign if f > DISTURBED]
    if disturbances:
        said.append(f"The machine was not quiet: in {len(disturbances)} of {len(foreign)} measurements others had up to "
                    f"{100 * max(disturbances):.0f} % of the processors; do not quote these numbers.")
    return said


def document(report: dict) -> str:
    return "\n\n".join([header(report), table(report), *notes(report)]) + "\n"


def into_readme(readme: str, text: str) -> str:
    """The README with what stands between the markers replaced. Raises ValueError without exactly one pair."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise ValueError(f"README.md: not one pair of {BEGIN} and {END}; try: put it where the table goes")
    return f"{before}{begin}\n{text.strip()}\n{end}{after}"

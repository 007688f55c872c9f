#!/usr/bin/env python3
"""Traces are what trace viewers take: `trace_opens.py PROGRAM`.

Of a run on two processes: every event has the members that Chrome's trace format asks for at its phase, events of a lane nest,
each rank and lane has a name, and all ranks are in the merged file with the same events as in their own.
"""
import collections, json, pathlib, subprocess, sys, tempfile

NEEDED = {
    "X": {"name": str, "cat": str, "ts": (int, float), "dur": (int, float), "pid": int, "tid": int},
    "M": {"name": str, "pid": int, "tid": int, "args": dict},
    "C": {"name": str, "ts": (int, float), "pid": int, "args": dict},
}
SAME = 0.002  # microseconds


def check(events: list[dict]) -> collections.Counter:
    lanes, named, seen = collections.defaultdict(list), set(), collections.Counter()
    for event in events:
        for member, kind in NEEDED[event["ph"]].items():
            assert isinstance(event[member], kind), (member, event)
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            assert isinstance(event["args"]["name"], str)
            named.add((event["pid"], event["tid"]) if event["name"] == "thread_name" else event["pid"])
        if event["ph"] == "C":
            assert all(isinstance(value, (int, float)) for value in event["args"].values()), event
        if event["ph"] != "X":
            continue
        assert event["dur"] >= 0
        lanes[event["pid"], event["tid"]].append((event["ts"], -event["dur"], event["name"]))
        seen[event["pid"], event["cat"]] += 1
        if event["cat"] == "op":
            assert event["args"]["shape"] and 0 <= event["args"]["share_of_roof"] < 4, event
    for (rank, lane), spans in lanes.items():
        assert rank in named and (rank, lane) in named, (rank, lane)
        ends = []
        for begin, length, name in sorted(spans):
            while ends and ends[-1] <= begin + SAME:
                ends.pop()
            assert not ends or begin - length <= ends[-1] + SAME, f"rank {rank} lane {lane}: {name} leaves the event around it"
            ends.append(begin - length)
    return seen


def main(program: str):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "launch", "-np", "2", "--", "train", "--dataset", "generated", "--model", "cifar_resnet20", "--batch-size", "16",
                        "--replicas", "2", "--max-steps", "8", "--profile", "3,6", "--checkpoint-steps", "4", "--output", folder, "--name", "a", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        trace = pathlib.Path(folder) / "a/trace"
        merged = check(json.loads((trace / "all.json").read_text())["traceEvents"])
        own = collections.Counter()
        for rank in (0, 1):
            own += check(json.loads((trace / f"rank-{rank}.json").read_text())["traceEvents"])
            for category in ("step", "data", "phase", "op", "exchange", "loader", "boundary"):
                assert merged[rank, category] > 0 or (rank, category) == (1, "boundary"), (rank, category)
            assert merged[rank, "step"] == 4
        assert merged == own
        text = subprocess.run([program, "report", f"{folder}/a", "--trace", "--json"], check=True, capture_output=True, text=True).stdout
        assert [entry["rank"] for entry in json.loads(text)["ranks"]] == [0, 1]
        print(sum(merged.values()), "events of two ranks")


if __name__ == "__main__":
    main(sys.argv[1])

#!/usr/bin/env python3
"""Weights & Biases reads offline runs: `wandb_reads.py PROGRAM`.

The package's own messages parse every record of a run that was stopped and resumed; config, history, summary, system metrics and
files are what the run wrote to metrics.jsonl. And `wandb sync` takes both sessions, up to a server on this machine that
answers as theirs does.
"""
import gzip, http.server, json, os, pathlib, signal, struct, subprocess, sys, tempfile, threading, time, zlib

from wandb.proto.wandb_internal_pb2 import Record

RECIPE = ["--dataset", "generated", "--generated-samples", "256", "--generated-image-size", "16", "--batch-size", "32", "--model", "cifar_resnet8",
          "--epochs", "40", "--lr", "0.05", "--log-steps", "4", "--checkpoint-steps", "10", "--eval-epochs", "5", "--threads", "1", "--quiet",
          "--wandb", "--wandb-project", "small", "--no-tensorboard"]


def records(path: pathlib.Path):
    data = path.read_bytes()
    assert struct.unpack("<4sHB", data[:7]) == (b":W&B", 0xBEE1, 0)
    at, part = 7, b""
    while at < len(data):
        left = 32768 - at % 32768
        if left < 7:
            assert not any(data[at:at + left])
            at += left
            continue
        crc, length, kind = struct.unpack("<IHB", data[at:at + 7])
        chunk = data[at + 7:at + 7 + length]
        assert zlib.crc32(bytes([kind]) + chunk) == crc, f"checksum at {at}"
        at += 7 + length
        part = chunk if kind in (1, 2) else part + chunk
        if kind in (1, 4):
            record = Record()
            record.ParseFromString(part)
            yield record


def items(message) -> dict:
    return {item.key: json.loads(item.value_json) for item in message}


def check_records(run: pathlib.Path, sessions: list[pathlib.Path]):
    history, summary, stats, ids, files, exits, lines = [], {}, 0, set(), set(), [], 0
    for session in sessions:
        (log,) = session.glob("run-*.wandb")
        for number, record in enumerate(records(log), 1):
            kind = record.WhichOneof("record_type")
            assert record.num == number, (record.num, number)
            assert number > 1 or kind == "run"
            if kind == "run":
                ids.add(record.run.run_id)
                assert record.run.project == "small" and record.run.display_name == "a"
                config = items(record.run.config.update)
                assert config["lr"] == 0.05 and config["model"] == "cifar_resnet8" and config["batch-size"] == 32, config
            elif kind == "history":
                row = items(record.history.item)
                assert row["_step"] == record.history.step.num
                history.append(row)
            elif kind == "summary":
                summary.update(items(record.summary.update))
            elif kind == "stats":
                stats += "proc.memory.rssMB" in items(record.stats.item)
            elif kind == "files":
                for file in record.files.files:
                    assert (session / "files" / file.path).is_file(), file.path
                    files.add(file.path)
            elif kind == "exit":
                exits.append(record.exit.exit_code)
            elif kind == "output_raw":
                lines += 1
            else:
                raise AssertionError(f"a record of kind {kind}")
    assert len(ids) == 1, ids
    events = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    train = {e["step"]: e["loss"] for e in events if e["event"] == "train"}
    evals = {e["step"]: e["top1"] for e in events if e["event"] == "eval"}
    steps = [row["_step"] for row in history]
    assert steps == sorted(set(steps)), steps
    assert {row["_step"]: row["train/loss"] for row in history if "train/loss" in row} == train
    assert {row["_step"]: row["val/top1"] for row in history if "val/top1" in row} == evals
    end = events[-1]
    assert summary["val/top1"] == list(evals.values())[-1] and summary["best/top1"] == max(evals.values())
    assert summary["weights_hash"] == end["weights_hash"] and summary["step"] == end["step"]
    assert exits[-1] == 0 and stats > 10 and lines > 10
    assert {"args.yml", "env.json"} <= files and any(path.startswith("media/images/val/worst_") for path in files), files
    pictures = [value for row in history for value in row.values() if isinstance(value, dict)]
    assert pictures and all(p["_type"] == "image-file" and p["path"] in files for p in pictures)
    print(f"{len(history)} rows of history, {stats} of system metrics, {len(files)} files")


class Server(http.server.BaseHTTPRequestHandler):
    """Answers `wandb sync` as far as it asks; keeps what it got."""
    protocol_version, seen = "HTTP/1.1", []

    def log_message(self, *_):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        Server.seen.append((self.path, body))
        out = {}
        if self.path.startswith("/graphql"):
            query = json.loads(body)
            text, values = query["query"], query.get("variables") or {}
            if "upsertBucket" in text:
                project = {"id": "UA==", "name": values.get("project") or "small", "entity": {"id": "RQ==", "name": "me"}}
                bucket = {"id": "QQ==", "name": values.get("name"), "displayName": "a", "description": "", "config": None, "sweepName": None,
                          "project": project, "historyLineCount": 0}
                out = {"data": {"upsertBucket": {"bucket": bucket, "inserted": True, "errors": None}}}
            elif "viewer" in text:
                viewer = {"id": "VQ==", "entity": "me", "username": "me", "flags": "{}", "teams": {"edges": []}}
                out = {"data": {"viewer": viewer, "serverInfo": {"cliVersionInfo": {}, "latestLocalVersionInfo": None, "features": []}}}
            elif "createRunFiles" in text:
                port = self.server.server_address[1]
                made = [{"name": f, "uploadUrl": f"http://127.0.0.1:{port}/upload/{f}"} for f in values.get("files", [])]
                out = {"data": {"createRunFiles": {"runID": "QQ==", "uploadHeaders": [], "files": made}}}
            else:
                out = {"data": {"serverInfo": {"features": [], "cliVersionInfo": {}}, "model": None}}
        text = json.dumps(out).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = answer


def check_sync(folder: pathlib.Path, sessions: list[pathlib.Path]):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.handle_error = lambda *_: None  # the client resets its connections at the end
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = folder / "home"
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "WANDB_API_KEY": "0" * 40, "WANDB_ERROR_REPORTING": "false",
                   "WANDB_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}", "NO_PROXY": "127.0.0.1"}
    for session in sessions:
        ran = subprocess.run([sys.executable, "-m", "wandb", "sync", str(session)], env=environment, cwd=home, capture_output=True, text=True,
                             timeout=120)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    sent = b"".join(body for path, body in Server.seen if "file_stream" in path)
    for part in (b"train/loss", b"val/top1", b"best/top1", b"weights_hash", b"proc.memory.rssMB"):
        assert part in sent, part
    config = b"".join(body for path, body in Server.seen if path.startswith("/graphql"))
    assert b"cifar_resnet8" in config
    print("wandb sync sent", len(Server.seen), "messages")


def main(program: str):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = folder / "runs/a"
        stopped = subprocess.Popen([program, "train", *RECIPE, "--output", str(folder / "runs"), "--name", "a"], stdout=subprocess.DEVNULL)
        while not (run / "checkpoints/last").exists():
            assert stopped.poll() is None
            time.sleep(0.05)
        time.sleep(0.5)
        stopped.send_signal(signal.SIGKILL)
        stopped.wait()
        time.sleep(1)  # sessions have the seconds in their names
        subprocess.run([program, "resume", str(run), "--quiet"], check=True, stdout=subprocess.DEVNULL)
        sessions = sorted((run / "wandb").glob("offline-run-*"))
        assert len(sessions) == 2, sessions
        check_records(run, sessions)
        check_sync(folder, sessions)


if __name__ == "__main__":
    main(sys.argv[1])

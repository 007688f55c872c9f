#!/usr/bin/env python3
"""`launch_on_hosts.py PROGRAM`: a training on four hosts (four_hosts.py) ends as it does in one process; and when a rank
is killed or stopped, or its host's link cut, the rank is named in time, everybody leaves and the exit code is 7."""
import os, pathlib, signal, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import four_hosts

HOSTS = "n1:1,n2:1,n3:1,n4:1"
STALL_S = 6
# Long enough to be interrupted in its middle, with checkpoints to go back to.
TRAIN = ["train", "--dataset", "generated", "--generated-samples", "64", "--generated-image-size", "8", "--model",
         "cifar_resnet8", "--replicas", "4", "--batch-size", "4", "--checkpoint-steps", "10", "--checkpoint-epochs", "0",
         "--eval-epochs", "0", "--seed", "3", "--quiet"]
SHORT, LONG = ["--max-steps", "60"], ["--max-steps", "100000"]


class Scenarios:
    def __init__(self, program: str, hosts: four_hosts.FourHosts, folder: pathlib.Path):
        self.program, self.hosts, self.folder = program, hosts, folder

    def launch(self, name: str, more: list[str], options: list[str] = []) -> subprocess.Popen:
        words = [self.program, "launch", "-H", HOSTS, "--threads-per-rank", "1", "--interface", "eth0", *options, "--",
                 *TRAIN, "--output", self.folder, "--name", name, *more]
        return subprocess.Popen(self.hosts.inside("n1", *words), env=self.hosts.environment(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for_checkpoint(self, name: str, job: subprocess.Popen) -> None:
        folder = self.folder / name / "checkpoints"
        end = time.monotonic() + 120
        while not any(folder.glob("step-*")):
            if job.poll() is not None or time.monotonic() > end:
                job.kill()
                sys.exit(f"{name}: no checkpoint came: {job.communicate()}")
            time.sleep(0.05)

    def nothing_is_left(self, name: str, seconds: float = 15) -> None:
        """No rank and no daemon of mpirun on any host."""
        end = time.monotonic() + seconds
        while True:
            left = [r for r in range(4) if self.hosts.rank(r, self.program)]
            if not left:
                return
            expect(time.monotonic() < end, f"{name}: ranks {left} still run")
            time.sleep(0.1)

    def equals_local_run(self) -> str:
        local = subprocess.run([self.program, *TRAIN, *SHORT, "--threads", "1", "--output", self.folder, "--name", "local"],
                               capture_output=True, text=True)
        expect(local.returncode == 0, local.stderr)
        job = self.launch("hosts", SHORT)
        out, err = job.communicate(timeout=300)
        expect(job.returncode == 0, f"launch -H left with {job.returncode}: {err}")
        expect(hash_of(out) == hash_of(local.stdout), f"four hosts: {out}one process: {local.stdout}")
        return hash_of(out)

    def lost(self, name: str, disturb, words: list[str], seconds: float) -> None:
        """Rank 2 is disturbed after the first checkpoint."""
        job = self.launch(name, LONG, ["--stall-timeout", str(STALL_S)])
        self.wait_for_checkpoint(name, job)
        begin = time.monotonic()
        disturb(self.hosts.rank(2, self.program))
        named = ""
        while "rank 2" not in named:
            line = job.stderr.readline()
            expect(line, f"{name}: rank 2 was not named: {named}")
            named += line
        took = time.monotonic() - begin
        out, err = job.communicate(timeout=120)
        expect(job.returncode == 7, f"{name}: left with {job.returncode}: {named}{err}")
        expect(took < seconds, f"{name}: named after {took:.1f} s, not within {seconds}: {named}")
        for word in words:
            expect(word in named + err, f"{name}: no '{word}' in: {named}{err}")
        self.nothing_is_left(name)
        print(f"{name}: named after {took:.1f} s, exit 7 after {time.monotonic() - begin:.1f} s: {named.strip()}")

    def restarted(self, wanted: str) -> None:
        job = self.launch("restarted", SHORT, ["--restarts", "1"])
        self.wait_for_checkpoint("restarted", job)
        os.kill(self.hosts.rank(2, self.program), signal.SIGKILL)
        out, err = job.communicate(timeout=300)
        expect(job.returncode == 0, f"restarted: left with {job.returncode}: {err}")
        expect("restart 1 of 1: convoy resume" in err, f"restarted: {err}")
        expect(hash_of(out) == wanted, f"restarted: {out}, undisturbed: {wanted}")

    def stopped_by_signal(self) -> None:
        job = self.launch("signal", LONG)
        self.wait_for_checkpoint("signal", job)
        job.send_signal(signal.SIGTERM)
        out, err = job.communicate(timeout=120)
        expect(job.returncode == 75, f"signal: left with {job.returncode}: {out}{err}")
        self.nothing_is_left("signal")


def hash_of(output: str) -> str:
    lines = output.strip().splitlines()
    return lines[-1] if lines and lines[-1].startswith("weights ") else ""


def expect(truth: object, message: str) -> None:
    if not truth:
        sys.exit(f"launch_on_hosts: {message}")


def main() -> None:
    program = os.path.abspath(sys.argv[1])
    why = four_hosts.missing()
    if why:
        print(f"SKIPPED: {why}; no training on several hosts was tested")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="convoy-runs-") as folder, four_hosts.FourHosts() as hosts:
        run = Scenarios(program, hosts, pathlib.Path(folder))
        weights = run.equals_local_run()
        print(f"four hosts and one process: {weights}")
        run.restarted(weights)
        print("killed and restarted: the same")
        run.stopped_by_signal()
        print("SIGTERM: exit 75")
        run.lost("killed", lambda pid: os.kill(pid, signal.SIGKILL), ["n3"], STALL_S)
        run.lost("stopped", lambda pid: os.kill(pid, signal.SIGSTOP), ["n3", "stopped answering"], STALL_S + 4)
        run.lost("cut", lambda _: hosts.cut("n3"), ["n3", "stopped answering"], STALL_S + 4)


if __name__ == "__main__":
    main()

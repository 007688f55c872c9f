"""The programs that are compared: how each is found, started, asked for steps, and ended."""
import dataclasses, json, os, pathlib, statistics, subprocess, tempfile

from parts import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = ROOT / "bench" / "peers" / "pytorch.py"

# glibc gives every big tensor back to the kernel and takes it again, a page fault for each 4 KiB; with these it keeps
# them. Worth 5 to 30 % to PyTorch.
TUNED_MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(4 << 30), "MALLOC_TRIM_THRESHOLD_": str(8 << 30),
                "MALLOC_TOP_PAD_": str(256 << 20)}
CLOSE_SECONDS = 20

# What keeps each library of a peer from instructions beyond a level, as --isa does for Convoy.
ISA_LIMITS = {"avx2": {"DNNL_MAX_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
                       "MKL_ENABLE_INSTRUCTIONS": "AVX2", "OPENBLAS_CORETYPE": "Haswell"}}


class Failed(Exception):
    """A program could not be measured; the text says why in one line."""


@dataclasses.dataclass(frozen=True)
class Case:
    model: str
    batch: int
    image_size: int
    isa: str | None = dataclasses.field(default=None, kw_only=True)  # the highest level of instructions; None: the machine's
    mode: str = dataclasses.field(default="train", kw_only=True)  # or infer: forward passes without gradients

    def options(self, threads: int | None) -> list[str]:
        given = ["--model", self.model, "--batch-size", str(self.batch), "--image-size", str(self.image_size)]
        given += ["--mode", self.mode] if self.mode != "train" else []
        return given + (["--threads", str(threads)] if threads else [])


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    title: str  # of its column; {} is the version
    python: pathlib.Path
    remedy: str
    environment: dict = dataclasses.field(default_factory=dict)
    variants: tuple = ((),)  # options of the server; the fastest of several is the one that is compared
    modes: tuple = ("train", "infer")


def peers(environment: pathlib.Path) -> list[Peer]:
    """Debian's at both settings of malloc, as people meet it and at its best; the new one at its best only."""
    debian, new = pathlib.Path("/usr/bin/python3"), environment / "bin" / "python"
    install = "bench/compare --install"
    return [
        Peer("torch-debian", "PyTorch {}", debian, install),
        Peer("torch-debian-tuned", "PyTorch {}, malloc tuned", debian, install, TUNED_MALLOC),
        Peer("torch-new", "PyTorch {}, malloc tuned", new, install, TUNED_MALLOC),
        Peer("torch-new-cl", "PyTorch {}, malloc tuned, channels_last", new, install, TUNED_MALLOC, (("--channels-last",),)),
        Peer("torch-new-compile", "PyTorch {}, malloc tuned, torch.compile", new, install, TUNED_MALLOC,
             (("--compile",), ("--compile", "--channels-last"))),
        Peer("torch-new-bf16", "PyTorch {}, malloc tuned, bf16 autocast, channels_last", new, install, TUNED_MALLOC,
             (("--autocast", "--channels-last"), ("--autocast", "--channels-last", "--compile"))),
        Peer("torch-new-frozen", "PyTorch {}, malloc tuned, traced and frozen", new, install, TUNED_MALLOC,
             (("--freeze",), ("--freeze", "--channels-last")), modes=("infer",)),
        Peer("torch-new-frozen-bf16", "PyTorch {}, malloc tuned, bf16 autocast, traced and frozen", new, install,
             TUNED_MALLOC, (("--autocast", "--freeze", "--channels-last"),), modes=("infer",)),
    ]


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def clean_environment() -> dict:
    """Ours, without what would let a user's own packages or settings into the comparison."""
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "KMP_", "GOMP_", "MKL_", "MALLOC_", "PYTHON"))}
    return ours | {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def version_of(peer: Peer) -> str:
    """Raises Failed where the peer's Python has no torch."""
    if not peer.python.exists():
        raise Failed(f"no {peer.python}; try: {peer.remedy}")
    probe = "import torch; print(torch.__version__, 'openblas' in open('/proc/self/maps').read(), torch.__file__)"
    run = subprocess.run([peer.python, "-c", probe], capture_output=True, text=True, env=clean_environment())
    if run.returncode != 0:
        raise Failed(f"{peer.python}: {last_line(run.stderr)}; try: {peer.remedy}")
    version, openblas, file = run.stdout.split(maxsplit=2)
    if file.startswith("/usr/lib/python3/"):  # the module calls itself 1.13.0a0
        package = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "python3-torch"], capture_output=True, text=True)
        version = f"{package.stdout or version} (Debian{'' if openblas == 'True' else ', reference BLAS'})"
    return version


class Server:
    """A living peer; computes only between `steps` and its answer."""

    def __init__(self, peer: Peer, variant: tuple, case: Case, threads: int | None):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [peer.python, SERVER, *case.options(threads), *variant], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, text=True, env=clean_environment() | peer.environment | ISA_LIMITS.get(case.isa, {}))
        try:
            self.answer()  # that it is ready
        except BaseException:
            self.close()
            raise

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        code = self.process.wait()
        self.errors.seek(0)
        raise Failed(f"exit code {code}: {last_line(self.errors.read())}")

    def steps(self, count: int) -> dict:
        """The first step is not counted: it finds cold caches and sleeping threads."""
        try:
            self.process.stdin.write(f"step {count + 1}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() tells what happened
        return self.answer()

    def close(self) -> None:
        try:
            self.process.stdin.close()
            self.process.wait(CLOSE_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def peer_round(server: Server, case: Case, count: int) -> dict:
    watch = machine.Watch(lambda: machine.process_seconds(server.process.pid))
    answer = server.steps(count)
    seconds = answer["seconds"][1:]
    return {"images_per_s": case.batch / statistics.median(seconds), "step_s": seconds,
            "peak_rss_bytes": answer["peak_rss_bytes"], "foreign": watch.foreign()}


def convoy_round(program: pathlib.Path, case: Case, threads: int | None, count: int, more: list[str]) -> dict:
    """One process of `convoy bench` with `more` options, which leaves its own warm-up out."""
    command = [program, "bench", *case.options(threads), "--steps", str(count), "--json", *more]
    command += ["--isa", case.isa] if case.isa else []
    watch = machine.Watch(machine.children_seconds)
    run = subprocess.run(command, capture_output=True, text=True)
    foreign = watch.foreign()
    if run.returncode != 0:
        raise Failed(f"convoy bench: exit code {run.returncode}: {last_line(run.stderr)}")
    try:
        answer = json.loads(run.stdout)
        speed, peak = float(answer["images_per_s"]), int(answer["peak_rss_bytes"])
        if not speed > 0 or not peak > 0:
            raise ValueError(f"images_per_s {speed}, peak_rss_bytes {peak}")
    except (ValueError, TypeError, KeyError) as wrong:
        raise Failed(f"convoy bench: not the JSON of its contract ({wrong!r}): {run.stdout[:200]!r}") from None
    return {"images_per_s": speed, "peak_rss_bytes": peak, "foreign": foreign, "bench": answer}

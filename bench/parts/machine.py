"""What a measurement has to say about the machine it was made on, read from /proc."""
import os, pathlib, platform, resource

LEVELS = [  # the first whose flags are all there
    ("AVX-512", {"avx512f", "avx512bw", "avx512dq", "avx512vl"}),
    ("AVX2", {"avx2", "fma"}),
    ("SSE4.1", {"sse4_1"}),
]
BF16 = [("AVX512-BF16", "avx512_bf16"), ("AMX", "amx_bf16")]  # products of bf16, by their flags


def cpu_fields() -> dict[str, str]:
    fields = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    return fields


def describe() -> dict:
    fields = cpu_fields()
    flags = set(fields.get("flags", "").split())
    return {
        "cpu": fields.get("model name", platform.machine()),
        "cores": len(os.sched_getaffinity(0)),
        "isa": next((name for name, needed in LEVELS if needed <= flags), platform.machine()),
        "bf16": [name for name, flag in BF16 if flag in flags],
        "kernel": platform.release(),
    }


def memory_bytes() -> tuple[int, int]:
    """Of this machine or container: all of it, and what is free for new processes."""
    lines = pathlib.Path("/proc/meminfo").read_text().splitlines()
    fields = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
    total, free = fields["MemTotal"], fields["MemAvailable"]
    try:
        group = pathlib.Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text())  # "max", or no such file, without a limit
        free = min(free, limit - int((group / "memory.current").read_text()))
        total = min(total, limit)
    except (OSError, ValueError):
        pass
    return total, free


def busy_and_all_ticks() -> tuple[int, int]:
    """Of all processors since the start: used by anyone or taken by another guest of the host; and in all."""
    user, nice, system, idle, waiting, *interrupts_and_stolen = map(
        int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    busy = user + nice + system + sum(interrupts_and_stolen)
    return busy, busy + idle + waiting


def process_seconds(pid: int) -> float:
    """Processor time of a living process, all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children_seconds() -> float:
    """Processor time of our children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Watch:
    """How much of the processors others had since it was made: a peer's spinning threads lose far more than that."""

    def __init__(self, own_seconds):
        self.own_seconds = own_seconds
        self.before = busy_and_all_ticks(), own_seconds()

    def foreign(self) -> float:
        (busy, ticks), own = self.before
        now = busy_and_all_ticks()
        ours = (self.own_seconds() - own) * os.sysconf("SC_CLK_TCK")
        return max(0.0, (now[0] - busy - ours) / max(1, now[1] - ticks))

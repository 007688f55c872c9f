"""Four hosts on one machine: n1 to n4 are network namespaces with a name, an sshd and memory of their own, plugged into
a switch that is a namespace too. Nothing is left in the machine's own network: all of it is gone with the processes
that hold the namespaces, which end with this one, however it ends. Files are shared, as on a cluster."""
import ctypes, os, pathlib, shutil, signal, subprocess, tempfile, time

TOOLS = ["ip", "unshare", "nsenter", "ssh", "ssh-keygen", "mpirun"]
SSHD = "/usr/sbin/sshd"
NAMES = ["n1", "n2", "n3", "n4"]


def missing() -> str:
    """Why it cannot be done here; empty when it can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    for tool in TOOLS + [SSHD]:
        if not shutil.which(tool):
            return f"there is no {tool}"
    tried = subprocess.run(["unshare", "--net", "--uts", "--mount", "ip", "link", "add", "x0", "type", "veth"],
                           capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"this system allows no namespaces: {tried.stderr.strip()}"


def die_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class FourHosts:
    """A context manager."""

    def __enter__(self) -> "FourHosts":
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="convoy-hosts-"))
        self.holders: dict[str, subprocess.Popen] = {}
        self.daemons: list[subprocess.Popen] = []
        try:
            self._make_keys()
            self._make_network()
            self._start_sshds()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self.processes_inside():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for process in [*self.daemons, *self.holders.values()]:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in NAMES:  # Open MPI's, of killed runs
            shutil.rmtree(f"/tmp/ompi.{name}.0", ignore_errors=True)

    def _make_keys(self) -> None:
        for name in ["host_key", "user_key"]:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True)
        (self.folder / "authorized").write_text((self.folder / "user_key.pub").read_text())
        hosts = "".join(f"10.77.0.{i} {name}\n" for i, name in enumerate(NAMES, 1))
        (self.folder / "hosts").write_text("127.0.0.1 localhost\n" + hosts)
        (self.folder / "sshd_config").write_text(
            f"HostKey {self.folder}/host_key\nAuthorizedKeysFile {self.folder}/authorized\nStrictModes no\n"
            "PermitRootLogin prohibit-password\nPasswordAuthentication no\nUsePAM no\nPidFile none\nMaxStartups 100\n")
        (self.folder / "ssh_config").write_text(
            f"IdentityFile {self.folder}/user_key\nUserKnownHostsFile /dev/null\nStrictHostKeyChecking no\n"
            "LogLevel ERROR\nConnectTimeout 5\n")

    def _hold(self, name: str, kinds: list[str], prepare: str) -> None:
        script = f"{prepare}\necho ready; exec sleep infinity"
        process = subprocess.Popen(["unshare", *kinds, "sh", "-ec", script], stdout=subprocess.PIPE, text=True,
                                   preexec_fn=die_with_parent)
        self.holders[name] = process
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"the namespaces of {name} could not be made")

    def run_in(self, name: str, *words: object, net_only: bool = False) -> subprocess.CompletedProcess:
        return subprocess.run(self.inside(name, *words, net_only=net_only), check=True, capture_output=True, text=True)

    def inside(self, name: str, *words: object, net_only: bool = False) -> list[str]:
        """The command that runs `words` on that host."""
        kinds = ["--net"] if net_only else ["--net", "--uts", "--mount", f"--wd={os.getcwd()}"]
        return ["nsenter", "--target", str(self.holders[name].pid), *kinds, *map(str, words)]

    def _make_network(self) -> None:
        self._hold("switch", ["--net"], "ip link add br0 type bridge; ip link set br0 up")
        for i, name in enumerate(NAMES, 1):
            self._hold(name, ["--net", "--uts", "--mount", "--propagation", "private"],
                       f"hostname {name}; ip link set lo up; mount -t tmpfs none /run; mkdir -m 755 /run/sshd;"
                       f"mount -t tmpfs none /dev/shm; mount --bind {self.folder}/hosts /etc/hosts")
            holder = self.holders[name].pid
            self.run_in("switch", "ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", holder,
                        net_only=True)
            self.run_in("switch", "ip", "link", "set", name, "master", "br0", "up", net_only=True)
            self.run_in(name, "ip", "address", "add", f"10.77.0.{i}/24", "dev", "eth0", net_only=True)
            self.run_in(name, "ip", "link", "set", "eth0", "up", net_only=True)

    def _start_sshds(self) -> None:
        for name in NAMES:
            command = self.inside(name, SSHD, "-D", "-e", "-f", self.folder / "sshd_config")
            self.daemons.append(subprocess.Popen(command, preexec_fn=die_with_parent, stderr=subprocess.DEVNULL))
        for name in NAMES:
            for attempt in range(50):
                if subprocess.run(self.inside("n1", "ssh", "-F", self.folder / "ssh_config", name, "true"),
                                  capture_output=True).returncode == 0:
                    break
                time.sleep(0.1)
            else:
                raise RuntimeError(f"sshd of {name} does not answer")

    def environment(self) -> dict[str, str]:
        """For programs that start an mpirun on one of the hosts."""
        return {**os.environ, "OMPI_MCA_plm_rsh_args": f"-F {self.folder}/ssh_config"}

    def cut(self, name: str) -> None:
        """Pulls the host's plug out of the switch."""
        self.run_in("switch", "ip", "link", "set", name, "nomaster", net_only=True)

    def plug_in(self, name: str) -> None:
        self.run_in("switch", "ip", "link", "set", name, "master", "br0", net_only=True)

    def processes_inside(self) -> list[int]:
        """All that run on the hosts, but for those that hold them."""
        ours = {os.readlink(f"/proc/{p.pid}/ns/net") for p in self.holders.values() if p.poll() is None}
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "ns/net") in ours:
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def rank(self, number: int, program: str) -> int:
        """The process that is this rank; 0: there is none."""
        for pid in self.processes_inside():
            try:
                words = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                if f"OMPI_COMM_WORLD_RANK={number}".encode() in words and \
                        os.path.samefile(f"/proc/{pid}/exe", program):
                    return pid
            except OSError:
                continue
        return 0

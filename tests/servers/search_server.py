"""
A real Elasticsearch or OpenSearch server for tests: on loopback, with a folder of its own, without containers.

    python tests/servers/search_server.py elasticsearch [NODES]

It prints the server's URL as its first line (of several nodes, all URLs, separated by commas) and stops the server when
its standard input ends, so that no server outlives a test run, however that ends. Each line of input is a command,
answered by `done`:

| command | what it does                                                       |
|---------|--------------------------------------------------------------------|
| kill    | kills the server as a crash would                                  |
| start   | starts it again, on the same port and with its data, until ready   |

Of several nodes a number names the one: `kill 1`.

The servers are the distributions that their makers publish on Maven Central for integration tests: the servers
themselves with few modules. There are no scripts, no `_delete_by_query`, no `_reindex`, no analysers but whitespace,
standard, simple, stop and keyword, and in Elasticsearch no `GET /`.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
_NOBODY = 65534
_READY_SECONDS = 300
_HEAP = "-Xms512m -Xmx512m"


@dataclass(frozen=True)
class Distribution:
    """
    What differs between the two servers.

    :param artifact: Coordinates on Maven Central.
    :param variable: Prefix of its environment variables.
    :param settings: Lines of its configuration.
    """

    artifact: str
    variable: str
    settings: str = ""


DISTRIBUTIONS = {
    "elasticsearch": Distribution(
        "org.elasticsearch.distribution.integ-test-zip:elasticsearch:8.19.7:zip",
        "ES",
        "xpack.security.enabled: false\n",
    ),
    "opensearch": Distribution("org.opensearch.distribution.integ-test-zip:opensearch:2.19.1:zip", "OPENSEARCH"),
}


class SearchServer:
    """
    A server in the hands of a test.

        with SearchServer("opensearch") as server:
            ...               # server.url
            server.kill()
            server.start()

    :param kind: A key of `DISTRIBUTIONS`.
    :param nodes: How many nodes form the cluster; `url` has all of them.
    """

    def __init__(self, kind: str, nodes: int = 1):
        self.kind = kind
        self.url = ""
        self._program = [sys.executable, __file__, kind, str(nodes)]

    def __enter__(self) -> "SearchServer":
        # A session of its own keeps the terminal's Ctrl-C from it: it ends after the tests that use it.
        self._process = subprocess.Popen(
            self._program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.url = self._answer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.__exit__(kind, error, trace)  # closes the pipes and waits

    def kill(self, node: int | None = None) -> None:
        """Kill the server, or one of its nodes, as a crash would."""
        self._command("kill" if node is None else f"kill {node}")

    def start(self, node: int | None = None) -> None:
        """Start it again and wait until it is ready."""
        self._command("start" if node is None else f"start {node}")

    def _command(self, name: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        self._answer()

    def _answer(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"the {self.kind} server for tests stopped; its log is above")
        return line


class ServerProcess:
    """
    A server of one node, or one node of several, in a folder.

    :param kind: A key of `DISTRIBUTIONS`.
    :param folder: An empty folder.
    :param home: The unpacked distribution; it is unpacked into the folder by default.
    :param ports: The ports of all nodes, for requests and for one another, this one's first.
    """

    def __init__(self, kind: str, folder: Path, home: Path | None = None, ports: Sequence[tuple[int, int]] = ()):
        ports = ports or _port_pairs(1)
        port, transport_port = ports[0]
        self.url = f"http://127.0.0.1:{port}"
        self._kind = kind
        self._folder = folder
        self._nodes = len(ports)
        self._home = home or _unpack(kind, folder)
        self._log = folder / "output.log"
        self._process: subprocess.Popen[bytes] | None = None
        settings = (
            f"cluster.name: tansaku-test\nnode.name: n{transport_port}\nnetwork.host: 127.0.0.1\n"
            f"{_discovery([peer for _, peer in ports])}cluster.routing.allocation.disk.threshold_enabled: false\n"
            f"http.port: {port}\ntransport.port: {transport_port}\n"
            f"path.data: {folder}/data\npath.logs: {folder}/logs\n{DISTRIBUTIONS[kind].settings}"
        )
        (folder / "tmp").mkdir()
        shutil.copytree(self._home / "config", folder / "config")
        (folder / "config" / f"{kind}.yml").write_text(settings, encoding="utf-8")

    def start(self) -> None:
        """
        Start the server and wait until it answers.

        :raises RuntimeError: If it ends before, or takes too long.
        """
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Start the server, without waiting for it."""
        as_nobody = given_to_nobody(self._folder)
        variable = DISTRIBUTIONS[self._kind].variable
        java = shutil.which("java")
        if java is None:
            raise RuntimeError("tests of search servers need Java 17 and Maven: run tests/servers/install_java.sh")
        environment = {
            **os.environ,
            f"{variable}_JAVA_HOME": str(Path(java).resolve().parents[1]),
            f"{variable}_JAVA_OPTS": _HEAP,
            f"{variable}_TMPDIR": str(self._folder / "tmp"),
            f"{variable}_PATH_CONF": str(self._folder / "config"),
        }
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._home / "bin" / self._kind)],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
                **as_nobody,
            )

    def kill(self) -> None:
        """Kill it with all its processes, if it runs."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def wait_until_ready(self) -> None:
        """
        Wait until it answers, together with the other nodes.

        :raises RuntimeError: If it ends before, or takes too long.
        """
        assert self._process
        end = time.monotonic() + _READY_SECONDS
        health = f"{self.url}/_cluster/health?wait_for_status=yellow&wait_for_nodes={self._nodes}"
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with urllib.request.urlopen(health, timeout=10):
                    return
            except (OSError, urllib.error.URLError):
                time.sleep(0.2)
        sys.stderr.write(self._log.read_text(encoding="utf-8", errors="replace")[-5000:])
        raise RuntimeError(f"{self._kind} isn't ready after {_READY_SECONDS} s, or ended; its log is above")


class NodesProcess:
    """
    Several nodes that form a cluster.

    :param kind: A key of `DISTRIBUTIONS`.
    :param folder: An empty folder.
    :param nodes: How many.
    """

    def __init__(self, kind: str, folder: Path, nodes: int):
        home = _unpack(kind, folder)
        given_to_nobody(folder)
        ports = _port_pairs(nodes)
        self._nodes = []
        for number in range(nodes):
            (folder / f"n{number}").mkdir()
            self._nodes.append(ServerProcess(kind, folder / f"n{number}", home, [*ports[number:], *ports[:number]]))
        self.url = ",".join(node.url for node in self._nodes)

    def start(self, node: int | None = None) -> None:
        """Start all nodes, or one, and wait until they have found one another."""
        started = self._nodes if node is None else [self._nodes[node]]
        for each in started:
            each.launch()
        for each in started:
            each.wait_until_ready()

    def kill(self, node: int | None = None) -> None:
        """Kill all nodes, or one."""
        for each in self._nodes if node is None else [self._nodes[node]]:
            each.kill()


def _discovery(peers: Sequence[int]) -> str:
    """The settings by which nodes find one another."""
    if len(peers) == 1:
        return "discovery.type: single-node\n"
    hosts, names = ([f"{prefix}{port}" for port in sorted(peers)] for prefix in ("127.0.0.1:", "n"))
    return f"discovery.seed_hosts: {json.dumps(hosts)}\ncluster.initial_master_nodes: {json.dumps(names)}\n"


def _port_pairs(count: int) -> list[tuple[int, int]]:
    ports = free_ports(2 * count)
    return list(zip(ports[::2], ports[1::2], strict=True))


def _unpack(kind: str, folder: Path) -> Path:
    """Get the distribution, from Maven's own cache if it is there, and unpack it."""
    artifact = DISTRIBUTIONS[kind].artifact
    if shutil.which("mvn") is None:
        raise RuntimeError("tests of search servers need Java 17 and Maven: run tests/servers/install_java.sh")
    command = ["mvn", "-q", "-B", _COPY, f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    _, name, version, _ = artifact.split(":")
    archive = folder / f"{name}-{version}.zip"
    with zipfile.ZipFile(archive) as distribution:
        distribution.extractall(folder)
    archive.unlink()
    home = folder / f"{name}-{version}"
    for program in (home / "bin").iterdir():
        program.chmod(0o755)
    return home


def given_to_nobody(folder: Path) -> dict[str, Any]:
    """
    Give a folder to the user `nobody` if this process is root's: the servers refuse to run as root.

    :param folder: The folder of a server.
    :returns: How to start the server.
    """
    if os.getuid() != 0:
        return {}
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


class Server(Protocol):
    """A server's process, in the hands of `serve`."""

    url: str

    @property
    def start(self) -> Callable[..., None]: ...

    @property
    def kill(self) -> Callable[..., None]: ...


def serve(kind: str, make: Callable[[Path], Server]) -> None:
    """
    Run a server until the standard input ends.

    :param kind: For the name of its folder.
    :param make: Makes it in a folder.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix=f"tansaku-{kind}-"))
    server = None
    try:
        server = make(folder)
        server.start()
        print(server.url, flush=True)
        for line in sys.stdin:
            name, *node = line.split()
            {"kill": server.kill, "start": server.start}[name](*map(int, node))
            print("done", flush=True)
    finally:
        if server is not None:
            server.kill()
        shutil.rmtree(folder)


def main(kind: str, nodes: int = 1) -> None:
    """
    Serve until the standard input ends.

    :param kind: A key of `DISTRIBUTIONS`.
    :param nodes: How many nodes.
    """
    serve(kind, lambda folder: ServerProcess(kind, folder) if nodes == 1 else NodesProcess(kind, folder, nodes))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))

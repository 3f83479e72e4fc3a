"""
A real Elasticsearch or OpenSearch server for tests: on loopback, with a folder of its own, without containers.

    python tests/servers/search_server.py elasticsearch

It prints the server's URL as its first line and stops the server when its standard input ends, so that no server
outlives a test run, however that ends. Each line of input is a command, answered by `done`:

| command | what it does                                                       |
|---------|--------------------------------------------------------------------|
| kill    | kills the server as a crash would                                  |
| start   | starts it again, on the same port and with its data, until ready   |

The servers are the distributions that their makers publish on Maven Central for integration tests: the servers
themselves with few modules. There are no scripts, no `_delete_by_query`, no `_reindex`, no analysers but whitespace,
standard, simple, stop and keyword, and in Elasticsearch no `GET /`.
"""

import contextlib
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
from collections.abc import Callable
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
    """

    def __init__(self, kind: str):
        self.kind = kind
        self.url = ""
        self._program = [sys.executable, __file__, kind]

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

    def kill(self) -> None:
        """Kill the server as a crash would."""
        self._command("kill")

    def start(self) -> None:
        """Start it again and wait until it is ready."""
        self._command("start")

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
    The server itself, in a folder.

    :param kind: A key of `DISTRIBUTIONS`.
    :param folder: An empty folder.
    """

    def __init__(self, kind: str, folder: Path):
        self.port, transport_port = free_ports(2)
        self.url = f"http://127.0.0.1:{self.port}"
        self._kind = kind
        self._folder = folder
        self._home = _unpack(kind, folder)
        self._log = folder / "output.log"
        self._process: subprocess.Popen[bytes] | None = None
        settings = (
            "cluster.name: tansaku-test\nnetwork.host: 127.0.0.1\ndiscovery.type: single-node\n"
            "cluster.routing.allocation.disk.threshold_enabled: false\n"
            f"http.port: {self.port}\ntransport.port: {transport_port}\n"
            f"path.data: {folder}/data\npath.logs: {folder}/logs\n{DISTRIBUTIONS[kind].settings}"
        )
        (folder / "tmp").mkdir()
        (self._home / "config" / f"{kind}.yml").write_text(settings, encoding="utf-8")

    def start(self) -> None:
        """
        Start the server and wait until it answers.

        :raises RuntimeError: If it ends before, or takes too long.
        """
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
        self._wait_until_ready(self._process)

    def kill(self) -> None:
        """Kill it with all its processes, if it runs."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + _READY_SECONDS
        while time.monotonic() < end and process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_cluster/health?wait_for_status=yellow", timeout=10):
                    return
            except (OSError, urllib.error.URLError):
                time.sleep(0.2)
        sys.stderr.write(self._log.read_text(encoding="utf-8", errors="replace")[-5000:])
        raise RuntimeError(f"{self._kind} isn't ready after {_READY_SECONDS} s, or ended; its log is above")


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

    def start(self) -> None: ...

    def kill(self) -> None: ...


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
            {"kill": server.kill, "start": server.start}[line.strip()]()
            print("done", flush=True)
    finally:
        if server is not None:
            server.kill()
        shutil.rmtree(folder)


if __name__ == "__main__":
    serve(sys.argv[1], lambda folder: ServerProcess(sys.argv[1], folder))

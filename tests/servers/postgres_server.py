"""
A real PostgreSQL server for tests: on loopback, with a folder of its own.

    python tests/servers/postgres_server.py

It prints the server's URL and takes the same commands as search_server.py. It sorts text by the rules of English, not
by code points, as many servers do.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.servers.search_server import SearchServer, free_ports, given_to_nobody, serve

_SECONDS = 60
# Tests kill processes, never the machine.
_FAST = ("fsync=off", "full_page_writes=off")


class PostgresServer(SearchServer):
    """
    A server in the hands of a test.

        with PostgresServer() as server:
            ...               # server.url
            server.kill()     # as a crash would
            server.start()
    """

    def __init__(self) -> None:
        super().__init__("postgresql")
        self._program = [sys.executable, __file__]


class PostgresProcess:
    """
    The server itself.

    :param folder: An empty folder.
    """

    def __init__(self, folder: Path):
        [self._port] = free_ports(1)
        self.url = f"postgresql://tansaku@127.0.0.1:{self._port}/postgres"
        self._data = folder / "data"
        self._log = folder / "output.log"
        self._as_nobody = given_to_nobody(folder)
        locale = ("--locale=C.UTF-8", "--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US")
        access = ("--username=tansaku", "--auth=trust")
        self._run("initdb", "--no-sync", *access, *locale, "--pgdata", str(self._data))

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = (*_FAST, f"port={self._port}", "listen_addresses=127.0.0.1", "unix_socket_directories=")
        options = " ".join(f"-c {setting}" for setting in settings)
        self._run(
            "pg_ctl", "start", "-w", "-t", str(_SECONDS), "-D", str(self._data), "-l", str(self._log), "-o", options
        )

    def kill(self) -> None:
        """Kill it as a crash would, if it runs."""
        try:
            os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            return
        # Its children end by themselves when it has gone.
        (self._data / "postmaster.pid").unlink()

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(_programs() / program), *arguments]
        done = subprocess.run(
            command,
            cwd=self._data.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            check=False,
            start_new_session=True,
            **self._as_nobody,
        )
        if done.returncode:
            log = self._log.read_text(errors="replace") if self._log.exists() else ""
            raise RuntimeError(f"{program} failed: {(done.stdout or b'').decode(errors='replace')}{log[-5000:]}")


def _programs() -> Path:
    """The newest installed version; Debian puts its programs beside the usual path."""
    found = [Path(path).parent for path in (shutil.which("initdb"),) if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    if not found:
        raise RuntimeError("tests of manifests in PostgreSQL need it: run tests/servers/install_postgresql.sh")
    return found[0]


if __name__ == "__main__":
    serve("postgresql", PostgresProcess)

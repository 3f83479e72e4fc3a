"""A real PostgreSQL server for tests, from the machine's own packages, on loopback."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

_NOBODY = 65534


class PostgresServer:
    """
    A server in the hands of a test, with its data in a temporary folder.

        with PostgresServer() as server:
            server.new_database()     # "postgresql://tansaku@127.0.0.1:PORT/d1"

    :raises FileNotFoundError: Where PostgreSQL isn't installed.
    """

    def __init__(self) -> None:
        self._count = 0

    def __enter__(self) -> "PostgresServer":
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        initdb = str(found[-1]) if found else shutil.which("initdb")
        if not initdb:
            raise FileNotFoundError("PostgreSQL is missing; install it with: apt-get install postgresql")
        self._bin = Path(initdb).parent
        self._folder = Path(tempfile.mkdtemp(prefix="tansaku-postgres-"))
        # PostgreSQL refuses to run as root.
        self._user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        if self._user:
            os.chown(self._folder, _NOBODY, _NOBODY)
        data = self._folder / "data"
        self._run("initdb", "-D", data, "-U", "tansaku", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories='' -c fsync=off"
        self._run("pg_ctl", "-D", data, "-w", "-l", self._folder / "log", "-o", options, "start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run("pg_ctl", "-D", self._folder / "data", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self._folder)

    def new_database(self) -> str:
        """Make an empty database; returns its URL."""
        self._count += 1
        name = f"d{self._count}"
        self._run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "tansaku", name)
        return f"postgresql://tansaku@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self._bin / program), *map(str, arguments)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder, **self._user)  # type: ignore[call-overload]

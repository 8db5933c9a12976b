"""A real Postgres on loopback, as Debian installs it."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg.sql import SQL, Identifier

MISSING = "there is no Postgres here: apt-get install postgresql"


def programs() -> Path | None:
    """Return the directory of the newest Postgres, if there is one that can be run."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    users = {one.pw_name for one in pwd.getpwall()}
    return found[-1].parent if found and os.getuid() == 0 and "postgres" in users else None


class Proxy:
    """Passes connections on to a port of this machine, unless it is cut; its threads end with the process.

    Args:
        target: The port.

    Attributes:
        port: Its own.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._open: list[socket.socket] = []
        self._cut_until = 0.0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, seconds: float) -> None:
        """Break all connections, and take none for a time."""
        self._cut_until = time.monotonic() + seconds
        for one in [*self._open]:
            with suppress(OSError):  # it has ended
                one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            near, _ = self._server.accept()
            if time.monotonic() < self._cut_until:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._target))
            self._open += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError), source:
            while part := source.recv(65536):
                to.sendall(part)
        with suppress(OSError):
            to.shutdown(socket.SHUT_RDWR)


@contextmanager
def postgres(place: Path) -> Iterator[str]:
    """Run a server with an empty database; return its URL."""
    root = Path(tempfile.mkdtemp(prefix="ccq-pg-"))  # the server's user may go there
    root.chmod(0o777)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bin_directory = programs()
    assert bin_directory is not None

    def run(*words: str) -> None:
        with (place / "postgres.log").open("ab") as log:
            subprocess.run(
                words,
                check=True,
                cwd="/",
                timeout=240,
                stdout=log,
                stderr=log,
                user="postgres",
                group="postgres",
                extra_groups=[],
            )

    data, control = str(root / "data"), str(bin_directory / "pg_ctl")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {root} -c fsync=off"
    try:
        run(str(bin_directory / "initdb"), "-D", data, "-A", "trust", "-E", "UTF8")
        run(control, "-D", data, "-o", options, "-l", str(root / "log"), "-w", "start")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            run(control, "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(root, ignore_errors=True)


def fresh(url: str) -> str:
    """Return the URL of a new database on a server."""
    name = f"runs_{uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    return url.rpartition("/")[0] + f"/{name}"

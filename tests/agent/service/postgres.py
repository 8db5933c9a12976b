"""A real Postgres on loopback, as Debian installs it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MISSING = "there is no Postgres here: apt-get install postgresql"


def programs() -> Path | None:
    """Return the directory of the newest Postgres, if there is one that can be run."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    users = {one.pw_name for one in pwd.getpwall()}
    return found[-1].parent if found and os.getuid() == 0 and "postgres" in users else None


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
                timeout=60,
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

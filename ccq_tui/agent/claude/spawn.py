"""The start of a CLI's process."""

import subprocess
from collections.abc import Mapping, Sequence

PROGRAM = "CCQ_TUI_PROGRAM"
"""The variable that gives a CLI the number of its program."""


def start(command: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a CLI with pipes to its standard streams, in a login session of its own; raises OSError.

    The kernel hangs up on the whole foreground group of a terminal that is closed, and a CLI in it would end
    before its program can park the question.
    """
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603 - the command that the SDK builds
        command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=env, start_new_session=True, bufsize=0
    )

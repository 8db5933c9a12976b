"""What is loaded when, seen from a fresh interpreter; import-linter holds the rest."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCREEN = {"textual", "rich"}
SDK = {"claude_agent_sdk", "mcp"}
SERVER = {"uvicorn", "starlette", "fastapi"}
RELAYED = {"httpx2", "cryptography", "ccq_tui.remote.publisher"}
HEAVY = {"pydantic", "asyncio", "sqlite3", "markdown_it", "ccq_tui.agent", "ccq_tui.inbox"}
HIGHLIGHTERS = {"pygments.lexers.python", "pygments.formatters"}
CONNECTED = "import ccq_tui.agent.loader as l; l.load_now(); import ccq_tui.agent.claude.prestart"
VERSION = "import ccq_tui.cli as c; assert c.main(['--version']) == 0"
LISTED = "import ccq_tui.cli as c; assert c.main(['inbox', '--json']) == 0"
RATE = "import os, textual.screen as s; assert (s.UPDATE_PERIOD, os.getenv('TEXTUAL_FPS')) == (1 / 120, None)"
WALKED = "import ccq_tui.cli as c; assert c.main(['inbox', '--plain']) == 0"
REFUSED = "import ccq_tui.cli as c; assert c.main(['--fork', 'a prompt']) == 2"


LIGHT_FIRST = [
    ("import ccq_tui.questions", SCREEN | SDK | SERVER | {"pydantic", "asyncio", "sqlite3"}),
    (VERSION, SCREEN | SDK | SERVER | {"pydantic", "ccq_tui.cli.demo", "ccq_tui.cli.answer"}),
    # The first frame is drawn by what the command line and this load.
    ("import ccq_tui.cli.session", SCREEN | SDK | SERVER | HEAVY),
    (REFUSED, SCREEN | SDK | SERVER),
    ("import ccq_tui.inbox", SCREEN | SDK | SERVER),
    ("import ccq_tui.config.load as c; c.load_settings()", SCREEN | SDK | SERVER | {"pydantic_settings"}),
    ("import ccq_tui.logs", SCREEN | SDK | SERVER),
    ("import ccq_tui.testing", SCREEN | SDK | SERVER),
    ("import ccq_tui.agent", SCREEN | SDK | SERVER),
    ("import ccq_tui.runtime.runtime, ccq_tui.runtime.notices", SCREEN | SDK | SERVER),
    ("import ccq_tui.plain.session", SCREEN | SDK | SERVER),
    (WALKED, SCREEN | SDK | SERVER),
    ("import ccq_tui.transcript.export", SCREEN | SDK | SERVER),
    (CONNECTED, {"mcp", "jsonschema"} | SERVER | SCREEN),
]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(LIGHT_FIRST, id="below the screen"),
        pytest.param(
            [(LISTED, SCREEN | SDK | SERVER | {"pydantic", "asyncio", "ccq_tui.questions.state"})],
            id="a list",
        ),
        pytest.param(
            [
                ("import ccq_tui.theming", SDK | SERVER),
                ("import ccq_tui.app", SDK | SERVER | HIGHLIGHTERS | RELAYED),
                (RATE, SDK | SERVER | HIGHLIGHTERS),
            ],
            id="the screen",
        ),
    ],
)
def test_what_is_not_loaded(steps: list[tuple[str, set[str]]]) -> None:
    # One interpreter for several: what a step must not load, no step before it has loaded.
    looks = (f"{code}\nprint('#', *sorted({never!r} & sys.modules.keys()))" for code, never in steps)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(["import sys", *looks])],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("#")]
    assert dict(zip([code for code, _ in steps], loaded, strict=True)) == {code: [] for code, _ in steps}

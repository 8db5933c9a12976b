"""What is loaded when, seen from a fresh interpreter; import-linter holds the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCREEN = {"textual", "rich"}
SDK = {"claude_agent_sdk", "mcp"}
SERVER = {"uvicorn", "starlette"}
HEAVY = {"pydantic", "asyncio", "sqlite3", "markdown_it", "ccq_tui.agent", "ccq_tui.inbox"}
HIGHLIGHTERS = {"pygments.lexers.python", "pygments.formatters"}
CONNECTED = "import ccq_tui.agent.loader as l; l.load_now(); import ccq_tui.agent.claude.ahead"
VERSION = "import ccq_tui.cli as c; assert c.main(['--version']) == 0"
LISTED = "import ccq_tui.cli as c; assert c.main(['inbox', '--json']) == 0"
REFUSED = "import ccq_tui.cli as c; assert c.main(['a prompt']) == 2"


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("import ccq_tui.questions", SCREEN | SDK | SERVER | {"pydantic", "asyncio", "sqlite3"}),
        ("import ccq_tui.inbox", SCREEN | SDK | SERVER),
        ("import ccq_tui.config", SCREEN | SDK | SERVER),
        ("import ccq_tui.logs", SCREEN | SDK | SERVER),
        ("import ccq_tui.testing", SCREEN | SDK | SERVER),
        ("import ccq_tui.agent", SCREEN | SDK | SERVER),
        ("import ccq_tui.theming", SDK | SERVER),
        # The first frame is drawn by what the command line and this load.
        ("import ccq_tui.cli.session", SCREEN | SDK | SERVER | HEAVY),
        ("import ccq_tui.app", SDK | SERVER | HIGHLIGHTERS),
        (CONNECTED, {"mcp", "jsonschema"} | SERVER | SCREEN),
        (VERSION, SCREEN | SDK | SERVER | {"pydantic", "ccq_tui.cli.demo", "ccq_tui.cli.answering"}),
        (LISTED, SCREEN | SDK | SERVER | {"pydantic", "asyncio", "ccq_tui.questions.state"}),
        (REFUSED, SCREEN | SDK | SERVER),
    ],
)
def test_what_is_not_loaded(code: str, forbidden: set[str]) -> None:
    script = f"import sys\n{code}\nprint(*sorted({forbidden!r} & sys.modules.keys()), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1].strip() == ""


def test_no_file_is_a_god_file() -> None:
    files = [*ROOT.glob("ccq_tui/**/*.py"), *ROOT.glob("tests/**/*.py"), ROOT / "tasks.py"]
    long = {
        str(path): count for path in files if (count := path.read_text(encoding="utf-8").count("\n")) > 400
    }
    assert long == {}

"""``ccq-tui model``: a scenario for any program, over plain HTTP and with the real CLI."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ccq_tui.testing.server import MOST_BYTES
from tests.agent.test_session_flags import BUNDLED

LIMIT = 60.0
SCENARIO = (
    'from ccq_tui.testing import Scenario\nscenario = Scenario("x").says("one").ends_turn().says("two")\n'
)


@contextmanager
def served(file: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Serve a scenario; yields the process and the variables that it prints."""
    command = [sys.executable, "-m", "ccq_tui", "model", str(file), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            lines = iter(process.stdout.readline, "\n")
            yield process, dict(line.rstrip("\n").split("=", 1) for line in lines)
        finally:
            process.kill()


def posted(url: str, body: bytes) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=LIMIT)
    connection.request("POST", "/v1/messages", body)
    return connection.getresponse()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "my.py"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def test_any_program_talks_to_it_over_plain_http(script: Path) -> None:
    with served(script) as (process, variables):
        url, config = variables["ANTHROPIC_BASE_URL"], Path(variables["CLAUDE_CONFIG_DIR"])
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()
        for words in ("one", "two"):
            assert json.load(posted(url, body))["content"] == [{"type": "text", "text": words}]
        assert posted(url, bytes(MOST_BYTES + 1)).status == 413
        port = url.rpartition(":")[2]
        command = [sys.executable, "-m", "ccq_tui", "model", "single", "--port", port]
        another = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert (another.returncode, another.stderr) == (
            2,
            f"Error: port {port} cannot be opened: Address already in use.\n",
        )
        assert config.is_dir()
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 0
    assert not config.exists()


def test_the_real_cli_talks_to_it_with_the_variables_that_it_prints(script: Path, tmp_path: Path) -> None:
    with served(script) as (_, variables):
        done = subprocess.run(
            [BUNDLED, "-p", "hi"],
            env=os.environ | variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "one\n", "")

"""A start like an earlier one begins before its settings are read; another or an untrusted one does not."""

import json
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.claude.head_start import MOST_STARTS, STORE, HeadStart
from ccq_tui.agent.claude.spawn import PROGRAM
from ccq_tui.config.paths import state_dir, user_config
from tests.agent.running import alive
from tests.steps import until_true

FLAGS = {"model": "opus"}
CLI = ["sh", "-c", "echo $0 $COLOUR; sleep 60"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Start in a directory of its own, once, with a session id and a variable of the CLI's."""
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.chdir(directory)
    started(FLAGS)
    return directory


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"COLOUR": "blue", PROGRAM: str(os.getpid())} | more


def started(flags: Mapping[str, Any], **more: str) -> None:
    """Start a CLI without a head start, as the first of its kind, and end it."""
    with HeadStart(flags) as head_start:
        assert head_start._process is None
        process = head_start.opened([*CLI, head_start.session_id], str(Path.cwd()), environment(**more))
        process.kill()
        process._process.wait()


def process_of(flags: Mapping[str, Any]) -> int | None:
    with HeadStart(flags) as head_start:
        return head_start._process.pid if head_start._process else None


async def test_the_process_is_that_of_the_last_start_with_an_id_of_its_own() -> None:
    with HeadStart(FLAGS) as head_start:
        begun = head_start._process
        assert begun is not None
        process = head_start.opened([*CLI, head_start.session_id], str(Path.cwd()), environment())
        assert process.pid == begun.pid
        assert await process.stdout.receive() == f"{head_start.session_id} blue\n".encode()
    assert process.returncode is None, "it is the session's now"
    process.terminate()
    assert await process.wait() == -signal.SIGTERM
    await process.aclose()


@pytest.mark.parametrize(
    ("command", "more"),
    [(["sh", "-c", "sleep 60"], {}), (CLI, {"COLOUR": "red"})],
    ids=["command", "variable"],
)
async def test_a_process_that_turns_out_wrong_is_ended_and_the_next_start_is_right(
    command: list[str], more: dict[str, str]
) -> None:
    with HeadStart(FLAGS) as head_start:
        begun = head_start._process
        assert begun is not None
        wanted = [*command, head_start.session_id], str(Path.cwd()), environment(**more)
        process = head_start.opened(*wanted)
        assert process.pid != begun.pid
    assert not alive(begun.pid)
    process.kill()
    await process.aclose()
    with HeadStart(FLAGS) as head_start:
        command = [*command, head_start.session_id]
        assert head_start._started == (command, str(Path.cwd()), environment(**more))


async def test_a_process_that_turns_out_wrong_is_gone_while_the_session_lasts() -> None:
    with HeadStart(FLAGS) as head_start:
        begun = head_start._process
        assert begun is not None
        head_start.drop()
        await until_true(lambda: not Path(f"/proc/{begun.pid}").exists())  # nor is it a zombie
        await until_true(lambda: begun.stdout.closed)  # by the thread that waited for it


def test_a_process_that_no_session_takes_is_ended() -> None:
    pid = process_of(FLAGS)
    assert pid is not None
    assert not alive(pid)


def settings() -> None:
    user_config().parent.mkdir(parents=True, exist_ok=True)
    user_config().write_text('model = "haiku"\n', encoding="utf-8")


def settings_of_the_project() -> None:
    Path(".ccq-tui.toml").write_text('model = "haiku"\n', encoding="utf-8")


def hook() -> None:
    Path(".claude").mkdir()
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}
    Path(".claude/settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


def server() -> None:
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"x": {"command": "touch"}}}), encoding="utf-8")


def other_directory() -> None:
    Path("inner").mkdir()
    os.chdir("inner")


def damage() -> None:
    (state_dir() / STORE).write_text("{", encoding="utf-8")


def vanish() -> None:
    (state_dir() / STORE).write_text(
        (state_dir() / STORE).read_text(encoding="utf-8").replace("sh", "/none"), encoding="utf-8"
    )


@pytest.mark.parametrize(
    "change", [settings, settings_of_the_project, hook, server, other_directory, damage, vanish]
)
def test_nothing_starts_early_where_something_changed_or_awaits_trust(change: Callable[[], None]) -> None:
    change()
    assert process_of(FLAGS) is None


@pytest.mark.parametrize(
    "start",
    [
        "5", "null", "[1, 2, 3]", "[[], {}, []]", '[["true", 1], {}, []]', '["true", {}, []]',
        '[["true"], null, []]', '[["true"], {"COLOUR": 1}, []]', '[["true"], {}, null]', "[" * 100_000,
    ],
    ids=lambda start: start[:20],
)  # fmt: skip
def test_a_remembered_start_of_another_form_is_none(start: str) -> None:
    kept = json.loads((state_dir() / STORE).read_text(encoding="utf-8"))
    (state_dir() / STORE).write_text(json.dumps(dict.fromkeys(kept, start)), encoding="utf-8")
    assert process_of(FLAGS) is None


def test_nothing_starts_early_with_other_flags() -> None:
    assert process_of(FLAGS | {"effort": "high"}) is None
    assert process_of({}) is None


def test_the_last_starts_are_remembered() -> None:
    for number in range(MOST_STARTS):
        started({"model": str(number)})
    assert process_of(FLAGS) is None
    assert process_of({"model": "0"}) is not None
    assert len(json.loads((state_dir() / STORE).read_text(encoding="utf-8"))) == MOST_STARTS

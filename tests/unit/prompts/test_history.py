"""The file of earlier prompts."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts import history as module
from ccq_tui.prompts.history import PromptHistory, Walk

HERE, THERE = Path("/here"), Path("/there")


def test_this_projects_prompts_come_first_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history.jsonl"
    for project, text in [(HERE, "a"), (THERE, "b"), (HERE, "c"), (HERE, "a"), (THERE, "c"), (THERE, "d\ne")]:
        PromptHistory(path, project).add(text)
    assert PromptHistory(path, HERE).load() == ("a", "c", "d\ne", "b")
    assert PromptHistory(path, THERE).load() == ("d\ne", "c", "b", "a")


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history.jsonl"
    PromptHistory(path, HERE).add("secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_damaged_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history = PromptHistory(path, HERE)
    history.add("before")
    with path.open("ab") as file:
        file.write(
            b'{"text": "ha\n\xff\xfe\n[]\n{"text": 3}\n{"text": "x", "project": 1}\n' + b"[" * 9_000 + b"\n"
        )
    history.add("after")
    assert history.load() == ("after", "before")


def test_nothing_and_too_much_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    PromptHistory(path, HERE).add(" \n")
    PromptHistory(path, HERE).add("x" * (module.LONGEST + 1))
    assert PromptHistory(path, HERE).load() == ()


def test_it_is_made_shorter_and_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 2_000)
    path = tmp_path / "history.jsonl"
    history = PromptHistory(path, HERE)
    for number in range(100):
        history.add(f"prompt {number}")
    assert path.stat().st_size <= 2_000
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = history.load()
    assert kept == tuple(f"prompt {number}" for number in range(99, 99 - len(kept), -1))
    assert len(kept) > 10


def test_several_processes_append_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.jsonl"
    code = (
        "import sys; from pathlib import Path; from ccq_tui.prompts import history\n"
        "history.MOST_BYTES = 20_000\n"
        "mine = history.PromptHistory(Path(sys.argv[1]), Path('/here'))\n"
        "for number in range(100): mine.add(f'{sys.argv[2]} {number} ' + 'x' * 50)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "abc"]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    for line in path.read_bytes().splitlines():
        assert json.loads(line)["project"] == "/here"
    newest = {text.split()[0]: text.split()[1] for text in reversed(PromptHistory(path, HERE).load())}
    assert "99" in newest.values()


def test_a_pipe_in_the_place_of_the_file_is_an_error_and_holds_up_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "history.jsonl")
    history = PromptHistory(tmp_path / "history.jsonl", tmp_path)
    with pytest.raises(OSError, match="is not a file"):
        history.load()
    with pytest.raises(OSError):
        history.add("a prompt")


def test_up_and_down_with_the_draft_as_the_newest() -> None:
    walk = Walk(["second", "first"])
    assert walk.step(1, "draft") == "second"
    assert walk.draft == "draft"
    assert walk.step(1, "second") == "first"
    assert walk.step(1, "first") is None
    assert walk.step(-1, "first") == "second"
    assert walk.step(-1, "second") == "draft"
    assert walk.step(-1, "draft") is None


def test_what_was_changed_on_the_way_stays_until_a_prompt_is_sent() -> None:
    walk = Walk(["second", "first"])
    walk.step(1, "")
    walk.step(1, "second, changed")
    assert walk.step(-1, "first") == "second, changed"
    walk.add("second, changed")
    assert walk.step(1, "") == "second, changed"
    assert walk.step(1, "second, changed") == "second"


def test_a_prompt_sent_again_is_the_newest_and_stands_once() -> None:
    walk = Walk(["b", "a"])
    walk.add("a")
    assert walk.step(1, "") == "a"
    assert walk.step(1, "a") == "b"
    assert walk.step(1, "b") is None


def test_changes_stay_at_their_prompts_when_a_search_adds_one() -> None:
    walk = Walk(["second", "first"])
    assert walk.step(1, "draft") == "second"
    assert walk.step(1, "second, changed") == "first"
    walk.jump("first, changed", "found")
    assert walk.draft == "draft"
    assert walk.step(1, "found") == "second, changed"
    assert walk.step(1, "second, changed") == "first, changed"
    assert walk.step(1, "first, changed") is None
    assert walk.step(-1, "first, changed") == "second, changed"
    assert walk.step(-1, "second, changed") == "found"
    assert walk.step(-1, "found") == "draft"


def test_a_search_before_the_walk_keeps_the_draft() -> None:
    walk = Walk(["first"])
    walk.jump("draft", "found")
    assert walk.step(1, "found, changed") == "first"
    assert walk.step(-1, "first") == "found, changed"
    assert walk.step(-1, "found, changed") == "draft"


@given(st.lists(st.text("ab", min_size=1), unique=True), st.lists(st.sampled_from([1, -1])), st.text("xy"))
def test_the_way_back_ends_at_the_draft(earlier: list[str], steps: list[int], draft: str) -> None:
    walk = Walk(earlier)
    text = draft
    for step in [*steps, *[-1] * len(steps)]:
        text = new if (new := walk.step(step, text)) is not None else text
    assert text == draft


def test_older_prompts_that_come_on_the_way_are_taken_and_others_are_not() -> None:
    walk = Walk(["second"])
    assert walk.step(1, "") == "second"
    walk.remember(["second", "first"])
    assert walk.step(1, "second") == "first"
    walk.remember(["another", "second", "first"])
    assert walk.step(-1, "first") == "second", "not another line under the caret"

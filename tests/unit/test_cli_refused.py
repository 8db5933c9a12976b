"""Answers from the shell that are none: one line that says what would be, and nothing changed."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from ccq_tui.inbox.store.rows import RequestState
from tests.tables import table
from tests.unit.starting import Cli
from tests.unit.stocked import CACHE, FEATURES, asked, stock


@pytest.mark.parametrize(("words", "problem"), table(__file__, "answers_refused.json"))
def test_what_is_no_answer_is_one_line(words: list[str], problem: str, ccq: Cli) -> None:
    stock()
    refused(ccq, ["answer", *words], problem)


def test_json_that_is_no_answer_is_one_line(
    ccq: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stock()
    for name, data, problem in (
        (FEATURES, b'{"answers": [{"other": 4}, {}, {}]}', "the JSON is no answer: answers[0].other: a text"),
        (CACHE, b'{"discuss": "caf\xe9"}', "it cannot be read: 'utf-8' codec can't decode"),
    ):
        for errors in ("strict", "surrogateescape"):  # as in the locales C.UTF-8 and C
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8", errors))
            refused(ccq, ["answer", name, "--json", "-"], problem)
    (tmp_path / "binary").write_bytes(b"\xfd\xfe")
    refused(ccq, ["answer", CACHE, "--json", str(tmp_path / "binary")], "it cannot be read: 'utf-")


def refused(ccq: Cli, words: list[str], problem: str) -> None:
    """Run a command that is refused; nothing may be changed by it."""
    with asked() as store:
        before = store.history.changes()
    told = ccq(*words, code=2)
    assert told.startswith("Error: ")
    assert told.count("\n") == 1
    assert problem in told
    with asked() as store:
        assert store.history.changes() == before
        assert [item.state for item in store.requests.waiting()] == [RequestState.PENDING] * 4


def test_a_prompt_that_begins_like_a_command_is_told_how(ccq: Cli) -> None:
    told = ccq("show", "me", "the", "tests", code=2).splitlines()
    assert "unexpected extra arguments" in told[-2]
    assert told[-1] == "To start a prompt with this word: ccq-tui -- show ..."
    told = ccq("reflect", "on", "the", "tests", code=2).splitlines()
    assert told[-1] == "To start a prompt with this word: ccq-tui -- reflect ..."

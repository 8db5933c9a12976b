"""Answers from the shell that are none: one line that says what would be, and nothing changed."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from ccq_tui.inbox.store.rows import RequestState
from tests.unit.starting import Cli
from tests.unit.stocked import CACHE, FEATURES, FULL, PERMISSION, PLAN, asked, stock


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["nope", "--choose", "1"], "no request has an id that starts with “nope”"),
        ([CACHE], "no answer was given: use --choose, --other, --discuss or --json"),
        (
            [CACHE, "--choose", "4"],
            "question 1: no option 4; there are “Redis (Recommended)”, “SQLite”, “None”: choose",
        ),
        ([CACHE, "--choose", "1,2"], "question 1: the question takes one choice: choose 1 to 3, or --other"),
        ([CACHE, "--choose", "none"], "question 1: the question takes one choice, not none: choose 1"),
        (
            [CACHE, "--choose", "two"],
            '--choose takes numbers of options, as in 2 or 1,3, or "none", not “two”.',
        ),
        ([CACHE, "--choose", ""], "--choose takes numbers"),
        (
            [CACHE, "--choose", "2=1"],
            "--choose names question 2, which does not exist: there is only question 1.",
        ),
        ([CACHE, "--other", " \n"], "question 1: a blank text is no answer."),
        (
            [CACHE, "--note", "x"],
            "question 1: no answer; a note alone is none: choose 1 to 3, or --other TEXT.",
        ),
        ([CACHE, "--discuss", " "], "--discuss: an empty reply says nothing."),
        ([CACHE, "--discuss", "x", "--choose", "1"], "exclude each other"),
        ([CACHE, "--json", "/nowhere"], "/nowhere cannot be read: No such file or directory."),
        (
            [CACHE, "--json", "/dev/zero"],
            "the JSON is no answer: it has more than 5,000,000 bytes: shorten it.",
        ),
        ([CACHE, "--other", "caf\udce9"], "question 1: it holds half of a character"),
        ([CACHE, "--discuss", "caf\udce9"], "--discuss: it holds half of a character"),
        ([PLAN, "--choose", "4", "--note", "\udce9"], "--note: it holds half of a"),
        (
            [FEATURES, "--choose", "1"],
            "--choose needs the question's number, 1 to 3, as in --choose 1=N[,N].",
        ),
        (
            [FEATURES, *FULL, "--note", "short"],
            "--note needs the question's number, 1 to 3, as in --note 1=TEXT.",
        ),
        (
            [FEATURES, *FULL, "--note", "4=x"],
            "--note names question 4, which does not exist: they are 1 to 3.",
        ),
        ([FEATURES, *FULL, "--other", "2=5"], "--other was given twice for question 2: give it once."),
        ([FEATURES, *FULL[:4]], "question 3: no answer: --other takes a text."),
        (
            [FEATURES, *FULL, "--choose", "1=none"],
            "question 1: not together with a selection or a text: choose",
        ),
        (
            [FEATURES, *FULL, "--choose", "3=1"],
            "question 3: no option 1; there are none: --other takes a text.",
        ),
        ([FEATURES, *FULL[:2], "--other", "2=9", *FULL[4:]], "question 2: out of range: 1 to 8."),
        (
            [PERMISSION, "--note", "x"],
            "a permission or a plan takes one choice, and none was given: ccq-tui show",
        ),
        ([PERMISSION, "--choose", "6"], "--choose: a number from 1 to 5 is needed."),
        ([PLAN, "--choose", "1,2"], "takes one choice, and 2 were given: ccq-tui show lists them."),
        ([PLAN, "--choose", "4"], "--note: choice 4 needs your message to Claude."),
        ([PLAN, "--choose", "1", "--note", "x"], "--note: choice 1 takes none; 4 and 5 do."),
        ([PLAN, "--choose", "1", "--other", "x"], "takes --choose N"),
        ([PLAN, "--discuss", "x"], "takes --choose N"),
        ([PLAN, "--choose", "4", "--note", "x", "--note", "y"], "--note was given twice"),
    ],
)
def test_what_is_no_answer_is_one_line(words: list[str], problem: str, ccq: Cli) -> None:
    stock()
    refused(ccq, ["answer", *words], problem)


def test_json_that_is_no_answer_is_one_line(
    ccq: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stock()
    for name, data, problem in (
        (FEATURES, b'{"answers": [{"other": 4}, {}, {}]}', "the JSON is no answer: answers[0].other: a text"),
        (
            PLAN,
            b'{"choice": 4, "choice": 1}',
            "the JSON is no answer: an object has the field “choice” twice.",
        ),
        (FEATURES, b'{"discuss": "%s"}' % (b"x" * 5_000_000), "it has more than 5,000,000 bytes"),
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

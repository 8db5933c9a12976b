"""Answers from the shell that are none: one line that says what would be, and nothing changed."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from ccq_tui.cli import main
from ccq_tui.inbox.store.rows import RequestState
from tests.unit.stocked import CACHE, FEATURES, FULL, PERMISSION, PLAN, asked, stock


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["nope", "--choose", "1"], "no request has an id that starts with “nope”"),
        ([CACHE], "no answer was given: use --choose, --other, --discuss or --json"),
        ([CACHE, "--choose", "4"], "question 1 has no option 4: choose 1 to 3, or --other TEXT."),
        ([CACHE, "--choose", "0"], "question 1 has no option 0"),
        ([CACHE, "--choose", "1,2"], "question 1 takes one choice, not 2: give one."),
        ([CACHE, "--choose", "1", "--other", "x"], "question 1 takes one choice, not 2: give one."),
        ([CACHE, "--choose", "none"], "question 1 takes one choice, not none"),
        (
            [CACHE, "--choose", "two"],
            '--choose takes numbers of options, as in 2 or 1,3, or "none", not “two”.',
        ),
        ([CACHE, "--choose", ""], "--choose takes numbers"),
        (
            [CACHE, "--choose", "2=1"],
            "--choose names question 2, which does not exist: there is only question 1.",
        ),
        ([CACHE, "--other", " \n"], "question 1: an empty text is no answer"),
        ([CACHE, "--other", "\x1b"], "question 1: an empty text is no answer"),
        (
            [CACHE, "--note", "x"],
            "question 1 has no answer: choose 1 to 3, or --other TEXT; a note alone is no answer.",
        ),
        ([CACHE, "--discuss", " "], "the reply is empty: give --discuss a text."),
        ([CACHE, "--discuss", "x", "--choose", "1"], "exclude each other"),
        ([CACHE, "--json", "/nowhere"], "/nowhere cannot be read: No such file or directory."),
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
        ([FEATURES, *FULL[:4]], "question 3 has no answer: it takes a text, by --other."),
        ([FEATURES, *FULL, "--choose", "1=none"], 'question 1 has both "none" and a choice'),
        ([FEATURES, *FULL, "--choose", "3=1"], "question 3 has no options: it takes a text"),
        ([FEATURES, *FULL[:2], "--other", "2=9", *FULL[4:]], "question 2: out of range: 1 to 8."),
        ([FEATURES, *FULL[:2], "--other", "2=1.5", *FULL[4:]], "question 2: not in steps of 1 from 1."),
        (
            [FEATURES, *FULL[:2], "--other", "2=few", *FULL[4:]],
            "question 2: not a number: type one such as 1.",
        ),
        ([PERMISSION, "--note", "x"], "a permission takes one choice, and none was given: choose 1 to 5."),
        ([PERMISSION, "--choose", "6"], "choice 6 does not exist: choose 1 to 5."),
        ([PLAN, "--choose", "1,2"], "a plan takes one choice, and 2 were given: choose 1 to 5."),
        ([PLAN, "--choose", "4"], "choice 4 needs --note TEXT: your message to Claude."),
        ([PLAN, "--choose", "4", "--note", " "], "the note is empty"),
        ([PLAN, "--choose", "1", "--note", "x"], "choice 1 takes no note: choose 4 and 5 to add one."),
        ([PLAN, "--choose", "1", "--other", "x"], "takes --choose N"),
        ([PLAN, "--discuss", "x"], "takes --choose N"),
        ([PLAN, "--choose", "4", "--note", "x", "--note", "y"], "--note was given twice"),
    ],
)
def test_what_is_no_answer_is_one_line(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stock()
    refused(["answer", *words], problem, capsys)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "that is not JSON: Expecting value"),
        ("[" * 100_000, "the JSON is nested too deeply: flatten it"),
        ("[]", "the JSON must be an object, as in"),
        ("{}", 'must have either "answers" or "discuss"'),
        ('{"answers": [], "discuss": "x"}', 'must have either "answers" or "discuss"'),
        ('{"version": 2, "answers": []}', "the version must be 1"),
        ('{"answer": []}', "has an unknown field “answer”"),
        ('{"answers": [{}]}', '"answers" must be a list of 3, one a question'),
        ('{"answers": [1, {}, {}]}', "answers[0] must be an object, or null to leave question 1 open"),
        ('{"answers": [{}, {}, {}]}', "question 1 has no answer"),
        ('{"answers": [{"selected": "Auth"}, {}, {}]}', "answers[0].selected must be a list"),
        (
            '{"answers": [{"selected": ["auth"]}, {}, {}]}',
            "has no option “auth”: its labels are “Auth”, “Logs”, “Search”.",
        ),
        ('{"answers": [{"selected": [true]}, {}, {}]}', "has no option “True”"),
        ('{"answers": [{"selected": [9]}, {}, {}]}', "has no option 9"),
        ('{"answers": [{"empty": "no"}, {}, {}]}', "answers[0].empty must be true or false"),
        ('{"answers": [{"other": 4}, {}, {}]}', "answers[0].other must be a text"),
        ('{"answers": [{"choice": 4}, {}, {}]}', "answers[0] has an unknown field “choice”"),
        ('{"discuss": 4}', "the reply is empty"),
        ('{"answers": [null, null, null]}', "every answer is null: answer one question at least, or use"),
        ('{"discuss": "a", "discuss": "b"}', "has the field “discuss” twice in one object: give it once"),
        (
            '{"answers": [{"selected": [1], "selected": [2]}, {"other": "4"}, {"other": "x"}]}',
            "has the field “selected” twice in one object",
        ),
        ('{"answers": [{"other": "a", "\\u006fther": "b"}, null, null]}', "the field “other” twice"),
        ('{"version": true, "discuss": "x"}', "the version must be 1"),
        ('{"version": NaN, "discuss": "x"}', "the JSON holds NaN, which is not a number: give a finite one"),
        ('{"answers": [{"selected": [-Infinity]}, null, null]}', "the JSON holds -Infinity"),
        ('{"answers": [{"selected": [1e999]}, null, null]}', "has no option “inf”"),
        (f'{{"version": {"9" * 9_999}}}', "the JSON holds a number of more than 100 digits"),
        (f'{{"answers": [{{"selected": [{"9" * 99}]}}, null, null]}}', "has no option “9999"),
        (
            '{"answers": [{"selected": [' + "[" * 200 + "]" * 200 + "]}, null, null]}",
            "answers[0].selected must hold only labels or numbers of options",
        ),
        ('{"answers": [{"selected": [{}]}, null, null]}', "answers[0].selected must hold only labels"),
        ('{"answers": [{"selected": null}, null, null]}', "answers[0].selected must be a list"),
        ('{"discuss": "\\ud83d"}', "the reply holds half of a character"),
        ('{"answers": [{"other": "a\\udc00"}, null, null]}', "the answer to question 1 holds half of a"),
        ('{"answers": [{"selected": [1], "note": "\\ud800"}, null, null]}', "the note on question 1 holds"),
        (f'{{"discuss": "{"x" * 5_000_000}"}}', "- has more than 5,000,000 bytes: shorten it."),
        ("\ufeff{}", "that is not JSON"),
    ],
)
def test_json_of_the_wrong_shape_is_one_line(
    text: str, problem: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stock()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    refused(["answer", FEATURES, "--json", "-"], problem, capsys)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"choice": "1"}',
        '{"choice": true}',
        '{"choice": 3, "note": 1}',
        '{"choice": 1.0}',
        '{"choice": null}',
    ],
)
def test_json_that_is_no_decision_is_one_line(
    text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stock()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    refused(["answer", PLAN, "--json", "-"], 'the JSON must be a decision, as in {"choice": 1}', capsys)


def test_a_file_that_is_no_text_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    stock()
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    refused(
        ["answer", CACHE, "--json", str(tmp_path / "binary")], "is not UTF-8 text: save it as UTF-8.", capsys
    )


def test_input_that_is_no_text_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stock()
    for errors in ("strict", "surrogateescape"):  # as in the locales C.UTF-8 and C
        data = io.BytesIO(b'{"discuss": "caf\xe9"}')
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data, "utf-8", errors))
        refused(["answer", CACHE, "--json", "-"], "- is not UTF-8 text: save it as UTF-8.", capsys)
    refused(["answer", CACHE, "--other", "caf\udce9"], "the answer to question 1 holds half of", capsys)
    refused(["answer", CACHE, "--discuss", "caf\udce9"], "the reply holds half of a character", capsys)
    refused(["answer", PLAN, "--choose", "4", "--note", "\udce9"], "the note holds half of a", capsys)


def test_input_without_an_end_is_not_read_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    stock()
    refused(
        ["answer", CACHE, "--json", "/dev/zero"],
        "/dev/zero has more than 5,000,000 bytes: shorten it.",
        capsys,
    )


def test_two_decisions_in_one_object_are_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stock()
    text = b'{"choice": 4, "choice": 1}'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    refused(["answer", PLAN, "--json", "-"], "the field “choice” twice in one object", capsys)


def refused(words: list[str], problem: str, capsys: pytest.CaptureFixture[str], code: int = 2) -> None:
    """Run a command that is refused; nothing may be changed by it."""
    with asked() as store:
        before = store.history.changes()
    assert main(words) == code
    out, told = capsys.readouterr()
    assert out == ""
    assert told.startswith("Error: ")
    assert told.count("\n") == 1
    assert problem in told
    with asked() as store:
        assert store.history.changes() == before
        assert [item.state for item in store.requests.waiting()] == [RequestState.PENDING] * 4


def test_a_prompt_that_begins_like_a_command_is_told_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "me", "the", "tests"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert "unexpected extra arguments" in told[-2]
    assert told[-1] == "To start a prompt with this word: ccq-tui -- show ..."

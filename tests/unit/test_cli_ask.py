"""``ccq-tui ask`` without a screen: by lines, given answers or the inbox, and as docs/ask.md shows it."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from subprocess import PIPE
from typing import Any, TextIO

import pytest

from ccq_tui.bridges.terminal.screen import Screen
from ccq_tui.cli import main
from ccq_tui.cli.ask import DECLINED, first_frame, goes_by_lines
from ccq_tui.cli.exits import ENDED
from ccq_tui.forms.reading import form_of
from ccq_tui.inbox.kinds import reply_to
from ccq_tui.inbox.requests import Asker, ElicitationRequest, FormRequest, Origin, RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.questions import Answer, Answered, Declined, Dismissed, QuestionSet
from tests.actors import PHONE
from tests.processes import codes, program
from tests.tables import table
from tests.ten import VALUES, check_record, records, write_ten
from tests.unit.questions.drive import RELEASE
from tests.unit.starting import Cli
from tests.unit.stocked import RUNNING, asked, stock

QUESTION = {"id": "q", "text": "Which one?", "kind": "choice", "options": ["Old", *map(str, range(20))]}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@contextmanager
def asking(
    *words: str, code: int, lines: str | None = None, first: Callable[[], object] = bool
) -> Iterator[tuple[TextIO, TextIO]]:
    """Ask in a copy of this process, after something ``first``; yield its output, and what it says.

    Without lines, its input is a pipe that says nothing, and stays open.
    """
    (reads, writes), (out, answers), (err, says) = os.pipe(), os.pipe(), os.pipe()

    child = program("ask", *words, stdin=reads, stdout=answers, stderr=says, first=first)
    for end in (reads, answers, says):
        os.close(end)
    with os.fdopen(writes, "w") as stdin, os.fdopen(out) as stdout, os.fdopen(err) as stderr:
        if lines is not None:
            stdin.write(lines)
            stdin.close()
        yield stdout, stderr
        assert codes(child) == [code]


def run(*words: str, code: int = ENDED, lines: str = "") -> tuple[str, str]:
    """Return what is printed and said where all lines are there."""
    with asking(*words, code=code, lines=lines) as (stdout, stderr):
        return stdout.read(), stderr.read()


def test_given_answers_and_records_make_the_same_record(tmp_path: Path) -> None:
    form = [str(write_ten(tmp_path)), "--context", "commit=1a2b3c"]
    (tmp_path / "given.json").write_text(json.dumps(VALUES), encoding="utf-8")
    assert run(*form, "--answers", "given.json", "--no-input", "--output", "new.json") == ("", "")
    (record,) = records(tmp_path / "new.json")
    check_record(record)
    check_record(json.loads(run(*form, "--answers", "-", "--no-input", lines=json.dumps(record))[0]))


@pytest.mark.parametrize("question", [True, False])
@pytest.mark.parametrize("lines", [None, "", "2\n"])
def test_piped_lines_are_answers_and_without_any_it_waits_in_the_inbox(
    tmp_path: Path, ccq: Cli, lines: str | None, *, question: bool
) -> None:
    form = ["Which?", "--option", "a", "--option", "b", "--json"] if question else [str(write_ten(tmp_path))]
    code = ENDED if question else DECLINED
    with asking(*form, "--timeout", "1m", code=code, lines=lines) as (stdout, stderr):
        notice = next((line for line in stderr if "waits in the inbox" in line), "")
        assert (notice == "") == (question and bool(lines))
        if notice:
            call, *flags = notice.split("ccq-tui answer ")[1].split()
            name = "Which?" if question else "Ten questions"
            assert notice.startswith(f"“{name}” waits in the inbox for ")
            how = (
                ["--choose", "NUMBER"]
                if question
                else f"with the flags that ccq-tui show {call} lists".split()
            )
            assert ("A script" in ccq("inbox"), flags) == (question, how)
            ccq(*(("answer", call, "--choose", "2") if question else ("decline", call)))
        shown = stderr.read()
        assert not question or json.loads(stdout.read())["answers"]["answer"]["label"] == "b"
    how = "Answered by ccq-tui answer.\n" if question else "Declined by ccq-tui decline.\n"
    assert lines is None or shown == how * bool(notice), "no other line"


def test_those_that_ask_the_same_at_once_get_their_own_answers_and_records(tmp_path: Path) -> None:
    Path("given.toml").write_text("answer = 'given'\n", encoding="utf-8")
    import_module("ccq_tui.forms.filling")  # once for all
    gate, opening = os.pipe()

    def wait_for_all() -> None:
        os.close(opening)
        os.read(gate, 1)  # nothing comes but its end

    ways = [["--detach"]] * 8 + [["--answers", "given.toml", "--no-input"]] * 4
    words = ("What?", "--text", "--output", "out.jsonl")
    with ExitStack() as stack:
        askers = [stack.enter_context(asking(*words, *way, code=ENDED, first=wait_for_all)) for way in ways]
        os.close(opening)
        for number, (_, stderr) in enumerate(askers[:8]):
            out = stderr.readline()
            assert out.startswith("“What?” waits in the inbox until it is answered. To answer: ")
            with asked() as store:
                (request,) = store.ids.requests_of(out.split()[-3])
                store.requests.settle(request, Answered((Answer(other=str(number)),)), PHONE)
        wanted = [*map(str, range(8)), *["given"] * 4]
        assert [stdout.read().strip() for stdout, _ in askers] == wanted
    os.close(gate)
    found = records(tmp_path / "out.jsonl")
    assert sorted(one["answers"]["answer"]["value"] for one in found) == wanted
    assert len({one["id"] for one in found}) == 12
    with asked() as store:
        assert len(store.history.changes(limit=100)) == 8 * 3, "--no-input makes no request"


@pytest.mark.parametrize("given", ["0", "1"])
def test_a_screen_reader_is_asked_line_by_line(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setattr("ccq_tui.cli.ask.has_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("CCQ_SCREEN_READER", given)
    assert goes_by_lines(plain=False) == (given == "1")


@pytest.mark.parametrize(
    ("words", "lines", "printed"), table(__file__, "cli_ask.json")["one_question_prints_its_answer"]
)
def test_one_question_prints_its_answer(words: str, lines: str, printed: str | int) -> None:
    code, wanted = (printed, "") if isinstance(printed, int) else (ENDED, printed)
    out, err = run("Deploy?", *words.split(), "--plain", code=code, lines=lines)
    assert out == wanted
    assert "a b" not in err


def test_a_crash_of_a_confirmation_is_no_answer(ccq: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_words: object) -> None:
        raise RuntimeError("broke")

    monkeypatch.setattr("ccq_tui.forms.filling.request_of", crash)
    assert "crashed: RuntimeError: broke" in ccq("ask", "--confirm", "Deploy?", code=70)
    assert "exclude each other" in ccq("ask", "--confirm", "--text", "Deploy?", code=2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_an_answer_that_cannot_be_printed_is_kept_for_the_same_question(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("never\n")
    with Path("/dev/full").open("w") as full, Path("lines").open() as lines, Path("said").open("w") as text:
        files = {"stdin": lines.fileno(), "stdout": full.fileno(), "stderr": text.fileno()}
        assert codes(program("ask", "Deploy?", "--text", **files)) == [2]
    assert "standard output was not written: No space" in Path("said").read_text()
    assert run("Deploy?", "--text")[0] == "never\n"


def test_a_closed_standard_output_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    asking = f"{sys.executable} -m ccq_tui ask Deploy? --text --default x --defaults --no-input >&-"
    done = subprocess.run(["sh", "-c", asking], cwd=tmp_path, stderr=PIPE, text=True, timeout=60)
    assert (done.returncode, "standard output is closed; name a file" in done.stderr) == (2, True)


@pytest.mark.parametrize("words", ["-", "x --option -", "x --text --answers - --no-input"])
def test_what_stands_for_a_closed_standard_input_is_refused(
    ccq: Cli, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is closed: name a file" in ccq("ask", *words.split(), code=2)


def test_what_cannot_be_asked_or_written_is_refused_before_anybody_is_asked(ccq: Cli, tmp_path: Path) -> None:
    form = str(write_ten(tmp_path))
    (tmp_path / "day.toml").write_text("answer = 2026-02-28\n", encoding="utf-8")
    given = ("--answers", str(tmp_path / "day.toml"), "--no-input")
    assert ccq("ask", "When?", "--date", *given) == "2026-02-28\n", "a date of TOML needs no quotes"
    bad = tmp_path / "bad.json"
    bad.write_text('{"hours": 99, "kind": "new", "size": 1}', encoding="utf-8")
    (tmp_path / "some.toml").write_text('kind = "fix"\n', encoding="utf-8")
    for words, text in table(__file__, "cli_ask.json")["refused"]:
        words = [one.replace("FORM", form).replace("TMP", str(tmp_path)) for one in words]
        assert text in ccq("ask", *words, code=2), words
    problem = ccq("ask", form, "--answers", str(bad), code=2)
    for text in ("kind: ", "Feature", "hours: ", "0 to 40", "size: no question has this id"):
        assert text in problem
    with asked() as store:
        assert store.history.changes() == []


def test_what_is_proposed_is_taken_on_demand_alone(tmp_path: Path) -> None:
    questions = [
        {"id": "a", "text": "A?", "kind": "choice", "options": ["one", "two"], "default": "two"},
        {"id": "n", "text": "N?", "kind": "number", "default": 3},
        {"id": "z", "text": "Z?", "kind": "text", "required": False, "default": "zz"},
    ]
    (tmp_path / "d.json").write_text(json.dumps({"id": "d", "questions": questions}), encoding="utf-8")
    for given, flags, values in (
        ({"a": "one"}, (), "--answers lacks n (--defaults takes 3)."),
        ({"a": "one", "n": 4}, (), ["one", 4, None]),
        ({"a": "one"}, ("--defaults",), ["one", 3, "zz"]),
        ({}, ("--defaults",), ["two", 3, "zz"]),
    ):
        code, lines = 2 if isinstance(values, str) else ENDED, json.dumps(given)
        out, err = run("d.json", "--answers", "-", "--no-input", *flags, code=code, lines=lines)
        if isinstance(values, str):
            assert values in err
        else:
            answers = json.loads(out)["answers"]
            assert [answers[name] and answers[name]["value"] for name in "anz"] == values


def test_the_first_frame_has_the_question_in_front_harmless_and_within_the_screen() -> None:
    form = form_of({"id": "f", "title": "T\x1b[31m", "description": "About\nit", "questions": [QUESTION]})
    frame = first_frame(form.questions, {"commit": "x" * 200}, 40, 12)
    screen = Screen(40, 12)
    screen.take(frame.encode())
    lines = [line.strip() for line in screen.display]
    assert [lines[0], lines[1], lines[3], lines[4]] == ["About", "it", "Which one?", "○ 1  Old"]
    assert "31m" in lines[2], "a control sequence is shown, not obeyed"
    assert lines[11] == "", "a long list ends above the last line"
    assert "Which" not in first_frame(form.questions, {}, 40, 12, tab=1), "a draft may open at its review"


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "count": {"type": "integer", "minimum": 1, "default": 3},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "maxItems": 2},
    },
    "required": ["name"],
}


def put(**more: Any) -> None:
    """Fill the inbox, a form among what waits."""
    stock()
    with asked() as store:
        given = {"schema": SCHEMA} | more
        store.requests.add(ElicitationRequest("elicitation_1", RUNNING, "deploy", "Details?", **given))


def stored(request: str = f"elicitation_1@{RUNNING}") -> StoredRequest:
    with asked() as store:
        found = store.requests.get(request)
    assert found is not None
    return found


def content(outcome: RequestOutcome | None) -> Any:
    assert outcome is not None
    return reply_to(stored().request, outcome, {}).input


def test_a_form_is_listed_and_shown(capsys: pytest.CaptureFixture[str], ccq: Cli) -> None:
    put()
    assert "deploy: Details?" in ccq("inbox")
    out = ccq("show", "elicitation_1")
    assert "Kind     elicitation" in out
    for line in (
        "deploy asks: Details?",
        "1  Your name (a text, at least 2 characters)",
        "2  count (a whole number, at least 1 · optional · proposed: 3)",
        "3  sure (choose one · optional)",
        "4  tags (at most 2 options · optional)",
        "To answer: ccq-tui answer elicitation_1",
        "ccq-tui decline elicitation_1 --dismiss",
    ):
        assert line in out, line
    assert main(["show", "elicitation_1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["request"]
    assert (record["kind"], record["server"], record["mode"]) == ("elicitation", "deploy", "form")
    assert record["requested_schema"] == SCHEMA
    assert [one["text"] for one in record["questions"]] == ["Your name", "count", "sure", "tags"]


def test_a_form_is_filled_in_by_flags(ccq: Cli) -> None:
    put()
    for words, problem in (
        ("--other 1=A", "question 1: Your name: too short: at least 2 characters, not 1"),
        ("--choose 3=1", "question 1: no answer: --other takes a text, at least 2 characters."),
        (
            "--other 1=Ada --other 3=no",
            "question 3: sure: it takes one of its options, and no text of your own",
        ),
        ("--other 1=Ada --choose 4=1,2,3", "choose at most 2, not 3"),
        ("--discuss why?", ""),
    ):
        assert problem in ccq("answer", "elicitation_1", *words.split(), code=2)
    assert stored().outcome is None
    words = "--other 1=Ada --other 2=5 --choose 3=2 --choose 4=1,3"
    assert "elicitation_1: answered: Ada · 5 · No · x, z." in ccq("answer", "elicitation_1", *words.split())
    assert content(stored().outcome) == {"name": "Ada", "count": 5, "sure": False, "tags": ["x", "z"]}


def test_values_in_json_are_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    put()
    values = {"name": "Ada", "count": 5, "sure": True, "tags": []}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps({"content": values}).encode())))
    assert main(["answer", "elicitation_1", "--json", "-"]) == 0
    assert content(stored().outcome) == values


@pytest.mark.parametrize(
    ("flags", "outcome", "state"), [([], Declined(), "declined"), (["--dismiss"], Dismissed(), "dismissed")]
)
def test_a_form_is_declined_or_dismissed(
    flags: list[str], outcome: RequestOutcome, state: str, capsys: pytest.CaptureFixture[str], ccq: Cli
) -> None:
    put(schema={"type": "array"})
    assert main(["answer", "elicitation_1", "--choose", "1"]) == 2
    assert (
        "it cannot be filled in: its schema is not that of an object; decline or dismiss"
        in capsys.readouterr().err
    )
    assert f"elicitation_1: {state}." in ccq("decline", "elicitation_1", *flags)
    assert (stored().outcome, stored().state) == (outcome, state)
    assert main(["history", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"][-1]["to"] == state
    assert state.capitalize() in ccq("show", "elicitation_1")


def test_nothing_but_a_form_is_dismissed(ccq: Cli) -> None:
    put()
    assert "cannot end as “dismissed”" in ccq("decline", "toolu_01C", "--dismiss", code=2)


def test_a_link_is_accepted_and_printed(ccq: Cli) -> None:
    put(schema={}, url="https://example.com/a", host="example.com")
    assert "It leads to example.com" in ccq("show", "elicitation_1")
    assert "Open it yourself: https://example.com/a" in ccq("answer", "elicitation_1", "--choose", "1")


FORM = FormRequest(
    "form_1",
    "release",
    QuestionSet("release", RELEASE, "Release notes", intro="For 1.0", is_form=True),
    context={"version": "1.0"},
    origin=Origin(Asker.FORM, "release"),
)


@pytest.fixture(name="form")
def _form() -> None:
    with asked() as store:
        store.requests.add(FORM)


@pytest.mark.usefixtures("form")
def test_a_form_of_ours_is_shown_with_its_conditions(capsys: pytest.CaptureFixture[str], ccq: Cli) -> None:
    assert "Release notes" in ccq("inbox")
    out = ccq("show", "form_1")
    for line in (
        "\n\nRelease notes\n  For 1.0\n  version: 1.0",
        "1  Kind (choose one)",
        "2  Why (a text · asked only where the answer to 1 is “Major”)",
        "3  How sure (a number · optional · asked only where the answer to 2 has “api”)",
        "4  Notes (a text · optional)",
        "To answer: ccq-tui answer form_1",
        "ccq-tui decline form_1 --dismiss",
    ):
        assert line in out, line
    assert main(["show", "form_1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["request"]
    assert (record["kind"], record["about"]) == ("form", {"version": "1.0"})
    kind, why, sure, notes = record["questions"]
    assert [one["required"] for one in record["questions"]] == [True, True, False, False]
    assert (why["when"], sure["when"]) == (
        {"question": 1, "equals": "Major", "options": [1]},
        {"question": 2, "contains": "api"},
    )
    assert ("when" in kind, notes["allowed"]) == (False, "optional")


@pytest.mark.usefixtures("form")
def test_a_form_of_ours_takes_answers_to_what_it_asks_alone(ccq: Cli) -> None:
    for words, problem in (
        ("--other 2=because", "question 1: no answer: choose 1 to 2."),
        ("--choose 1=1", "question 2: Why: the form needs this: --other takes a text."),
        ("--choose 1=2 --other 2=x", "question 2: Why: it is not asked, given the answers before it"),
        ("--choose 1=1 --other 2=x --other 3=5", "question 3: How sure: it is not asked"),
        ("--choose 1=1 --other 2=api --other 3=many", "question 3: How sure: not a number"),
        ("--choose 1=2 --note 1=well", "question 1: Kind: a form takes no notes"),
    ):
        assert problem in ccq("answer", "form_1", *words.split(), code=2), words
    assert stored(FORM.id).outcome is None
    words = "--choose 1=1 --other 2=api --other 3=N/A --other 4=skip"
    assert "form_1: answered: Major · api." in ccq("answer", "form_1", *words.split())
    assert stored(FORM.id).outcome == Answered((Answer(("Major",)), Answer(other="api"), Answer(), Answer()))
    assert "4  Notes (a text · optional)\n   → skipped" in ccq("show", "form_1")

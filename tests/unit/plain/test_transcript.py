"""What a transcript prints: each thing once, with its label, and tables as sentences."""

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Allowed, PermissionRequest, PlanRequest, QuestionRequest
from ccq_tui.plain.lines import Lines
from ccq_tui.plain.session import PlainPrompt
from ccq_tui.plain.tables import as_sentences
from ccq_tui.plain.transcript import MOST_PAST, PlainTranscript
from ccq_tui.prompts.unread import PromptDraft
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.questions.wire import answers_as_message
from ccq_tui.transcript.model import TranscriptModel
from tests.tables import each_row

ME, OTHER = Actor.here(Surface.PANEL), Actor.here(Surface.COMMAND, "ccq-tui answer")
FIRST = ev.BlockKey("m", 0)
TEXT = ev.BlockKind.TEXT
WHICH = Question("Which?", "Which", (Option("A", "first"), Option("B")))
ASKED = QuestionRequest("q1", "s", QuestionSet("q1", (WHICH,)))
EDIT = {"file_path": "/work/a.py", "old_string": "x = 1", "new_string": "x = 2"}
TASKS = {"todos": [{"content": "Read", "status": "completed"}, {"content": "Write", "status": "pending"}]}


def printed(
    capsys: pytest.CaptureFixture[str], *events: ev.AgentEvent, actor: Actor | None = ME, folded: bool = True
) -> list[str]:
    """Print events; return the lines."""
    model = TranscriptModel()
    model.set_folds(folded=folded)
    transcript = PlainTranscript(model, Lines(), actor)
    for event in events:
        transcript.apply(event)
    return capsys.readouterr().out.splitlines()


def test_a_text_is_printed_part_by_part_and_a_broken_one_anew(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(
        capsys,
        ev.BlockGrew(FIRST, TEXT, "One.\n\n"),
        ev.BlockGrew(FIRST, TEXT, "Two.\n\nThr"),
        ev.BlockDropped(FIRST),
        ev.BlockGrew(FIRST, TEXT, "Again"),
        ev.BlockFinished(FIRST, TEXT, "Again.\n\nnote: forged\nmore"),
    ) == ["claude: One.", "claude: Again.", "claude: note: forged", "  more"]


def test_thinking_and_subagents_are_for_who_wants_all(capsys: pytest.CaptureFixture[str]) -> None:
    events = [
        ev.BlockFinished(FIRST, ev.BlockKind.THINKING, "Hm."),
        ev.ToolStarted("t", "Agent", {"description": "Look"}),
        ev.BlockFinished(ev.BlockKey("n", 0, "t"), TEXT, "Inside."),
    ]
    assert printed(capsys, *events) == ["tool: Agent Look"]
    assert printed(capsys, *events, folded=False) == ["thinking: Hm.", "tool: Agent Look", "claude: Inside."]


@each_row(
    ("Bash", {"command": "ls"}, "a\nb", False, ["tool: done", "  a", "  b"]),
    ("Bash", {"command": "ls"}, "Exit code 2\nno\nsuch", True, ["tool error: exit code 2", "  no", "  such"]),
    ("Read", {"file_path": "/work/a"}, "1\n2\n3", False, ["tool: 3 lines"]),
    ("Edit", EDIT, "done", False, ["tool: +1 −1", "  - x = 1", "  + x = 2"]),
    ("TodoWrite", TASKS, "ok", False, ["tool: done", "  done: Read", "  to do: Write"]),
)
def test_a_call_is_printed_as_it_begins_and_ends(
    tool: str,
    given: dict[str, object],
    output: str,
    is_error: bool,
    lines: list[str],
    *,
    capsys: pytest.CaptureFixture[str],
) -> None:
    events = ev.ToolStarted("t", tool, given), ev.ToolFinished("t", tool, output, is_error=is_error)
    begun, *ended = printed(capsys, *events)
    assert begun.startswith(f"tool: {tool}")
    assert ended == lines


def test_calls_beside_each_other_are_named_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(
        capsys,
        ev.ToolStarted("a", "Bash", {"command": "one"}),
        ev.ToolStarted("b", "Bash", {"command": "two"}),
        ev.ToolFinished("a", "Bash", "1"),
    ) == ["tool: Bash one", "tool: Bash two", "tool: Bash one: 1"]


def test_only_what_was_decided_elsewhere_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    asked, outcome = ev.RequestAsked(ASKED), Answered((Answer(("A",), note="soon"),))
    assert printed(capsys, asked, ev.RequestSettled("q1@s", outcome, ME)) == []
    head, *lines = printed(capsys, asked, ev.RequestSettled("q1@s", outcome, OTHER))
    assert head.startswith("questions: answered by ccq-tui answer ")
    assert lines == ["  1. Which?", "     A", "     Note: soon"], "read, not drawn"
    assert printed(capsys, ev.PromptAccepted(answers_as_message(ASKED.questions, outcome))) == []
    plan = PlanRequest("p1", "s", "# Move it")
    permission = PermissionRequest("b1", "s", "Bash", {"command": "ls"})
    out = printed(
        capsys,
        ev.RequestAsked(plan),
        ev.RequestSettled("p1@s", Allowed(), OTHER),
        ev.RequestAsked(permission),
        ev.RequestSettled("b1@s", Allowed(), OTHER),
    )
    assert out[0].startswith("plan: approved by ccq-tui answer ")
    assert out[1:] == ["permission: Bash ls: allowed once by ccq-tui answer"]


def test_a_recording_has_what_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    past = ev.HistoryLoaded((ev.RequestAsked(ASKED),), goes_on=True)
    out = printed(capsys, past, actor=None)
    assert out == ["questions: waiting for you", "  1. Which?", "     1. A", "     2. B"]
    assert printed(capsys, past) == [], "a dialog asks it"


@pytest.mark.parametrize(("is_error", "became"), [(False, "approved"), (True, "not approved")])
def test_a_plan_of_the_past_is_read(capsys: pytest.CaptureFixture[str], is_error: bool, became: str) -> None:
    call = ev.ToolStarted("p", "ExitPlanMode", {"plan": "# Move it\n\n1. Copy"})
    past = ev.HistoryLoaded((call, ev.ToolFinished("p", "ExitPlanMode", "So be it.", is_error=is_error)))
    assert printed(capsys, past) == [f"plan: {became}", "  # Move it", "", "  1. Copy"]


def test_a_long_past_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    prompts = tuple(ev.PromptAccepted(f"prompt {number}") for number in range(MOST_PAST + 2))
    out = printed(capsys, ev.HistoryLoaded(prompts), ev.HistoryLoaded(prompts, older=True))
    assert out[0] == "note: 2 earlier messages left out: ccq-tui export has them."
    assert out[1:] == [f"you: prompt {number}" for number in range(2, MOST_PAST + 2)]
    assert len(printed(capsys, ev.HistoryLoaded(prompts), actor=None)) == MOST_PAST + 2


def test_a_prompt_that_comes_back_waits_to_be_sent(capsys: pytest.CaptureFixture[str]) -> None:
    prompt = PlainPrompt(Lines())
    prompt.put_back("/model ")
    prompt.restore(PromptDraft("typed"))
    prompt.put_back("sent")
    assert capsys.readouterr().out.splitlines() == [
        "note: This text was not sent; /send sends it: typed",
        "note: This text was not sent; /send sends it: sent",
        "  typed",
    ]
    assert (prompt.take(), prompt.take()) == ("sent\ntyped", "")


MARKDOWN = r"""Before:
| Name | Size |  |
|:-----|-----:|--|
| a\|b | 3 kB | new |
| c    |      |
no | table

~~~
| a | b |
|---|---|
~~~~
One | Two
--- | ---
1. | 2."""


def test_a_row_is_a_line_of_sentences() -> None:
    assert as_sentences(MARKDOWN).split("\n") == [
        "Before:",
        "Name: a|b. Size: 3 kB. new.",
        "Name: c.",
        "Name: no. Size: table.",
        "",
        "~~~",
        "| a | b |",
        "|---|---|",
        "~~~~",
        "One: 1. Two: 2.",
    ]

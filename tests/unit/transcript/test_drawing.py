"""What is drawn: every block, at every width, with nothing of the model's but visible text."""

import asyncio
import re
import threading
from collections.abc import Iterator
from datetime import datetime
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.agent_texts import EXPIRED, PROCEED
from ccq_tui.inbox.file_diff import BREAK, DiffLine, counts
from ccq_tui.inbox.requests import (
    Cancelled,
    Denied,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    RequestOutcome,
)
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Kind, Option, Question, QuestionSet
from ccq_tui.transcript.bodies import CHANGE_LINES, Diff, edit_diff
from ccq_tui.transcript.document import is_safe_url
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript import code
from ccq_tui.widgets.transcript.code import ORIGIN, Colours, Lexers
from ccq_tui.widgets.transcript.layout import Layout
from ccq_tui.widgets.transcript.painter import Painter, _differing
from ccq_tui.widgets.transcript.pen import Pen
from tests.actors import ELSEWHERE, INBOX, PANEL, PHONE
from tests.tables import each_row

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
HOSTILE = (
    "\x1b[2J\x1b]8;;http://evil\x07[@click=app.quit]x[/] [bold]b[/bold] \u202eabc\u2066 \x9b31m \ud800 \x00\r"
)
NOON = datetime(2025, 1, 2, 12, 5)


def painter() -> Painter:
    return Painter(Pen(Colours(Style.parse("white on black"), lambda _name: Style.parse("red"))))


def drawn(model: TranscriptModel, width: int = 60) -> list[Strip]:
    layout = Layout(model.blocks, painter().draw)
    layout.width = width
    for block in model.blocks:
        document = getattr(block, "document", None)
        while document is not None and document.split():
            pass
    change = model.tick()
    layout.sync(change)
    strips = []
    for index in range(len(model.blocks)):
        for part in range(layout.parts(index)):
            strips.extend(layout.strips(index, part))
    return strips


def shown(model: TranscriptModel, width: int = 60) -> str:
    return "\n".join(strip.text.rstrip() for strip in drawn(model, width))


def markdown(text: str, width: int = 60) -> str:
    return "\n".join(strip.text.rstrip() for strip in painter().pen.markdown(text, width))


def model() -> TranscriptModel:
    return TranscriptModel(lambda: 0.0, lambda: NOON)


def asked(outcome: RequestOutcome | None, *questions: Question) -> TranscriptModel:
    data = model()
    data.apply(ev.RequestAsked(QuestionRequest("q", "s", QuestionSet("q", questions))))
    if outcome is not None:
        data.apply(ev.RequestSettled("q@s", outcome))
    return data


PICK = Question("Which database?", "Database", (Option("SQLite (Recommended)"), Option("DuckDB")))
MANY = Question("Which features?", "Features", (Option("Auth"), Option("Logs")), multi_select=True)
COUNT = Question("How many?", "Workers", kind=Kind.NUMBER, unit="processes")


@each_row(
    (Answered((Answer(("DuckDB",)),)), PANEL, "you answered 12:05"),
    (Answered((Answer(("DuckDB",)),)), PHONE, "answered on phone 12:05"),
    (Answered((Answer(("DuckDB",)),)), Actor(Surface.PROGRAM, "a\x1b[2J\u202eb"), "answered by a␛[2J"),
    (Answered((Answer(other="mine"),)), PANEL, "you wrote 12:05"),
    (Answered((Answer(other="mine"),)), None, " · answered 12:05"),
    (Discussed("why?"), INBOX, "discussed in the inbox 12:05"),
    (Answered((Answer(("DuckDB",)),)), ELSEWHERE, "answered in another terminal 12:05"),
    (Declined(), Actor(Surface.HOOK), "declined by a hook 12:05"),
    (Cancelled("interrupted"), WITHDRAWN, "cancelled: interrupted · 12:05"),
)
def test_who_answered_is_told_unless_it_was_this_panel(
    outcome: RequestOutcome, actor: Actor | None, words: str
) -> None:
    data = asked(None, PICK)
    data.apply(ev.RequestSettled("q@s", outcome, actor))
    text = shown(data, 100)
    assert words in text
    assert not FORBIDDEN.search(text.replace("\n", ""))


def test_an_answered_question_shows_every_option_and_the_answer() -> None:
    answers = (
        Answer(("SQLite (Recommended)",), note="keep it small", unselected="two\nlines"),
        Answer(("Logs",), other="Metrics, later"),
        Answer(other="4"),
    )
    assert shown(asked(Answered(answers), PICK, MANY, COUNT)) == "\n".join(
        [
            "✔ Claude asked 3 questions · answered 12:05",
            "  Which database?",
            "    ● SQLite  ○ DuckDB",
            "    typed, not selected: two",
            "                         lines",
            "    ✎ keep it small",
            "",
            "  Which features?",
            "    ◼ Logs · “Metrics, later”  ◻ Auth",
            "",
            "  How many?",
            "    → 4 processes",
        ]
    )


@each_row(
    (None, "◆ Claude asks · Database · waiting for you"),
    (Discussed("let us talk\nfirst"), "discussed 12:05"),
    (Declined(), "declined 12:05 · Ctrl+O"),
    (Cancelled("turn interrupted"), "cancelled: turn interrupted · 12:05 · Ctrl+O"),
    (Answered((Answer(),)), "– no answer"),
    (Answered((Answer(empty=True),)), "→ none of these"),
)
def test_other_ends_of_a_question(outcome: RequestOutcome | None, words: str) -> None:
    data = asked(outcome, PICK)
    text = shown(data, 100)
    assert words in text
    answered = isinstance(outcome, Answered | Discussed)
    assert ("○ SQLite" in text) == answered, "while it waits, the panel shows the options"
    assert (text.count("\n") > 0) == answered
    if isinstance(outcome, Discussed):
        assert "  » let us talk\n    first" in text
    data.set_folds(folded=False)
    assert ("○ SQLite · DuckDB" in shown(data)) == (outcome is not None)


def test_a_discussion_shows_what_went_along_with_it() -> None:
    besides = (Answer(("DuckDB",), note="small", unselected="Oracle"), Answer(other="4"))
    assert shown(asked(Discussed("why?", besides), PICK, COUNT)) == "\n".join(
        [
            "✔ Claude asked 2 questions · discussed 12:05",
            "  Which database?",
            "    ● DuckDB  ○ SQLite",
            "    typed, not selected: Oracle",
            "    ✎ small",
            "",
            "  How many?",
            "    → 4 processes",
            "  » why?",
        ]
    )


def test_long_words_of_the_person_fold_as_a_prompt_does() -> None:
    long = "\n".join(f"line {number}" for number in range(30))
    lines = [*(f"line {number}" for number in range(5)), "… 22 more lines · Ctrl+O", "line 27", "line 28"]
    for outcome, sign, head, tail in (
        (Answered((Answer(other=long),)), "    ● “", 2, ["      line 29”", "      ○ SQLite · DuckDB"]),
        (Answered((Answer(("DuckDB",), note=long),)), "    ✎ ", 3, ["      line 29"]),
        (Discussed(long), "  » ", 3, ["    line 29"]),
    ):
        data = asked(outcome, PICK)
        indent = tail[0][: -len(tail[0].lstrip())]
        folded = [sign + lines[0], *(indent + line for line in lines[1:]), *tail]
        assert shown(data).split("\n")[head:] == folded
        data.set_folds(folded=False)
        assert shown(data).count("line ") == 30


@pytest.mark.parametrize(
    ("output", "failed", "words"),
    [
        (
            f"The user responded: {PROCEED}",
            False,
            "not asked: the question rounds of this session are used up",
        ),
        (EXPIRED, True, "no answer: nobody answered in time"),
    ],
)
def test_a_set_that_nobody_was_asked_is_a_card_with_the_reason(
    data: TranscriptModel, output: str, failed: bool, words: str
) -> None:
    asks = {"questions": [{"question": "Which?", "header": "W", "options": [{"label": "A"}, {"label": "B"}]}]}
    data.apply(ev.ToolStarted("q", "AskUserQuestion", asks))
    data.apply(ev.ToolFinished("q", "AskUserQuestion", output, failed))
    assert shown(data, 100) == f"■ Claude asked · W · {words} · 12:05 · Ctrl+O"
    data.set_folds(folded=False)
    assert shown(data, 100).split("\n")[1:] == ["  Which?", "    ○ A · B"]


def test_a_call_that_was_rejected_is_one_line(data: TranscriptModel) -> None:
    asks = {"questions": [{"question": "Which?\nof them", "options": []}]}
    data.apply(ev.ToolStarted("q", "AskUserQuestion", asks))
    data.apply(ev.ToolFinished("q", "AskUserQuestion", "<tool_use_error>InputValidationError: x\ny", True))
    assert shown(data, 90) == "✖ AskUserQuestion Which? · InputValidationError: x"


def test_a_tool_is_one_line_with_argument_outcome_and_time() -> None:
    now = [0.0]
    data = TranscriptModel(lambda: now[0])
    data.apply(ev.ToolStarted("t", "Bash", {"command": "npm test " + "--flag " * 30}))
    now[0] = 2.5
    data.apply(ev.ToolFinished("t", "Bash", "a\nb\nc"))
    for width in (40, 60, 100):
        line, *output = shown(data, width).split("\n")
        assert line.startswith("✔ Bash npm")
        assert line.endswith("… · 2.5 s")
        assert output == ["  │ a", "  │ b", "  │ c"]
    data.set_folds(folded=False)
    text = shown(data, 60)
    assert text.count("--flag") == 30
    assert text.endswith("  │ a\n  │ b\n  │ c")


def test_lines_of_the_session(data: TranscriptModel) -> None:
    data.apply(ev.Retrying(2, 10, 3.0, 529, "overloaded"))
    data.apply(ev.ErrorReported("rate_limit", "Resets at 15:00."))
    data.apply(ev.NoticeGiven("warning", "Context is 85% full"))
    data.apply(ev.TurnEnded("success", False, 47.3, 2.5, 1234, 56, turn_cost=0.0123, waited=35.0))
    data.apply(ev.TurnEnded("max_turns", True, 1.0, None, 0, 0))
    data.apply(ev.NoticeGiven("info", "A hook says: halted"))
    data.apply(ev.TurnEnded("hook_stopped", False, 2.0, None, 10, 5))
    text = shown(data)
    assert "Retried, attempt 2 of 10 · the API is overloaded (529)" in text
    assert "✖ The account's rate limit is reached.\n  Resets at 15:00.\n  → Wait a moment" in text
    assert "⚠ Context is 85% full" in text
    assert "─ 12 s · waited 35 s for you · 1,234 → 56 tokens · $0.0123" in text
    assert "─ max turns · 1.0 s" in text
    assert "─ stopped by a hook · 2.0 s" in text
    data.add_prompt("Then go on")
    data.apply(ev.ConversationReset("s"))
    text = shown(data)
    assert text.index("── conversation cleared ──") < text.index("❯ Then go on")
    assert "Retried" not in text


def test_a_long_prompt_folds_and_thinking_is_one_line(data: TranscriptModel) -> None:
    data.add_prompt("\n".join(f"line {number}" for number in range(30)))
    data.apply(ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.THINKING, "x" * 1500))
    text = shown(data)
    assert "❯ line 0\n  line 1\n" in text
    assert "line 4\n  … 22 more lines\n  line 27\n  line 28\n  line 29\n" in text, (
        "words stand around a paste"
    )
    assert "✻ Thought · 1,500 characters" in text
    data.set_folds(folded=False)
    assert "line 15" in shown(data)


def test_markdown_is_quiet_and_aligned() -> None:
    assert markdown("# Title\n\ntext") == "Title\n\ntext"
    assert markdown("- one\n  - two\n\n\n7. seven\n8. eight") == "• one\n  • two\n\n7. seven\n8. eight"
    assert markdown("> said\n> more") == "│ said\n│ more"
    assert markdown("```py\nx = 1\n\ny\n```") == f"{'py':>59}\n x = 1\n\n y\n"
    assert markdown("one\ntwo  \nthree") == "one\ntwo\nthree"
    assert markdown("a <b>c</b> <!-- d -->") == "a <b>c</b> <!-- d -->"
    assert markdown("| a | b |\n|---|--:|\n| 日本 | 1 |\n| 👩‍💻x | 22 |").split("\n")[2:] == [
        "日本    1",
        "👩‍💻x    22",
    ]
    assert markdown("see ![a cat](https://x.y/c.png) here") == "see [image: a cat] (https://x.y/c.png) here"
    assert markdown("# Title\n![a](https://x.y)") == "Title\n\n[image: a] (https://x.y)"


def test_only_safe_links_become_links() -> None:
    def links(text: str) -> list[str | None]:
        strips = painter().pen.markdown(text, 200)
        return [
            segment.style.link
            for strip in strips
            for segment in strip
            if segment.style and segment.style.link
        ]

    assert links("[a](https://x.y/z?q=1)") == ["https://x.y/z?q=1"]
    assert links("<http://x.y>") == ["http://x.y"]
    assert links("[r]\n\n[r]: file:///etc/hosts") == ["file:///etc/hosts"]
    for url in ("javascript:alert(1)", "data:text/html,x", "ssh://h", "a.py", "https://x\x1b]8;;"):
        assert not links(f"[a]({url})")
        assert not is_safe_url(url)
    assert "[a](javascript:alert(1))" in markdown("[a](javascript:alert(1))")


def hostile_session() -> TranscriptModel:
    data = model()
    label = HOSTILE * 1000
    data.add_prompt(HOSTILE)
    data.apply(
        ev.BlockFinished(
            ev.BlockKey("m", 0), ev.BlockKind.TEXT, f"# {HOSTILE}\n\n- `{HOSTILE}`\n\n> {HOSTILE}"
        )
    )
    data.apply(ev.BlockFinished(ev.BlockKey("m", 1), ev.BlockKind.THINKING, HOSTILE))
    data.apply(ev.BlockGrew(ev.BlockKey("m", 2), ev.BlockKind.TEXT, f"```{HOSTILE}\n{HOSTILE}"))
    data.apply(ev.ToolStarted("t", HOSTILE, {"command": HOSTILE}))
    data.apply(ev.RequestAsked(PermissionRequest("t", "s", HOSTILE, {"x": HOSTILE}, HOSTILE)))
    data.apply(ev.RequestSettled("t@s", Denied(HOSTILE)))
    data.apply(ev.ToolFinished("t", HOSTILE, HOSTILE, is_error=True))
    data.apply(ev.RequestAsked(PlanRequest("p", "s", HOSTILE)))
    asks = Question(HOSTILE, HOSTILE, (Option(label, HOSTILE, HOSTILE),))
    data.apply(ev.RequestAsked(QuestionRequest("q", "s", QuestionSet("q", (asks,)))))
    data.apply(ev.RequestSettled("q@s", Answered((Answer((label,), HOSTILE, HOSTILE),))))
    data.apply(ev.Retrying(1, 2, 1.0, None, HOSTILE))
    data.apply(ev.ErrorReported(HOSTILE, HOSTILE))
    data.apply(ev.NoticeGiven(HOSTILE, HOSTILE))
    data.apply(ev.TurnEnded(HOSTILE, True, 1.0, 1.0, 1, 1))
    data.apply(ev.SessionLost(HOSTILE))
    return data


@each_row(*product([1, 4, 10, 40, 80, 200], [True, False]))
def test_hostile_text_leaves_no_control_character(width: int, folded: bool) -> None:
    data = hostile_session()
    data.set_folds(folded=folded)
    strips = drawn(data, width)
    for strip in strips:
        assert not FORBIDDEN.search(strip.text)
        assert all(not (segment.style and segment.style.meta.keys() - {ORIGIN}) for segment in strip)
    if width > 10:
        assert any("[@click=app.quit]" in strip.text for strip in strips)
        assert any("␛" in strip.text for strip in strips)


@given(st.text(max_size=200), st.integers(4, 90))
def test_any_markdown_fits_its_width(text: str, width: int) -> None:
    data = model()
    data.apply(ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, text))
    for strip in drawn(data, width):
        assert strip.cell_length == cell_len(strip.text) == width
        assert not FORBIDDEN.search(strip.text)


def test_lines_that_a_file_gains_and_loses_have_their_colours() -> None:
    colours = {"transcript--success": "green", "transcript--error": "red"}

    def style(name: str) -> Style:
        return Style.parse(colours.get(name, "grey50"))

    pen = Pen(Colours(Style.parse("white on black"), style))
    model = TranscriptModel()
    model.apply(ev.NoticeGiven("diff", "-a.txt · modified\n@@ -1 +1 @@\n one\n-two\n+TWO"))
    layout = Layout(model.blocks, Painter(pen).draw)
    layout.width = 60
    layout.sync(model.tick())
    seen = {
        part.text.strip(): part.style.color.name
        for strip in layout.strips(0, 0)
        for part in strip
        if part.text.strip() and part.style and part.style.color
    }
    assert (seen["-two"], seen["+TWO"]) == ("red", "green")
    assert seen["one"] == seen["-a.txt · modified"] == "grey50"


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, bool]]]:
    """Which languages were loaded, and whether in the main thread; none is known at first."""
    found: list[tuple[str, bool]] = []
    load = code.load

    def noted(language: str, code: str) -> Any:
        found.append((language, threading.current_thread() is threading.main_thread()))
        if language == "broken":
            raise RuntimeError("no such plugin")
        return load(language, code)

    monkeypatch.setattr(code, "load", noted)
    monkeypatch.setattr(code, "_loaded", {})
    return found


async def get(language: str) -> Any:
    """Return a highlighter once it is loaded, or None."""
    arrived = asyncio.Event()
    lexers = Lexers(arrived.set)
    lexers.get(language, "x = 1")
    if lexers.loading:
        async with asyncio.timeout(20):
            await arrived.wait()
    assert not lexers.loading
    return lexers.get(language, "x = 1")


async def test_a_language_is_loaded_once_and_kept_for_all(loads: list[tuple[str, bool]]) -> None:
    first = await get("Python")
    assert first is not None
    assert await get("python") is first
    assert Lexers().get("python", "y = 2") is first
    assert await get("nosuchlanguage") is None
    assert await get("nosuchlanguage") is None
    assert await get("") is None
    assert await get("x" * 1_000) is None
    assert Lexers().get("sql", "select 1") is None
    assert loads == [("python", False), ("nosuchlanguage", False)]


async def test_only_so_many_are_kept(loads: list[tuple[str, bool]]) -> None:
    for number in range(code.MOST + 5):
        await get(f"language{number}")
    assert len(code._loaded) == code.MOST
    assert "language0" not in code._loaded
    assert len(loads) == code.MOST + 5


async def test_one_that_cannot_be_loaded_leaves_the_code_plain(loads: list[tuple[str, bool]]) -> None:
    assert await get("broken") is None
    assert await get("broken") is None
    assert loads == [("broken", False)]


PATCH = [
    {"oldStart": 9, "newStart": 9, "lines": [" a", "-b", "+B", "+C", " d", "\\ No newline at end of file"]},
    "not a hunk",
    {"oldStart": 30, "newStart": 31, "lines": ["-e", " f"]},
]


def rows(diff: Diff | None) -> list[tuple[str, int | None, int | None, str]]:
    assert diff is not None
    return [tuple(line) for index in range(len(diff)) for line in diff.part(index)]


def test_the_clis_patch_is_numbered() -> None:
    assert rows(edit_diff({}, {"structuredPatch": PATCH})) == [
        (" ", 9, 9, "a"),
        ("-", 10, None, "b"),
        ("+", None, 10, "B"),
        ("+", None, 11, "C"),
        (" ", 11, 12, "d"),
        (BREAK, None, None, ""),
        ("-", 30, None, "e"),
        (" ", 31, 31, "f"),
    ]
    assert counts({}, {"structuredPatch": PATCH}) == (2, 2)


@each_row(
    ("Edit", {"old_string": "a\nb", "new_string": "a\nc"}, None, " -+"),
    ("Edit", {"old_string": "", "new_string": "a\nb"}, None, "++"),
    ("Edit", {"old_string": "a", "new_string": ""}, "text", "-"),
    ("Edit", {"old_string": ["a"], "new_string": None}, None, "-"),
    ("MultiEdit", {"edits": [{"old_string": "a", "new_string": "b"}] * 2}, None, f"-+{BREAK}-+"),
    ("MultiEdit", {"edits": "none"}, None, ""),
    ("Write", {"content": "one\ntwo\n"}, {"type": "create", "structuredPatch": []}, "++"),
    ("Write", {"content": "same"}, {"type": "update", "structuredPatch": []}, ""),
    ("Write", {}, None, ""),
    ("NotebookEdit", {"new_source": "x"}, {"old_source": "y", "edit_mode": "replace"}, "-+"),
    ("NotebookEdit", {"new_source": "x", "edit_mode": "insert"}, {}, "+"),
    ("NotebookEdit", {"edit_mode": "delete"}, {"old_source": "y"}, "-"),
    ("Edit", {}, {"structuredPatch": [{"lines": "none"}, 3]}, ""),
)
def test_changes_without_a_patch(tool: str, arguments: dict[str, Any], structured: Any, signs: str) -> None:
    diff = edit_diff(arguments, structured)
    assert "".join(row[0] for row in rows(diff) if diff) == signs if signs else diff is None


@given(st.lists(st.sampled_from("+- "), max_size=300), st.integers(1, 30))
def test_pieces_keep_every_line_and_a_fold_counts_the_rest(signs: list[str], most: int) -> None:
    lines = [DiffLine(sign, number, number, "x") for number, sign in enumerate(signs)]
    diff = Diff(lines)
    assert [line for index in range(len(diff)) for line in diff.part(index)] == lines
    assert all(len(diff.part(index)) <= 2 * CHANGE_LINES for index in range(len(diff)))
    patch = {"structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": [f"{sign}x" for sign in signs]}]}
    folded = edit_diff({}, patch, most)
    if folded is not None:
        assert len(rows(folded)) + folded.hidden == len(signs)
        assert folded.hidden != 1


def edit_card(width: int, *, folded: bool = True, patch: Any = PATCH) -> str:
    data = model()
    data.set_folds(folded=folded)
    data.apply(ev.ToolStarted("t", "Edit", {"file_path": "a.py"}))
    data.apply(ev.ToolFinished("t", "Edit", "updated", structured={"structuredPatch": patch}))
    return shown(data, width)


def test_long_edits_fold_and_say_so() -> None:
    patch = [{"oldStart": 1, "newStart": 1, "lines": [f"+line {number}" for number in range(30)]}]
    text = edit_card(60, patch=patch)
    assert text.count("+ line") == 20
    assert text.endswith("… 10 more lines · Ctrl+O")
    assert edit_card(60, patch=patch, folded=False).count("+ line") == 30


@each_row(1, 9, 40, 200)
def test_a_hostile_edit_is_only_text(width: int) -> None:
    lines = [f"-{HOSTILE}", f"+{HOSTILE}x", f"+{HOSTILE * 300}"]
    text = edit_card(width, patch=[{"oldStart": 1, "newStart": 1, "lines": lines}])
    assert not FORBIDDEN.search(text.replace("\n", ""))


def test_what_differs_within_a_line_is_marked() -> None:
    def pair(old: str, new: str) -> Any:
        return DiffLine("-", 1, None, old), DiffLine("+", None, 1, new)

    assert _differing(pair("version = 1.3.9", "version = 1.4.0")) == ((12, 15), (12, 15))
    assert _differing(pair("call(tag)", "call((tag,))")) == ((5, 8), (5, 11))
    assert _differing(pair("all", "other words")) == ((0, 0), (0, 0))


def test_a_diff_knows_the_language_of_its_file() -> None:
    for path, language in (
        ("/a/b.PY", "*.py"),
        ("Makefile", ""),
        ("x.we!rd", ""),
        ("a.b/c", ""),
        ("x.*", ""),
    ):
        edit = edit_diff({"file_path": path, "old_string": "a", "new_string": "b"}, None)
        assert edit.language == language

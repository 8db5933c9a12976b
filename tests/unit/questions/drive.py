"""Drives the state machine as a person would: by key names and words."""

import re
from collections.abc import Iterable, Iterator

from ccq_tui.questions import Condition, FieldRules, Kind, Option, Question, QuestionSet
from ccq_tui.questions.events import Clicked, Doubted, Event, Pressed, Seen, TabClicked, TextChanged, Words
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import PanelState, opened


def question(text: str = "Which database?", *labels: str, multi: bool = False, **more: object) -> Question:
    options = tuple(Option(label, f"about {label}") for label in (labels or ("Postgres", "SQLite", "DuckDB")))
    return Question(text, text.split()[-1].strip("?"), options, multi_select=multi, **more)  # type: ignore[arg-type]


def text_question(text: str = "What name?", **more: object) -> Question:
    return Question(text, "Name", kind=Kind.TEXT, **more)  # type: ignore[arg-type]


def number_question(text: str = "How many?", **more: object) -> Question:
    return Question(text, "Count", kind=Kind.NUMBER, **more)  # type: ignore[arg-type]


def panel(*questions: Question) -> PanelState:
    return opened(QuestionSet("toolu_1", questions or (question(),)))


def keys(state: PanelState, pressed: str | Iterable[str]) -> PanelState:
    """Press keys, separated by blanks: names as Textual spells them, single characters as typed."""
    for key in pressed.split() if isinstance(pressed, str) else pressed:
        state = step(state, Pressed(key, _character(key)))
    return state


def typed(state: PanelState, text: str) -> PanelState:
    """Type text into the open field."""
    assert state.typing, f"no text field is open: {state.focus}"
    return step(state, TextChanged(state.text + text))


def events_of(script: str) -> Iterator[Event]:
    """Yield events: keys, ``~`` before one that may not decide, "the text of a field", «pastes», clicks."""
    for token in re.findall(r'"[^"]*"|«[^»]*»|\S+', script):
        sign, text = re.findall(r"^([\"«~]|[a-z]+:)?(.*?)[\"»]?$", token, re.DOTALL)[0]
        match sign:
            case "seen:":
                rows, _, unseen = text.partition("+")
                shown = range(9) if rows == "all" else map(int, filter(None, rows.split(",")))
                yield Seen(frozenset(shown), int(unseen or 0))
            case "click:":
                yield Clicked(int(text) - 1)
            case "tab:":
                yield TabClicked(int(text) - 1)
            case "«" | "meant:":
                yield Words(text, own=sign == "meant:")
            case '"':
                yield TextChanged(text)
            case "doubt:":
                yield Doubted(text)
            case _:
                yield Pressed(text, _character(text), decides=sign != "~")


def _character(key: str) -> str:
    if len(key) == 1:
        return key
    return {"space": " ", "slash": "/"}.get(key, "")


def field(
    text: str, *labels: str, kind: Kind | None = None, when: Condition | None = None, **more: object
) -> Question:
    """Return a form's question: a choice of labels, or a text."""
    given = {name: more.pop(name) for name in ("multi_select", "closed") if name in more}
    return Question(
        text,
        text,
        tuple(map(Option, labels)),
        kind=kind or (Kind.CHOICE if labels else Kind.TEXT),
        field=FieldRules(skippable=True, **more),  # type: ignore[arg-type]
        when=when,
        **given,  # type: ignore[arg-type]
    )


def form(*questions: Question) -> PanelState:
    return opened(QuestionSet("release", questions, "Release notes", is_form=True))


RELEASE = (
    field("Kind", "Major", "Minor", required=True, closed=True),
    field("Why", required=True, one_line=True, when=Condition(0, "Major")),
    field("How sure", kind=Kind.NUMBER, when=Condition(1, "api", contains=True)),
    field("Notes"),
)

"""Prompts as questions; an answer is typed with each key checked on the screen."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from itertools import product

import pytest

from ccq_tui.bridges.terminal.detect import FoundPrompt, Reads, find
from ccq_tui.bridges.terminal.rules import load_rules
from ccq_tui.bridges.terminal.screen import ScreenPicture
from ccq_tui.bridges.terminal.typist import KeysTaken, StoppedError, Typist, stands
from ccq_tui.bridges.terminal.watcher import context_of, request_for, wanted
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.requests import Asker, Origin, QuestionRequest
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Declined, Discussed
from ccq_tui.questions.events import TextChanged
from ccq_tui.questions.keys import hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.moves import open_other, open_text
from ccq_tui.questions.state import Focus, opened
from tests.tables import each_row, table
from tests.unit.bridges.terminal.test_detect import drawn

RULES = load_rules()
DOWN, UP = "\x1b[B", "\x1b[A"
LIST = "? Which?\n❯ One\n  Two\n"
LINE = "[1/2] Name: "


@dataclass(kw_only=True)
class Drawn:
    """A program whose screen is always as it is; the keys that it got."""

    keys: list[str] = field(default_factory=list)
    over: bool = False

    async def see(self) -> None:
        """See the screen."""


@dataclass
class Menu(Drawn):
    """A list or check list of a program, drawn anew after each key; `Hands` on it.

    Attributes:
        rows: Its rows; of more than `shown`, some are in sight.
        boxes: Whether each is checked, or None for a list.
        deaf: The keys it does nothing for.
        shown: How many rows are in sight.
    """

    rows: list[str]
    boxes: list[bool] | None = None
    deaf: str = ""
    shown: int = 100
    at: int = 0
    ended: str = ""

    async def taken(self) -> KeysTaken:
        return KeysTaken.MORE

    @property
    def picture(self) -> ScreenPicture:
        if self.ended:
            return drawn(f"✔ Which? {self.ended}\n")
        lines = ["? Which?"]
        first = max(0, min(self.at, len(self.rows) - self.shown))
        for index, row in list(enumerate(self.rows))[first : first + self.shown]:
            box = "" if self.boxes is None else "◉" if self.boxes[index] else "◯"
            mark = "❯" if index == self.at else " "
            lines.append(f"{mark}{box} {row}")
        return drawn("\n".join(lines) + "\n", hidden=True)

    @property
    def prompt(self) -> FoundPrompt | None:
        return find(self.picture, Reads(echo=False, lines=False), RULES)

    async def press(self, keys: str, until: Callable[[], bool]) -> bool:
        self.keys.append(keys)
        if keys not in self.deaf.split("|"):
            match keys:
                case "\x1b[A" | "\x1b[B":
                    self.at = (self.at + (1 if keys == DOWN else -1)) % len(self.rows)
                case " " if self.boxes is not None:
                    self.boxes[self.at] = not self.boxes[self.at]
                case "\r":
                    chosen = [row for row, on in zip(self.rows, self.boxes or [], strict=False) if on]
                    self.ended = ", ".join(chosen) or "none" if self.boxes is not None else self.rows[self.at]
        return until()


async def answer(shown: "Menu | Line", wanted: Answer) -> None:
    prompt = shown.prompt
    assert prompt is not None
    await Typist(shown, prompt).type_answer(wanted)


@each_row((0, [DOWN, DOWN]), (2, []), (3, [UP]))
async def test_the_mark_is_moved_to_the_row_and_no_further(at: int, keys: list[str]) -> None:
    menu = Menu(["One", "Two", "Three", "Four"], at=at)
    await answer(menu, Answer(("Three",)))
    assert (menu.ended, menu.keys) == ("Three", [*keys, "\r"])


async def test_a_row_out_of_sight_is_found_by_its_text() -> None:
    menu = Menu([f"Row {number}" for number in range(20)], shown=5)
    await answer(menu, Answer(other="Row 12"))
    assert menu.ended == "Row 12"


@each_row(*product([[False] * 3, [True] * 3, [True, False, True]], [(), ("B",), ("A", "C"), ("A", "B", "C")]))
async def test_boxes_become_what_is_wanted(before: list[bool], labels: tuple[str, ...]) -> None:
    menu = Menu(["A", "B", "C"], boxes=list(before))
    await answer(menu, Answer(labels))
    assert menu.boxes == [row in labels for row in menu.rows]
    assert menu.keys[-1] == "\r"


@dataclass
class Line(Drawn):
    """A prompt that takes a line; `Hands` on it.

    Attributes:
        lead: What it asks with.
        typed: What stands in its field.
        echo: What it shows for a letter; "" for the letter.
        error: What it shows below for an answer that it does not take.
        at_once: Whether a letter is enough.
        lines: Whether the program reads lines.
        busy: Whether it reads no more once it has a key.
        size: The terminal's.
    """

    lead: str
    typed: str = ""
    echo: str = ""
    error: str = ""
    rejected: bool = False
    at_once: bool = False
    ended: bool = False
    lines: bool = True
    busy: bool = False
    size: tuple[int, int] = (80, 24)

    async def taken(self) -> KeysTaken:
        return KeysTaken.LINE if self.lines else KeysTaken.BUSY if self.busy else KeysTaken.MORE

    @property
    def picture(self) -> ScreenPicture:
        shown = self.echo * len(self.typed) if self.echo else self.typed
        below = f"\x1b7{self.error}\x1b8" * self.rejected
        return drawn(f"{self.lead}{shown}{below}" + "\nDone.\n" * self.ended, size=self.size)

    @property
    def prompt(self) -> FoundPrompt | None:
        return find(self.picture, Reads(echo=self.lines, lines=self.lines), RULES)

    async def press(self, keys: str, until: Callable[[], bool]) -> bool:
        self.keys.append(keys)
        if keys == "\r":
            self.rejected, self.ended = bool(self.error), not self.error
        elif keys[0] == "\x7f":
            self.typed = self.typed[: -len(keys)]
        else:
            self.typed += keys
            self.ended = self.at_once
        return until()


@each_row(
    (Line("[1/2] Name: "), "Ada L.", ["Ada L.", "\r"]),
    (Line("[1/2] Name (Ada): "), "", ["\r"]),
    # What stands in the field is erased first.
    (Line("? Name? ", typed="demo", lines=False), "shop", ["\x7f" * 4, "shop", "\r"]),
    # A prompt that takes a letter gets no Enter, and no more of a word.
    (Line("? Proceed? (Y/n) ", at_once=True, lines=False), "n", ["n"]),
    (Line("? Proceed? (Y/n) ", at_once=True, lines=False), "yes", ["y"]),
    # Nor does a program that reads no more after a letter.
    (Line("? Proceed? (Y/n) ", busy=True, lines=False), "y", ["y"]),
    # What was rejected is erased, too, beside what the program proposes.
    (Line("? Name? ", typed="demo", lines=False), "", ["\x7f" * 4, "\r"]),
    (Line("[1/2] Name: ", size=(20, 5)), "x" * 68, ["x" * 68, "\r"]),
)
async def test_a_text_is_typed_and_ended(line: Line, text: str, keys: list[str]) -> None:
    await answer(line, Answer(other=text))
    assert line.keys == keys


SMALL = Line("[1/2] Name: ", size=(20, 5))
VAULT = Line("? Vault? ", echo="*", lines=False)
BOXES = Menu(["A", "B"], boxes=[False, False], deaf=" ")


@each_row(
    (Menu([*"ABCDEFGH"], shown=5), Answer(other="Z"), "there is no row “Z”", [DOWN] * 8),
    (Menu(["One", "Two"], deaf=DOWN), Answer(("Two",)), "the mark did not move", [DOWN]),
    (BOXES, Answer(("B",)), "the box of “B” did not change", [DOWN, " "]),
    (Line("[1/2] Name: ", at_once=True), Answer(other="A"), "another screen came before Enter", ["A"]),
    (SMALL, Answer(other="x" * 75), "its terminal is too small to show the whole text", []),
    (VAULT, Answer(other="abc"), "did not show what was typed", ["abc"]),
)
async def test_what_the_screen_does_not_show_gets_no_enter(
    shown: Menu | Line, wanted: Answer, reason: str, keys: list[str]
) -> None:
    with pytest.raises(StoppedError, match=reason):
        await answer(shown, wanted)
    assert shown.keys == keys


async def test_a_rejected_text_stands_in_the_field_with_the_reason() -> None:
    line = Line("? Name? ", error="\n> too short", lines=False)
    with pytest.raises(StoppedError, match="the program says “> too short”") as caught:
        await answer(line, Answer(other="ab"))
    assert (caught.value.typed, line.keys) == ("ab", ["ab", "\r"])
    prompt = replace(prompt_of("? Name? "), typed="ab")
    line.error = ""
    await Typist(line, prompt).type_answer(Answer(other="abcd"))
    assert line.keys[2:] == ["\x7f\x7f", "abcd", "\r"]


@each_row(
    (Menu(["One", "Two"]), Menu(["One", "Two"], ended="by somebody else")),
    (Line("First? [y/n] "), Line("Delete all? [y/n] ")),
)
async def test_a_prompt_that_gave_way_to_another_one_gets_no_key(
    asked: Menu | Line, shown: Menu | Line
) -> None:
    assert asked.prompt is not None
    with pytest.raises(StoppedError, match="another screen came"):
        await Typist(shown, asked.prompt).type_answer(Answer(("Two",), other="y"))
    assert shown.keys == []


@each_row(
    (LIST, LIST, True),
    (LIST, LIST.replace("❯ One\n  Two", "  One\n❯ Two"), True),
    (LIST, "A warning\n" + LIST, True),  # drawn anew further down
    (LIST, "✔ Which? One\n" + LIST, False),  # the same list, asked again
    (LIST, "✔ Which? One\n", False),
    (LIST, LIST.replace("Which", "What"), False),
    (LINE, LINE, True),
    (LINE, f"{LINE}Ada", True),
    (LINE, f"{LINE}Ada\n", False),
    (LINE, f"{LINE}Ada\n{LINE}", False),  # asked again
    (LINE, f"\n{LINE}", True),  # drawn anew further down,
)
def test_a_prompt_still_stands_unless_it_was_answered(asked: str, now: str, same: bool) -> None:
    picture = drawn(now, hidden=asked == LIST)
    found = find(picture, Reads(echo=False, lines=False), RULES) if asked == LIST else None
    assert stands(prompt_of(asked), found, picture) is same


ORIGIN = Origin(Asker.TERMINAL, "setup", "/home/ada")
CHOICES = "? Which framework?\n❯ Vite\n  Next.js\n"
CHECKS = "? Which features?\n❯◯ Auth\n ◉ Logs\n"


def prompt_of(text: str) -> FoundPrompt:
    lines = text[0] != "?"
    found = find(drawn(text, hidden="❯" in text), Reads(echo=lines, lines=lines), RULES)
    assert found is not None
    return found


def asked(text: str) -> QuestionRequest:
    return request_for(prompt_of(text), "prompt-1", "terminal:1", ORIGIN)


@each_row(*table(__file__, "asked.json").items())
def test_a_prompt_is_a_question_that_shows_no_secret(text: str, fields: dict[str, object]) -> None:
    request = asked(text)
    (question,) = request.questions.questions
    shown = asdict(question) | {"options": [[one.label, one.description] for one in question.options]}
    assert {name: shown[name] for name in fields} == fields
    assert (request.origin.called, request.questions.title) == ("setup", "")


@each_row("[1/2] Your name (Ada): ", CHOICES, CHECKS)
def test_the_panel_of_a_prompt_offers_no_notes_and_no_prose(text: str) -> None:
    state = opened(asked(text).questions)
    assert {shown for shown, _ in hints(state)}.isdisjoint({"n", "c"})
    assert open_text(state, Focus.DISCUSS) == open_text(state, Focus.NOTE) == state


def test_a_text_for_a_prompt_stays_one_line() -> None:
    state = open_other(opened(asked("[1/2] Your name: ").questions))
    assert "Ctrl+J" not in {shown for shown, _ in hints(state)}
    assert step(state, TextChanged("Ada\n\tLovelace\n")).text == "Ada  Lovelace"


@each_row(
    ("[1/2] Name: ", Answer(other="a\nb"), "answers[0].other", "one line of plain text"),
    ("[1/2] Name: ", Answer(other="a\x1b[A"), "answers[0].other", "one line of plain text"),
    ("[1/2] Name: ", Answer(other="a", note="b"), "answers[0].note", "takes no note"),
    ("Go on? [y/n] ", Discussed("well"), "", "setup's prompt takes an answer or nothing"),
    ("Go on? [y/n] ", Answer(other="maybe"), "answers[0].other", "no text of your own"),
    (CHECKS, Answer(other="More"), "answers[0].other", "no text of your own"),
)
def test_what_cannot_be_typed_at_a_prompt_is_refused(
    text: str, given: Answer | Discussed, field: str, reason: str
) -> None:
    with pytest.raises(InvalidOutcome) as caught:
        check_outcome(asked(text), given if isinstance(given, Discussed) else Answered((given,)))
    assert caught.value.field == field
    assert reason in caught.value.reason


def test_what_can_be_typed_is_taken() -> None:
    check_outcome(asked(CHOICES), Answered((Answer(other="a row below"),)))
    check_outcome(asked("Pick [y,n,?] "), Answered((Answer(other="s"),)))
    check_outcome(asked("Go on? [y/n] "), Declined())
    check_outcome(asked("[1/2] Name: "), Answered((Answer(("Enter alone",)),)))


NUMBERED = " 1) red\n 2) green\nColour: "


@each_row(
    ("Sure? (yes/no) ", Answer(("Yes",)), Answer(other="yes")),
    (NUMBERED, Answer(("green",)), Answer(other="2")),
    (NUMBERED, Answer(other="7"), Answer(other="7")),
    ("[1/2] Name (Ada): ", Answer(("Enter alone",)), Answer()),
    (CHOICES, Answer(("Vite",)), Answer(("Vite",))),
)
def test_an_answer_is_what_is_typed(text: str, given: Answer, typed: Answer) -> None:
    assert wanted(prompt_of(text), given) == typed


@each_row("Removing 3 files\nfrom the disk", "postgres://•••@db/shop")
def test_lines_above_a_prompt_go_along_without_secrets(above: str) -> None:
    text = above.replace("•••", "ada:hunter2") + "\nGo on? [y/N] "
    assert context_of(drawn(text), prompt_of(text)) == above

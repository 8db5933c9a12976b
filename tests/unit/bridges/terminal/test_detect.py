"""Which prompt stands on a screen, with which answers, by which rules; ordinary output asks nothing."""

from collections.abc import Iterator
from typing import Any

from ccq_tui.bridges.terminal.detect import FoundPrompt, Reads, find
from ccq_tui.bridges.terminal.rules import Shape, load_rules
from ccq_tui.bridges.terminal.screen import LiveScreen, ScreenPicture
from ccq_tui.bridges.terminal.typist import stands
from tests.tables import each_row, table

RECORDED: dict[str, Any] = table(__file__, "recorded.json")
DRAWN: dict[str, Any] = {**RECORDED, **table(__file__, "drawn.json")}
"""Those, and screens made by hand: of what a program's documentation shows, and of rare cases."""
RULES = load_rules()
LINES, KEYS = Reads(), Reads(echo=False, lines=False)
READS = {"lines": LINES, "keys": KEYS, "secret": Reads(echo=False)}


def picture_of(name: str) -> ScreenPicture:
    recorded = DRAWN[name]
    screen = LiveScreen((recorded["columns"], recorded["lines"]))
    screen.take(recorded["wrote"].encode())
    return screen.picture()


def drawn(text: str, *, hidden: bool = False, size: tuple[int, int] = (80, 24)) -> ScreenPicture:
    screen = LiveScreen(size)
    screen.take(("\x1b[?25l" * hidden + text.replace("\n", "\r\n")).encode())
    return screen.picture()


def described(prompt: FoundPrompt) -> list[str]:
    lines = []
    for row in prompt.choices:
        box = "" if row.checked is None else "[x] " if row.checked else "[ ] "
        lines.append(f"{'→ ' * row.marked}{box}{row.label}{f' ({row.detail})' * bool(row.detail)}")
    lines += [f"{label}: {word}" for label, word in prompt.words]
    lines += [f"typed {prompt.typed}"] * bool(prompt.typed) + [f"default {prompt.default}"] * bool(
        prompt.default
    )
    return lines


@each_row(*DRAWN)
def test_screens_have_their_prompt_with_its_whole_question(name: str) -> None:
    picture = picture_of(name)
    found = find(picture, READS[DRAWN[name]["reads"]], RULES)
    assert found is None or stands(found, found, picture)
    assert (found and [found.rule.name, found.question, described(found)]) == DRAWN[name]["found"]


@each_row(*RECORDED)
def test_a_program_that_hides_lines_asks_nothing(name: str) -> None:
    assert find(picture_of(name), Reads(echo=False), RULES) is None


@each_row(
    "? Which?\n ◯ One\n❯- Two (disabled)\n ◯ Three\n",
    "? Which? › - This option is disabled\n    One\n❯   \x1b[90;4mTwo\x1b[m\n    Three\n",
    "? Which? › \n◯   One\n◯   \x1b[90;4mTwo\x1b[m\n◯   Three\n",
)
def test_a_disabled_row_may_have_the_mark_and_is_no_choice(text: str) -> None:
    found = find(drawn(text, hidden=True), KEYS, RULES)
    assert (found.marked, [row.label for row in found.choices]) == (1, ["One", "Three"])


def test_numbered_lines_in_columns_are_read_by_their_numbers() -> None:
    picture = drawn("1) red      3) teal    5) gold\n2) green    4) pink\n#? ")
    prompt = find(picture, LINES, RULES)
    rows = [f"{row.number} {row.label}" for row in prompt.rows]
    assert rows == ["1 red", "2 green", "3 teal", "4 pink", "5 gold"]


STOCK: dict[str, str] = table(__file__, "ordinary.json")
PAUSES = 6


def test_stock_is_of_200_outputs() -> None:
    assert len(STOCK) == 200
    assert sum(map(len, STOCK.values())) > 200_000


@each_row(*range(8))
def test_ordinary_output_asks_nothing_wherever_it_pauses(part: int) -> None:
    asked = [
        (name, found.rule.name, found.question)
        for name, text in list(STOCK.items())[part::8]
        for found in asked_by(text)
    ]
    assert asked == []


def asked_by(text: str) -> Iterator[FoundPrompt]:
    """Yield what an output asks where it pauses."""
    data = text.replace("\n", "\r\n").encode()
    screen, step = LiveScreen((100, 30)), len(data) // PAUSES + 1
    for at in range(0, len(data), step):
        screen.take(data[at : at + step])
        picture = screen.picture()
        for reads in (Reads(), Reads(echo=False, lines=False)):
            if (found := find(picture, reads, RULES)) is not None:
                yield found


PROMPTS: list[tuple[str, str, str, list[str], str, str]] = table(__file__, "prompts.json")


def kind_of(found: FoundPrompt) -> str:
    return {Shape.LETTERS: "choice"}.get(found.rule.shape, str(found.rule.shape))


def answers_of(found: FoundPrompt) -> list[str]:
    return [word for _, word in found.words] or [row.number or row.label for row in found.rows]


def default_of(found: FoundPrompt) -> str:
    typed = dict(found.words) | {row.label: row.number for row in found.rows}
    return found.default if kind_of(found) == "yes-no" else typed.get(found.default, found.default)


@each_row(*PROMPTS)
def test_a_prompt_has_its_kind_answers_and_default(
    program: str, text: str, kind: str, answers: list[str], default: str, reads: str
) -> None:
    lines = reads == "lines"
    picture = drawn(text, hidden=kind == "list")
    found = find(picture, Reads(echo=lines, lines=lines), RULES)
    if found is None:
        assert kind == "none", program
        return
    assert stands(found, found, picture)
    assert (kind_of(found), answers_of(found), default_of(found)) == (kind, answers, default), program


NEEDED = {
    **{shape: {"prompt": {"question"}} for shape in (Shape.YES_NO, Shape.TEXT, Shape.ENTER)},
    Shape.LETTERS: {"prompt": {"question", "letters"}},
    Shape.NUMBER: {"prompt": {"question"}, "row": {"number", "label"}},
    Shape.LIST: {"row": {"label"}, "question": {"question"}},
    Shape.CHECKS: {"row": {"label", "box"}, "question": {"question"}},
}
"""The groups that the patterns of a rule need."""


def test_rules_are_sound_and_named_once() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert {rule.shape for rule in RULES} == set(Shape)
    for rule in RULES:
        for field, groups in NEEDED[rule.shape].items():
            assert groups <= set(getattr(rule, field).groupindex), rule.name
        assert not rule.shape.is_list or rule.underlined or "mark" in rule.row.groupindex, rule.name
        assert (rule.shape is Shape.CHECKS) == bool(rule.checked), rule.name

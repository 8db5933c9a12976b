"""What a decision is about is shown whole and harmless, and what is decided was seen."""

import asyncio
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox import file_diff
from ccq_tui.inbox.file_diff import changed_lines
from ccq_tui.inbox.requests import Allowed, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.input.gate import WRITING
from ccq_tui.questions import Option, Question
from ccq_tui.questions.moves import OUT_OF_SIGHT
from ccq_tui.widgets.decision import details
from ccq_tui.widgets.lines import LineView
from tests.steps import step
from tests.tables import each_row, table
from tests.ui.asked import MULTI, PLAIN, SINGLE
from tests.ui.host import Clock, PanelHost, QuickPilot, press_later
from tests.ui.session import Driven, asked, running
from tests.ui.test_commands_listing import MANY, Picking
from tests.ui.test_question_panel_layout import Wraps

HUGE = 2_000_000
STOCK = "Claude requested permissions to write to /a\nb, but you haven't granted it yet."


def asks(tool: str, **values: object) -> PermissionRequest:
    return PermissionRequest("t", "s", tool, values)


def plain(request: PermissionRequest, width: int = 70) -> list[str]:
    lines = (details.detail_lines(request, width, PLAIN), details.asides(request, width, PLAIN))
    return [text.plain.rstrip() for each in lines for text in each]


@pytest.fixture
def wraps(monkeypatch: pytest.MonkeyPatch) -> Wraps:
    return Wraps(monkeypatch)


async def test_a_huge_input_costs_what_is_seen_and_its_end_can_be_reached(wraps: Wraps) -> None:
    old, new = "a\nb\n" * (HUGE // 4), "a\nc\n" * (HUGE // 4)
    async with PanelHost(asks("Bash", command="x" * HUGE)).shown() as (app, pilot):
        for request in (
            None,
            asks("Bash", command="echo a\n" * (HUGE // 7)),
            asks("Write", file_path="/a", content="line\n" * (HUGE // 5)),
            asks("Edit", file_path="/a", old_string=old, new_string=new),
            asks("mcp__x__y", items=[{"name": "n" * 100, "id": n} for n in range(20_000)]),
            asks("mcp__x__y", text="word " * (HUGE // 5)),
            PermissionRequest("t", "s", "Bash", {"command": "x"}, description="d " * HUGE),
        ):
            if request:
                wraps.restart()
                await pilot.put(request)
            assert wraps.characters < 40_000, app.panel.opened.request.tool
            wraps.restart()
            await pilot.press("down", "shift+down", "shift+down", "up")
            assert wraps.characters < 5_000, app.panel.opened.request.tool
            assert len(app.panel.form.drawn.flow.lines) < 300
        await pilot.put(asks("Bash", command="\n".join(f"step {n}" for n in range(20_000))))
        for _ in range(250):
            app.panel.form.scroll(100)
            app.panel.redraw()
        await pilot.pause()
        assert "step 19999" in app.panel_text


def test_nothing_is_left_out() -> None:
    command = "word \t" * 30_000
    drawn = "\n".join(plain(asks("Bash", command=command))).replace("\n↳ ", "")
    assert "".join(drawn.split()) == "$" + "word" * 30_000
    values = {"a": ["x" * 60_000, {"b": None}], "é": 1.5}
    drawn = "\n".join(plain(asks("mcp__x__y", **values))).replace("\n↳ ", "")
    named = drawn.replace("a: ", '{"a": ').replace('\n"é"', ',\n"é"')
    assert json.loads(f"{named}}}") == values


def test_what_is_hidden_is_shown() -> None:
    text = "\n".join(plain(asks("Edit", file_path="/a\u202eb", old_string="x\r\ny", new_string="x\ny")))
    assert "/a‹U+202E›b" in text
    assert "- x␍\n+ x\n  y" in text, "line ends that change are a change"
    assert plain(asks("Bash", command="a\r\nb")) == ["$ a", "│ b"]


@each_row(*table(__file__, "decision_details.json"))
def test_every_field_that_changes_what_happens_is_drawn(
    tool: str, values: dict[str, object], lines: list[str]
) -> None:
    assert plain(asks(tool, **values)) == lines


def test_many_empty_lines_are_counted_wherever_they_are() -> None:
    far = "x" + "\n" * 41 + "y"
    counted = ["│ x", "│ … 40 empty lines …", "│ y"]
    assert plain(asks("WebFetch", url="https://a", prompt=far)) == ["│ https://a", *counted]
    request = PermissionRequest("t", "s", "Bash", {"command": "make"}, description=far, reason=far)
    assert plain(request) == ["$ make", *counted, *counted]
    assert plain(asks("Write", file_path=far, content="")) == counted
    assert plain(asks("Bash", command=far)) == ["$ x", *counted[1:]]


def test_a_line_break_at_the_end_is_no_line_more() -> None:
    assert plain(asks("Write", file_path="/a", content="x\ny\n")) == ["│ /a", "+ x", "+ y"]
    assert plain(asks("Write", file_path="/a", content="x\n\n")) == ["│ /a", "+ x", "+"]
    assert plain(asks("Write", file_path="/a", content="")) == ["│ /a"]
    assert plain(asks("Bash", command="make\n")) == ["$ make"]
    changed = asks("Edit", file_path="/a", old_string="x\ny\n", new_string="x\nz\n")
    assert plain(changed) == ["│ /a", "  x", "- y", "+ z"]
    # Where only one of the texts has it, it is what changes.
    assert plain(asks("Edit", file_path="/a", old_string="x\n", new_string="x")) == ["│ /a", "  x", "-"]
    assert plain(asks("Edit", file_path="/a", old_string="x\n", new_string="\n")) == ["│ /a", "- x", "+"]
    assert plain(asks("Edit", file_path="/a", old_string="", new_string="x\n")) == ["│ /a", "+ x"]


def test_a_command_that_the_agent_does_not_describe_is_shown_once() -> None:
    request = PermissionRequest("t", "s", "Bash", {"command": "make all\n"}, description="make all")
    assert plain(request) == ["$ make all"]
    imitates = replace(request, description="Build it\n ❯ y  Allow once", reason=STOCK)
    assert plain(imitates) == ["$ make all", "│ Build it", "│  ❯ y  Allow once"], "no row of the panel"


def test_files_are_named_as_on_their_cards() -> None:
    def drawn(tool: str, **values: str) -> str:
        return next(details.detail_lines(asks(tool, **values), 70, PLAIN, directory="/work/here")).plain

    assert drawn("Write", file_path="/work/here/src/a.py", content="x") == "│ src/a.py"
    beside = "/work/hereabouts/a"
    assert drawn("Edit", file_path=beside, old_string="", new_string="x") == f"│ {beside}"
    assert drawn("NotebookEdit", notebook_path="/work/here/a.ipynb", new_source="x") == "│ a.ipynb"
    assert drawn("Read", file_path="/etc/passwd") == "│ /etc/passwd"
    assert details.headline(asks("mcp__srv__do_it"), 80) == "Claude wants to use do_it of srv"


@each_row(
    ("https://github.com@evil.example:80/x", "evil.example:80"),
    ("https://evil.example\\@github.com/", "evil.example"),
    ("https://xn--le-6kc8da.com/", "xn--le-6kc8da.com"),
)
def test_the_host_of_a_page_stands_apart(url: str, host: str) -> None:
    assert details.headline(asks("WebFetch", url=url), 80) == f"Claude wants to fetch a page of {host}"
    assert f"host {host}" in " ".join(plain(asks("WebFetch", url=url), 20)), "where the head has no room"


def test_input_nested_too_deep_is_said() -> None:
    values: object = []
    for _ in range(5_000):
        values = [values]
    assert plain(asks("mcp__x__y", deep=values))[-1] == details.TOO_DEEP


def test_lines_are_compared_only_where_that_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Matcher(file_diff.SequenceMatcher[str]):
        def __init__(self, junk: None, a: list[str], b: list[str], autojunk: bool) -> None:
            compared.append(len(a))
            super().__init__(junk, a, b, autojunk)

    monkeypatch.setattr(file_diff, "SequenceMatcher", Matcher)
    old = [f"line {n}" for n in range(300)]
    new = [line if n % 2 else f"{line}!" for n, line in enumerate(old)]
    assert len(list(changed_lines("\n".join(old), "\n".join(new)))) == 450
    assert compared == [299], "the last line stays"
    blank = ["", "x"] * 2_000
    other = ["", "y"] * 2_000
    lines = list(changed_lines("\n".join(blank), "\n".join(other)))
    assert compared == [299], "too many lines are alike"
    assert [sign for sign, _ in lines] == [" "] + ["-"] * 3_999 + ["+"] * 3_999


ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
MODE = Suggestion("setMode", mode="acceptEdits")
TEXTS = st.text(alphabet="bc ", max_size=120)
LONG = "\n".join(f"step {n}" for n in range(60))
LIST = Question("Which one?", "Which", tuple(Option(f"Option {n}", "about it") for n in range(30)))
SIZES = [(80, 24), (40, 12), (60, 10), (160, 50)]


def asks_lasting(tool: str = "Bash", **values: object) -> PermissionRequest:
    return PermissionRequest("t", "s", tool, values, suggestions=(ALWAYS,))


async def test_a_key_on_an_option_out_of_sight_brings_it_back_first() -> None:
    async with PanelHost(LIST).shown() as (app, pilot):
        await pilot.press("down")
        await pilot.press(*["shift+pagedown"] * 4)
        assert not app.cursor_line
        await pilot.press("enter")
        assert (app.state.outcome, app.state.page.draft.selected) == (None, ())
        assert app.cursor_line.endswith("Option 1"), "it is seen now"
        assert OUT_OF_SIGHT.split(" · ")[0] in app.panel_words
        await press_later(pilot, "enter")
        assert app.state.page.draft.selected == (1,)
        assert app.state.outcome is not None


async def test_submit_out_of_sight_submits_nothing() -> None:
    app = PanelHost(*[Question(f"Question {n}?", f"Q{n}", SINGLE.options) for n in range(12)], MULTI)
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.press("shift+tab", "end")
        await pilot.press(*["shift+pageup"] * 4)
        assert "→    Submit" not in app.panel_text
        await pilot.press("enter")
        assert app.state.outcome is None
        assert "→    Submit" in app.cursor_line
        await press_later(pilot, "enter")
        assert app.state.outcome is not None


async def test_a_choice_out_of_sight_decides_nothing() -> None:
    async with PanelHost(asks_lasting(command="make")).shown(size=(40, 7)) as (app, pilot):
        assert "y allow" in app.panel_words
        await pilot.press("end")
        assert "y  Allow once" not in app.panel_text
        await press_later(pilot, "y", seconds=WRITING)
        assert app.state.outcome is None
        await press_later(pilot, "y", seconds=WRITING)
        assert app.outcomes == [Allowed()]


async def test_a_row_of_a_list_out_of_sight_is_not_chosen() -> None:
    async with running(Picking(MANY), size=(80, 24)) as (app, pilot):
        app.screen.query_one(LineView).scroll_end(animate=False, force=True)
        await pilot.pause()
        await pilot.press("enter")
        assert app.results == []
        await pilot.press("enter")
        assert app.results == [MANY[0].value]


async def test_no_notice_pushes_the_end_of_a_panel_off_a_low_screen() -> None:
    async with running(Driven(clock=Clock()), size=(30, 9)) as (run, pilot):
        await run.ask(pilot, asked("toolu_1", SINGLE, MULTI))
        run.screen.dock.notices.say("Somewhere else somebody asks_lasting something at great length. " * 5)
        await pilot.press("ctrl+d")
        lines = [strip.text for strip in run.screen._compositor.render_strips()]
        assert any("⚠ Decline all 2" in line for line in lines)
        assert any("y decline · Esc" in line for line in lines)


async def test_what_was_never_on_the_screen_is_not_allowed_at_once() -> None:
    async with PanelHost(asks_lasting(command=LONG)).shown() as (app, pilot):
        for request, size in (
            *((asks_lasting(command=LONG), size) for size in SIZES),
            (asks_lasting(command="echo " + "x" * 6_000), (40, 12)),
            (asks_lasting(command=LONG * 5), (80, 24)),
            (asks_lasting(command=LONG), (50, 24)),
            (asks_lasting("Write", file_path="/a", content=LONG), (80, 24)),
            (asks_lasting("Edit", file_path="/a", old_string="a", new_string=LONG), (60, 10)),
            (asks_lasting("WebFetch", url="https://example.com/" + "x" * 6_000, prompt="read it"), (80, 24)),
            (asks_lasting("mcp__files__put", text=[LONG] * 30), (160, 50)),
        ):
            with step(f"{request.tool} {size}"):
                await pilot.resize_terminal(*size)
                await pilot.put(request)
                await unseen_is_not_allowed_at_once(app, pilot, *size)


async def unseen_is_not_allowed_at_once(app: PanelHost, pilot: QuickPilot, width: int, height: int) -> None:
    assert re.search(r"↓ .*more lines · ", app.panel_text)
    many = re.search(r"over|\d{3} more lines", app.panel_text)
    for key in ("y", "enter"):
        await pilot.press(key)
        assert app.state.outcome is None
        again = f"{'Enter' if key == 'enter' else key} again allows"
        assert again in app.panel_words
        brief = height < 18 or width < 80 or (many and width == 80)
        assert ("unseen" if brief else "never on the screen · Space shows them") in app.panel_words
        assert all(line.text.cell_len <= width for line in app.panel.form.drawn.lines), "nothing is cut"
        assert app.panel.form.drawn.shown or "p all" in app.panel_words, "it can be read"
        await pilot.press("down")
        assert "again allows" not in app.panel_words
        await pilot.press("up")
        app.clock.skip(WRITING)
    await pilot.press("y")
    await press_later(pilot, "y")
    assert app.outcomes == [Allowed()]


async def test_what_is_out_of_sight_is_counted_also_while_a_text_is_open() -> None:
    app = PanelHost(asks_lasting(command=LONG))

    def counted() -> int:
        found = re.search(r"↓ (\d+) more lines · ", app.panel_text)
        return int(found[1]) if found else -1

    def hidden() -> int:
        return 60 - len(re.findall(r"step \d+", app.panel_text))

    async with app.run_test() as pilot:
        for size in (*SIZES, (80, 11), (30, 6)):
            await pilot.resize_terminal(*size)
            await pilot.put(asks_lasting(command=LONG))
            for key in ("e", "x", "escape", "a", "escape", "a"):
                await pilot.press(key)
                assert app.state.typing == (key != "escape")
                assert counted() == hidden(), f"after {key} at {size}:\n{app.panel_text}"


async def test_what_is_enlarged_takes_the_place_of_the_choices_and_is_read_page_by_page() -> None:
    async with PanelHost(asks_lasting(command=LONG)).shown(size=(40, 12)) as (app, pilot):
        await pilot.press("p")
        assert "1–7 of 60" in app.panel_text
        assert app.panel.state.large, "the keys of pages are not the transcript's"
        assert "Allow once" not in app.panel_text
        await press_later(pilot, "enter", seconds=WRITING)
        assert (app.state.outcome, app.state.large) == (None, False), "the choices come into sight first"
        assert OUT_OF_SIGHT.split(" · ")[0] in app.panel_words
        app.clock.skip(WRITING)
        for key in ("p", "pagedown", "space", "shift+pagedown", "pageup", "pagedown"):
            await pilot.press(key)
        assert "19–25 of 60" in app.panel_text
        for _ in range(9):
            await pilot.press("space")
        await pilot.press("escape")
        assert "Enter allow once" in app.panel_text, "all of it was on the screen"
        await press_later(pilot, "enter", seconds=WRITING)
        assert app.outcomes == [Allowed()]


async def test_a_plan_that_was_read_enlarged_was_seen() -> None:
    app = PanelHost(PlanRequest("p", "s", LONG))
    app.unseen_above = lambda: (60, False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("y")
        assert app.state.outcome is None
        for key in ("p", *["space"] * 5, "p"):
            await pilot.press(key)
        await press_later(pilot, "y", seconds=WRITING)
        assert app.outcomes[-1] == Allowed(mode="default")


@given(st.data())
def in_sight_and_seen(runner: asyncio.Runner, app: PanelHost, pilot: QuickPilot, data: st.DataObject) -> None:
    command = data.draw(st.text(alphabet="ab \n", min_size=1, max_size=900))
    suggestions = data.draw(st.lists(st.sampled_from((ALWAYS, MODE)), max_size=2, unique=True))
    details = {"command": command}, data.draw(TEXTS), data.draw(TEXTS)
    request = PermissionRequest("t", "s", "Bash", *details, suggestions=tuple(suggestions))
    size = data.draw(st.integers(40, 130)), data.draw(st.integers(7, 50))
    keys = data.draw(st.lists(st.sampled_from(("down", "up", "space", "p", "shift+down", "end")), max_size=6))

    async def play() -> None:
        await pilot.resize_terminal(*size)
        await pilot.put(request)
        for key in keys:
            await pilot.press(key)
        text, state = app.panel_text, app.state
        hint = app.panel_lines[-1]
        rows = sum(bool(re.match(r" [ ❯] [yn12ae]  [A-Z]", line)) for line in app.panel_lines)
        if not state.large and size[1] >= 14:
            assert rows == len(state.page.question.acts), text
        if rows < len(state.page.question.acts) and size[0] >= 80:
            assert ("y allow" in hint) != state.large, text
        assert re.search(r"Enter (ask again|allow|always|deny|accept|write)", hint), text
        message = "ask again" in hint
        await press_later(pilot, "enter", seconds=WRITING)
        assert not (message and isinstance((app.outcomes or [None])[-1], Allowed)), text
        act = state.page.question.acts[state.page.cursor]
        if act.allows and not act.takes_words and not message:
            assert isinstance((app.outcomes or [None])[-1], Allowed), text
            assert not state.unseen

    runner.run(play())


def test_the_choices_are_in_sight_and_what_enter_allows_was_seen() -> None:
    """For any call and size; only a screen too low for its choices hides one, and then the keys say so."""
    app = PanelHost(SINGLE)
    with asyncio.Runner() as runner:
        shown = app.run_test()
        pilot = runner.run(shown.__aenter__())
        in_sight_and_seen(runner, app, pilot)
        runner.run(shown.__aexit__(None, None, None))

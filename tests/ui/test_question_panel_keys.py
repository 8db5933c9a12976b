"""The keys of the question panel, and its manners: grace, clicks, review, hiding, a model's text as data."""

import unicodedata
from types import SimpleNamespace
from typing import Any, cast

from textual import events

from ccq_tui.input.gate import FOCUS
from ccq_tui.questions import Answer, Answered, Kind, Option, Question, QuestionSet
from ccq_tui.questions.state import Focus, opened
from tests.hostile import MARK
from tests.steps import step
from tests.ui.asked import CITIES, MULTI, PREVIEWED, SINGLE
from tests.ui.host import Asked, PanelHost, type_text


async def test_slash_filters_ten_options_or_more_and_p_shows_the_preview_larger() -> None:
    async with PanelHost(CITIES).shown() as (app, pilot):
        assert "/ filter" in app.panel_text
        height = app.panel.region.height
        await pilot.press("slash")
        await type_text(pilot, "city 3")
        assert "11 of 40 shown" in app.panel_text
        await pilot.press("down")
        assert "City 30" in app.cursor_line, "arrows move while the filter is typed"
        assert app.panel.region.height == height
        await pilot.press("enter", "2")
        assert "● 2  City 30" in app.panel_text, "digits count the rows that are shown"
        await pilot.press("escape")
        assert "shown" not in app.panel_text
        assert "City 30" in app.cursor_line, "the cursor stays on its row"
        await pilot.press("slash", "z", "z")
        assert "0 of 40 shown" in app.panel_text
        assert "Other…" in app.cursor_line
        await pilot.put(PREVIEWED)
        assert "p all" not in app.panel_text, "all of it is in sight"
        await pilot.press("down")
        assert "p all" in app.panel_text
        await pilot.press("p")
        assert "SQLite" not in app.panel_text
        assert "9  line of tabs" in app.panel_text
        assert "Esc small again" in app.panel_text
        await pilot.press("up")
        assert "|nav | body    |" in app.panel_text, "arrows show the other options' previews"
        await pilot.press("p")
        assert " ❯ ○ 1  Sidebar" in app.panel_text


async def test_ctrl_g_wants_an_editor_and_the_text_comes_back() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("ctrl+d", "ctrl+g", "escape")
        assert not app.edited, "there is no text to edit"
        await pilot.press("2", "ctrl+g")
        assert app.edited == [""]
        assert app.state.focus is Focus.OTHER, "on the list it is Other that is edited"
        await pilot.press("a", "b", "ctrl+g")
        assert app.edited[-1] == "ab"
        app.panel.put_text("ab\r\nand more\x1b[2J\n")
        await pilot.pause()
        assert app.state.text == "ab\nand more[2J", "the editor's last newline and controls are left out"
        assert "and more" in app.panel_text
        await pilot.press("!")
        assert app.state.text.endswith("more[2J!"), "the caret is at the end"


async def click_on(app: PanelHost, pilot: object, text: str) -> None:
    """Click on the first place of the screen that shows a text."""
    y, line = next((y, line) for y, line in enumerate(app.screen_lines) if text in line)
    await pilot.click(offset=(line.index(text) + 1, y))


async def test_clicks_on_rows_tabs_and_review() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await click_on(app, pilot, "DuckDB")
        assert " ❯ ● 3  DuckDB" in app.panel_text
        assert app.state.tab == 0, "a click selects and stays"
        await click_on(app, pilot, "Features")
        assert app.state.tab == 1
        await click_on(app, pilot, "Speed up")
        await click_on(app, pilot, "Trace each")
        await click_on(app, pilot, "Speed up")
        assert app.state.page.draft.selected == (2,)
        await click_on(app, pilot, "Other…")
        assert app.state.focus is Focus.OTHER
        await pilot.press("x")
        await click_on(app, pilot, "Review")
        assert "→ Logs, “x”" in app.panel_text
        await click_on(app, pilot, SINGLE.text)
        assert app.state.tab == 0, "a row of the review leads to its question"
        await click_on(app, pilot, "Review")
        assert not app.outcomes
        await click_on(app, pilot, "→    Submit")
        assert app.outcomes == [Answered((Answer(("DuckDB",)), Answer(("Logs",), other="x")))]
        await pilot.put(SINGLE, MULTI)
        before = app.state
        for text in (SINGLE.text, "Claude asks", "api-ref", " · ", "I looked"):
            await click_on(app, pilot, text)
        assert app.state == before, "clicks beside rows mean nothing"
        assert app.focused is app.panel


async def test_the_click_that_gave_the_terminal_the_focus_does_nothing_nor_does_the_focus() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        app.post_message(events.AppBlur())
        await pilot.pause()
        app.post_message(events.AppFocus())
        await pilot.pause()
        for text in ("DuckDB", "Features", "Enter choose"):
            await click_on(app, pilot, text)
        assert (app.state.page.draft.selected, app.state.tab) == ((), 0)
        app.clock.now += FOCUS + 0.01
        await click_on(app, pilot, "DuckDB")
        assert app.state.page.draft.selected == (2,)
        assert app.focused is app.panel
        await pilot.put(SINGLE)
        await pilot.press("2", "o", "x")
        before = app.state.pages
        app.post_message(events.AppBlur())
        await pilot.pause()
        app.post_message(events.AppFocus())
        await pilot.pause()
        await pilot.press("y")
        assert app.state.text == "xy"
        assert before[0].draft.selected == app.state.page.draft.selected == (1,)


async def test_two_waiting_sets_are_counted() -> None:
    async with PanelHost(SINGLE, place=(1, 2)).shown() as (app, pilot):
        assert app.panel_lines[0].endswith("─ 1 of 2 ─")
        app.panel.place = (2, 2)
        await pilot.pause()
        assert app.panel_lines[0].endswith("─ 2 of 2 ─")


async def test_the_keys_of_the_page_above_are_left_to_it() -> None:
    received: list[str] = []

    class Host(PanelHost):
        def on_key(self, event: events.Key) -> None:
            received.append(event.key)

    async with Host(SINGLE).shown() as (app, pilot):
        keys = ["pageup", "pagedown", "ctrl+up", "ctrl+down"]
        await pilot.press(*keys, "o", *keys)
        await type_text(pilot, "ab")
        assert received == keys * 2
        assert app.state.text == "ab"


async def test_a_panel_built_from_a_draft_draws_it() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("2", "o", "d", "r", "a", "f", "t")
        draft = app.state
    async with PanelHost(draft).shown() as (again, pilot):
        assert "draft" in again.panel_text
        await pilot.press("!", "enter")
        assert again.state.page.as_answer() == Answer(other="draft!")


WILD = (
    f"{MARK}\x1b[?1049l\x1b]52;c;b3duZWQ=\x07\x1b]8;;https://evil.example\x07click\x1b]8;;\x07\x1b[6n\x1bP+q544e"
    "\x1b\\\x1b[?1003h\x00[bold red]bold[/] [@click=app.quit]quit[/] \\[bold] [[]] [$error] {app.quit}"
)
MARKUP = "[@click=app.quit]quit[/] [bold]bold[/bold] [link=https://evil.example]x[/link]"
SAFE_FORMATS = {"\u200d", "\ufe0f"}


def hostile(text: str) -> tuple[Question, ...]:
    options = (Option(text, text, preview=text), Option(f"{text} (Recommended)", text), Option("plain"))
    return (
        Question(text, text, options, description=text),
        Question(text, text, options, multi_select=True),
        Question(text, text, kind=Kind.TEXT, description=text, placeholder=text, default=text),
        Question(text, text, kind=Kind.TEXT, placeholder=text, description=text),
        Question(
            text, text, kind=Kind.NUMBER, unit=text, minimum=1, maximum=2, default="9", placeholder=text
        ),
    )


def assert_clean(app: PanelHost) -> None:
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            assert not segment.control
            for character in segment.text:
                bad = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
                assert not bad or character in SAFE_FORMATS, f"{character!r} in {segment.text!r}"
            if segment.style:
                assert not segment.style.link
                actions = {name for name in segment.style.meta if name.startswith("@")}
                assert actions <= {"@mouse.down", "@mouse.up"}, "only a scrollbar has actions"


TOUR = (("down", "n", "x"), ("enter", "p"), ("escape", "ctrl+d"), ("escape", "tab"))


async def test_hostile_text_is_drawn_as_data() -> None:
    markup = f"{MARKUP}one\u2028two\u2029three\u0085four"
    async with PanelHost(SINGLE).shown() as (app, pilot):
        # What is read as markup in one size is so in all.
        for size, text in (((80, 24), WILD), ((40, 12), WILD), ((40, 12), markup), ((160, 50), WILD)):
            with step(f"{text!r} at {size}"):
                await pilot.resize_terminal(*size)
                await pilot.put(*hostile(text), title=text, session=text)
                for keys in TOUR * 6:
                    await pilot.press(*keys)
                    assert_clean(app)
                await pilot.press("shift+tab", "end", "enter")
                assert_clean(app)
                assert app.is_running


async def test_markup_is_shown_as_it_was_written_and_what_is_hidden_as_a_sign() -> None:
    option = Option("[bold]x", "[red]y", preview="[@click=app.quit]z")
    async with PanelHost(Question(MARKUP, "[b]h[/b]", (option,))).shown(size=(99, 30)) as (app, pilot):
        for text in (MARKUP, "[b]h[/b]", "[bold]x", "[red]y", "[@click=app.quit]z", "▤ [bold]x ╌"):
            assert text in app.panel_text
        y, line = next((y, line) for y, line in enumerate(app.screen_lines) if "@click" in line)
        for x in range(0, len(line), 8):
            await pilot.click(offset=(x, y))
        assert app.is_running
        await pilot.put(Question("safe\u202egnp.exe?", "W", (Option("\x1b[31mred"), Option("a\u200bb"))))
        for text in ("safe‹U+202E›gnp.exe?", "␛[31mred", "a‹U+200B›b"):
            assert text in app.panel_text


async def test_new_lines_in_titles_and_headers_stay_on_one_line_and_in_labels_start_another() -> None:
    questions = [Question("one\ntwo?", "he\nader", (Option("two\nlines", "de\nscribed"),)) for _ in range(2)]
    app = PanelHost(*questions, title="ti\ntle", session="ses\nsion")
    async with app.run_test(size=(80, 30)) as pilot:
        assert app.panel_lines[0].startswith("─ ti tle ─ ◆ he ader ─")
        assert app.panel_lines[0].endswith("─ ses sion ─")
        lines = [line[:79].strip() for line in app.panel_lines]  # the last cell is the scrollbar's
        for part in ("two?", "lines", "scribed"):
            assert part in lines
        await pilot.put(Question("Name?", "N", kind=Kind.TEXT, default="\x1b[2Jsafe\u202egnp\x07"))
        assert "[2Jsafegnp" in app.panel_text, "a proposed answer is what is seen"
        assert not app.state.has_draft
        await pilot.press("enter")
        assert app.state.outcome.answers[0].other == "[2Jsafegnp"  # type: ignore[union-attr]


def typed() -> tuple[events.Key | events.Paste, ...]:
    return events.Key("x", "x"), events.Key("enter", "\r"), events.Paste("pasted")


def came(late: list[events.Key | events.Paste]) -> list[str]:
    return [one.text if isinstance(one, events.Paste) else one.key for one in late]


async def test_what_was_queued_before_a_request_began_or_after_it_was_settled_decides_nothing() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        panel = app.panel
        panel.rest()
        app.prompt = SimpleNamespace(holds_text=False)
        for event in typed():
            panel.post_message(event)
        panel.begin(cast("Any", Asked(opened(QuestionSet("two", (SINGLE,))), app)))
        await pilot.pause()
        assert came(app.late) == ["x", "pasted"]
        assert not app.outcomes
        assert not app.state.has_draft
        app.clock.skip_grace()
        await pilot.press("enter")
        assert len(app.outcomes) == 1
        for event in typed():
            panel.post_message(event)
        await pilot.pause()
        assert came(panel.rest()) == ["x", "enter", "pasted"]
        assert panel.rest() == []
        assert len(app.outcomes) == 1

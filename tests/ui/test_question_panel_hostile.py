"""A model's text is data: no control reaches the screen, no markup is read, nothing is triggered."""

from __future__ import annotations

import unicodedata

import pytest

from ccq_tui.questions import Kind, Option, Question
from ccq_tui.testing.scenarios.hostile import ATTACKS, ESC, LONG_LABEL
from tests.ui.host import PanelHost

WILD = "".join(ATTACKS.values())
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


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (160, 50)])
async def test_hostile_text_is_drawn_as_data(size: tuple[int, int]) -> None:
    markup = f"{MARKUP}{ATTACKS['line separators']}"
    async with PanelHost(*hostile(WILD), title=WILD, session=WILD).shown(size=size) as (app, pilot):
        # The small screen has both; what is read as markup in one size is so in all.
        for text in (WILD, markup) if size == (40, 12) else (WILD,):
            if text != WILD:
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
        await pilot.put(Question("safe\u202egnp.exe?", "W", (Option(f"{ESC}[31mred"), Option("a\u200bb"))))
        for text in ("safe‹U+202E›gnp.exe?", "␛[31mred", "a‹U+200B›b"):
            assert text in app.panel_text


async def test_a_label_of_a_hundred_thousand_characters() -> None:
    app = PanelHost(Question("Which?", "W", (Option(LONG_LABEL), Option("two\nlines")), multi_select=True))
    async with app.run_test() as pilot:
        app.burst(*["shift+down"] * 6)
        await pilot.pause()
        assert "…" in app.panel_words
        assert "p all" in app.panel_words
        await pilot.press("1", "p", "shift+down", "escape", "shift+tab")
        assert_clean(app)
        assert max(len(line) for line in app.screen_lines) <= 80


async def test_new_lines_in_titles_and_headers_stay_on_one_line_and_in_labels_start_another() -> None:
    questions = [Question("one\ntwo?", "he\nader", (Option("two\nlines", "de\nscribed"),)) for _ in range(2)]
    app = PanelHost(*questions, title="ti\ntle", session="ses\nsion")
    async with app.run_test(size=(80, 30)) as pilot:
        assert app.panel_lines[0].startswith("─ ti tle ─ ◆ he ader ─")
        assert app.panel_lines[0].endswith("─ ses sion ─")
        lines = [line[:79].strip() for line in app.panel_lines]  # the last cell is the scrollbar's
        for part in ("two?", "lines", "scribed"):
            assert part in lines
        await pilot.put(Question("Name?", "N", kind=Kind.TEXT, default=f"{ESC}[2Jsafe\u202egnp\x07"))
        assert "[2Jsafegnp" in app.panel_text, "a proposed answer is what is seen"
        assert not app.state.has_draft
        await pilot.press("enter")
        assert app.state.outcome.answers[0].other == "[2Jsafegnp"  # type: ignore[union-attr]

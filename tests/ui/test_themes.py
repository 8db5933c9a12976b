"""Themes in the running program: the list, what a file written meanwhile does, no colours, few colours."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.style import Style
from textual.color import Color
from textual.pilot import Pilot

from ccq_tui.agent.events import SessionState, StateChanged
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import config_dir, user_config
from ccq_tui.config.settings import Settings
from ccq_tui.screens.pickers import Picker
from ccq_tui.screens.session import screen_commands
from ccq_tui.widgets.transcript import Transcript
from tests.ui.drawn import screen_text
from tests.ui.host import press_later
from tests.ui.running import running
from tests.ui.session import Driven, asked, until


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_commands, "LOOK_SECONDS", 0.02)


def driven(theme: str = "ccq-dark") -> Driven:
    return Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=theme)))


@pytest.fixture
def run() -> Driven:
    return driven()


async def ready(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)


def styles(run: Driven) -> list[Style]:
    """The styles of all that is drawn, as it goes to the terminal."""
    strips = run.app.screen._compositor.render_strips()
    return [segment.style for strip in strips for segment in strip if segment.style is not None]


def ground_of_prompts(run: Driven) -> Color:
    """What the transcript draws prompts on; it is under the list while a theme is chosen."""
    [transcript] = [found for screen in run.app.screen_stack for found in screen.query(Transcript)]
    color = transcript._painter.pen.colours["prompt"].bgcolor
    assert color is not None
    return Color.from_rich_color(color)


async def pick(run: Driven, pilot: Pilot[int]) -> None:
    run.screen.take_command("/theme")
    await until(pilot, lambda: isinstance(run.app.screen, Picker))
    await pilot.pause()


async def test_a_theme_is_seen_while_the_cursor_is_on_it_and_escape_puts_the_old_one_back(
    run: Driven, pilot: Pilot[int]
) -> None:
    await ready(run, pilot)
    await pick(run, pilot)
    text = screen_text(run.app)
    assert "● ccq-dark" in text
    assert "ccq-mono" in text
    await pilot.press("down")
    await until(pilot, lambda: ground_of_prompts(run) == Color.parse("#0a0a0a"))
    await pilot.press(*"light")
    await until(pilot, lambda: run.app.theme == "ccq-light")
    await until(pilot, lambda: run.app.screen_stack[-2].styles.background == Color.parse("#faf8f4"))
    await until(pilot, lambda: ground_of_prompts(run) == Color.parse("#f4f1eb"))
    await pilot.press("escape", "escape")
    await until(pilot, lambda: not isinstance(run.app.screen, Picker))
    await until(pilot, lambda: run.app.theme == "ccq-dark")
    await until(pilot, lambda: run.screen.styles.background == Color.parse("#14161b"))


async def test_a_theme_of_textuals_is_seen_with_our_colours_filled_in(run: Driven, pilot: Pilot[int]) -> None:
    await ready(run, pilot)
    await pick(run, pilot)
    await pilot.press(*"nord", "enter")
    await until(pilot, lambda: "For how long?" in screen_text(run.app))
    assert run.app.current_theme.variables.keys() >= {"ccq-muted", "ccq-cursor"}


async def test_once_writes_nothing_and_always_writes_the_one_line() -> None:
    user_config().parent.mkdir(parents=True, exist_ok=True)
    user_config().write_text("# mine\nbell = false\n")
    async with running(driven()) as (run, pilot):
        await ready(run, pilot)
        for keys, written in (
            (["enter"], "# mine\nbell = false\n"),
            (["down", "enter"], '# mine\nbell = false\ntheme = "ccq-light"\n'),
        ):
            await pick(run, pilot)
            await pilot.press(*"light", "enter")
            await until(pilot, lambda: "For how long?" in screen_text(run.app))
            assert 'theme = "ccq-light"' in screen_text(run.app)
            await press_later(pilot, *keys)
            await until(pilot, lambda: run.app.screen is run.screen)
            await until(pilot, lambda: "Theme ccq-light" in run.screen.dock.notices.text)
            assert run.app.theme == "ccq-light"
            assert user_config().read_text() == written
            run.screen.dock.notices.hush()


async def test_settings_that_cannot_be_written_are_told() -> None:
    user_config().parent.mkdir(parents=True, exist_ok=True)
    user_config().write_text("bell = \n")
    async with running(driven()) as (run, pilot):
        await ready(run, pilot)
        run.screen.take_command("/theme ccq-light")
        await until(pilot, lambda: isinstance(run.app.screen, Picker))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "The theme was not saved" in screen_text(run.app))
        assert "is not TOML" in " ".join(screen_text(run.app).split())


async def test_a_name_that_is_not_known_shows_the_list(run: Driven, pilot: Pilot[int]) -> None:
    await ready(run, pilot)
    run.screen.take_command("/theme bad")
    await until(pilot, lambda: "Unknown theme bad" in screen_text(run.app))
    assert "● ccq-dark" in screen_text(run.app)


def write(name: str, text: str, *, at: int) -> Path:
    """Write a theme of the person's own, at a time of its own: two writes may fall into one tick."""
    path = config_dir() / "themes" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at, at))
    return path


async def test_the_theme_in_use_follows_its_file_and_survives_a_broken_one() -> None:
    path = write("sea.toml", 'primary = "#3388aa"\nbackground = "#102030"\n', at=1)
    async with running(driven("sea")) as (run, pilot):
        await ready(run, pilot)
        ground: Callable[[], str] = lambda: run.screen.styles.background.hex.lower()  # noqa: E731
        assert ground() == "#102030"
        write("sea.toml", 'primary = "#3388aa"\nbackground = "#203040"\n', at=2)
        await until(pilot, lambda: ground() == "#203040")
        write("sea.toml", 'primary = "#3388aa"\nbackground = "#2030"\nsea = 1\n', at=3)
        await until(pilot, lambda: f"{path}:3:" in run.screen.transcript.text())
        assert "the theme is unchanged" in run.screen.transcript.text()
        assert run.app.theme == "sea"
        assert ground() == "#203040"
        write("sea.toml", 'primary = "#3388aa"\nbackground = "#304050"\n', at=4)
        await until(pilot, lambda: ground() == "#304050")


async def test_a_theme_that_was_wanted_but_broken_is_put_on_once_it_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('primary = "no colour"\n')
    async with running(driven(str(path))) as (run, pilot):
        await ready(run, pilot)
        assert run.app.theme == "ccq-dark"
        path.write_text('name = "lake"\nprimary = "#3388aa"\n')
        os.utime(path, (5, 5))
        await until(pilot, lambda: run.app.theme == "lake")


async def test_no_color_leaves_signs_words_and_text_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(driven("ccq-light")) as (run, pilot):
        await ready(run, pilot)
        run.told.tell(StateChanged(SessionState.AWAITING))
        run.told.tell(asked())
        await until(pilot, lambda: " ❯ ○ 1  First" in screen_text(run.app))
        assert run.app.theme == "ccq-mono"
        assert {(style.color, style.bgcolor) for style in styles(run)} == {(None, None)}
        assert any(style.bold for style in styles(run))
        strips = run.app.screen._compositor.render_strips()
        parts = [part for strip in strips for part in strip if part.style and part.style.reverse]
        assert [part.text.strip() for part in parts] == ["First"]
        assert "waits for you" in screen_text(run.app)


async def test_an_empty_no_color_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    async with running(driven()) as (run, pilot):
        await ready(run, pilot)
        assert run.app.theme == "ccq-dark"
        assert Color.parse("#86aee3").rich_color in {style.color for style in styles(run)}


async def test_sixteen_colours_are_named_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    run = driven()
    monkeypatch.setattr(type(run.app.console), "color_system", "standard")
    async with run.app.run_test() as pilot:
        await ready(run, pilot)
        colours = {style.color for style in styles(run)} | {style.bgcolor for style in styles(run)}
        assert all(colour is None or colour.is_system_defined for colour in colours)
        assert len(colours) > 3

"""Themes in the running program: the list, the style sheet, what is drawn in every theme, few colours."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.css import stylesheet
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection
from textual.widgets import Static

from ccq_tui.agent.events import ErrorReported, NoticeGiven, SessionState, StateChanged
from ccq_tui.compat.textual.stylesheet import KeptStylesheet, _rules_of
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import user_config
from ccq_tui.config.settings import Settings
from ccq_tui.screens.picker import Picker
from ccq_tui.theming import load_themes
from ccq_tui.widgets.transcript import Transcript
from tests.ui.drawn import screen_text
from tests.ui.host import Clock, Host, press_later
from tests.ui.pictures import Pictures
from tests.ui.scene import QUESTION, WORK
from tests.ui.session import Driven, asked, idle, panel_drawn, press, running, until
from tests.unit.colours import contrast


def driven(theme: str = "ccq-dark") -> Driven:
    return Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=theme)))


@pytest.fixture
def run() -> Driven:
    return driven()


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
    await pick(run, pilot)
    text = screen_text(run.app)
    assert "● ccq-dark" in text
    assert "ccq-mono" in text
    await press(pilot, "down", then=lambda: ground_of_prompts(run) == Color.parse("#0a0a0a"))
    await press(pilot, *"light", then=lambda: run.app.theme == "ccq-light")
    await until(pilot, lambda: run.app.screen_stack[-2].styles.background == Color.parse("#faf8f4"))
    await until(pilot, lambda: ground_of_prompts(run) == Color.parse("#f4f1eb"))
    await press(pilot, "escape", "escape", then=lambda: not isinstance(run.app.screen, Picker))
    await until(pilot, lambda: run.app.theme == "ccq-dark")
    await until(pilot, lambda: run.screen.styles.background == Color.parse("#14161b"))


async def test_once_writes_nothing_and_always_writes_the_one_line() -> None:
    user_config().parent.mkdir(parents=True, exist_ok=True)
    user_config().write_text("# mine\nbell = false\n")
    async with idle(driven()) as (run, pilot):
        for keys, written in (
            (["enter"], "# mine\nbell = false\n"),
            (["down", "enter"], '# mine\nbell = false\ntheme = "ccq-light"\n'),
        ):
            await pick(run, pilot)
            await press(pilot, *"light", "enter", then=lambda: "Keep " in screen_text(run.app))
            assert 'theme = "ccq-light"' in screen_text(run.app)
            await press_later(pilot, *keys, then=lambda: run.app.screen is run.screen)
            await until(pilot, lambda: "Theme ccq-light" in run.dock.notices.text)
            assert run.app.theme == "ccq-light"
            assert user_config().read_text() == written
            run.dock.notices.hush()


async def test_settings_that_cannot_be_written_are_told() -> None:
    user_config().parent.mkdir(parents=True, exist_ok=True)
    user_config().write_text("bell = \n")
    async with idle(driven()) as (run, pilot):
        run.screen.take_command("/theme ccq-light")
        await until(pilot, lambda: isinstance(run.app.screen, Picker))
        await press(pilot, "down", "enter", then=lambda: "The theme was not saved" in screen_text(run.app))
        assert "is not TOML" in " ".join(screen_text(run.app).split())


async def test_a_name_that_is_not_known_shows_the_list(run: Driven, pilot: Pilot[int]) -> None:
    run.screen.take_command("/theme bad")
    await until(pilot, lambda: "Unknown theme bad" in screen_text(run.app))
    assert "● ccq-dark" in screen_text(run.app)


async def test_a_theme_file_elsewhere_is_kept_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('primary = "no colour"\n')
    async with idle(driven(str(path))) as (run, pilot):
        assert run.app.theme == "ccq-dark"
        path.write_text('name = "lake"\nprimary = "#3388aa"\n')
        await pick(run, pilot)
        await press(pilot, *"lake", "enter", then=lambda: "Keep " in screen_text(run.app))
        assert "mine.toml" in screen_text(run.app)
        assert run.app.theme == "lake"


async def test_no_color_leaves_signs_words_and_text_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with idle(driven("ccq-light")) as (run, pilot):
        run.fake.tell(StateChanged(SessionState.AWAITING))
        await run.tell(pilot, asked(), then=lambda: " ❯ ○ 1  First" in screen_text(run.app))
        assert run.app.theme == "ccq-mono"
        assert {(style.color, style.bgcolor) for style in styles(run)} == {(None, None)}
        assert any(style.bold for style in styles(run))
        strips = run.app.screen._compositor.render_strips()
        parts = [part for strip in strips for part in strip if part.style and part.style.reverse]
        assert [part.text.strip() for part in parts] == ["First"]
        assert "waits for you" in screen_text(run.app)


async def test_an_empty_no_color_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    async with idle(driven()) as (run, _):
        assert run.app.theme == "ccq-dark"
        assert Color.parse("#86aee3").rich_color in {style.color for style in styles(run)}


async def test_sixteen_colours_are_those_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    run = driven("ccq-light")
    monkeypatch.setattr(type(run.app.console), "color_system", "standard")
    async with idle(run) as (run, _):
        colours = {style.color for style in styles(run)} | {style.bgcolor for style in styles(run)}
        assert run.app.theme == "ansi-light"
        assert all(colour is None or colour.is_default or colour.number is not None for colour in colours)
        assert len(colours) > 3


TROUBLE = (
    NoticeGiven("The MCP server “docs” did not start", "warning"),
    ErrorReported("overloaded", "The API is overloaded"),
)
LEAST = {"ccq-contrast": 7.0}
ENOUGH = 4.5
TWO_FRAMES = 0.08
"""Seconds in which the transcript is drawn anew."""
FEW = 20
"""Words of a screen that is not drawn yet, at most."""
GIVEN_WAY = ("Ask Claude to do something", "Type to filter")
"""The hint in an empty field may be fainter: it is gone with the first key."""


def colour(found: RichColor | None) -> Color | None:
    return Color.from_rich_color(found) if found is not None and found.triplet is not None else None


def seen(style: Style) -> tuple[Color, Color] | None:
    """The colours of text and background as they are drawn."""
    text, ground = colour(style.color), colour(style.bgcolor)
    if text is None or ground is None:
        return None
    return (ground, text) if style.reverse else (text, ground)


def words(run: Driven) -> dict[str, float]:
    """The contrast of each run of letters on the screen with what it stands on."""
    found = {}
    for strip in run.app.screen._compositor.render_strips():
        for segment in strip:
            if segment.style and any(map(str.isalnum, segment.text)) and (pair := seen(segment.style)):
                found[segment.text.strip()] = contrast(*pair)
    return found


def weak(run: Driven, least: float) -> dict[str, float]:
    return {
        text: round(value, 2)
        for text, value in words(run).items()
        if value < least and not any(text in hint for hint in GIVEN_WAY)
    }


async def test_every_word_on_the_screen_can_be_read() -> None:
    themes = [theme.name for theme in load_themes()[0]]
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=themes[0])))
    wrong: dict[str, dict[str, float]] = {}
    async with run.app.run_test(size=(100, 60)) as pilot:

        async def read(state: str) -> None:
            await pilot.pause(TWO_FRAMES)
            assert len(words(run)) > FEW, state
            if found := weak(run, LEAST.get(run.app.theme, ENOUGH)):
                wrong[f"{state} in {run.app.theme}"] = found

        await until(pilot, lambda: run.screen.view.state is SessionState.IDLE)
        await run.tell(pilot, *WORK, *TROUBLE, then=lambda: "overloaded" in " ".join(words(run)))
        for run.app.theme in themes:
            await read("work and trouble")
            select_text(run)
            await read("text that is selected")
            run.screen.selections = {}
            run.prompt.field.load_text("")
        await run.tell(pilot, asked("toolu_1", QUESTION), then=lambda: panel_drawn(run.screen))
        await until(pilot, lambda: any("Show them last" in text for text in words(run)))
        await pilot.press("down", "space")
        for run.app.theme in reversed(themes):
            await read("a question")
            run.screen.take_command("/theme")
            # The panel under it has keys to move, too.
            await until(pilot, lambda: run.app.screen is not run.session_screen and len(words(run)) > FEW)
            await read("a list")
            await pilot.press("escape")
    assert not wrong


def select_text(run: Driven) -> None:
    """Select words in the prompt, and lines in the transcript."""
    field = run.prompt.field
    field.load_text("selected words")
    field.select_all()
    run.screen.selections = {run.screen.transcript: Selection(Offset(0, 0), Offset(80, 8))}


THEMES = [theme.name for theme in load_themes()[0]]
SIZES = [(80, 24), (40, 12), (160, 50), (250, 80)]


async def test_in_every_theme_and_at_every_size(pictures: Pictures) -> None:
    clock = Clock()
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"), theme=THEMES[0])), clock=clock)
    async with idle(run, size=SIZES[0]) as (run, pilot):
        run.fake.tell(*WORK, StateChanged(SessionState.AWAITING), asked("toolu_1", QUESTION))
        await until(pilot, lambda: panel_drawn(run.screen))
        clock.skip_grace()
        await pilot.press("space", "down")
        await until(pilot, lambda: run.dock.panel.state.page.draft.selected)  # type: ignore[union-attr]
        run.screen.changed()
        for theme in THEMES:
            run.app.theme = theme
            for width, height in SIZES if theme == "ccq-dark" else SIZES[:1]:
                await pilot.resize_terminal(width, height)
                await pilot.pause(0.1)
                await pictures.keep(pilot, f"{width}x{height}-{theme}")


class First(Static):
    DEFAULT_CSS = "First { color: $primary; }"


class Second(Static):
    DEFAULT_CSS = "Second { color: $ccq-muted; }"


class Kept(Host):
    CSS = "First { background: $surface; }"

    def __init__(self) -> None:
        super().__init__()
        self.stylesheet = KeptStylesheet(variables=self.get_css_variables())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Give what was read since the last call: the names of classes, or "" for an app's own style sheet."""
    names: list[str] = []
    parse = stylesheet.parse

    def counted(scope: str, *args: object, **more: object) -> object:
        names.append(scope)
        return parse(scope, *args, **more)  # type: ignore[arg-type]

    def since() -> list[str]:
        found = sorted(names)
        names.clear()
        return found

    monkeypatch.setattr(stylesheet, "parse", counted)
    return since


async def test_only_what_is_new_is_read(read: Callable[[], list[str]]) -> None:
    _rules_of.cache_clear()
    async with running(Kept()) as (app, pilot):
        await app.mount(First("a"))
        await pilot.pause()
        first = read()
        assert first.count("First") == 1
        await app.mount(Second("b"))
        await pilot.pause()
        assert read() == ["Second"]
        app.refresh_css()
        assert read() == [], "no variable has changed"

        for theme in load_themes()[0]:
            app.register_theme(theme)
        dark = app.query_one(First).styles.color
        app.theme = "ccq-light"
        await pilot.pause()
        assert {"First", "Second"} <= set(read())
        assert app.query_one(First).styles.color == Color.parse(app.theme_variables["primary"]) != dark
        app.theme = "textual-dark"
        await pilot.pause()
        assert read() == []
        assert app.query_one(First).styles.color == dark

    async with Kept().run_test() as pilot:
        await pilot.app.mount(First("a"), Second("b"))
        await pilot.pause()
        assert read() == [], "another app in the same theme"

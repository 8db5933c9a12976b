"""The style sheet: what was read once is not read again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.app import App
from textual.color import Color
from textual.css import stylesheet
from textual.widgets import Static

from ccq_tui import theming
from ccq_tui.compat.textual.stylesheet import KeptStylesheet, _rules_of
from ccq_tui.theming.load import load_themes
from tests.ui.running import running


class First(Static):
    DEFAULT_CSS = "First { color: $primary; }"


class Second(Static):
    DEFAULT_CSS = "Second { color: $ccq-muted; }"


class Kept(App[None]):
    CSS = "First { background: $surface; }"

    def __init__(self) -> None:
        super().__init__()
        self.stylesheet = KeptStylesheet(variables=self.get_css_variables())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()


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

"""Themes: readable colours, and no file that can stop the program."""

from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import BUILTIN_THEMES
from textual.widgets import Static

from ccq_tui.config.paths import config_dir
from ccq_tui.theming import complete, install, load_themes, theme_names, variable_defaults
from tests.tables import each_row, table

COLOURS = {
    "ccq-muted", "ccq-cursor", "ccq-selected", "ccq-note", "ccq-badge", "ccq-rule", "ccq-user",
    "ccq-added", "ccq-removed",
    "screen-selection-background", "screen-selection-foreground",
}  # fmt: skip
OWN = COLOURS | {
    f"ccq-{role}-style" for role in ("selected", "badge", "note", "warning", "alarm", "keyword", "string")
}
SHIPPED = ["ccq-contrast", "ccq-cvd", "ccq-dark", "ccq-light", "ccq-mono"]


def test_the_shipped_themes_load_without_a_notice() -> None:
    themes, problems, *_ = load_themes()
    assert problems == []
    assert [theme.name for theme in themes] == SHIPPED
    assert [theme.name for theme in themes if not theme.dark] == ["ccq-light"]
    assert all(theme.variables.keys() >= OWN for theme in themes)


@each_row(*sorted(BUILTIN_THEMES))
def test_textuals_themes_get_our_colours(name: str) -> None:
    completed = complete(BUILTIN_THEMES[name])
    assert completed.variables.keys() >= OWN
    assert variable_defaults().keys() == OWN


def write(name: str, text: str) -> Path:
    path = config_dir() / "themes" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_persons_theme_is_found_and_filled_in() -> None:
    write("sea.toml", 'primary = "#3388aa"\n[variables]\nccq-note = "red"\n')
    themes, problems, *_ = load_themes()
    sea = next(theme for theme in themes if theme.name == "sea")
    assert problems == []
    assert sea.variables["ccq-note"] == "red"
    assert sea.variables.keys() >= OWN
    assert "sea" in theme_names()


@each_row(*table(__file__, "themes_refused.json"))
def test_a_bad_file_is_a_notice_that_names_it(text: str, line: str) -> None:
    path = write("bad.toml", text)
    themes, problems, *_ = load_themes()
    assert [theme.name for theme in themes] == SHIPPED
    assert len(problems) == 1
    assert str(path) in problems[0]
    assert line in problems[0]


def test_a_file_that_is_no_text_is_a_notice(tmp_path: Path) -> None:
    binary = tmp_path / "x.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, text in (
        (binary, "invalid start byte"),
        (tmp_path / "missing.toml", "No such file or directory"),
    ):
        found = load_themes(str(path))
        assert [problem.rpartition(": ")[2] for problem in found.problems] == [text]
        assert not found.wanted


class Painted(App[None]):
    """Uses every colour of ours, so that a bad one would stop it."""

    CSS = (
        "Static { "
        + " ".join(f"background: ${name};" for name in sorted(COLOURS))
        + " ".join(f"text-style: ${name};" for name in sorted(OWN - COLOURS))
        + " }"
    )

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self.notices = install(self, wanted)

    def compose(self) -> ComposeResult:
        yield Static("text")


@each_row(*SHIPPED, "nord", "ansi-dark")
async def test_a_theme_by_name(name: str) -> None:
    app = Painted(name)
    async with app.run_test():
        assert app.theme == name
        assert app.notices == []


@pytest.mark.parametrize(
    ("text", "theme", "notices"),
    [('primary = "#38a"\nbackground = "#102030"\n', "mine", 0), ('primary = "no colour"\n', "ccq-dark", 1)],
)
async def test_a_theme_by_path(tmp_path: Path, text: str, theme: str, notices: int) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    app = Painted(str(path))
    async with app.run_test():
        assert (app.theme, len(app.notices)) == (theme, notices)
        assert (app.screen.styles.background == Color.parse("#102030")) == (theme == "mine")


async def test_an_unknown_name_is_the_default_with_the_name_meant() -> None:
    app = Painted("cqc-light")
    async with app.run_test():
        assert app.theme == "ccq-dark"
    [notice] = app.notices
    assert notice == "Theme 'cqc-light' does not exist; ccq-dark is used; did you mean ccq-light?"


async def test_a_name_like_none_is_a_notice_with_all_there_are() -> None:
    write("sea.toml", 'primary = "#3388aa"\n')
    app = Painted("zzz")
    async with app.run_test():
        assert app.theme == "ccq-dark"
    [notice] = app.notices
    assert f"; there are {', '.join(SHIPPED)}, sea, " in notice
    assert "nord" in notice

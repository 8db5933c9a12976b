"""The line of the settings that keeps a theme."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.edited_file import SettingsFileError
from ccq_tui.theming.load import keep_theme, with_theme
from tests.tables import each_row, table


@each_row(*table(__file__, "theme_lines.json"))
def test_one_line_is_changed_and_all_else_stays(before: str, after: str) -> None:
    assert with_theme(before, "sea") == after


@each_row("theme = ", "theme = '''\nx'''\n", "theme = 3\n")
def test_what_cannot_be_changed_safely_is_left_alone(text: str) -> None:
    with pytest.raises(SettingsFileError, match=r"correct it first|by hand"):
        with_theme(text, "sea")


LINES = ["# a comment", "", "bell = true", 'theme = "x"', "[keys]", 'note = """', '"""', "list = [", "]"]


@given(st.lists(st.sampled_from(LINES), max_size=8), st.text(max_size=20))
def test_whatever_stands_in_the_file_only_the_theme_is_another_one(lines: list[str], theme: str) -> None:
    text = "\n".join(lines)
    try:
        before = tomllib.loads(text)
        changed = with_theme(text, theme)
    except ValueError:
        return
    assert tomllib.loads(changed) == {**before, "theme": theme}
    assert [line for line in changed.split("\n") if line.startswith("#")] == [
        line for line in lines if line.startswith("#")
    ]


def test_the_file_keeps_its_rights_and_its_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "config.toml"
    real.parent.mkdir()
    real.write_text("bell = false\n")
    real.chmod(0o640)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    keep_theme(link, "ccq-light")
    assert link.is_symlink()
    assert real.read_text() == 'bell = false\ntheme = "ccq-light"\n'
    assert real.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in real.parent.iterdir()] == ["config.toml"]


def test_a_file_that_is_not_there_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    keep_theme(path, "ccq-light")
    assert path.read_text() == 'theme = "ccq-light"\n'
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_changed_says_why_and_stays(tmp_path: Path) -> None:
    broken = tmp_path / "config.toml"
    broken.write_text("bell = \n")
    with pytest.raises(SettingsFileError, match="is not TOML"):
        keep_theme(broken, "sea")
    assert broken.read_text() == "bell = \n"
    with pytest.raises(SettingsFileError, match="it cannot be"):
        keep_theme(broken / "config.toml", "sea")
    broken.write_bytes(b"\xff")
    with pytest.raises(SettingsFileError, match="UTF-8"):
        keep_theme(broken, "sea")

"""Keys of one's own: how they are written, which hold, and what is said about wrong ones."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.config.errors import SettingsError
from ccq_tui.config.keymap import DEFAULT_KEYS, PRESETS, key_problems, keymap_of
from ccq_tui.config.load import load_settings
from ccq_tui.config.settings import Settings
from ccq_tui.input.gate import KeyKind
from ccq_tui.input.keynames import NAMED, SIGNS, key_name, shown_key
from ccq_tui.input.keys import TABLE, KeyPlace
from tests.unit.starting import write_settings


@pytest.mark.parametrize(
    ("written", "name", "shown"),
    [
        ("Ctrl+K", "ctrl+k", "Ctrl+K"),
        ("alt-up", "alt+up", "Alt+↑"),
        ("PgUp", "pageup", "PgUp"),
        ("?", "question_mark", "?"),
        ("/", "slash", "/"),
        ("G", "G", "G"),
        ("shift+g", "G", "G"),
        ("ctrl++", "ctrl+plus", "Ctrl++"),
        ("-", "minus", "-"),
        ("alt+<", "alt+less_than_sign", "Alt+<"),
        (" ", "space", "Space"),
        ("F12", "f12", "F12"),
    ],
)
def test_keys_are_written_in_several_ways(written: str, name: str, shown: str) -> None:
    assert key_name(written) == name
    assert shown_key(name) == shown


@given(st.sets(st.sampled_from(["ctrl", "alt", "super"])), st.sampled_from([*NAMED, *SIGNS, *"abcxyz019"]))
def test_what_is_shown_can_be_written(modifiers: set[str], key: str) -> None:
    name = key_name("+".join([*modifiers, key]))
    assert key_name(shown_key(name)) == name


@pytest.mark.parametrize("written", ["", "hyper+x", "ctrl+", "f25", "ctrl+alt", "kk", "ü"])
def test_what_is_no_key_is_said_to_be_none(written: str) -> None:
    with pytest.raises(ValueError, match="is not a key; write one such as"):
        key_name(written)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_sound(preset: str) -> None:
    assert list(key_problems({"preset": preset})) == []
    for keys in keymap_of({"preset": preset}).keys.values():
        assert [key_name(shown_key(key)) for key in keys] == list(keys)


def test_no_key_is_meant_twice_in_a_place_and_no_key_that_decides_can_be_chosen() -> None:
    for place in KeyPlace:
        assert DEFAULT_KEYS.meant(place) == {}
        for one, other in combinations((row for row in TABLE if row.place is place), 2):
            twice = set(one.keys) & set(other.keys) and one.when == other.when
            assert not twice or one.action == other.action, (one, other)
    assert not [row for row in TABLE if row.setting and row.kind is KeyKind.DECIDE]


def test_a_persons_keys_win_over_the_presets_and_those_over_the_defaults() -> None:
    keymap = keymap_of({"preset": "vim", "list_first": "ctrl+a", "quit": ["f10", "F10", "ctrl+k"]})
    assert keymap.keys["list_first"] == ("ctrl+a",)
    assert keymap.keys["list_last"] == ("end", "G")
    assert keymap.keys["quit"] == ("f10", "ctrl+k")
    assert keymap.keys["help"] == ("f1",)
    assert set(keymap.changed()) == {*PRESETS["vim"], "quit"}
    assert keymap.shown("quit") == "F10"


def test_a_panel_gets_the_keys_it_knows_and_none_that_was_given_away() -> None:
    meant = keymap_of({"other": "z", "note": "o"}).meant(KeyPlace.QUESTION)
    assert meant == {"z": ("o",), "o": ("n",), "n": ()}
    vim = keymap_of({"preset": "vim"}).meant(KeyPlace.QUESTION)
    assert vim["g"] == ("home",)
    assert vim["ctrl+x"] == ("ctrl+d",)
    assert set(vim["ctrl+d"]) == {"shift+down"}, "the key of declining was given to something else"
    lists = keymap_of({"preset": "vim", "other": "z"}).meant(KeyPlace.SESSIONS)
    assert lists["ctrl+x"] == ("ctrl+d",), "a list declines by the same key"
    assert "z" not in lists


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('qiut = "f10"', "keys.qiut: is not an action; did you mean quit?"),
        ('zzz = "f10"', "keys.zzz: is not an action; there are help, quit, "),
        ('quit = "ctrl+qq"', "keys.quit: 'ctrl+qq' is not a key; write one such as ctrl+k, alt+up, f5 or g"),
        ("quit = 3", "keys.quit: must be a key or a list of keys, such as 'ctrl+q', not 3"),
        ("quit = []", "keys.quit: must be a key or a list of keys, such as 'ctrl+q', not []"),
        (
            'quit = "ctrl+o"',
            "keys.quit: Ctrl+O is already the key of unfold; take another, or give unfold another",
        ),
        ('other = "n"', "keys.other: n is already the key of note; take another, or give note another"),
        ('quit = "x"', "keys.quit: x edits the text of the prompt; take a key such as ctrl+k, alt+k or f5"),
        ('unfold = "enter"', "keys.unfold: Enter edits the text of the prompt; take a key such as"),
        ('other = "5"', "keys.other: 5 has a meaning of its own in panels; take another key"),
        ('other = "x"', "keys.other: x has a meaning of its own in panels; take another key"),
        ('list_up = "y"', "keys.list_up: y has a meaning of its own in panels; take another key"),
        ('preset = "vi"', "keys.preset: must be one of default, vim, emacs, not 'vi'"),
    ],
)
def test_a_wrong_key_is_named_with_its_line_and_what_is_allowed(line: str, said: str) -> None:
    path = write_settings(f'model = "x"\n\n[keys]\nhelp = "f12"\n{line}\n')
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (only,) = caught.value.problems
    assert str(only).startswith(f"{path}:5: {said}")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('keys.quit = "x"\nkeys.help = "y"\n', (1, 2)),
        ('model = "m"\nkeys = {quit = "x", help = "y"}\n', (2, 2)),
        ('[keys]\n"quit" = "x"\n\nhelp = [\n  "y"\n]\n', (2, 4)),
    ],
)
def test_lines_are_found_however_the_table_is_written(text: str, lines: tuple[int, int]) -> None:
    path = write_settings(text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert [problem.origin for problem in caught.value.problems] == [f"{path}:{line}" for line in lines]


def test_a_preset_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCQ_KEYS", "vim")
    assert load_settings().settings.keymap.keys["list_first"] == ("home", "g")
    monkeypatch.setenv("CCQ_KEYS", "vi")
    with pytest.raises(SettingsError, match=r"CCQ_KEYS: keys\.preset: must be one of default, vim, emacs"):
        load_settings()


def test_a_project_gives_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".ccq-tui.toml").write_text('[keys]\nselect = "x"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=r"toml:1: keys: cannot be set by a project's file"):
        load_settings()


def test_a_choice_that_moves_a_key_away_makes_room_for_it() -> None:
    assert list(key_problems({"unfold": "f7", "quit": "ctrl+o"})) == []
    assert Settings(keys={"select": "z"}).keymap.keys["select"] == ("z",)

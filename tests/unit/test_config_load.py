"""Settings and keys: where they come from, which place wins, and what is said about a wrong value."""

import ast
import inspect
import json
import os
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.keymap import DEFAULT_KEYS, PRESETS, key_problems, keymap_of
from ccq_tui.config.launch import Launch
from ccq_tui.config.load import OF_PROJECTS, Loaded, load_settings
from ccq_tui.config.paths import project_config, user_config
from ccq_tui.config.settings import Settings
from ccq_tui.config.values import merge_mcp, split_tools
from ccq_tui.input.gate import KeyKind
from ccq_tui.input.keynames import NAMED, SIGNS, key_name, shown_key
from ccq_tui.input.keys import TABLE, KeyPlace
from tests.tables import each_row, table
from tests.unit.starting import write_settings


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository to be in."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


def write_project(root: Path, text: str) -> Path:
    path = root / ".ccq-tui.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(flags: dict[str, object] | None = None) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load_settings(flags)
    return [str(problem) for problem in caught.value.problems]


def test_defaults() -> None:
    loaded = load_settings()
    assert loaded.settings.questions == "ask"
    assert loaded.settings.max_question_rounds == 5
    assert loaded.settings.theme == "ccq-dark"
    assert set(loaded.origins.values()) == {"default"}


def test_precedence_and_origins(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = write_settings('model = "u"\neffort = "low"\nquestions = "assume"\nmax_turns = 1\n')
    file = write_project(project, '\nmodel = "p"\neffort = "high"\nquestions = "adaptive"\n')
    monkeypatch.setenv("CCQ_MODEL", "e")
    monkeypatch.setenv("CCQ_EFFORT", "max")
    loaded = load_settings({"model": "f"})
    found = {name: (getattr(loaded.settings, name), loaded.origins[name]) for name in loaded.origins}
    assert found["model"] == ("f", "--model")
    assert found["effort"] == ("max", "CCQ_EFFORT")
    assert found["questions"] == ("adaptive", f"{file}:4")
    assert found["max_turns"] == (1, f"{user}:4")
    assert found["theme"] == ("ccq-dark", "default")
    assert loaded.files == (file, user)


def test_an_overridden_value_need_not_be_valid(project: Path) -> None:
    write_project(project, 'effort = "enormous"\n')
    assert load_settings({"effort": "low"}).settings.effort == "low"


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCQ_MODEL", "")
    assert load_settings().settings.model is None


def test_lists_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCQ_ALLOWED_TOOLS", "Bash(git log *) Edit,Read")
    monkeypatch.setenv("CCQ_ADD_DIRS", f"{tmp_path}{os.pathsep}/")
    monkeypatch.setenv("CCQ_MCP_CONFIG", '{"mcpServers": {}}')
    settings = load_settings().settings
    assert settings.allowed_tools == ("Bash(git log *)", "Edit", "Read")
    assert settings.add_dirs == (tmp_path, Path("/"))
    assert settings.mcp_config == ('{"mcpServers": {}}',)


REFUSED = table(__file__, "config_refused.json")


@each_row(*REFUSED["of_a_project"])
def test_a_bad_line_is_named_with_what_is_allowed(line: str, text: str, *, project: Path) -> None:
    file = write_project(project, f"# one\n# two\n{line}\n")
    (only,) = problems()
    assert only.startswith(f"{file}:3: {text}")


@each_row(*REFUSED["of_ones_own"])
def test_a_bad_line_of_ones_own_file(line: str, text: str) -> None:
    file = write_settings(f"# one\n{line}\n")
    (only,) = problems()
    assert only.startswith(f"{file}:2: {text}")


@pytest.mark.parametrize(("line", "text"), REFUSED["not_for_a_project"])
def test_a_project_allows_itself_nothing(project: Path, line: str, text: str) -> None:
    (project / "link").symlink_to("/")
    file = write_project(project, f"# one\n\n{line}\n")
    (only,) = problems()
    assert only.startswith(f"{file}:3: {text} by a project's file")
    assert only.endswith(f": use {user_config()}")


@each_row(*sorted(Settings.model_fields.keys() - OF_PROJECTS))
def test_what_is_not_named_as_a_projects_is_the_persons(name: str, *, project: Path) -> None:
    write_project(project, f"{name} = 1\n")
    assert f"{name}: cannot be set by a project's file" in problems()[0]


def test_a_project_may_choose_what_is_harmless(project: Path) -> None:
    (project / "src").mkdir()
    write_project(project, "permission_mode = 'plan'\ncwd = 'src'\ndisallowed_tools = ['WebFetch']\n")
    settings = load_settings().settings
    assert (settings.permission_mode, settings.cwd) == ("plan", project / "src")
    assert settings.disallowed_tools == ("WebFetch",)


def test_all_problems_are_told_at_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(project, "max_turns = 0\n")
    monkeypatch.setenv("CCQ_BELL", "loud")
    assert problems({"max_question_rounds": 0}) == [
        f"{project}/.ccq-tui.toml:1: max_turns: must be 1 or more, not 0",
        "--max-question-rounds: must be 1 or more, not 0",
        "CCQ_BELL: bell: must be true or false, not 'loud'",
    ]


def test_files_that_cannot_be_read(project: Path) -> None:
    (project / ".ccq-tui.toml").write_bytes(b"model = '\xff'")
    assert problems()[0].startswith(f"{project}/.ccq-tui.toml: is not UTF-8 text")


def test_an_unfinished_file_is_wrong_at_its_last_line(project: Path) -> None:
    file = write_project(project, "add_dirs = [\n  '/',\n")
    assert problems()[0].startswith(f"{file}:2: is not TOML: ")


def test_paths_start_at_their_files_directory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "src").mkdir()
    own = user_config().parent
    write_settings("add_dirs = ['src']\nmcp_config = ['mcp.json', '{}']\n")
    (own / "src").mkdir()
    (own / "mcp.json").write_text("{}", encoding="utf-8")
    write_project(project, "theme = 'my.toml'\n")
    monkeypatch.chdir(project / "src")
    settings = load_settings().settings
    assert settings.add_dirs == (own / "src",)
    assert settings.mcp_config == (str(own / "mcp.json"), "{}")
    assert settings.theme == str(project / "my.toml")


def test_paths_in_flags_are_made_absolute(project: Path) -> None:
    (project / "src").mkdir()
    (project / "s.json").write_text("{}", encoding="utf-8")
    loaded: Loaded = load_settings({"cwd": "src", "add_dirs": ("..",), "settings": "s.json"})
    assert loaded.settings.directory == project / "src"
    assert loaded.settings.add_dirs == (project / "..",)
    assert loaded.settings.settings == str(project / "s.json")


def test_the_project_is_the_one_of_the_directory_to_work_in(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "deep"
    other.mkdir(parents=True)
    (tmp_path / "other" / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
    write_project(tmp_path / "other", 'model = "other"\n')
    write_project(project, 'model = "here"\n')
    assert load_settings({"cwd": str(other)}).settings.model == "other"
    assert load_settings().settings.model == "here"


def test_the_search_ends_at_the_root_of_the_repository(project: Path, tmp_path: Path) -> None:
    write_project(tmp_path, "")
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    assert project_config(inner) is None
    file = write_project(project, "")
    assert project_config(inner) == file


def test_outside_a_repository_only_the_directory_itself_counts(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    write_project(tmp_path, "")
    assert project_config(outside) is None
    assert project_config(tmp_path) == tmp_path / ".ccq-tui.toml"


TABLES = table(__file__, "settings.json")


def test_every_field_says_what_it_is() -> None:
    classes = (ast.parse(inspect.getsource(kind)).body[0] for kind in (ClaudeFlags, Settings))
    body = [line for kind in classes for line in kind.body]  # type: ignore[attr-defined]
    documented = {
        field.target.id
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }
    assert Settings.model_fields.keys() - documented == set()


def test_the_constructor_looks_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCQ_MODEL", "elsewhere")
    assert Settings().model is None
    assert Launch().settings == Settings()


@each_row(*TABLES["durations"])
def test_durations(written: object, seconds: float | None) -> None:
    assert Settings(park_after=written, question_timeout=written).question_timeout == seconds  # type: ignore[arg-type]


@each_row("", "soon", "10 minutes", "0", "-5", True, "inf", "9999h", "1e3", "٣m")
def test_what_is_no_duration(written: object) -> None:
    with pytest.raises(ValidationError, match='such as "10m", "2h" or "30d", or "never"'):
        Settings(question_timeout=written)  # type: ignore[arg-type]


def test_only_parking_is_on_unless_wanted() -> None:
    settings = Settings()
    assert (settings.park_after, settings.on_question_timeout) == (600.0, "park")
    assert settings.question_timeout is None


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Settings().model = "x"  # type: ignore[misc]


def test_manual_is_the_clis_word_for_default() -> None:
    assert Settings(permission_mode="manual").permission_mode == "default"  # type: ignore[arg-type]


def test_a_program_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my-claude"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(ValidationError, match="must be a program that can be run"):
        Settings(cli_path=Path("my-claude"))
    program.chmod(0o755)
    assert Settings(cli_path=Path("my-claude")).cli_path == program


def test_several_mcp_configurations_become_one(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}', encoding="utf-8")
    inline = '{"mcpServers": {"b": {"command": "later"}}}'
    settings = Settings(mcp_config=(str(file), inline))
    merged = json.loads(settings.mcp_argument or "")
    assert merged == {"mcpServers": {"a": {"command": "a"}, "b": {"command": "later"}}}
    assert merge_mcp([str(file)]) == str(file)
    assert merge_mcp([]) is None


@each_row(*TABLES["tools"])
def test_tools_are_split_outside_parentheses(text: str, names: list[str]) -> None:
    assert list(split_tools(text)) == names


arguments = st.text("az *:,", max_size=10).map("({})".format)


@given(
    st.lists(st.builds("{}{}".format, st.sampled_from(["Bash", "Edit", "X"]), st.just("") | arguments)),
    st.sampled_from([",", " ", ", "]),
)
def test_whatever_is_joined_is_split_again(names: list[str], separator: str) -> None:
    assert split_tools(separator.join(names)) == tuple(names)


@each_row(*table(__file__, "config_load.json")["keys_are_written_in_several_ways"])
def test_keys_are_written_in_several_ways(written: str, name: str, shown: str) -> None:
    assert key_name(written) == name
    assert shown_key(name) == shown


@given(st.sets(st.sampled_from(["ctrl", "alt", "super"])), st.sampled_from([*NAMED, *SIGNS, *"abcxyz019"]))
def test_what_is_shown_can_be_written(modifiers: set[str], key: str) -> None:
    name = key_name("+".join([*modifiers, key]))
    assert key_name(shown_key(name)) == name


@each_row("", "hyper+x", "ctrl+", "f25", "ctrl+alt", "kk", "ü")
def test_what_is_no_key_is_said_to_be_none(written: str) -> None:
    with pytest.raises(ValueError, match="is not a key; write one such as"):
        key_name(written)


@each_row(*PRESETS)
def test_presets_are_sound(preset: str) -> None:
    assert list(key_problems({"preset": preset})) == []
    for keys in keymap_of({"preset": preset}).keys.values():
        assert [key_name(shown_key(key)) for key in keys] == list(keys)


def test_no_key_is_meant_twice_in_a_place_and_no_key_that_decides_can_be_chosen() -> None:
    for place in KeyPlace:
        assert DEFAULT_KEYS.remapped(place) == {}
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
    meant = keymap_of({"other": "z", "note": "o"}).remapped(KeyPlace.QUESTION)
    assert meant == {"z": ("o",), "o": ("n",), "n": ()}
    vim = keymap_of({"preset": "vim"}).remapped(KeyPlace.QUESTION)
    assert vim["g"] == ("home",)
    assert vim["ctrl+x"] == ("ctrl+d",)
    assert set(vim["ctrl+d"]) == {"shift+down"}, "the key of declining was given to something else"
    lists = keymap_of({"preset": "vim", "other": "z"}).remapped(KeyPlace.SESSIONS)
    assert lists["ctrl+x"] == ("ctrl+d",), "a list declines by the same key"
    assert "z" not in lists


@each_row(*table(__file__, "config_load.json")["a_wrong_key_is_named_with_its_line_and_what_is_allowed"])
def test_a_wrong_key_is_named_with_its_line_and_what_is_allowed(line: str, text: str) -> None:
    path = write_settings(f'model = "x"\n\n[keys]\nhelp = "f12"\n{line}\n')
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (only,) = caught.value.problems
    assert str(only).startswith(f"{path}:5: {text}")


@each_row(*table(__file__, "config_load.json")["lines_are_found_however_the_table_is_written"])
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


def test_a_working_directory_that_was_removed_is_named(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = tmp_path / "removed"
    removed.mkdir()
    monkeypatch.chdir(removed)
    removed.rmdir()
    with pytest.raises(SettingsError, match="working directory: it no longer exists"):
        load_settings()
    assert load_settings({"cwd": project}).settings.directory == project

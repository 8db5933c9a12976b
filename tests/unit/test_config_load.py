"""Where settings come from: which place wins, and what is said about a wrong value."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ccq_tui.config.errors import SettingsError
from ccq_tui.config.load import OF_PROJECTS, Loaded, load_settings
from ccq_tui.config.paths import project_config, user_config
from ccq_tui.config.settings import Settings
from tests.tables import table
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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("max_question_rounds = 0", "max_question_rounds: must be 1 or more, not 0"),
        ("max_turns = 1.5", "max_turns: must be a whole number, not 1.5"),
        ("max_budget_usd = 0", "max_budget_usd: must be more than 0, not 0"),
        ("max_budget_usd = inf", "max_budget_usd: must be a finite number, not inf"),
        ('questions = "never"', "questions: must be one of 'ask', 'assume' or 'adaptive', not 'never'"),
        *((f'bell = "{word}"', f"bell: must be true or false, not '{word}'") for word in ("yes", "", "2")),
        ("model = 3", "model: must be a text in quotes, not 3"),
        ('model = ""', "model: must not be empty, not ''"),
        ('cwd = "nowhere"', "cwd: must be a directory that exists"),
        ("permission_mode = ", "is not TOML: Invalid value (column 19)"),
    ],
)
def test_a_bad_line_is_named_with_what_is_allowed(project: Path, line: str, said: str) -> None:
    file = write_project(project, f"# one\n# two\n{line}\n")
    (only,) = problems()
    assert only.startswith(f"{file}:3: {said}")


@pytest.mark.parametrize(("line", "said"), table(__file__, "config_refused.json"))
def test_a_bad_line_of_ones_own_file(line: str, said: str) -> None:
    file = write_settings(f"# one\n{line}\n")
    (only,) = problems()
    assert only.startswith(f"{file}:2: {said}")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("cli_path = 'claude'", "cli_path: cannot be set"),
        *(
            (f"permission_mode = '{mode}'", f"permission_mode: {mode} cannot be set")
            for mode in ("acceptEdits", "auto", "dontAsk", "bypassPermissions")
        ),
        ("cwd = '..'", "cwd: a directory outside of the project cannot be set"),
        ("cwd = '~'", "cwd: a directory outside of the project cannot be set"),
        ('cwd = "a\\u0000b"', "cwd: a directory outside of the project cannot be set"),
        ("cwd = 'link'", "cwd: a directory outside of the project cannot be set"),
    ],
)
def test_a_project_allows_itself_nothing(project: Path, line: str, said: str) -> None:
    (project / "link").symlink_to("/")
    file = write_project(project, f"# one\n\n{line}\n")
    (only,) = problems()
    assert only.startswith(f"{file}:3: {said} by a project's file")
    assert only.endswith(f": use {user_config()}")


@pytest.mark.parametrize("name", sorted(Settings.model_fields.keys() - OF_PROJECTS))
def test_what_is_not_named_as_a_projects_is_the_persons(project: Path, name: str) -> None:
    write_project(project, f"{name} = 1\n")
    assert f"{name}: cannot be set by a project's file" in problems()[0]


def test_the_documentation_names_what_a_project_may_set() -> None:
    page = Path(__file__).parents[2].joinpath("docs/configuration.md").read_text(encoding="utf-8")
    named = page.partition("A project's file can set:\n")[2].partition("\n\n```")[0]
    assert set(re.findall(r"`(\w+)`", named)) - {"default", "plan"} == OF_PROJECTS


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

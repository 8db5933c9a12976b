"""What a directory carries, whose record says that it is trusted, and what is read before the answer."""

import itertools
import json
import stat
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.claude_files import global_config
from ccq_tui.config.carried import MOST_CHARACTERS, MOST_EFFECTS, carried_files
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import launch_with, load_trusted, trusting
from ccq_tui.config.paths import state_dir
from ccq_tui.config.trust import STORE, Carried, remember, trusts
from tests.processes import begun, codes

HOOKS = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}
SETTINGS = {
    "hooks": HOOKS,
    "permissions": {"allow": ["Bash(npm *)"], "defaultMode": "acceptEdits", "deny": ["Read(.env)"]},
    "env": {"ANTHROPIC_BASE_URL": "http://elsewhere"},
    "apiKeyHelper": "./key.sh",
    "statusLine": {"type": "command", "command": "./line.sh"},
    "model": "opus",
}
SERVERS = {"mcpServers": {"db": {"command": "db"}}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    (directory / ".claude").mkdir(parents=True)
    return directory


def put(project: Path, name: str, data: object) -> None:
    (project / name).write_text(data if isinstance(data, str) else json.dumps(data))


def carried_by(project: Path) -> Carried | None:
    return launch_with({"cwd": project}).trusted.carried


def shown(project: Path) -> list[str]:
    carried = carried_by(project)
    return [] if carried is None else [line for file in carried.files for line in file.effects]


def asked_about(project: Path) -> Carried:
    carried = carried_by(project)
    assert carried is not None
    return carried


def trust(project: Path) -> None:
    remember(asked_about(project))


def claude_trusts(*directories: Path) -> None:
    projects = {str(one): {"hasTrustDialogAccepted": True} for one in directories}
    global_config().parent.mkdir(exist_ok=True)
    global_config().write_text(json.dumps({"projects": projects | {"/other": {}}}))


def test_every_file_says_what_it_would_do(project: Path) -> None:
    put(project, ".claude/settings.json", SETTINGS)
    put(
        project,
        ".mcp.json",
        {"mcpServers": {"db": {"command": "npx", "args": ["-y", "db"]}, "w": {"url": "u"}}},
    )
    put(project, ".ccq-tui.toml", 'model = "opus"\n')
    assert shown(project) == [
        "runs ./check.sh (hook, PreToolUse)",
        "runs ./key.sh (apiKeyHelper)",
        "runs ./line.sh (statusLine)",
        "allows Bash(npm *) unasked",
        "starts in acceptEdits mode",
        "sets the variable ANTHROPIC_BASE_URL=http://elsewhere",
        "sets model = opus",
        "runs npx -y db (MCP server db)",
        "connects to u (MCP server w)",
        "sets for ccq-tui model = opus",
    ]


def test_nothing_is_asked_where_there_is_nothing(project: Path, home: Path) -> None:
    assert shown(project) == []
    put(project, ".claude/settings.json", {"$schema": "x"})
    put(project, ".claude/settings.local.json", "")
    assert shown(project) == []
    assert trusts(project)
    (home / ".claude").mkdir()
    put(home, ".claude/settings.json", SETTINGS)  # the person's own
    assert shown(home) == []


def test_an_answer_holds_for_the_directory_whatever_comes_into_it(project: Path) -> None:
    put(project, ".mcp.json", SERVERS)
    assert not trusts(project)
    trust(project)
    put(project, ".mcp.json", {"mcpServers": {"db": {"command": "another"}}})
    put(project, ".claude/settings.json", SETTINGS)
    assert shown(project) == []
    assert trusts(project)


def test_what_claude_code_was_told_to_trust_is_not_asked_about_again(project: Path, tmp_path: Path) -> None:
    put(project, ".mcp.json", SERVERS)
    for covers in (tmp_path, project):
        claude_trusts(covers)
        assert shown(project) == []
    (project / ".git").mkdir()
    (project / "deep").mkdir()
    put(project / "deep", ".mcp.json", SERVERS)
    assert shown(project / "deep") == []
    claude_trusts(tmp_path)
    assert shown(project / "deep") != [], "trust does not reach into a repository"
    for damaged in ("{", "[]", '{"projects": [1]}', '{"projects": {"/": {"hasTrustDialogAccepted": 1}}}'):
        global_config().write_text(damaged)
        assert shown(project) != []


def test_the_settings_of_ccq_tui_are_asked_about_until_their_content_is_trusted(project: Path) -> None:
    put(project, ".mcp.json", SERVERS)
    claude_trusts(project)
    for content in ('model = "opus"\n', 'model = "haiku"\n'):
        put(project, ".ccq-tui.toml", content)
        assert asked_about(project).before
        assert load_trusted({"cwd": project})[0].settings.model is None
        trust(project)
        assert carried_by(project) is None
    put(project, ".ccq-tui.toml", 'model = "opus"\n')
    assert carried_by(project) is None, "as before"
    (project / ".ccq-tui.toml").unlink()
    assert carried_by(project) is None


def test_the_files_of_the_repository_above_count_too_and_an_answer_covers_it(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "deep").mkdir()
    put(project, ".mcp.json", SERVERS)
    put(project, ".ccq-tui.toml", 'model = "opus"\n')
    assert shown(project / "deep") == ["runs db (MCP server db)", "sets for ccq-tui model = opus"]
    trust(project / "deep")
    assert carried_by(project) is None


def test_only_the_owner_can_read_the_record_and_a_damaged_one_trusts_nothing(project: Path) -> None:
    put(project, ".mcp.json", SERVERS)
    trust(project)
    store = state_dir() / STORE
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    for damaged in ("[", json.dumps({str(project): {str(project / ".mcp.json"): "digest"}})):
        store.write_text(damaged)
        assert shown(project) != []
    store.write_text("[")
    trusted = trusting(launch_with({"cwd": project}))
    assert trusted.trusted.carried is None
    assert f"could not be saved: the file {store} " in trusted.notices[-1]
    assert store.read_text() == "["


def test_a_file_that_cannot_be_read_is_shown_and_long_ones_are_cut(project: Path) -> None:
    put(project, ".mcp.json", "{broken")
    assert shown(project) == ["cannot be read, so its effects are unknown"]
    put(project, ".mcp.json", {"mcpServers": {str(n): {"command": "x" * 3_000} for n in range(200)}})
    lines = shown(project)
    assert len(lines) == MOST_EFFECTS + 1
    assert max(map(len, lines)) <= MOST_CHARACTERS + 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
NAMES = st.sampled_from(
    ["hooks", "permissions", "env", "statusLine", "mcpServers", "apiKeyHelper", "PreToolUse"]
)


@given(st.dictionaries(NAMES, JSON), st.sampled_from([".claude/settings.json", ".mcp.json"]))
def test_whatever_stands_in_a_file_is_no_error(data: dict[str, object], name: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / ".claude").mkdir()
        put(Path(place), name, data)
        for line in itertools.chain(*(file.effects for file in carried_files(Path(place)))):
            assert len(line) <= MOST_CHARACTERS + 1


def test_trust_in_a_repository_covers_its_worktrees_and_the_settings_of_each_branch(project: Path) -> None:
    def worktree(name: str, model: str) -> Path:
        own = project / ".git/worktrees" / name
        own.mkdir(parents=True)
        place = project / ".claude/worktrees" / name
        place.mkdir(parents=True)
        (place / ".git").write_text(f"gitdir: {own}\n")
        put(place, ".mcp.json", SERVERS)
        put(place, ".ccq-tui.toml", f'model = "{model}"\n')
        return place

    first, second = worktree("first", "opus"), worktree("second", "haiku")
    carried = asked_about(first)
    assert (carried.directory, carried.root, carried.before) == (first, project, False)
    remember(carried)
    assert carried_by(first) is None
    put(project, ".mcp.json", SERVERS)
    assert carried_by(project) is None
    other = asked_about(second)
    assert other.before
    remember(other)
    assert (carried_by(first), carried_by(second)) == (None, None)
    (second / ".git").write_text(f"gitdir: {project / 'elsewhere/worktrees/second'}\n")
    assert carried_by(second) is not None
    claude_trusts(project)
    assert carried_by(first) is None


def test_the_settings_that_hold_are_those_that_were_shown(project: Path) -> None:
    put(project, ".ccq-tui.toml", 'model = "opus"\n')
    launch = launch_with({"cwd": project})
    assert (launch.settings.model, launch.trusted.carried is not None) == (None, True)
    put(project, ".ccq-tui.toml", 'model = "haiku"\n')
    trusted = trusting(launch)
    assert (trusted.settings.model, trusted.trusted.carried) == ("opus", None)
    assert shown(project) == ["sets for ccq-tui model = haiku"]


def test_an_unknown_setting_of_a_project_warns_and_a_wrong_value_is_refused(project: Path) -> None:
    put(project, ".ccq-tui.toml", 'modle = "x"\nmodel = "opus"\n[later]\na = 1\n')
    asks = launch_with({"cwd": project})
    assert (asks.trusted.carried is not None, asks.notices) == (True, ()), "nothing of it counts yet"
    trusted = trusting(asks)
    file = project / ".ccq-tui.toml"
    assert trusted.settings.model == "opus"
    assert trusted.notices == (
        f"{file}:1: modle: is not a setting; did you mean model?",
        f"{file}:3: later: is not a setting",
    )
    assert launch_with({"cwd": project}).notices == trusted.notices
    put(project, ".ccq-tui.toml", 'modle = "x"\nmodel = 3\n')
    with pytest.raises(SettingsError, match="model: must be a text"):
        launch_with({"cwd": project})


def test_a_setting_that_leads_elsewhere_shows_what_is_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, ".ccq-tui.toml", 'cwd = "inner"\n')
    (project / "inner").mkdir()
    put(project / "inner", ".mcp.json", SERVERS)
    monkeypatch.chdir(project)
    launch = launch_with({})
    assert launch.trusted.carried.directory == (project / "inner").resolve()
    assert [line for file in launch.trusted.carried.files for line in file.effects] == [
        "runs db (MCP server db)",
        "sets for ccq-tui cwd = " + str(project / "inner"),
    ]


READ_FIRST = {
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
    ".ccq-tui.toml",
    ".git",  # names the main checkout of a worktree
}
"""All that is read of an untrusted directory."""
READING = """
import json, os, sys
from pathlib import Path
opened, run = set(), []
def hear(event, arguments):
    if event == "open" and str(arguments[0]).startswith(os.getcwd()):
        opened.add(str(Path(arguments[0]).relative_to(os.getcwd())))
    elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "import") and (
        event != "import" or str(arguments[1]).startswith(os.getcwd())
    ):
        run.append(event)
sys.addaudithook(hear)
from ccq_tui.config.launch import launch_with
launch = launch_with({})
assert launch.trusted.carried is not None
print(json.dumps([sorted(opened), run]))
"""


def test_nothing_else_of_a_directory_is_read_or_run_before_the_answer(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True, timeout=30)
    for name in READ_FIRST - {".git"}:
        put(project, name, 'theme = "mine.toml"\n' if name.endswith(".toml") else SETTINGS | SERVERS)
    for name in ("CLAUDE.md", "mine.toml", "ccq_tui.py", "sitecustomize.py", "check.sh", ".env"):
        put(project, name, "raise SystemExit(3)")
    result = subprocess.run(
        [sys.executable, "-I", "-c", READING], cwd=project, check=True, capture_output=True, timeout=60
    )
    opened, ran = json.loads(result.stdout)
    assert (set(opened), ran) == (READ_FIRST, [])


def test_processes_that_trust_at_the_same_time_lose_no_entry(tmp_path: Path) -> None:
    places = [tmp_path / str(number) for number in range(100)]
    for place in places:
        place.mkdir()
        put(place, ".mcp.json", SERVERS)

    def trust(some: list[Path]) -> None:
        for place in some:
            assert not trusting(launch_with({"cwd": place})).notices

    children = [begun(partial(trust, places[at::4])) for at in range(4)]
    assert codes(*children) == [0] * 4
    assert [place for place in places if carried_by(place) is not None] == []
    assert not [one.name for one in state_dir().iterdir() if one.name.startswith((".trust", "trust.json."))]

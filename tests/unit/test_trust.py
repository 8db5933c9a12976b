"""What a directory carries, and what is remembered of it."""

from __future__ import annotations

import itertools
import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.config.carried import FILES, MOST_BYTES, MOST_CHARACTERS, MOST_EFFECTS, effects
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.launch import launch_with, trusting
from ccq_tui.config.paths import state_dir
from ccq_tui.config.trust import STORE, CarriedChangedError, remember, untrusted
from ccq_tui.runtime.supervisor import follow_granted, only_adds, settings_files

HOOKS = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}
SETTINGS = {
    "hooks": HOOKS,
    "permissions": {"allow": ["Bash(npm *)"], "defaultMode": "acceptEdits", "deny": ["Read(.env)"]},
    "env": {"ANTHROPIC_BASE_URL": "http://elsewhere"},
    "apiKeyHelper": "./key.sh",
    "statusLine": {"type": "command", "command": "./line.sh"},
    "model": "opus",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    (directory / ".claude").mkdir(parents=True)
    return directory


def put(project: Path, name: str, data: object) -> None:
    (project / name).write_text(data if isinstance(data, str) else json.dumps(data))


def shown(project: Path) -> list[str]:
    carried = untrusted(project)
    return [] if carried is None else [line for file in carried.files for line in file.effects]


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
    assert untrusted(project) is None
    put(project, ".claude/settings.json", {"$schema": "x"})
    assert untrusted(project) is None
    (home / ".claude").mkdir()
    put(home, ".claude/settings.json", SETTINGS)  # the person's own
    assert untrusted(home) is None


def test_trust_holds_until_a_file_changes(project: Path) -> None:
    put(project, ".mcp.json", {"mcpServers": {"db": {"command": "db"}}})
    first = untrusted(project)
    assert first is not None
    assert not first.before
    remember(first)
    assert untrusted(project) is None
    put(project, ".mcp.json", {"mcpServers": {"db": {"command": "worse"}}})
    put(project, ".claude/settings.local.json", {"model": "opus"})
    again = untrusted(project)
    assert again is not None
    assert again.before
    assert [(file.path.name, file.change) for file in again.files] == [
        ("settings.local.json", "new"),
        (".mcp.json", "changed"),
    ]


def test_less_than_what_was_trusted_is_trusted(project: Path) -> None:
    put(project, ".mcp.json", {"mcpServers": {"db": {"command": "db"}}})
    put(project, ".claude/settings.json", SETTINGS)
    carried = untrusted(project)
    assert carried is not None
    remember(carried)
    (project / ".mcp.json").unlink()
    assert untrusted(project) is None


def test_the_files_of_the_repository_above_count_too(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "deep").mkdir()
    put(project, ".mcp.json", {"mcpServers": {"db": {"command": "db"}}})
    assert shown(project / "deep") == ["runs db (MCP server db)"]


def test_only_the_owner_can_read_what_is_trusted_and_a_broken_store_trusts_nothing(project: Path) -> None:
    put(project, ".mcp.json", {"mcpServers": {"db": {"command": "db"}}})
    carried = untrusted(project)
    assert carried is not None
    remember(carried)
    store = state_dir() / STORE
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    store.write_text("[")
    assert untrusted(project) == carried


def test_a_file_that_cannot_be_read_is_shown_and_long_ones_are_cut(project: Path) -> None:
    put(project, ".mcp.json", "{broken")
    assert shown(project) == ["cannot be read, so its effects are unknown"]
    put(project, ".mcp.json", {"mcpServers": {str(n): {"command": "x" * 3_000} for n in range(200)}})
    lines = shown(project)
    assert len(lines) == MOST_EFFECTS + 1
    assert max(map(len, lines)) <= MOST_CHARACTERS + 1


def test_the_end_of_a_large_file_counts_as_well(project: Path) -> None:
    put(project, ".mcp.json", "x" * MOST_BYTES + "1")
    carried = untrusted(project)
    assert carried is not None
    remember(carried)
    assert untrusted(project) is None
    put(project, ".mcp.json", "x" * MOST_BYTES + "2")
    assert untrusted(project) is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
NAMES = st.sampled_from(
    ["hooks", "permissions", "env", "statusLine", "mcpServers", "apiKeyHelper", "PreToolUse"]
)


@given(st.dictionaries(NAMES, JSON), st.sampled_from([".claude/settings.json", ".mcp.json"]))
def test_whatever_stands_in_a_file_is_no_error(data: dict[str, object], name: str) -> None:
    for line in effects(Path(name), json.dumps(data).encode()):
        assert len(line) <= MOST_CHARACTERS + 1


def test_a_worktree_of_a_trusted_project_is_trusted_where_it_carries_the_same(project: Path) -> None:
    def worktree(name: str) -> Path:
        own = project / ".git/worktrees" / name
        own.mkdir(parents=True)
        place = project / ".claude/worktrees" / name
        place.mkdir(parents=True)
        (place / ".git").write_text(f"gitdir: {own}\n")
        put(place, ".mcp.json", {"mcpServers": {"db": {"command": "db"}}})
        return place

    first, second = worktree("first"), worktree("second")
    carried = untrusted(first)
    assert carried is not None
    remember(carried)
    assert untrusted(first) is None
    assert untrusted(second) is None
    put(project, ".mcp.json", {"mcpServers": {"db": {"command": "db"}}})
    assert untrusted(project) is None
    put(second, ".mcp.json", {"mcpServers": {"db": {"command": "worse"}}})
    (second / ".claude").mkdir()
    put(second, ".claude/settings.json", SETTINGS)
    changed = untrusted(second)
    assert changed is not None
    assert [(file.path.name, file.change) for file in changed.files] == [
        ("settings.json", "new"),
        (".mcp.json", "changed"),
    ]
    remember(changed)
    assert untrusted(second) is None
    assert untrusted(project) is None
    assert untrusted(first) is None
    (second / ".git").write_text(f"gitdir: {project / 'elsewhere/worktrees/second'}\n")
    put(second, ".mcp.json", {"mcpServers": {"db": {"command": "db"}}})
    assert untrusted(second) is not None


def servers(command: str) -> dict[str, object]:
    return {"mcpServers": {"db": {"command": command}}}


@pytest.mark.parametrize("name", FILES)
def test_what_changed_since_it_was_shown_is_not_trusted(project: Path, name: str) -> None:
    put(project, ".mcp.json", servers("db"))
    put(project, ".claude/settings.json", {"model": "opus"})
    shown = untrusted(project)
    assert shown is not None
    put(
        project,
        name,
        'model = "haiku"\n' if name.endswith(".toml") else {"apiKeyHelper": "./worse.sh"} | servers("x"),
    )
    with pytest.raises(CarriedChangedError) as raised:
        remember(shown)
    assert not (state_dir() / STORE).exists()
    now = raised.value.carried
    assert now.meanwhile
    change = "changed" if any(file.path.name == Path(name).name for file in shown.files) else "new"
    assert {file.path.name: file.change for file in now.files if file.change} == {Path(name).name: change}
    remember(now)
    assert untrusted(project) is None


def test_what_is_gone_since_it_was_shown_may_be_gone(project: Path) -> None:
    put(project, ".mcp.json", servers("db"))
    put(project, ".claude/settings.json", SETTINGS)
    shown = untrusted(project)
    assert shown is not None
    (project / ".mcp.json").unlink()
    remember(shown)
    assert untrusted(project) is None


def test_the_settings_that_hold_are_those_that_were_shown(project: Path) -> None:
    put(project, ".ccq-tui.toml", 'model = "opus"\n')
    launch = launch_with({"cwd": project})
    assert (launch.settings.model, launch.carried is not None) == (None, True)
    put(project, ".ccq-tui.toml", 'model = "haiku"\n')
    again = trusting(launch)
    assert again.carried is not None
    assert [file.effects for file in again.carried.files] == [("sets for ccq-tui model = haiku",)]
    trusted = trusting(again)
    assert (trusted.settings.model, trusted.carried) == ("haiku", None)


def test_an_unknown_setting_of_a_project_warns_and_a_wrong_value_is_refused(project: Path) -> None:
    put(project, ".ccq-tui.toml", 'modle = "x"\nmodel = "opus"\n[later]\na = 1\n')
    asks = launch_with({"cwd": project})
    assert (asks.carried is not None, asks.notices) == (True, ()), "nothing of it counts yet"
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


def test_a_settings_file_that_leads_elsewhere_meanwhile_is_asked_about(project: Path) -> None:
    put(project, ".ccq-tui.toml", 'model = "opus"\n')
    (project / "inner").mkdir()
    put(project / "inner", ".mcp.json", servers("worse"))
    launch = launch_with({"cwd": project})
    put(project, ".ccq-tui.toml", 'cwd = "inner"\n')
    del_cwd = replace(launch, flags={})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        again = trusting(del_cwd)
    assert again.carried is not None
    assert again.carried.directory == (project / "inner").resolve()
    assert "runs worse (MCP server db)" in [line for file in again.carried.files for line in file.effects]


TRUSTING = """
import sys
from pathlib import Path
from ccq_tui.config.trust import remember, untrusted
print("ready", flush=True)
sys.stdin.readline()
for name in sys.argv[1:]:
    remember(untrusted(Path(name)))
"""


def test_processes_that_trust_at_the_same_time_lose_no_entry(tmp_path: Path) -> None:
    places = [[tmp_path / f"{process}-{n}" for n in range(25)] for process in range(4)]
    for place in itertools.chain(*places):
        place.mkdir()
        put(place, ".mcp.json", servers("db"))
    running = [
        subprocess.Popen(
            [sys.executable, "-c", TRUSTING, *map(str, own)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for own in places
    ]
    for process in running:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=120)
    assert [process.returncode for process in running] == [0] * len(running)
    assert [place for place in itertools.chain(*places) if untrusted(place) is not None] == []
    assert not [one.name for one in state_dir().iterdir() if one.name.startswith((".trust", "trust.json."))]


RULES = frozenset({("allow", "Bash(make *)"), ("additionalDirectories", "/x")})


@pytest.mark.parametrize(
    ("before", "after", "only"),
    [
        ("", {"permissions": {"allow": ["Bash(make *)"]}}, True),
        ({"permissions": {"allow": ["Edit"]}}, {"permissions": {"allow": ["Edit", "Bash(make *)"]}}, True),
        ({"model": "a"}, {"model": "a", "permissions": {"additionalDirectories": ["/x"]}}, True),
        ({"model": "a"}, {"model": "b", "permissions": {"allow": ["Bash(make *)"]}}, False),
        ({}, {"permissions": {"allow": ["Bash(make *)", "Bash(curl *)"]}}, False),
        ({}, {"permissions": {"ask": ["Bash(make *)"]}}, False),
        ({"permissions": {"deny": ["Edit"]}}, {"permissions": {"allow": ["Bash(make *)"]}}, False),
        ({}, {"permissions": {"allow": ["Bash(make *)"], "defaultMode": "bypassPermissions"}}, False),
        ({}, {"permissions": {"allow": ["Bash(make *)"]}, "hooks": {}}, False),
        ({}, {"permissions": {"allow": "Bash(make *)"}}, False),
        ({}, [], False),
        ({}, "{", False),
        ("{", {"permissions": {"allow": ["Bash(make *)"]}}, False),
    ],
)
def test_what_was_granted_and_nothing_else_is_no_news(before: object, after: object, only: bool) -> None:
    old, new = ((one if isinstance(one, str) else json.dumps(one)).encode() for one in (before, after))
    assert only_adds(old, new, RULES) == only


def test_what_nobody_trusted_stays_so_after_a_grant(project: Path) -> None:
    put(project, ".claude/settings.local.json", {"env": {"A": "b"}})
    before = settings_files(project)
    put(
        project,
        ".claude/settings.local.json",
        {"env": {"A": "b"}, "permissions": {"allow": ["Bash(make *)"]}},
    )
    follow_granted(project, before, RULES)
    assert untrusted(project) is not None


def test_a_worktree_in_which_something_is_granted_trusts_the_rest_as_before(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    (main / ".claude").mkdir(parents=True)
    put(main, ".claude/settings.json", SETTINGS)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], ["worktree", "add", "-q", str(tree)]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *words], cwd=main, check=True, capture_output=True, timeout=30)
    carried = untrusted(main)
    assert carried is not None
    remember(carried)
    assert untrusted(tree) is None
    before = settings_files(tree)
    put(tree, ".claude/settings.local.json", {"permissions": {"allow": ["Bash(make *)"]}})
    assert follow_granted(tree, before, RULES)
    assert untrusted(tree) is None

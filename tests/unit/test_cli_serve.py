"""The commands of the service, as far as they run no session."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ccq_tui.cli.serve import NEEDED
from ccq_tui.config.paths import state_dir
from ccq_tui.service.adapters.scripted_linear import ScriptedLinear
from ccq_tui.service.run import Run, RunState
from ccq_tui.service.store import RunStore
from ccq_tui.service.tokens import read_tokens
from tests.unit.starting import Cli
from tests.unit.worktrees.repositories import run

NOW = datetime.now(UTC)


def test_runs_are_listed_and_counted(ccq: Cli, tmp_path: Path) -> None:
    assert ccq("serve", "status") == "No runs yet.\n"
    store = RunStore.open(f"sqlite:///{tmp_path / 'runs.db'}")
    made = Run(
        "0123456789ab", "linear", "T", "Dates\x1b[2J", "", "p", "shop", NOW, NOW, state=RunState.PARKED
    )
    store.create(made)
    store.close()
    listed = ccq("serve", "status", "--store", f"sqlite:{tmp_path / 'runs.db'}")
    assert listed.startswith("0123456789ab  parked")
    assert "shop on no machine yet\n1 parked\n" in listed
    assert "\x1b" not in listed


def test_a_token_is_printed_once_and_revoked(ccq: Cli) -> None:
    made = ccq("serve", "token", "ci").strip()
    [known] = read_tokens(state_dir())
    token = read_tokens(state_dir())[known]
    assert (token, len(made)) == ({"name": "ci", "scopes": ["read", "answer", "start"], "until": ""}, 43)
    assert ccq("serve", "token").strip() == "ci                   read, answer, start  without end"
    ccq("serve", "token", "board", "--scope", "read", "--until", "2020-01-31")
    assert "board                read  until 2020-01-31, which is over" in ccq("serve", "token")
    for wrong in (" ", "a\x1b[31mb", "x" * 65):
        assert "a token's name is one line" in ccq("serve", "token", wrong, code=2)
    assert made not in (state_dir() / "service-tokens.json").read_text(encoding="utf-8")
    assert ccq("serve", "token", "ci", "--revoke") == "Revoked.\n"
    assert "no token has the name 'ci'" in ccq("serve", "token", "ci", "--revoke", code=2)
    (state_dir() / "service-tokens.json").write_text("[]", encoding="utf-8")
    assert "make new tokens" in ccq("serve", "token", "ci", code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "service.toml is missing: docs/service.md shows one; ccq-tui serve --demo needs none."),
        (["--config", "gone.toml", "--store", "mysql://x"], "gone.toml is missing"),
        (["status", "--store", "mysql://x"], "--store takes sqlite:PATH or postgresql://HOST/NAME"),
        (["status", "--store", "sqlite:/nowhere/runs.db"], "cannot be used"),
        (["adopt", "two"], "service.toml: cannot be read"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_line(ccq: Cli, words: list[str], said: str) -> None:
    assert said in ccq("serve", *words, code=2)
    assert read_tokens(state_dir()) == {}


def test_without_the_extra_one_line_says_what_to_install(ccq: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in NEEDED else find(name))
    assert "pip install 'ccq-tui[service]'" in ccq("serve", code=2)


def test_what_will_not_work_is_said_at_the_start_with_its_line(ccq: Cli, tmp_path: Path) -> None:
    linear = ScriptedLinear("", secret="s", token="another")
    (tmp_path / "token").write_text("expired", encoding="utf-8")
    (tmp_path / "plain").mkdir()
    run(tmp_path, "init", "--quiet", "shop")
    file = tmp_path / "service.toml"
    file.write_text(
        f"""\
[repositories.plain]
path = "plain"

[repositories.shop]
path = "shop"
base = "mian"
allowed_tools = "Edit Wirte Bash(make:*) mcp__a__b"

[repositories.third]
path = "shop"
choose = {{ labels = "shop" }}

[linear]
webhook_secret = "file:token"
token = "file:token"
url = "{linear.url}/graphql"
""",
        encoding="utf-8",
    )
    try:
        said = ccq("serve", "--config", str(file), code=2)
    finally:
        linear.close()
    for line in (
        "the service's own user: what an agent may run can read its secrets",
        f"{file}:2: repositories.plain.path: is no git repository",
        f"{file}:6: repositories.shop.base: is no branch, neither here nor at origin",
        "repositories.shop.choose: is the same as for plain",
        f"{file}:7: repositories.shop.allowed_tools: has 'Wirte', which is no tool; did you mean Write?",
        f"{file}:11: repositories.third.choose: has 'labels', which no ticket is about; did you mean label?",
        f"{file}:15: linear.token: Linear does not take its token",
    ):
        assert line in said
    assert len(said.strip().splitlines()) == 8, "one says that it cannot start"

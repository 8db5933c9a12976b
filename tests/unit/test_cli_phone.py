"""The commands phone, pair, devices and serve, against real relays where they need one."""

import io
import json
import plistlib
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ccq_tui.cli import main
from ccq_tui.config.paths import state_dir
from ccq_tui.remote.pairings import Pairing, change_pairings, pairings_file, read_pairings
from ccq_tui.remote.seal import digest
from ccq_tui.service.api import page_address
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.service.store import RunStore
from ccq_tui.service.tokens import page_key, read_tokens
from tests.agent.service.scripted_linear import ScriptedLinear
from tests.tables import each_row
from tests.unit.remote.phone.device import Device, code_in, link_in
from tests.unit.remote.phone.threads import relay_elsewhere
from tests.unit.starting import Cli
from tests.unit.worktrees.repositories import run

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[str, str]]:
    with relay_elsewhere(tmp_path) as found:
        yield found


def test_a_paired_relay_and_its_devices(elsewhere: tuple[str, str], ccq: Cli) -> None:
    url, code = elsewhere
    assert ccq("devices") == "No device is paired. To pair one: ccq-tui phone\n"
    wrong = code[:-1] + ("0" if code[-1] != "0" else "1")
    assert "the relay refused this: The proof is wrong" in ccq("pair", url, wrong, code=2)
    text = ccq("pair", url, code)
    (pairing,) = read_pairings(pairings_file())
    assert f"This inbox is paired with {url}." in text
    assert f"ccq-tui phone --keep --relay {url}" in text
    assert f"&k={pairing.key}&s=" in link_in(text)
    again = ccq("pair", url)
    with Device(url) as device, Device(url) as other, Device(url) as third:
        device.open_link(link_in(text), "Anna’s phone")
        other.type_code(code_in(text), "Tablet")
        third.open_link(link_in(again), "Watch")
        assert device.requests() == other.requests() == []
        found = ccq.json("devices")["devices"]
        listed = sorted((one["name"], one["relay"], one["mode"]) for one in found)
        assert listed == [(name, url, "sealed") for name in ("Anna’s phone", "Tablet", "Watch")]
        shown = ccq("devices")
        assert shown.splitlines()[0].split() == ["NAME", "ID", "PAIRED", "LAST", "SEEN", "RELAY"]
        row = rf"^Anna’s phone  {device.id[:8]}  \d\d:\d\d   \d\d:\d\d +{url}$"
        assert re.search(row, shown, re.MULTILINE)
        ccq("devices", "revoke", "Anna", code=2)
        revoked = ccq("devices", "revoke", "Anna’s phone")
        assert "Anna’s phone is revoked: it can no longer read or answer." in revoked
        calls = [(one, f"/requests/{pairing.id}") for one in (device, other)]
        assert [one.status("GET", path) for one, path in calls] == [401, 200]
        line = f"{url} is forgotten: nothing is published to it.\n"
        assert ccq("devices", "forget", f"{url}/") == line
        assert [one.status("GET", path) for one, path in calls] == [401, 401]
    assert read_pairings(pairings_file()) == ()


def test_a_code_can_be_typed_so_that_no_list_of_processes_has_it(
    elsewhere: tuple[str, str], monkeypatch: pytest.MonkeyPatch, ccq: Cli
) -> None:
    url, code = elsewhere
    monkeypatch.setattr(sys, "stdin", io.StringIO(f" {code.lower()}\n"))
    change_pairings(pairings_file(), add=[Pairing("lost", url, url, "unknown")])
    assert "Not encrypted: anyone in" in ccq("pair", url, "--plain")
    (pairing,) = read_pairings(pairings_file())
    assert (pairing.id != "lost", pairing.is_sealed) == (True, False)


REFUSED = [
    (["pair"], "nothing is paired: run “ccq-tui phone”, or “ccq-tui pair URL” for a relay elsewhere."),
    (["pair", "relay", "7K2M-9QXD-4TBV-H8RW"], "URL takes an origin, as in https://relay.example.org."),
    (["pair", "https://a", "x"], "a code has 16 letters and digits, as in 7K2M-9QXD-4TBV-H8RW."),
    (["phone", "--relay", "https://a", "--plain"], "are for a relay of this machine: leave out --relay."),
    (["phone", "--relay", "https://a"], "nothing is paired: run"),
    (["phone", "--host", "laptop"], "--host takes an IP address of this machine"),
    (["phone", "--public-url", "a"], "--public-url takes an origin, as in https://relay.example.org."),
    (["devices", "revoke", "x"], "no devices have this name or id; ccq-tui devices lists their ids."),
    (["devices", "forget", "https://a"], "this inbox is not paired with that relay"),
]


@each_row(*REFUSED)
def test_a_refusal_names_the_next_step(words: list[str], why: str, *, capsys: Captured) -> None:
    assert main(words) == 2
    assert why in " ".join(capsys.readouterr().err.split())


def test_a_relay_that_is_away_is_named_and_can_be_forgotten(ccq: Cli, capsys: Captured) -> None:
    pairing = Pairing("away", "https://127.0.0.1:9", "https://127.0.0.1:9", "t")
    change_pairings(pairings_file(), add=[pairing])
    assert main(["devices", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out) == {"version": 1, "devices": []}
    assert f"Error: {pairing.public}: the relay cannot be reached" in err
    change_pairings(pairings_file(), add=[Pairing("p", "https://a", "https://a", "t")])
    why = f"several relays: name one, as in ccq-tui pair {pairing.public} or https://a"
    assert why in " ".join(ccq("pair", code=2).split())
    assert main(["devices", "forget", pairing.public]) == 0
    assert "Its devices were not revoked: the relay cannot be reached" in capsys.readouterr().err
    assert [one.id for one in read_pairings(pairings_file())] == ["p"]


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_a_service_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: Captured, system: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv("PATH", "/bin:/home/you/50%")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    words = ["--host", 'a%b"c$d\\e', "--plain"]
    code = main(["phone", "--service", *words])
    unit, steps = capsys.readouterr()
    steps = " ".join(steps.split())
    assert "secret" not in unit
    if system == "linux":
        assert r''' "phone" "--keep" "--host" "a%%b\"c$$d\\e" "--plain"''' in unit
        assert '"\nEnvironment="PATH=/bin:/home/you/50%%"\nEnvironment=' in unit
        assert " --plain > ~/.config/systemd/user/ccq-tui-phone.service" in steps
    elif system == "darwin":
        agent = plistlib.loads(unit.encode())
        assert agent["ProgramArguments"][-5:] == ["phone", "--keep", *words]
        assert agent["EnvironmentVariables"]["PATH"] == "/bin:/home/you/50%"
        assert "launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/" in steps
    else:
        assert (code, unit) == (2, "")
        assert "start “ccq-tui phone --keep” at login" in steps


NOW = datetime.now(UTC)


def test_runs_are_listed_with_how_long_they_wait_and_forgotten(ccq: Cli, tmp_path: Path) -> None:
    url, where = f"sqlite:///{tmp_path / 'runs.db'}", ("--store", f"sqlite:{tmp_path / 'runs.db'}")
    assert ccq("serve", "status") == "No runs yet.\n"
    texts = ("linear", "T", "Dates\x1b[2J", "https://linear.app/T", "p", "shop", NOW, NOW)
    with closing(RunStore.open(url)) as store:
        made = store.create(Run("0123456789ab", *texts, state=RunState.PARKED, link="n"))
        store.record(made.id, Happened.ASKED, "q", {"text": "Which?"})
    file = tmp_path / "service.toml"
    file.write_text('public_url = "https://ccq.example.org"\n[linear]\ntoken = "env:NOT_HERE"\n', "utf-8")
    listed = ccq("serve", "status", *where, "--config", str(file))
    assert listed.startswith("0123456789ab  parked")
    page = page_address("https://ccq.example.org", page_key(state_dir()), made)
    assert re.search(
        rf"shop on no machine yet\n  waits \d.*s  https://linear.app/T  {page}\n1 parked\n", listed
    )
    assert "\x1b" not in listed
    with closing(RunStore.open(url)) as store:  # a permission, for which its process is kept
        store.update(made.id, state=RunState.WORKING)
    assert re.search(r"  working .*\n  waits \d", ccq("serve", "status", *where))
    with closing(RunStore.open(url)) as store:
        store.record(made.id, Happened.ANSWERED, "q", {})
        store.update(made.id, state=RunState.PARKED)
    assert "waits" not in ccq("serve", "status", *where)
    assert "is parked: stop it first" in ccq("serve", "forget", made.id, *where, code=2)
    with closing(RunStore.open(url)) as store:
        store.update(made.id, state=RunState.ENDED)
    assert ccq("serve", "forget", made.id, *where).startswith("Deleted. Claude's own record")
    assert ccq("serve", "status", *where) == "No runs yet.\n"
    assert re.search(r"0123456789ab  forget  \w+, by ccq-tui serve", ccq("serve", "audit", *where))
    assert "No run has the id" in ccq("serve", "forget", made.id, *where, code=2)


def test_a_token_is_printed_once_and_revoked(ccq: Cli) -> None:
    made = ccq("serve", "token", "ci").strip()
    [known] = read_tokens(state_dir())
    token = read_tokens(state_dir())[known]
    assert (token, len(made)) == ({"name": "ci", "scopes": ["read", "answer", "start"], "until": ""}, 43)
    assert ccq("serve", "token").strip() == "ci                   read, answer, start  without end"
    ccq("serve", "token", "board", "--scope", "read", "--until", "2020-01-31")
    assert "board                read  until 2020-01-31, which is over" in ccq("serve", "token")
    ccq("serve", "token", "board", "--revoke")
    place, _, signs_in = ccq("serve", "link", "board", "--scope", "read").strip().partition("#token=")
    token = read_tokens(state_dir())[digest(signs_in)]
    week = f"{datetime.now(UTC) + timedelta(days=7):%Y-%m-%d}"
    assert (place, token) == ("http://127.0.0.1:8766/", {"name": "board", "scopes": ["read"], "until": week})
    for wrong in ("", " ", "a\x1b[31mb", "x" * 65):
        assert "a token's name is one line" in ccq("serve", "token", wrong, code=2)
    assert made not in (state_dir() / "service-tokens.json").read_text(encoding="utf-8")
    assert ccq("serve", "token", "ci", "--revoke") == "Revoked.\n"
    assert "no token has the name 'ci'" in ccq("serve", "token", "ci", "--revoke", code=2)
    (state_dir() / "service-tokens.json").write_text("[]", encoding="utf-8")
    assert "make new tokens" in ccq("serve", "token", "ci", code=2)


@each_row(
    ([], "service.toml is missing; ccq-tui serve --demo needs none. An example: https://"),
    (["--config", "gone.toml", "--store", "mysql://x"], "gone.toml is missing"),
    (["status", "--store", "mysql://x"], "--store takes sqlite:PATH or postgresql://HOST/NAME"),
    (["status", "--store", "sqlite:/nowhere/runs.db"], "cannot be used"),
    (["adopt", "two"], "service.toml: cannot be read"),
)
def test_what_cannot_be_served_is_refused_in_a_line(words: list[str], text: str, *, ccq: Cli) -> None:
    assert text in ccq("serve", *words, code=2)
    assert read_tokens(state_dir()) == {}


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
        out = ccq("serve", "--config", str(file), code=2)
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
        assert line in out
    assert len(out.strip().splitlines()) == 8, "one says that it cannot start"

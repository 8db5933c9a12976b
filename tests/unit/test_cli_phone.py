"""The commands pair and devices against real relays, and those of phone that need no relay."""

from __future__ import annotations

import io
import json
import plistlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccq_tui.cli import main
from ccq_tui.remote.pairings import Pairing, change_pairings, pairings_file, read_pairings
from tests.unit.remote.phone.device import Device, code_in, link_in
from tests.unit.remote.phone.threads import home_relay_running, relay_elsewhere
from tests.unit.starting import Cli

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
    assert link_in(text).endswith(f"&k={pairing.key}")
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
        said = f"{url} is forgotten: nothing is published to it.\n"
        assert ccq("devices", "forget", f"{url}/") == said
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


@pytest.mark.parametrize(("words", "why"), REFUSED)
def test_a_refusal_names_the_next_step(words: list[str], why: str, capsys: Captured) -> None:
    assert main(words) == 2
    assert why in " ".join(capsys.readouterr().err.split())


def test_a_relay_that_is_away_is_named_and_can_be_forgotten(ccq: Cli, capsys: Captured) -> None:
    with home_relay_running() as pairing:
        pass
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

"""What the doctor says of relays: real ones on loopback, and those that are not there."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.doctor import examine
from ccq_tui.doctor.examine import Check, Level, examine_pairings
from ccq_tui.remote.pairings import Pairing, change_pairings, pairings_file
from ccq_tui.remote.phone.address import keep_certificate
from ccq_tui.stored import write_whole
from tests.unit.remote.phone.threads import home_relay_running


def test_a_relay_is_good_or_has_a_remedy(tmp_path: Path) -> None:
    assert examine_pairings() == []
    write_whole(pairings_file(), "{")
    (damaged,) = examine_pairings()
    assert "cannot be used; remove it, and pair again" in damaged.found
    pairings_file().unlink()
    other = tmp_path / "other.pem"
    keep_certificate(other, "127.0.0.1")
    with home_relay_running() as pairing:
        forget = f"“ccq-tui devices forget {pairing.public}”"
        assert examine_pairings() == [Check("Phone", "Relay", f"{pairing.public}, 0 devices, encrypted")]
        change_pairings(pairings_file(), add=[replace(pairing, token="wrong")])
        (unknown,) = examine_pairings()
        assert unknown.found == f"{pairing.public} does not know this machine"
        assert f"Run {forget}, then pair again" in unknown.advice
        change_pairings(pairings_file(), add=[replace(pairing, certificate=str(other))])
        (false,) = examine_pairings()
        assert "certificate verify failed" in false.found
    change_pairings(pairings_file(), add=[pairing])
    (away,) = examine_pairings()
    assert away.found.startswith(f"{pairing.public}: the relay cannot be reached")
    assert away.advice.startswith("Start it with “ccq-tui phone”")
    assert forget in away.advice
    assert {one.level for one in (damaged, unknown, false, away)} == {Level.WARNING}

    change_pairings(pairings_file(), remove=[pairing.id])
    with home_relay_running(plain=True) as pairing:
        assert examine_pairings() == [Check("Phone", "Relay", f"{pairing.public}, 0 devices, not encrypted")]


def test_silent_relays_are_named_after_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examine, "RELAY_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        change_pairings(pairings_file(), add=[Pairing(f"p{n}", url, url, "t") for n in range(4)])
        checks = examine_pairings()
    assert [check.found for check in checks] == [f"{url}: no answer within 5 s"] * 4

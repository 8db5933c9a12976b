"""What the doctor says of relays: real ones on loopback, and those that are not there."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ccq_tui.doctor import phone
from ccq_tui.doctor.check import Check, Level
from ccq_tui.doctor.phone import examine_channels, examine_pairings
from ccq_tui.remote.pairings import Pairing, change_pairings, pairings_file
from ccq_tui.remote.phone.certificate import keep_certificate
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
        relay, certificate = examine_pairings()
        assert relay == Check("Phone", "Relay", f"{pairing.public}, 0 devices, encrypted")
        assert (certificate.name, certificate.level) == ("Certificate", Level.OK)
        change_pairings(pairings_file(), add=[replace(pairing, token="wrong")])
        (unknown,) = examine_pairings()
        assert unknown.found == f"{pairing.public} does not know this machine"
        assert f"Run {forget}, then pair again" in unknown.advice
        change_pairings(pairings_file(), add=[replace(pairing, certificate=str(other))])
        (false,) = examine_pairings()
        assert "certificate verify failed" in false.found
    (away,) = examine_pairings()
    assert away.found.startswith(f"{pairing.public}: the relay cannot be reached")
    assert away.advice.startswith("Start it with “ccq-tui phone”")
    assert forget in away.advice
    assert {one.level for one in (damaged, unknown, false, away)} == {Level.WARNING}

    change_pairings(pairings_file(), remove=[pairing.id])
    with home_relay_running(plain=True) as pairing:
        assert examine_pairings() == [Check("Phone", "Relay", f"{pairing.public}, 0 devices, not encrypted")]


def test_all_together_take_five_seconds_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone, "LIMIT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        change_pairings(pairings_file(), add=[Pairing(f"p{n}", url, url, "t") for n in range(4)])
        began = time.monotonic()
        checks = examine_pairings()
    assert time.monotonic() - began < 3
    assert [check.found for check in checks] == [f"{url}: no answer within 5 s"] * 4


def test_a_wrong_clock_and_a_certificate_that_ends_soon_are_named() -> None:
    now = datetime.now(UTC) + timedelta(seconds=0.4)
    found = [[*phone._clock(now + timedelta(seconds=ahead))] for ahead in (0, -3600, 120)]
    said = [[], ["the relay's is 1 h 0 min behind"], ["the relay's is 2 min 0 s ahead"]]
    assert [[check.found for check in checks] for checks in found] == said
    (soon,), (late,) = (phone._certificate(now + timedelta(days=days)) for days in (13, 15))
    assert (soon.level, late.level) == (Level.WARNING, Level.OK)


def test_a_channel_whose_extra_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    urls = ["ntfys://ntfy.sh/secret", "tgram://token/chat"]
    assert examine_channels([]) == []
    monkeypatch.setattr(phone, "find_spec", lambda _name: None)
    (ntfy,), (both,) = examine_channels(urls[:1]), examine_channels(urls)
    assert (ntfy.level, both.level) == (Level.OK, Level.WARNING)
    assert 'pip install "ccq-tui[notify]"' in both.advice
    assert "token" not in both.found
    monkeypatch.setattr(phone, "find_spec", lambda _name: True)
    (both,) = examine_channels(urls)
    assert both.level is Level.OK
    assert "secret" not in both.found

"""What a kind of request is enough for: its own module and a line of the registry, in every command."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from ccq_tui.cli import main
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox import kinds
from ccq_tui.inbox.choices import ALLOW, DENY, read_decision
from ccq_tui.inbox.requests import Allowed, Asked, Asker, Denied, Origin
from ccq_tui.inbox.store.store import Store


@dataclass(frozen=True, slots=True)
class BookingRequest(Asked):
    """A request of a kind that nothing else knows."""

    room: str


BOOKING = SimpleNamespace(
    WORD="booking", NOUN="decision", TYPE=BookingRequest, OUTLIVES=True, EXPIRES=False, REFUSAL=Denied(),
    CALLED="a booking", ENDS=(Allowed, Denied),
    same=lambda one, other: one.room == other.room,
    check=lambda *_: None,
    parse=lambda _, data: read_decision((ALLOW, DENY), data),
    choices=lambda _: (ALLOW, DENY),
    title=lambda _: "booking",
    summary=lambda request: f"Book {request.room}?",
    plain_text=lambda request, _: [f"Room {request.room}"],
    record=lambda request: {"room": request.room},
)  # fmt: skip


def test_a_kind_of_its_own_is_kept_listed_shown_and_answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(kinds.BY_TYPE, BookingRequest, BOOKING)
    monkeypatch.setitem(kinds.TYPES, "booking", BookingRequest)
    store = Store(inbox_path())
    for call in ("blue", "red", "green"):
        store.requests.add(BookingRequest(call, "desk", call, origin=Origin(Asker.FORM, "Front desk")))
    assert main(["inbox", "--plain"]) == 0
    assert "Book blue?" in capsys.readouterr().out
    assert main(["show", "blue"]) == 0
    shown = capsys.readouterr().out
    assert "Room blue" in shown
    assert "To decide: ccq-tui answer blue --choose N" in shown
    assert main(["show", "blue", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["request"]["room"] == "blue"
    assert main(["answer", "blue", "--choose", "1"]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"choice": 2}')))
    assert main(["answer", "red", "--json", "-"]) == 0
    assert main(["decline", "green"]) == 0
    outcomes = [store.requests.get(f"{call}@form:desk") for call in ("blue", "red", "green")]
    assert [one and one.outcome for one in outcomes] == [Allowed(), Denied(), Denied()]
    store.close()

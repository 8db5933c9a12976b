"""The file of pairings: private, whole, and changed by one process at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.remote.pairings import Pairing, PairingsError, change_pairings, read_pairings
from ccq_tui.remote.seal import to_base64

SEALED = Pairing("p1", "https://127.0.0.1:8765", "https://host:8765", "secret", to_base64(bytes(32)), "c.pem")
PLAIN = Pairing("p2", "http://127.0.0.1:8765", "http://host:8765", "secret")


def test_pairings_are_added_replaced_and_removed(tmp_path: Path) -> None:
    file = tmp_path / "state" / "pairings.json"
    assert read_pairings(file) == ()
    change_pairings(file, add=[SEALED, PLAIN])
    assert read_pairings(file) == (SEALED, PLAIN)
    assert file.stat().st_mode & 0o777 == 0o600
    change_pairings(file, remove=["p1", "unknown"])
    assert [one.is_sealed for one in read_pairings(file)] == [False]


def test_secrets_stay_out_of_logs() -> None:
    assert "secret" not in repr(SEALED)
    assert SEALED.key not in repr(SEALED)


NO_KEY = '{"version": 1, "pairings": [{"id": "p", "relay": "", "public": "", "token": "", "key": "AAAA"}]}'


@pytest.mark.parametrize("content", ["", "[]", '{"version": 2, "pairings": []}', "[" * 99_999, NO_KEY])
def test_a_damaged_file_is_named_with_its_remedy(tmp_path: Path, content: str) -> None:
    file = tmp_path / "pairings.json"
    file.write_text(content, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(PairingsError, match=r"pairings\.json cannot be used; remove it, and pair again"):
        read_pairings(file)


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairings.json"
    change_pairings(file, add=[PLAIN])
    file.chmod(0o644)
    with pytest.raises(PairingsError, match="run: chmod 600"):
        read_pairings(file)

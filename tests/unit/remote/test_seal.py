"""What is kept of pairings, and what their keys seal."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.remote.pairings import Pairing, PairingsError, change_pairings, read_pairings
from ccq_tui.remote.seal import About, Code, Sealed, Sealer, SealError, from_base64, to_base64, wrap_key
from tests.tables import each_row

VECTORS = json.loads(Path(__file__).with_name("seal.json").read_text(encoding="ascii"))
ABOUT = About(Sealed.REQUEST, "0b8c", "2026-12-04T10:00:00Z")
VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)
JSON_OBJECTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)


def sealer(pairing: str = "p1", key: bytes = bytes(32)) -> Sealer:
    return Sealer(key, pairing)


@given(content=JSON_OBJECTS, kind=st.sampled_from(Sealed))
def test_what_is_sealed_opens(content: dict[str, object], kind: Sealed) -> None:
    about = replace(ABOUT, kind=kind)
    assert sealer().open(sealer().seal(content, about), about) == content


def test_a_request_is_sealed_alike_each_time_and_an_answer_never() -> None:
    answer = replace(ABOUT, kind=Sealed.ANSWER, request="AAAA")
    assert sealer().seal({"a": 1}, ABOUT) == sealer().seal({"a": 1}, ABOUT)
    assert sealer().seal({"a": 1}, ABOUT) != sealer().seal({"a": 2}, ABOUT)
    assert sealer().seal({"a": 1}, answer) != sealer().seal({"a": 1}, answer)


OTHERS = ({"kind": Sealed.ANSWER}, {"id": "0b8d"}, {"expires": "2026-12-05T10:00:00Z"}, {"request": "AAAA"})


def test_it_opens_for_nothing_else_in_no_other_pairing_and_with_no_other_key() -> None:
    envelope = sealer().seal({"a": 1}, ABOUT)
    others = [(sealer(), replace(ABOUT, **other)) for other in OTHERS]  # type: ignore[arg-type]
    others += [(sealer("p2"), ABOUT), (sealer(key=bytes(31) + b"1"), ABOUT)]
    for by, about in others:
        with pytest.raises(SealError):
            by.open(envelope, about)


@given(place=st.integers(0, 200), bit=st.integers(0, 7))
def test_a_changed_bit_is_noticed(place: int, bit: int) -> None:
    data = bytearray(from_base64(sealer().seal({"text": "x" * 40}, ABOUT)))
    data[place % len(data)] ^= 1 << bit
    with pytest.raises(SealError):
        sealer().open(to_base64(bytes(data)), ABOUT)


@each_row("", "A", "****", "é", to_base64(bytes(40)), to_base64(b"\2" * 60))
def test_what_is_no_envelope_is_refused(envelope: str) -> None:
    with pytest.raises(SealError):
        sealer().open(envelope, ABOUT)


def test_vectors() -> None:
    same = Sealer(from_base64(VECTORS["key"]), VECTORS["pairing"])
    for one in VECTORS["envelopes"]:
        about = About(Sealed(one["kind"]), one["id"], one["expires"], one["request"])
        assert same.open(one["envelope"], about) == one["content"]
        if about.kind is Sealed.REQUEST:
            assert same.seal(one["content"], about) == one["envelope"]
    code = Code(**{name: VECTORS["code"][name] for name in ("invitation", "secret")})
    proof, wrapping = code.stretched()
    wanted = tuple(VECTORS["code"][name] for name in ("shown", "proof", "wrapping"))
    assert (code.shown, proof, to_base64(wrapping)) == wanted


def test_a_code_is_read_aloud_without_doubt() -> None:
    assert {Code.new(plain=True).shown[0] for _ in range(9)} == {"P"}
    assert "P" not in {Code.new().shown[0] for _ in range(500)}
    code = Code.new()
    assert len(code.shown) == 19
    assert not set(code.invitation + code.secret) & set("ILOU")
    assert len(from_base64(wrap_key(bytes(32), bytes(32), code.invitation))) == 1 + 12 + 32 + 16


@each_row("7K2M-90X1-1TBV-H8RW", " 7k2m9oxi LTBVh8rw\n")
def test_a_code_is_read_as_it_is_typed(typed: str) -> None:
    assert Code.read(typed) == Code("7K2M", "90X11TBVH8RW")


@each_row("", "7K2M-90X1-1TBV-H8R", "7K2M-90X1-1TBV-H8RWX", "7K2M-90X1-1TBV-H8RU")
def test_no_other_text_is_a_code(typed: str) -> None:
    with pytest.raises(SealError, match="a code has 16 letters and digits"):
        Code.read(typed)


# -- the file of pairings: private, whole, and changed by one process at a time ------------------------------


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


@each_row("", "[]", '{"version": 2, "pairings": []}', "[" * 99_999, NO_KEY)
def test_a_damaged_file_is_named_with_its_remedy(content: str, *, tmp_path: Path) -> None:
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

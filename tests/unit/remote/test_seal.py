"""Sealed texts open for what they are for, and for nothing else; the page seals the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.remote.seal import About, Code, Sealed, Sealer, SealError, from_base64, to_base64, wrap_key

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


@pytest.mark.parametrize("envelope", ["", "A", "****", "é", to_base64(bytes(40)), to_base64(b"\2" * 60)])
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
    code = Code.new()
    assert len(code.shown) == 19
    assert not set(code.invitation + code.secret) & set("ILOU")
    assert len(from_base64(wrap_key(bytes(32), bytes(32), code.invitation))) == 1 + 12 + 32 + 16


@pytest.mark.parametrize("typed", ["7K2M-90X1-1TBV-H8RW", " 7k2m9oxi LTBVh8rw\n"])
def test_a_code_is_read_as_it_is_typed(typed: str) -> None:
    assert Code.read(typed) == Code("7K2M", "90X11TBVH8RW")


@pytest.mark.parametrize("typed", ["", "7K2M-90X1-1TBV-H8R", "7K2M-90X1-1TBV-H8RWX", "7K2M-90X1-1TBV-H8RU"])
def test_no_other_text_is_a_code(typed: str) -> None:
    with pytest.raises(SealError, match="a code has 16 letters and digits"):
        Code.read(typed)

"""What the terminal shows of an invitation, in windows of every size."""

from __future__ import annotations

from dataclasses import replace

import pytest
import segno

from ccq_tui.output import Styled
from ccq_tui.remote.phone.card import HALVES, InvitationCard, qr_lines

KEYS = ("Enter   a new code", "Ctrl+C  end")
PUBLIC = "https://192.168.178.23:8765"
FRAGMENT = f"v=1&i=7K2M&s={'x' * 22}&k={'y' * 43}"
LINK = f"{PUBLIC}/#{FRAGMENT}"
SELF_SIGNED = InvitationCard(PUBLIC, True, LINK, "7K2M-9QXD-4TBV-H8RW", "14:35", " ".join(["A0"] * 32), KEYS)
TAILSCALE = replace(SELF_SIGNED, public="https://a-rather-long-name.tail12ab3.ts.net:8765", fingerprint="")
PLAIN = replace(SELF_SIGNED, is_sealed=False, fingerprint="")
DRAWN = [(80, 24), (160, 50), (60, 40)]
SIZES = [*DRAWN, (40, 12), (100, 20)]


def texts(card: InvitationCard, columns: int, rows: int, *, draws: bool = True) -> list[str]:
    """The lines below the link, which may scroll away."""
    shown = card.lines(columns, rows, draws=draws)
    first, *lines = ("".join(getattr(one, "text", one) for one in line) for line in shown)
    assert first == f"Link, for one device: {card.link}"
    return lines


@pytest.mark.parametrize("card", [SELF_SIGNED, TAILSCALE, PLAIN])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_all_of_it_is_in_sight(card: InvitationCard, columns: int, rows: int) -> None:
    lines = texts(card, columns, rows)
    assert max(map(len, lines)) <= columns
    if (columns, rows) != (40, 12):
        assert len(lines) < rows, "the cursor has a line, too"
    prose = " ".join(" ".join(lines).split())
    pieces = [piece for line in card.lines(columns, rows, draws=True) for piece in line]
    drawn = [piece for piece in pieces if isinstance(piece, Styled) and "█" in piece.text]
    assert [piece.text for piece in drawn] in [qr_lines(LINK, most) for most in (0, 23, rows)]
    assert all((piece.color, piece.background) == ("bright_white", "black") for piece in drawn)
    assert bool(drawn) is ((columns, rows) in DRAWN)
    once = "Both work once, until 14:35." if drawn else "It works once, until 14:35."
    for words in (card.code, once, *(" ".join(key.split()) for key in KEYS)):
        assert (words in prose) or (words in "".join(lines)), prose
    assert ("Not encrypted" in prose) is not card.is_sealed
    assert ("SHA-256:" in prose) is bool(card.fingerprint)


@pytest.mark.parametrize(("rows", "border"), [(60, 4), (23, 2), (22, 1)])
def test_the_qr_code_is_that_of_the_link(rows: int, border: int) -> None:
    lines = qr_lines(LINK, rows)
    assert 0 < len(lines) <= rows
    code = segno.make(LINK, error="l", micro=False)
    expected = [[bool(one) for one in row] for row in code.matrix_iter(border=border)]
    halves = {sign: pair for pair, sign in HALVES.items()}
    pairs = [[halves[sign] for sign in line] for line in lines]
    found = [[pair[half] for pair in row] for row in pairs for half in (0, 1)]
    assert found[: len(expected)] == expected
    assert not any(any(row) for row in found[len(expected) :]), "what fills the last line is light"
    longest = f"https://a-rather-long-name.tail12ab3.ts.net:8765/#{FRAGMENT}"
    assert len(qr_lines(longest, 23)) == 23
    assert qr_lines(longest, 21) == []


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (44, 24)])
def test_in_a_small_window_words_do(columns: int, rows: int) -> None:
    lines = texts(SELF_SIGNED, columns, rows)
    prose = " ".join(" ".join(lines).split())
    assert "█" not in prose
    assert "No QR code: the window is too small. Make it larger, and press Enter." in prose
    assert f"On the phone, open this page and type the code: {PUBLIC} 7K2M-9QXD-4TBV-H8RW" in prose
    assert "7K2M-9QXD-4TBV-H8RW" in " ".join(lines[-9:]), "it is in sight even in twelve lines"


def test_where_no_blocks_can_be_drawn_words_do() -> None:
    prose = " ".join(texts(SELF_SIGNED, 160, 50, draws=False))
    assert prose.isascii()
    assert "too small" not in prose


def test_secrets_stay_out_of_logs() -> None:
    assert LINK not in repr(SELF_SIGNED)
    assert SELF_SIGNED.code not in repr(SELF_SIGNED)

"""What is drawn of a model's text is harmless, and what people write stays as it is."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.text import MAX_MARKS, last_sentence, masked, one_line, safe

NASTY = (
    "\x1b[31m\x07\x00\x7f\x9b\t\r\n\r\n\u202a\u202e\u2066\u2069\u200e\u061c\u200b\ufeff\u00ad\u2060\u2061\u2028"
    "\u2029\U000e0041\ud800\udfff\u200d\u200c\ufe0f\ufe00\u0301\u0489\u3164\u115f👩💻🏴\U000e0067\U000e007f"
    "نहिक्a 1中"
)
texts = st.one_of(st.text(), st.text(alphabet=NASTY, max_size=40))
ALWAYS_HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ud800-\udfff]"
)
VISIBLE_FORMATS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")


@given(texts)
def test_no_hidden_character_is_left(text: str) -> None:
    shown = safe(text)
    assert not ALWAYS_HIDDEN.search(shown)
    for index, character in enumerate(shown):
        if unicodedata.category(character) == "Cf" and not VISIBLE_FORMATS.match(character):
            assert character in "\u200c\u200d" or "\U000e0020" <= character <= "\U000e007f"
            assert index > 0


@given(texts)
def test_applying_it_twice_changes_nothing(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(texts)
def test_marks_are_bounded(text: str) -> None:
    run = 0
    for character in safe(text + "\u0301" * 9 + "\u0e49" * 9):
        run = run + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        assert run <= MAX_MARKS + 2  # a variation selector or a hidden joiner may stand among them


@given(
    st.text(
        alphabet=st.characters(
            categories=("L", "N", "P", "Zs"), exclude_characters="\u3164\u115f\u1160\uffa0"
        )
    )
)
def test_harmless_text_is_unchanged(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "plain text\nwith lines",
        "Grüße, naïve, Việt Nam, ñ",
        "e\u0301 a\u0302\u0323",
        "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ❤️ 1️⃣ 👩🏽‍🚀 🧑‍⚕️",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می‌خواهم",
        "क्‍ष क्‌ष",
        "漢字かな交じり 葛\U000e0100",
        "שלום עולם مرحبا بالعالم",
        "┌─┐ → ✔ ☐ ◆",
        "\U000f0001 \ue0b0 a private glyph",
    ],
)
def test_living_text_is_unchanged(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;x\x07", "␛[2J␛]0;x␇"),
        ("a\x7fb\x9bc", "a␡b‹U+009B›c"),
        ("a\u202eb", "a‹U+202E›b"),
        ("a\u200bb\ufeffc\u00add", "a‹U+200B›b‹U+FEFF›c‹U+00AD›d"),
        ("a\u200db\u200cc\ufe0f", "a‹U+200D›b‹U+200C›c‹U+FE0F›"),
        ("\U000e0041", "‹U+E0041›"),
        ("\ud83d", "‹U+D83D›"),
        ("1\r\n2\r3", "1\n2␍3"),
        ("a\tb", "a   b"),
        ("ü\tb", "ü   b"),
        ("a" + "\u0301" * 10, "a" + "\u0301" * 4 + "‹+6 marks›"),
        ("\u0301x", "\u25cc\u0301x"),
        ("a\u2028b", "a‹U+2028›b"),
    ],
)
def test_what_is_shown_instead(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_limit_says_how_much_is_missing() -> None:
    assert safe("x" * 100_000, limit=10) == "xxxxxxxxxx… 99,990 more characters"
    assert safe("short", limit=10) == "short"


def test_newlines_can_become_spaces() -> None:
    assert safe("a\r\nb\nc", keep_newlines=False) == "a b c"


@given(texts, st.integers(1, 50))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    assert line == line.strip()


def test_one_line_collapses_white_space() -> None:
    assert one_line("  a\n\n b\tc ", 20) == "a b c"
    assert one_line("abcdef", 4) == "abc…"


@pytest.mark.parametrize(
    ("line", "drawn"),
    [
        ("plain\ttext", "plain\ttext"),
        ("a\u202eb\u200bc", "a\ufffdb\ufffdc"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("a\u200d\U0001f469", "a\ufffd\U0001f469"),
        ("e\u0301é漢字", "e\u0301é漢字"),
    ],
)
def test_a_text_that_is_edited_keeps_its_length_with_a_sign_for_what_is_hidden(line: str, drawn: str) -> None:
    assert masked(line) == drawn


@pytest.mark.parametrize(
    ("markdown", "sentence"),
    [
        ("All done. Shall I commit it?", "Shall I commit it?"),
        ("It passes:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "It passes:"),
        ("Run this:\n\n```sh\nmake\n```\n\n---\n", "Run this:"),
        ("# Plan\n\n1. Keep **store.py** and `_cache`.", "Keep store.py and _cache."),
        ("```\nx\n```", ""),
        ("", ""),
    ],
)
def test_last_words_are_prose(markdown: str, sentence: str) -> None:
    assert last_sentence(markdown) == sentence

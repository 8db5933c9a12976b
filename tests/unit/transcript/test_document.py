"""Markdown is split the same however it arrives, at a cost that grows with the text and no faster."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.transcript.cuts import CODE_CHARACTERS
from ccq_tui.transcript.document import Document

MIXED = "".join(
    f"## Step {number}\n\nSome **words** with `code` "
    + "and more " * 30
    + "\n\n- one\n- two\n  - deeper\n\n1. x\n\n"
    f"2. y\n\n```python\ndef f(x):\n    return {number}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\n\n"
    for number in range(420)
)
HUGE = {
    "mixed": MIXED,
    "paragraph": "word and more. " * 14_000,
    "one word": "x" * 200_000,
    "fence": "```py\n" + "".join(f"a = {n}\n" + "\n" * (n % 37 == 0) for n in range(18_000)) + "```\n\nafter",
    "unfinished fence": "```\n" + "line\n" * 30_000,
    "one line of code": "```\n" + "x" * 100_000 + "\n```\nafter",
    "list": "".join(f"- item {n} with words\n" for n in range(3_000)),
    "table": "|a|b|\n|--|--|\n" + "".join(f"|{n}|x|\n" for n in range(4_500)),
    "soft lines": "soft line\n" * 6_000,
}
markdown = st.lists(
    st.sampled_from(
        [
            "# h\n",
            "text ",
            "\n",
            "\n\n",
            "- item\n",
            "  - sub\n",
            "1. one\n",
            "```py\n",
            "```\n",
            "> q\n",
            "| a |\n",
            "|---|\n",
            "    code\n",
            "---\n",
            "[r]: http://x.y\n",
            "[r]\n",
            "**b",
            "\r\n",
            "\t",
            "\x1b[2J",
            "e\u0301",
        ]
    ),
    max_size=60,
).map("".join)


def settled(document: Document) -> Document:
    while document.settle():
        pass
    return document


def fed(text: str, step: int) -> Document:
    document = Document()
    for start in range(0, len(text), step):
        document.feed(text[start : start + step])
        document.settle()
    document.finish()
    return settled(document)


@pytest.mark.parametrize("name", HUGE)
def test_cost_is_linear_and_parts_are_small(name: str) -> None:
    text = HUGE[name]
    document = fed(text, 20)
    assert document.parsed < 6 * len(text)
    assert max(len(part.source) for part in document.parts) < CODE_CHARACTERS
    assert document.parts == settled(Document(text, finished=True)).parts


def test_single_characters_make_the_same_parts() -> None:
    text = MIXED[:60_000]
    assert fed(text, 1).parts == settled(Document(text, finished=True)).parts


@given(markdown, st.integers(1, 7))
def test_parts_do_not_depend_on_how_the_text_arrives(text: str, step: int) -> None:
    assert fed(text, step).parts == settled(Document(text, finished=True)).parts


@given(markdown)
def test_nothing_is_lost(text: str) -> None:
    document = fed(text, 5)
    shown = "".join(part.source for part in document.parts)
    for word in ("# h", "text", "item", "sub", "one", "code", "q"):
        assert shown.count(word) >= text.count(word)
    assert document.text == text


def test_finished_parts_stay_as_they_are() -> None:
    document = Document()
    kept: list[tuple[str, int]] = []
    for start in range(0, 20_000, 50):
        document.feed(MIXED[start : start + 50])
        document.settle()
        assert document.parts[: len(kept)] == kept
        kept = list(document.parts)
    assert len(kept) > 100


def test_a_huge_text_is_split_in_slices() -> None:
    document = Document(MIXED, finished=True)
    document.settle()
    assert document.parsed < 10_000


def test_the_whole_text_replaces_what_was_streamed() -> None:
    document = Document("# one\n\ntw")
    assert document.completed("# one\n\ntwo") is document
    assert settled(document).parts[-1].source == "two"
    other = Document("# one").completed("else")
    assert [part.source for part in settled(other).parts] == ["else"]


def test_links_find_targets_that_come_later() -> None:
    document = Document("see [r]\n\n")
    document.settle()
    before = document.key(0)
    document.feed("more\n\n[r]: http://x.y\n\nend\n\n")
    settled(document)
    assert document.key(0) != before
    assert "R" in document.env["references"]


def test_the_tail_is_safe_to_draw() -> None:
    document = Document("text \x1b[2J\u202e")
    document.settle()
    assert document.tail.source == "text ␛[2J‹U+202E›"

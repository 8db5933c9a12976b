"""Colours of a command's output."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from rich.style import Style
from rich.text import Text

from ccq_tui.text import safe
from ccq_tui.transcript import sgr
from ccq_tui.transcript.text_bodies import Excerpt, PlainText
from ccq_tui.widgets.transcript.code import folded
from ccq_tui.widgets.transcript.painter import coloured

NAMES = {"error": "red", "success": "green", "muted": "grey50", "warning": "yellow", "keyword": "blue"}
CODES = st.sampled_from(
    [
        "\x1b[31m",
        "\x1b[0m",
        "\x1b[1;38;5;196m",
        "\x1b[38;2;1;2;3m",
        "\x1b[7m",
        "\x1b[K",
        "\x1b[2J",
        "\x1b[38m",
    ]
)
HOSTILE = st.lists(st.one_of(CODES, st.text("ab \t\n\r\x1b[0;m日\u202e\u0301", max_size=9))).map("".join)


def style(name: str) -> Style:
    return Style(color=NAMES.get(name, "magenta"))


def drawn(text: str, start: int = 0) -> Text:
    plain, marks = sgr.parsed(text)
    return coloured(plain[start:], start, marks, Style.null(), style)


def colours(text: Text) -> list[tuple[str, str]]:
    return [
        (text.plain[span.start : span.end], span.style.color.name)
        for span in text.spans
        if isinstance(span.style, Style) and span.style.color
    ]


def test_colours_become_those_of_the_theme() -> None:
    text = drawn(
        "\x1b[31mred\x1b[0m plain \x1b[1;92mgreen\x1b[39m \x1b[2mdim\x1b[22m\x1b[K \x1b[38;5;21mblue"
    )
    assert text.plain == "red plain green dim blue"
    assert colours(text) == [("red", "red"), ("green", "green"), ("dim", "grey50"), ("blue", "blue")]


def test_a_colour_goes_on_over_lines_pieces_and_tabs() -> None:
    assert colours(drawn("\x1b[31ma\n\tb\x1b[m\nc")) == [("a\n    b", "red")]
    assert colours(drawn("x\x1b[31mone two", 5)) == [("two", "red")]
    many = PlainText("\x1b[31m" + "\n".join(f"line {n}" for n in range(120)), colours=True)
    assert len(many) == 3
    source, start = many.source(2)
    assert many.part(2).startswith("line 100")
    assert colours(coloured(source, start, many.marks, Style.null(), style)) == [(source, "red")]


def test_an_excerpt_knows_the_colours_of_its_lines() -> None:
    text = "\n\n" + "\n".join(f"\x1b[3{1 + n % 2}mline {n}" for n in range(30)) + "\x1b[0m\n"
    for tail in (False, True):
        excerpt = Excerpt(text, 5, tail=tail, colours=True)
        shown = [
            colours(coloured(line, start, excerpt.marks, Style.null(), style))
            for line, start in zip(excerpt.lines, excerpt.starts, strict=True)
        ]
        first = 25 if tail else 0
        assert shown == [[(f"line {n}", "green" if n % 2 else "red")] for n in range(first, first + 5)]


@given(HOSTILE)
def test_nothing_but_colours_is_taken_out_and_nothing_reaches_the_terminal(text: str) -> None:
    plain, marks = sgr.parsed(text)
    assert plain == sgr.plain(text)
    assert drawn(text).plain == safe(plain)
    runs = list(marks.runs(0, len(plain)))
    assert "".join(plain[start:end] for start, end, _ in runs) == plain


def test_the_changes_that_are_kept_have_an_end() -> None:
    _, marks = sgr.parsed("".join(f"\x1b[3{n % 7}mx" for n in range(sgr.MOST * 2)))
    assert len(list(marks.runs(0, sgr.MOST * 2))) <= sgr.MOST + 1


@given(st.text("ab 日\u0301", max_size=80), st.integers(4, 30))
@example("a aaaá\u0301", 4)
@example("aaaa " + "\u0301" * 40 + "a", 4)
def test_output_breaks_at_words_and_keeps_every_character(text: str, width: int) -> None:
    lines = folded(Text(text), width)
    assert "".join(line.plain for line in lines) == text
    assert all(line.cell_len <= width for line in lines)


def test_a_long_word_does_not_leave_lines_half_empty() -> None:
    lines = [line.plain for line in folded(Text("see the very long path " + "x" * 30), 12)]
    assert lines == ["see the ", "very long ", "path xxxxxxx", "x" * 12, "x" * 11]

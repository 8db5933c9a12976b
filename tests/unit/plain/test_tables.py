"""Tables as sentences."""

from __future__ import annotations

from ccq_tui.plain.tables import as_sentences

MARKDOWN = r"""Before:
| Name | Size |  |
|:-----|-----:|--|
| a\|b | 3 kB | new |
| c    |      |
no | table

~~~
| a | b |
|---|---|
~~~~
One | Two
--- | ---
1. | 2."""


def test_a_row_is_a_line_of_sentences() -> None:
    assert as_sentences(MARKDOWN).split("\n") == [
        "Before:",
        "Name: a|b. Size: 3 kB. new.",
        "Name: c.",
        "Name: no. Size: table.",
        "",
        "~~~",
        "| a | b |",
        "|---|---|",
        "~~~~",
        "One: 1. Two: 2.",
    ]

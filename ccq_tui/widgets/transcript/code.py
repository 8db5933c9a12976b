"""Code with highlighting, in the theme's own colours."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.token import Comment, Keyword, Name, Number, Operator, String  # type: ignore[import-untyped]
from rich.cells import chop_cells
from rich.text import Text

from ccq_tui.widgets.transcript.palette import Palette

_STYLES = {
    Comment: "comment",
    Keyword: "keyword",
    Operator.Word: "keyword",
    String: "string",
    Number: "number",
    Name.Function: "name",
    Name.Class: "name",
    Name.Tag: "keyword",
    Name.Attribute: "name",
    Name.Decorator: "name",
    Name.Builtin: "name",
}


@lru_cache(maxsize=512)
def _style_name(token: Any) -> str:
    while token.parent is not None:
        if token in _STYLES:
            return _STYLES[token]
        token = token.parent
    return ""


def highlighted(code: str, lexer: Lexer | None, palette: Palette) -> Text:
    """Colour code by its language.

    Args:
        code: The code, safe to draw.
        lexer: The language's highlighter, or None.
        palette: The colours.
    """
    text = Text(no_wrap=True)
    if lexer is None:
        return text.append(code)
    for token, value in lexer.get_tokens(code):
        name = _style_name(token)
        text.append(value, palette[name] if name else None)
    return text


def folded(text: Text, width: int) -> list[Text]:
    """Break text into lines of at most a width, anywhere, keeping every space.

    Args:
        text: Text with line breaks.
        width: Columns there are.
    """
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        if line.cell_len <= width:
            lines.append(line)
            continue
        offsets, at = [], 0
        for chunk in chop_cells(line.plain, width)[:-1]:
            at += len(chunk)
            offsets.append(at)
        lines.extend(line.divide(offsets))
    return lines

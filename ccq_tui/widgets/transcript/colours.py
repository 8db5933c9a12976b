"""The transcript's colours, resolved from the theme through component classes."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style
from rich.theme import Theme

STYLES = {
    "muted": "color: $foreground 68%;",
    "faint": "color: $foreground 35%;",
    "accent": "color: $text-primary; text-style: bold;",
    "prompt": "background: $surface;",
    "success": "color: $text-success;",
    "error": "color: $text-error;",
    "warning": "color: $text-warning;",
    "strong": "text-style: bold;",
    "code": "background: $panel;",
    "code-block": "background: $surface;",
    "link": "text-style: underline;",
    "keyword": "color: $text-primary;",
    "string": "color: $text-success;",
    "number": "color: $text-warning;",
    "comment": "color: $foreground 72%;",
    "name": "color: $text-accent;",
    "secondary": "color: $text-secondary;",
    "more": "background: $panel; color: $foreground;",
    "added": "background: $success 15%; color: $foreground;",
    "removed": "background: $error 15%; color: $foreground;",
    "changed": "text-style: bold underline;",
}
"""The default styles of everything coloured, by name; each has the component class ``transcript--NAME``."""

PREFIX = "transcript--"
FILLED = frozenset(name for name, style in STYLES.items() if "background" in style)
"""Styles that bring their own background."""

CSS = """
Transcript {
    background: $background;
    color: $foreground;
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;
    scrollbar-gutter: stable;
    scrollbar-color: $foreground 20%;
    scrollbar-color-hover: $foreground 40%;
    scrollbar-color-active: $foreground 50%;
    scrollbar-background: $background;
    scrollbar-background-hover: $background;
    scrollbar-background-active: $background;
    padding: 0 0 0 1;
"""
CSS += "".join(f"    & .{PREFIX}{name} {{ {style} }}\n" for name, style in STYLES.items()) + "}\n"
"""The default colours; a theme or an app's own CSS may change any of them."""


class Colours:
    """Rich styles by name.

    Attributes:
        base: Foreground and background of the pane.
    """

    def __init__(self, base: Style, component: Callable[[str], Style]) -> None:
        self.base = base
        self._styles = {name: self._style(name, component(PREFIX + name)) for name in STYLES}

    @staticmethod
    def _style(name: str, style: Style) -> Style:
        # Only a filled style may cover the background of its line.
        return style if name in FILLED else style.without_color + Style(color=style.color)

    def __getitem__(self, name: str) -> Style:
        return self._styles[name]

    def rich_theme(self) -> Theme:
        """Return the styles that Rich's Markdown elements look up by name."""
        return Theme(
            {
                "markdown.paragraph": Style.null(),
                **{f"markdown.h{level}": self["strong"] for level in range(1, 7)},
                "markdown.em": Style(italic=True),
                "markdown.strong": self["strong"],
                "markdown.s": Style(strike=True),
                "markdown.code": self["code"],
                "markdown.link": self["link"],
                "markdown.link_url": self["link"],
                "markdown.block_quote": self["muted"],
                "markdown.item.bullet": self["muted"],
                "markdown.item.number": self["muted"],
                "markdown.hr": self["faint"],
                "markdown.table.border": self["faint"],
                "markdown.table.header": self["strong"],
            },
            inherit=False,
        )

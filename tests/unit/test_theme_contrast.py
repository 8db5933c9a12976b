"""Each text of the program's style sheets can be read on each background of theirs, in all shipped themes."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.theme import BUILTIN_THEMES, Theme

import ccq_tui
from ccq_tui.theming import load_themes, textual_theme, variable_defaults
from ccq_tui.theming.own_colours import GROUNDS, HUES, OWN_TEXTS
from tests.unit.colours import EYES, contrast, difference

LEAST = {"ccq-contrast": 7.0}
ENOUGH = 4.5
LINES = ("--faint",)
"""Component classes that draw lines and bars alone; tests/ui/test_themes.py looks for words in them."""
STATES = ("foreground", "success", "warning", "error", "ccq-muted")
"""Colours that tell how something stands; ``ccq-cvd`` keeps them apart for all eyes."""
APART = 14.0
THEMES = {theme.name: theme for theme in load_themes()[0]}


def all_kinds(kind: type[Any]) -> Iterator[type[Any]]:
    for below in kind.__subclasses__():
        yield below
        yield from all_kinds(below)


@cache
def sheets() -> dict[str, str]:
    """The style sheets of all widgets, screens and apps of the program, by class."""
    for module in pkgutil.walk_packages(ccq_tui.__path__, "ccq_tui."):
        if module.name.startswith(("ccq_tui.widgets", "ccq_tui.screens", "ccq_tui.app")):
            importlib.import_module(module.name)
    own = {kind for kind in all_kinds(DOMNode) if kind.__module__.startswith("ccq_tui.")}
    texts = ((kind, kind.__dict__.get("DEFAULT_CSS", "") + kind.__dict__.get("CSS", "")) for kind in own)
    return {kind.__qualname__: css for kind, css in texts if css}


def variables(theme: Theme) -> dict[str, str]:
    return {**variable_defaults(), **theme.to_color_system().generate(), **theme.variables}


def pairs(theme: Theme) -> dict[str, float]:
    """The contrast of each text on each background; a text with a background of its own is on that alone."""
    sheet = Stylesheet(variables=variables(theme))
    for name, css in sheets().items():
        sheet.add_source(css, read_from=(name, ""))
    sheet.parse()
    screen = Color.parse(variables(theme)["background"])
    texts: dict[str, Color] = {}
    grounds = {"screen": screen}
    found: dict[str, float] = {}
    for rule in sheet.rules:
        name, styles = rule.selectors, rule.styles
        text = styles.color if styles.has_rule("color") else None
        ground = screen + styles.background if styles.has_rule("background") else None
        if text is not None and ground is not None and "--" in name:
            found[name] = contrast(ground + text, ground)
        elif not name.endswith(LINES):
            texts |= {name: text} if text is not None else {}
            grounds |= {name: ground} if ground is not None else {}
    for name, text in texts.items():
        for under, ground in grounds.items():
            if family(under) in ("", family(name)):
                found[f"{name} on {under}"] = contrast(ground + text, ground)
    return found


def family(name: str) -> str:
    """The widget whose parts a component class colours; "" for a widget's own ground, under anything."""
    return name.rpartition(".")[2].partition("--")[0] if "--" in name else ""


def weak(values: dict[str, str], texts: Iterable[str], least: float) -> dict[str, float]:
    """The contrast of each colour of a text on each ground where it cannot be read."""
    measured = {
        f"{text} on {ground}": contrast(Color.parse(values[text]), Color.parse(values[ground]))
        for text in texts
        for ground in GROUNDS
    }
    return {pair: round(value, 2) for pair, value in measured.items() if value < least}


@pytest.mark.parametrize("name", sorted(THEMES))
def test_every_text_can_be_read_on_every_background(name: str) -> None:
    measured = pairs(THEMES[name])
    assert len(measured) > 200
    least = LEAST.get(name, ENOUGH)
    assert {pair: round(value, 2) for pair, value in measured.items() if value < least} == {}


@pytest.mark.parametrize("name", sorted(THEMES))
def test_every_colour_of_a_theme_can_be_read(name: str) -> None:
    """Also those that no style sheet has drawn with so far."""
    theme = THEMES[name]
    values = {**theme.to_color_system().generate(), **theme.variables}
    texts = [text for text in values if text.startswith("text-") and text.count("-") == 1]
    own = [own for own in theme.variables if own.startswith("ccq-") and not own.endswith("-style")]
    grounds = {"ccq-cursor", "ccq-added", "ccq-removed"}
    drawn = {*texts, *own, *HUES, "foreground"} - grounds - {"ccq-rule", "text-disabled"}
    assert weak(values, drawn, LEAST.get(name, ENOUGH)) == {}


@pytest.mark.parametrize("name", sorted(name for name in BUILTIN_THEMES if "ansi" not in name))
def test_every_text_can_be_read_in_textuals_themes(name: str) -> None:
    theme = textual_theme(name)
    values = variables(theme)
    texts = [*OWN_TEXTS, *HUES, *(f"text-{hue}" for hue in HUES), "foreground"]
    assert weak(values, texts, ENOUGH) == {}
    selected = [Color.parse(values[f"screen-selection-{part}"]) for part in ("foreground", "background")]
    assert contrast(*selected) >= ENOUGH
    if name.startswith("textual-"):
        assert {pair: round(value, 2) for pair, value in pairs(theme).items() if value < ENOUGH} == {}


@pytest.mark.parametrize("name", sorted(THEMES))
def test_the_cursor_row_and_lines_stand_out(name: str) -> None:
    values = variables(THEMES[name])
    panel = Color.parse(values["panel"])
    assert contrast(Color.parse(values["ccq-cursor"]), panel) >= (1.3 if name == "ccq-contrast" else 1.05)
    assert contrast(Color.parse(values["ccq-rule"]), panel) >= (3.0 if name == "ccq-contrast" else 1.3)


@pytest.mark.parametrize("eyes", EYES)
def test_states_stay_apart_for_all_eyes(eyes: str) -> None:
    values = variables(THEMES["ccq-cvd"])
    states = {name: Color.parse(values[name]) for name in STATES}
    alike = {
        f"{one} and {other}": round(difference(states[one], states[other], eyes), 1)
        for one, other in combinations(STATES, 2)
        if difference(states[one], states[other], eyes) < APART
    }
    assert alike == {}


@pytest.mark.parametrize("eyes", EYES)
def test_what_went_well_is_far_from_what_went_wrong(eyes: str) -> None:
    values = variables(THEMES["ccq-cvd"])
    well, wrong = Color.parse(values["success"]), Color.parse(values["error"])
    assert difference(well, wrong, eyes) > 50
    dark = variables(THEMES["ccq-dark"])
    if eyes == "deutan":
        # What the theme is for: the usual green and red are all but one colour to these eyes.
        assert difference(Color.parse(dark["success"]), Color.parse(dark["error"]), eyes) < 20


def test_the_theme_without_hues_has_none() -> None:
    values = variables(THEMES["ccq-mono"])
    own = {name: values[name] for name in THEMES["ccq-mono"].variables if not name.endswith("-style")}
    named = {name: values[name] for name in ("primary", "accent", "success", "warning", "error", "panel")}
    parsed = {name: Color.parse(value) for name, value in (own | named).items()}
    assert {name for name, colour in parsed.items() if len(set(colour.rgb)) > 1} == set()


@pytest.mark.parametrize("name", sorted(THEMES))
def test_code_can_be_read_on_changed_lines(name: str) -> None:
    """A diff draws its code on the grounds of lines that came and went."""
    theme = THEMES[name]
    sheet = Stylesheet(variables=variables(theme))
    sheet.add_source(sheets()["Transcript"], read_from=("Transcript", ""))
    sheet.parse()
    styles = {rule.selectors.rpartition("--")[2]: rule.styles for rule in sheet.rules}
    screen = Color.parse(variables(theme)["background"])
    for under in ("added", "removed"):
        ground = screen + styles[under].background
        for text in ("keyword", "string", "number", "comment", "name"):
            measured = contrast(ground + styles[text].color, ground)
            assert measured >= LEAST.get(name, ENOUGH), f"{text} on {under}"

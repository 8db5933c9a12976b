"""Each colour of a text can be read on each ground; tests/ui/test_themes.py looks at whole screens."""

from collections.abc import Iterable
from itertools import combinations

from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.theme import BUILTIN_THEMES, Theme

from ccq_tui.theming import load_themes, textual_theme, variable_defaults
from ccq_tui.theming.own_colours import GROUNDS, HUES, OWN_TEXTS
from ccq_tui.widgets.transcript import Transcript
from tests.tables import each_row
from tests.unit.colours import EYES, contrast, difference

LEAST = {"ccq-contrast": 7.0}
ENOUGH = 4.5
STATES = ("foreground", "success", "warning", "error", "ccq-muted")
"""Colours that tell how something stands; ``ccq-cvd`` keeps them apart for all eyes."""
APART = 14.0
THEMES = {theme.name: theme for theme in load_themes()[0]}


def variables(theme: Theme) -> dict[str, str]:
    return {**variable_defaults(), **theme.to_color_system().generate(), **theme.variables}


def weak(values: dict[str, str], texts: Iterable[str], least: float) -> dict[str, float]:
    """The contrast of each colour of a text on each ground where it cannot be read."""
    measured = {
        f"{text} on {ground}": contrast(Color.parse(values[text]), Color.parse(values[ground]))
        for text in texts
        for ground in GROUNDS
    }
    return {pair: round(value, 2) for pair, value in measured.items() if value < least}


@each_row(*sorted(THEMES))
def test_every_colour_of_a_theme_can_be_read(name: str) -> None:
    """Also those that no style sheet has drawn with so far."""
    theme = THEMES[name]
    values = {**theme.to_color_system().generate(), **theme.variables}
    texts = [text for text in values if text.startswith("text-") and text.count("-") == 1]
    own = [own for own in theme.variables if own.startswith("ccq-") and not own.endswith("-style")]
    grounds = {"ccq-cursor", "ccq-added", "ccq-removed"}
    drawn = {*texts, *own, *HUES, "foreground"} - grounds - {"ccq-rule", "text-disabled"}
    assert weak(values, drawn, LEAST.get(name, ENOUGH)) == {}


@each_row(*sorted(name for name in BUILTIN_THEMES if "ansi" not in name))
def test_every_text_can_be_read_in_textuals_themes(name: str) -> None:
    theme = textual_theme(name)
    values = variables(theme)
    texts = [*OWN_TEXTS, *HUES, *(f"text-{hue}" for hue in HUES), "foreground"]
    assert weak(values, texts, ENOUGH) == {}
    selected = [Color.parse(values[f"screen-selection-{part}"]) for part in ("foreground", "background")]
    assert contrast(*selected) >= ENOUGH


@each_row(*sorted(THEMES))
def test_the_cursor_row_and_lines_stand_out(name: str) -> None:
    values = variables(THEMES[name])
    panel = Color.parse(values["panel"])
    assert contrast(Color.parse(values["ccq-cursor"]), panel) >= (1.3 if name == "ccq-contrast" else 1.05)
    assert contrast(Color.parse(values["ccq-rule"]), panel) >= (3.0 if name == "ccq-contrast" else 1.3)


@each_row(*EYES)
def test_states_stay_apart_for_all_eyes(eyes: str) -> None:
    values = variables(THEMES["ccq-cvd"])
    states = {name: Color.parse(values[name]) for name in STATES}
    alike = {
        f"{one} and {other}": round(difference(states[one], states[other], eyes), 1)
        for one, other in combinations(STATES, 2)
        if difference(states[one], states[other], eyes) < APART
    }
    assert alike == {}


@each_row(*EYES)
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


@each_row(*sorted(THEMES))
def test_code_can_be_read_on_changed_lines(name: str) -> None:
    """A diff draws its code on the grounds of lines that came and went."""
    theme = THEMES[name]
    sheet = Stylesheet(variables=variables(theme))
    sheet.add_source(Transcript.DEFAULT_CSS)
    sheet.parse()
    styles = {rule.selectors.rpartition("--")[2]: rule.styles for rule in sheet.rules}
    screen = Color.parse(variables(theme)["background"])
    for under in ("added", "removed"):
        ground = screen + styles[under].background
        for text in ("keyword", "string", "number", "comment", "name"):
            measured = contrast(ground + styles[text].color, ground)
            assert measured >= LEAST.get(name, ENOUGH), f"{text} on {under}"

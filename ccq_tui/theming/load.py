"""Theme files: found, read and installed, and the line of the settings that keeps a theme."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from textual.app import App
from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

from ccq_tui.bounded import SETTINGS_BYTES, parse_toml
from ccq_tui.config.errors import PROBLEMS, SettingProblem, SettingsError, name_hint
from ccq_tui.config.load import read_settings_file, unknown_settings, wrong_values
from ccq_tui.config.paths import config_dir, expanded
from ccq_tui.edited_file import EditedFile, SettingsFileError
from ccq_tui.theming.own_colours import complete, textual_theme

STYLES = {"bold", "b", "italic", "i", "underline", "u", "reverse", "r", "strike", "dim", "none", "not"}


def _is_colour(text: str) -> bool:
    try:
        Color.parse(text)
    except ColorParseError:
        return False
    return True


def _colour(value: str) -> str:
    if not _is_colour(value):
        raise ValueError(f"must be a colour such as '#86aee3', not {value!r}")
    return value


Colour = Annotated[str, AfterValidator(_colour)]


class ThemeFile(BaseModel):
    """The fields of a theme file; all but ``name`` and ``primary`` may be left out."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    """The name for ``--theme``."""
    dark: bool = True
    """Whether the background is darker than the text."""
    primary: Colour
    """Focus, links, the current tab."""
    secondary: Colour | None = None
    """Less important than primary: headings, notes."""
    accent: Colour | None = None
    """Things that should catch the eye: the sign of a question."""
    success: Colour | None = None
    """Successes."""
    warning: Colour | None = None
    """Things to be careful with."""
    error: Colour | None = None
    """Errors."""
    foreground: Colour | None = None
    """Text."""
    background: Colour | None = None
    """The screen."""
    surface: Colour | None = None
    """Fields and lists on the screen."""
    panel: Colour | None = None
    """The panel at the bottom."""
    boost: Colour | None = None
    """A faint layer over another colour."""
    variables: dict[str, str] = Field(default_factory=dict)
    """The program's own colours (``ccq-...``) and Textual's theme variables."""

    @field_validator("variables", mode="before")
    @classmethod
    def _variables_are_css(cls, value: Any) -> Any:
        """Check variables, which go into the style sheet as they are: a bad value there stops the program."""
        if isinstance(value, dict):
            wrong = [(name, why) for name, text in value.items() if (why := _variable_problem(name, text))]
            if wrong:
                raise PydanticCustomError("variables", "wrong variables", {PROBLEMS: wrong})
        return value


def _variable_problem(name: str, text: Any) -> str:
    """Return what is wrong with a variable, or ""."""
    if not isinstance(text, str):
        return f"must be a text in quotes, not {text!r}"
    if name.endswith("-style"):
        known = text.split() and set(text.split()) <= STYLES
        return "" if known else f"must be text styles such as 'bold underline', not {text!r}"
    colour, _, share = text.partition(" ")
    if share and not (share.endswith("%") and share[:-1].isdecimal()):
        return f"must be a colour, with a share such as '30%' at most, not {text!r}"
    # These may be black or white.
    automatic = name.startswith(("text", "link-color")) or name.endswith("-foreground")
    known = (automatic and colour == "auto") or _is_colour(colour)
    return "" if known else f"must be a colour such as '#86aee3', not {text!r}"


def read_theme(path: Path) -> Theme:
    """Read one theme file; raises `SettingsError`."""
    file = read_settings_file(path, "user")
    if unknown := unknown_settings(file, ThemeFile.model_fields):
        raise SettingsError(unknown)
    try:
        given = ThemeFile.model_validate({"name": path.stem, **file.values})
    except ValidationError as error:
        problems = [SettingProblem(file.origin(name), problem, name) for name, problem in wrong_values(error)]
        raise SettingsError(problems) from error
    return complete(Theme(**given.model_dump()))


DEFAULT_THEME = "ccq-dark"
PACKAGE = Path(__file__).parent.parent


class FoundThemes(NamedTuple):
    """The themes in files.

    Attributes:
        themes: The program's own, the person's, and the wanted one; of one name, the later one must win.
        problems: A line for each file that cannot be used.
        wanted: The name of the theme that the settings want, or "" if its file cannot be used.
        file: Its file, if the settings name one.
    """

    themes: list[Theme]
    problems: list[str]
    wanted: str
    file: Path | None

    def setting(self, name: str) -> str:
        """Return the settings' name for a theme: its file if that is elsewhere."""
        return str(self.file) if self.file and name == self.wanted else name


def load_themes(wanted: str = DEFAULT_THEME) -> FoundThemes:
    """Read the theme files there are, and the one that ``wanted`` names, if it names a file."""
    file = expanded(wanted) if wanted.endswith(".toml") or "/" in wanted else None
    place = config_dir() / "themes"
    # Path.glob raises PermissionError below a directory that cannot be entered.
    own = sorted(place.glob("*.toml"))[:200] if os.path.isdir(place) else []  # noqa: PTH112
    themes, problems, name = [], [], "" if file else wanted
    for path in (*shipped(), *own, *([file] if file else ())):
        try:
            themes.append(read_theme(path))
        except SettingsError as error:
            first, *more = error.problems
            problems.append(f"Theme {first}" + (f" (and {len(more)} more)" if more else ""))
        else:
            name = themes[-1].name if path == file else name
    return FoundThemes(themes, problems, name, file)


def shipped() -> list[Path]:
    """Find the themes inside the package when it was installed, or beside it in a checkout."""
    installed = PACKAGE / "themes"
    return sorted((installed if installed.is_dir() else PACKAGE.parent / "themes").glob("*.toml"))


def install(app: App[Any], wanted: str = DEFAULT_THEME) -> list[str]:
    """Give an app all themes, switch it to one, and return a notice for each problem."""
    themes, problems, name, _ = load_themes(wanted)
    for theme in themes:
        app.register_theme(theme)
    # It shows everything with signs, words and text styles.
    if app.no_color and choose(app, "ccq-mono"):
        return problems
    if app.console.color_system in {"standard", "windows"}:  # colour systems of sixteen colours
        # The nearest of sixteen colours may be unreadable: the terminal's own ones are made for its ground.
        dark = app.available_themes[name].dark if name in app.available_themes else True
        choose(app, f"ansi-{'dark' if dark else 'light'}")
        return problems
    if not (name and choose(app, name)):
        if name:
            names = [*(theme.name for theme in themes), *sorted(BUILTIN_THEMES)]
            notice = f"Theme {wanted!r} does not exist; {DEFAULT_THEME} is used; {name_hint(wanted, names)}"
            problems.append(notice)
        # A broken installation may have lost its themes.
        choose(app, DEFAULT_THEME if DEFAULT_THEME in app.available_themes else "textual-dark")
    return problems


def choose(app: App[Any], name: str) -> bool:
    """Use a theme from now on, and return whether it exists."""
    if name not in app.available_themes:
        return False
    if name in BUILTIN_THEMES and app.available_themes[name] is BUILTIN_THEMES[name]:
        app.register_theme(textual_theme(name))
    app.theme = name
    return True


def theme_names() -> list[str]:
    """List the themes that ``--theme`` can name, the program's own and the person's first."""
    return list(dict.fromkeys([theme.name for theme in load_themes().themes] + sorted(BUILTIN_THEMES)))


ABOUT = {
    "ccq-dark": "slate and soft colours",
    "ccq-light": "ink on warm paper",
    "ccq-contrast": "clear colours on black, 7:1 or more",
    "ccq-mono": "greys only",
    "ccq-cvd": "distinct for colour-blind eyes too",
}

LINE = re.compile(r"""^\s*["']?theme["']?\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""", re.MULTILINE)


def keep_theme(path: Path, theme: str) -> None:
    """Write a theme into a settings file, which may not exist yet; raises `SettingsFileError`."""
    file = EditedFile(path, Path(path.anchor), most=SETTINGS_BYTES, backup=False)
    before = file.read()
    file.write(before, with_theme(before, theme))


def with_theme(text: str, theme: str) -> str:
    """Set the theme in the text of a settings file; comments, order and line ends stay.

    Raises `SettingsFileError` if the text is not TOML, or the line cannot be found for certain.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    before = _parsed(body)
    if before is None:
        raise SettingsFileError("it is not TOML: correct it first")
    for changed in _candidates(body, json.dumps(theme, ensure_ascii=False), there="theme" in before):
        if _parsed(changed) == {**before, "theme": theme}:
            return mark + changed
    raise SettingsFileError("it sets the theme in a form that cannot be changed here: change it by hand")


def _candidates(text: str, value: str, *, there: bool) -> Iterator[str]:
    """Yield changed texts; the caller takes the first that parses to the wanted settings."""
    if there:
        for found in LINE.finditer(text):
            yield f"{text[: found.start(1)]}{value}{text[found.end(1) :]}"
        return
    end = "\r\n" if "\r\n" in text else "\n"
    added = f"theme = {value}{end}"
    yield (text if not text or text.endswith("\n") else text + end) + added
    yield f"{added}{end}{text}"  # at the end it would belong to a table


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except tomllib.TOMLDecodeError:
        return None


def listed(app: App[Any]) -> list[tuple[str, str, tuple[str, ...]]]:
    """List all themes, ours, the person's, then Textual's, each with a description and three colours."""
    ours = {path.stem for path in shipped()}
    names = sorted(app.available_themes, key=lambda name: (_rank(name, ours), name))
    themes = [(name, app.available_themes[name]) for name in names]
    colours = {name: (one.primary, one.success, one.accent) for name, one in themes}
    return [(name, _about(app, name, ours), tuple(filter(None, colours[name]))) for name in names]


def _about(app: App[Any], name: str, ours: set[str]) -> str:
    shade = "dark" if app.available_themes[name].dark else "light"
    whose = ABOUT.get(name, "") if name in ours else "Textual's" if name in BUILTIN_THEMES else "yours"
    return f"{shade} · {whose}" if whose else shade


def _rank(name: str, ours: set[str]) -> int:
    return 0 if name == DEFAULT_THEME else 1 if name in ours else 3 if name in BUILTIN_THEMES else 2

"""The theme in the person's settings: this module changes or adds that one line, and nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ccq_tui.bounded import SETTINGS_BYTES, parse_toml, read_bytes
from ccq_tui.stored import write_whole

LINE = re.compile(
    r"""^(?P<name>\s*["']?theme["']?\s*=\s*)(?P<value>"(?:[^"\\]|\\.)*"|'[^']*')(?P<rest>.*)$""", re.DOTALL
)
PRIVATE = 0o600


class KeepError(Exception):
    """The settings file was left as it is; the message says why."""


def keep_theme(path: Path, theme: str) -> None:
    """Write a theme into a settings file, which may not exist yet; raises `KeepError`."""
    try:
        # Write the target of a link, not the link.
        real = path.resolve()
        real.parent.mkdir(parents=True, exist_ok=True)
        before = read_bytes(real, SETTINGS_BYTES).decode("utf-8") if real.exists() else ""
        mode = real.stat().st_mode & 0o777 if real.exists() else PRIVATE
        write_whole(real, with_theme(before, theme).encode(), mode)
    except UnicodeDecodeError as error:
        raise KeepError(f"{path} is not UTF-8 text") from error
    except OSError as error:
        raise KeepError(f"{path} cannot be written: {error.strerror}") from error
    except ValueError as error:
        raise KeepError(f"{path} {error}") from error


def with_theme(text: str, theme: str) -> str:
    """Set the theme in the text of a settings file; comments, order and line ends stay.

    Raises ValueError if the text is not TOML, or the line cannot be found for certain.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    before = _parsed(body)
    if before is None:
        raise ValueError("is not TOML: correct it first")
    wanted = {**before, "theme": theme}
    for changed in _candidates(body, theme, there="theme" in before):
        if _parsed(changed) == wanted:
            return mark + changed
    raise ValueError("sets the theme in a form that cannot be changed here: change it by hand")


def _candidates(text: str, theme: str, *, there: bool) -> Iterator[str]:
    """Yield changed texts; the caller takes the first that parses to the wanted settings."""
    value = json.dumps(theme, ensure_ascii=False)
    lines = text.splitlines(keepends=True) if "\r\n" in text else re.findall(r"[^\n]*\n|[^\n]+", text)
    if there:
        for number, line in enumerate(lines):
            if found := LINE.match(line):
                changed = f"{found['name']}{value}{found['rest']}"
                yield "".join([*lines[:number], changed, *lines[number + 1 :]])
        return
    end = "\r\n" if "\r\n" in text else "\n"
    added = f"theme = {value}{end}"
    closed = text if not text or text.endswith("\n") else text + end
    yield closed + added
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            at = _above_comments(lines, number)
            yield "".join([*lines[:at], added, end, *lines[at:]])


def _above_comments(lines: list[str], number: int) -> int:
    """Go up over the comments that belong to a table."""
    while number and lines[number - 1].lstrip().startswith("#"):
        number -= 1
    return number


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except tomllib.TOMLDecodeError:
        return None

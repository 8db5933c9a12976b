"""Readers of setting values: lists in one text, and JSON inline or in a file."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from datetime import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, parse_json, read_bytes
from ccq_tui.config.paths import expanded


def split_tools(value: object) -> object:
    """Split "Bash(git *) Edit,Read" at commas and spaces outside parentheses; pass on anything but text."""
    return _split(value, _names)


def _split(value: object, split: Callable[[str], list[str]]) -> object:
    value = one_or_many(value)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        return value
    return tuple(name for item in value for name in split(item))


def _names(text: str) -> list[str]:
    """Split one text; parentheses stay whole, also when they are never closed."""
    names, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")" and depth > 0)
        if depth == 0 and (character == "," or character.isspace()):
            names.append("")
        else:
            names[-1] += character
    return [name for name in names if name]


def split_paths(value: object) -> object:
    """Split a text at the system's path separator, so that an environment variable can name several."""
    return tuple(filter(None, value.split(os.pathsep))) if isinstance(value, str) else value


def one_or_many(value: object) -> object:
    """Turn a single text into a list of one."""
    return (value,) if isinstance(value, str) else value


def split_names(value: object) -> object:
    """Split a text, or each text of a list, at commas and spaces; pass on anything else."""
    return _split(value, lambda item: item.replace(",", " ").split())


_SWITCH = {"true": True, "1": True, "false": False, "0": False}


def read_switch(value: object) -> object:
    """Read true or false, as TOML or an environment variable has them. Raises ValueError."""
    known = _SWITCH.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(known, bool):
        raise ValueError(f"must be true or false, not {value!r}")  # noqa: TRY004 (pydantic wants ValueError)
    return known


NEVER = "never"
LONGEST = 366 * 24 * 3600.0
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)([smhd]?)", re.ASCII)


def read_duration(value: object) -> object:
    """Read a duration in seconds, or None: "10m", "2h", "30d", a number, or "never". Raises ValueError."""
    if value is None or value == NEVER:
        return None
    found = _DURATION.fullmatch(str(value).strip()) if isinstance(value, str | int | float) else None
    seconds = 0.0 if found is None else float(found[1]) * _UNITS[found[2]]
    if isinstance(value, bool) or not 1 <= seconds <= LONGEST:
        raise ValueError(f'must be a duration such as "10m", "2h" or "30d", or "never", not {value!r}')
    return seconds


def split_urls(value: object) -> object:
    """Split a text at blanks, so that an environment variable can have several URLs."""
    return tuple(value.split()) if isinstance(value, str) else value


_URL = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_HOST = re.compile(r"(?:[a-z0-9-]{1,30}\.)+[a-z]{2,18}|localhost|[0-9.]{7,15}|\[[0-9a-f:]+\]")


def checked_urls(urls: tuple[str, ...]) -> tuple[str, ...]:
    """Return URLs of channels; raises ValueError for what is none, without its text, which may be secret."""
    for number, url in enumerate(urls, 1):
        if not _URL.fullmatch(url):
            raise ValueError(f"must be URLs such as ntfys://ntfy.sh/your-topic; number {number} is none")
    return urls


def shown_url(url: str) -> str:
    """Return a channel's URL without its secrets: the scheme, and the host if it is one and no token."""
    scheme = url.partition("://")[0]
    try:
        place = urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:  # a bracket that is not closed
        place = ""
    host = re.sub(r":\d+$", "", place)
    return f"{scheme}://{place}/…" if _HOST.fullmatch(host) else f"{scheme}://…"


def read_hours(text: str) -> tuple[time, time] | None:
    """Read hours of the day, "22:00-07:00", or "" for none. Raises ValueError."""
    if not text:
        return None
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", text, re.ASCII)
    if found is None or found.group(1, 2) == found.group(3, 4):
        raise ValueError(f'must be two different times, such as "22:00-07:00", not {text!r}')
    first, last = time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))
    return first, last


def checked_hours(text: str) -> str:
    """Return hours of the day as they are written. Raises ValueError."""
    read_hours(text)
    return text


def split_command(value: object) -> object:
    """Split a command in one text as a shell does. Raises ValueError."""
    try:
        return tuple(shlex.split(value)) if isinstance(value, str) else value
    except ValueError as error:
        raise ValueError(f"must be a command whose quotes are closed, not {value!r}") from error


def checked_command(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command whose program was found. Raises ValueError."""
    if not words:
        return ()
    program = expanded(words[0])
    if not (program.name == words[0] or program.is_absolute()) or shutil.which(program) is None:
        raise ValueError(f"must begin with a program on PATH, or its whole path, not {words[0]!r}")
    return (str(program), *words[1:])


def is_inline_json(value: str) -> bool:
    """Whether a value is JSON itself, and not the path of a JSON file."""
    return value.lstrip().startswith("{")


def existing_directory(path: Path) -> Path:
    """Return the absolute path of a directory; raises ValueError where there is none."""
    absolute = expanded(path).absolute()
    if not absolute.is_dir():
        raise ValueError(f"must be a directory that exists, not {str(path)!r}")
    return absolute


def checked_json(value: str) -> str:
    """Return JSON as it is, or the path of a JSON file made absolute: the CLI may run elsewhere.

    Raises ValueError.
    """
    read_json(value)
    return value if is_inline_json(value) else str(expanded(value).absolute())


def read_json(value: str) -> dict[str, Any]:
    """Read a JSON object from a text, or from the file that it names. Raises ValueError."""
    try:
        content = parse_json(value if is_inline_json(value) else read_bytes(expanded(value), JSON_BYTES))
    except OSError as error:
        raise ValueError(f"cannot read {value!r}: {error.strerror}") from error
    except UnfitFileError as error:
        raise ValueError(f"{value!r} {error}") from error
    except ValueError as error:
        raise ValueError(f"must be JSON or the path of a JSON file: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"must be a JSON object, not {content!r}")  # noqa: TRY004 (pydantic wants ValueError)
    return content


def merge_mcp(values: Sequence[str]) -> str | None:
    """Merge several values of ``--mcp-config``; a later server of the same name wins. Raises ValueError."""
    if len(values) < 2:
        return values[0] if values else None
    servers: dict[str, Any] = {}
    for value in values:
        servers |= read_json(value).get("mcpServers", {})
    return json.dumps({"mcpServers": servers})

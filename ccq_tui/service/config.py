"""The configuration of the service; `docs/service.md` describes each field."""

from __future__ import annotations

import difflib
import os
import re
import socket
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
)

from ccq_tui.bounded import UnfitFileError, parse_toml, read_text, toml_place
from ccq_tui.config.errors import SettingProblem, SettingsError, explain
from ccq_tui.config.paths import config_dir
from ccq_tui.service.policy import Policy, Repository, RunLimits, anchored
from ccq_tui.words import listed

MOST_SECRET = 10_000
MOST_NAMED = 20
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
_ORIGIN = re.compile(r"https?://[\w.:\[\]-]+", re.ASCII)


class NoSecretError(ValueError):
    """A secret is not where the configuration says; the message says so, without it."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret, by its place; it is read each time, so that a renewed one counts at once.

    Attributes:
        variable: The environment variable that has it, or "".
        file: The file that has it, or None.
    """

    variable: str = ""
    file: Path | None = None

    def read(self) -> str:
        """Return the secret; raises `NoSecretError`."""
        if self.file is None:
            if found := os.environ.get(self.variable, "").strip():
                return found
            raise NoSecretError(f"the environment variable {self.variable} is not set")
        try:
            if found := read_text(self.file, MOST_SECRET).strip():
                return found
        except UnfitFileError as error:
            raise NoSecretError(f"{self.file} {error}") from error
        raise NoSecretError(f"{self.file} is empty")


def _secret(value: object, info: ValidationInfo) -> object:
    kind, _, place = value.partition(":") if isinstance(value, str) else ("", "", "")
    if isinstance(value, Secret):
        return value
    if kind not in ("env", "file") or not place:
        raise ValueError('must be the place of a secret: "env:VARIABLE" or "file:PATH"')
    found = Secret(variable=place) if kind == "env" else Secret(file=Path(str(anchored(place, info))))
    found.read()
    return found


def _origin(value: str) -> str:
    if value and not _ORIGIN.fullmatch(value):
        raise ValueError(f"must be an origin, such as https://ccq.example.org, not {value!r}")
    return value


SecretPlace = Annotated[Secret, BeforeValidator(_secret)]
Name = Annotated[str, Field(pattern=_NAME)]
Origin = Annotated[str, AfterValidator(_origin)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LinearTable(_Table):
    """The workspace whose tickets become runs."""

    webhook_secret: SecretPlace
    """With which Linear signs its webhooks."""

    token: SecretPlace
    """The OAuth token of the app user."""

    url: str = "https://api.linear.app/graphql"
    """Where its API is."""


class WebhookTable(_Table):
    """Any program that sends tickets, and is told of their runs: signed by Standard Webhooks."""

    secret: SecretPlace
    """With which both sides sign, as ``whsec_`` and base64."""

    url: str = ""
    """Where to send what happens. Unset: nowhere."""


class ServiceConfig(_Table):
    """The configuration; `read_config` reads it from a file."""

    machine: Name = Field(
        default_factory=lambda: re.sub(r"[^A-Za-z0-9_.-]", "-", socket.gethostname())[:64] or "here"
    )
    """The name of this machine among all that share a store; it must stay the same."""

    public_url: Origin = ""
    """The origin by which people reach the pages of runs. Unset: that of this machine."""

    log_questions: bool = False
    """Whether the log has the texts of questions and answers."""

    limits: RunLimits = RunLimits()
    repositories: Annotated[Mapping[Name, Repository], Field(min_length=1)]
    linear: LinearTable | None = None
    webhook: WebhookTable | None = None

    @property
    def policy(self) -> Policy:
        """What runs may do."""
        return Policy(self.repositories, self.limits)

    @property
    def hidden(self) -> dict[str, str]:
        """The variables of secrets, emptied: sessions do not get them."""
        found = [value for table in (self.linear, self.webhook) if table for _, value in table]
        return {one.variable: "" for one in found if isinstance(one, Secret) and one.variable}


_TABLES: dict[str, type] = {"limits": RunLimits, "linear": LinearTable, "webhook": WebhookTable}


def config_path() -> Path:
    """Return the file of the configuration, which may not exist."""
    return config_dir() / "service.toml"


def read_config(path: Path) -> ServiceConfig:
    """Read the configuration; raises `SettingsError`, which names file, field and what is allowed."""
    try:
        text = read_text(path)
        values = parse_toml(text)
    except UnfitFileError as error:
        raise SettingsError([SettingProblem(str(path), str(error))]) from error
    except tomllib.TOMLDecodeError as error:
        cause, line, _ = toml_place(error, text)
        raise SettingsError(
            [SettingProblem(f"{path}:{line}" if line else str(path), f"is not TOML: {cause}")]
        ) from error
    try:
        return ServiceConfig.model_validate(values, context={"base": path.parent.absolute()})
    except ValidationError as error:
        raise SettingsError([*_problems(path, text, error)]) from error


def _problems(path: Path, text: str, error: ValidationError) -> Iterator[SettingProblem]:
    for entry in error.errors(include_url=False):
        place = tuple(str(one) for one in entry["loc"] if one != "[key]")
        line = _line(text, place)
        yield SettingProblem(f"{path}:{line}" if line else str(path), _what(entry, place), ".".join(place))


def _what(entry: Mapping[str, Any], place: Sequence[str]) -> str:
    match entry["type"]:
        case "missing":
            return "is missing"
        case "too_short":
            return 'needs one: [repositories.NAME] with path = "/its/checkout"'
        case "extra_forbidden" | "unexpected_keyword_argument":
            owner = (ServiceConfig, _TABLES.get(place[0]), Repository)[min(len(place), 3) - 1]
            there = (
                sorted(name for name in owner.__annotations__ if not name.startswith("_")) if owner else []
            )
            close = difflib.get_close_matches(place[-1], there, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {listed(there, MOST_NAMED)}"
            return f"is not a field; {hint}"
        case "string_pattern_mismatch":
            return f"must be 1 to 64 letters, digits, dots and dashes, not {entry['input']!r}"
    return explain(entry)


def _line(text: str, place: Sequence[str]) -> int:
    """Return the line of a field, or that of its table, or 0."""
    *tables, key = place
    inside: tuple[str, ...] = ()
    found = 0
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            inside = tuple(part.strip(" \"'") for part in header[1].split("."))
            if inside == tuple(place):
                return number
            found = number if inside == tuple(tables) else found
        elif inside == tuple(tables) and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", line):
            return number
    return found

"""The configuration of the service; `docs/service.md` describes each field."""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationError, ValidationInfo

from ccq_tui.bounded import UnfitFileError, read_text
from ccq_tui.config.errors import SettingProblem, SettingsError, explain, name_hint
from ccq_tui.config.load import SettingsFile, read_settings_file
from ccq_tui.service import policy
from ccq_tui.web.serving import ORIGIN


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
        """Return the secret; raises `ValueError`, which says what is wrong, without it."""
        if self.file is None:
            if found := os.environ.get(self.variable, "").strip():
                return found
            raise ValueError(f"the environment variable {self.variable} is not set")
        try:
            if found := read_text(self.file, 10_000).strip():
                return found
        except UnfitFileError as error:
            raise ValueError(f"{self.file} {error}") from error
        raise ValueError(f"{self.file} is empty")


def _secret(value: object, info: ValidationInfo) -> Secret:
    kind, _, place = value.partition(":") if isinstance(value, str) else ("", "", "")
    if kind not in ("env", "file") or not place:
        raise ValueError('must be the place of a secret: "env:VARIABLE" or "file:PATH"')
    found = Secret(place) if kind == "env" else Secret(file=policy.anchored(Path(place), info))
    found.read()
    return found


LOOPBACK = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])(?=[:/?#]|$)")


def _origin(value: str) -> str:
    if value and not ORIGIN.fullmatch(value):
        raise ValueError(f"must be an origin, such as https://ccq.example.org, not {value!r}")
    return value


def _address(value: str) -> str:
    if value and not value.startswith("https://") and not LOOPBACK.match(value):
        raise ValueError(f"must be https, such as https://example.org/hook, or on loopback, not {value!r}")
    return value


Address = Annotated[str, AfterValidator(_address)]
SecretPlace = Annotated[Secret, BeforeValidator(_secret)]


@dataclass(frozen=True, slots=True)
class LinearTable(policy.ConfigTable):
    """The workspace whose tickets become runs.

    Attributes:
        webhook_secret: With which Linear signs its webhooks.
        token: The OAuth token of the app user.
        url: Where its API is.
    """

    webhook_secret: SecretPlace
    token: SecretPlace
    url: Address = "https://api.linear.app/graphql"


@dataclass(frozen=True, slots=True)
class WebhookTable(policy.ConfigTable):
    """Any program that sends tickets, and is sent the events of their runs: signed by Standard Webhooks.

    Attributes:
        secret: With which both sides sign, as ``whsec_`` and base64.
        url: Where to send what happens, or "" for nowhere.
    """

    secret: SecretPlace
    url: Address = ""


def _own_name() -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "-", socket.gethostname())[:64] or "here"


@dataclass(frozen=True, slots=True)
class ServiceConfig(policy.Policy):
    """The configuration; `read_config` reads it from a file.

    Attributes:
        machine: The name of this machine among all that share a store; it must stay the same.
        public_url: The origin by which people reach the pages of runs, or "" for that of this machine.
        log_questions: Whether the log has the texts of questions and answers.
        page_links: Whether the API and webhooks have the addresses of pages; a ticket has them in any case.
        linear: The workspace of Linear, if there is one.
        webhook: The program that sends tickets, if there is one.
    """

    machine: policy.Name = field(default_factory=_own_name)
    public_url: Annotated[str, AfterValidator(_origin)] = ""
    log_questions: policy.Flag = False
    page_links: policy.Flag = False
    linear: LinearTable | None = None
    webhook: WebhookTable | None = None

    @property
    def hidden(self) -> dict[str, str]:
        """The variables of secrets, emptied: sessions do not get them."""
        tables = [one for one in (self.linear, self.webhook) if one is not None]
        values = [getattr(table, one.name) for table in tables for one in fields(table)]
        places = {one.variable for one in values if isinstance(one, Secret) and one.variable}
        return dict.fromkeys(places | {"PGPASSWORD"}, "")


_TABLES = {
    "limits": policy.RunLimits,
    "sessions": policy.SessionsTable,
    "repositories": policy.Repository,
    "linear": LinearTable,
    "webhook": WebhookTable,
}


def read_config(path: Path) -> ServiceConfig:
    """Read the configuration; raises `SettingsError`, which names file, field and what is allowed."""
    file = read_settings_file(path, "user")
    try:
        context = {"base": path.parent.absolute()}
        return TypeAdapter(ServiceConfig).validate_python(file.values, context=context)
    except ValidationError as error:
        raise SettingsError([_problem(file, one) for one in error.errors(include_url=False)]) from error


def _problem(file: SettingsFile, entry: Mapping[str, Any]) -> SettingProblem:
    place = [str(one) for one in entry["loc"] if one != "[key]"]
    match entry["type"]:
        case "too_short":
            problem = 'needs one: [repositories.NAME] with path = "/its/checkout"'
        case "unexpected_keyword_argument":
            table = _TABLES[place[0]] if len(place) > 1 else ServiceConfig
            problem = f"is not a field; {name_hint(place[-1], sorted(one.name for one in fields(table)))}"
        case "string_pattern_mismatch":
            problem = f"must be 1 to 64 letters, digits, dots and dashes, not {entry['input']!r}"
        case _:
            problem = explain(entry)
    there = place[:-1] if problem == "is missing" else place
    return SettingProblem(file.origin(".".join(there)), problem, ".".join(place))

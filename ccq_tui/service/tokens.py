"""Who may call the API: tokens, of which a file keeps the digests; and the key of the pages' addresses."""

import hmac
import json
import secrets
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from ccq_tui.bounded import read_text
from ccq_tui.remote.seal import digest
from ccq_tui.service.run import Run
from ccq_tui.stored import locked, write_whole
from ccq_tui.text import one_line

MOST_NAME = 64
FILE, KEY = "service-tokens.json", "service-key"
"""Files in the directory of state."""


class TokensError(Exception):
    """The tokens cannot be read or changed; the message says why."""


class Scope(StrEnum):
    """What a token may do over the API; who it stands for, the repositories say."""

    READ = "read"
    ANSWER = "answer"
    """Answer requests, and stop runs."""
    START = "start"


class Token(TypedDict):
    """A token, by whom it was given out to; ``until`` is a day, or "" for no end."""

    name: str
    scopes: list[Scope]
    until: str


class _File(TypedDict):
    version: Literal[2]
    tokens: dict[str, Token]
    """By their digests."""


def read_tokens(state: Path) -> dict[str, Token]:
    """Return the tokens by their digests; raises `TokensError`."""
    file = state / FILE
    if not file.exists():
        return {}
    try:
        return TypeAdapter(_File).validate_json(read_text(file))["tokens"]
    except ValueError as error:
        raise TokensError(
            f"{file} cannot be used; remove it, and make new tokens by ccq-tui serve token"
        ) from error


def is_over(token: Token) -> bool:
    """Return whether a token counts no more."""
    return bool(token["until"]) and date.today().isoformat() > token["until"]


def change_tokens(
    state: Path, name: str, *, add: bool = True, scopes: Sequence[Scope] = tuple(Scope), until: str = ""
) -> str:
    """Make a token and return it, or remove those of a name and return ""; raises `TokensError`."""
    if not name.strip() or one_line(name, MOST_NAME) != name:
        raise TokensError(f"a token's name is one line of at most {MOST_NAME} characters, not {name!r}")
    made = secrets.token_urlsafe(32) if add else ""
    with locked(state / f"{FILE}.lock") as alone:
        if not alone:
            raise TokensError("the tokens are being changed by another ccq-tui: try again")
        tokens = read_tokens(state)
        if not add and name not in {one["name"] for one in tokens.values()}:
            raise TokensError(f"no token has the name {name!r}")
        if add:
            tokens[digest(made)] = Token(name=name, scopes=[*scopes], until=until)
        else:
            tokens = {key: one for key, one in tokens.items() if one["name"] != name}
        try:
            write_whole(state / FILE, json.dumps({"version": 2, "tokens": tokens}, indent=1))
        except OSError as error:
            raise TokensError(f"{state / FILE} cannot be written: {error.strerror}") from error
    return made


def page_key(state: Path) -> bytes:
    """Return the key that signs the addresses of pages, which is made the first time; raises `OSError`."""
    file = state / KEY
    with locked(state / f"{KEY}.lock"):
        if not file.exists():
            write_whole(file, secrets.token_hex(32))
        return read_text(file).strip().encode()


def page_sign(key: bytes, run: Run) -> str:
    """Return what opens the page of a run, as part of its address."""
    return hmac.digest(key, f"page {run.id}{run.link}".encode(), "sha256").hex()[:32]

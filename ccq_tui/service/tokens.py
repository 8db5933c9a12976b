"""Who may call the API: tokens, of which a file keeps the digests; and the key of the pages' addresses."""

from __future__ import annotations

import hmac
import json
import secrets
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from ccq_tui.bounded import read_text
from ccq_tui.remote.relay.members import digest
from ccq_tui.stored import locked, write_whole

FILE, KEY = "service-tokens.json", "service-key"
"""Files in the directory of state."""


class TokensError(Exception):
    """The tokens cannot be read or changed; the message says why."""


class _File(TypedDict):
    version: Literal[1]
    tokens: dict[str, str]


def read_tokens(state: Path) -> dict[str, str]:
    """Return who has each token, by the tokens' digests; raises `TokensError`."""
    file = state / FILE
    if not file.exists():
        return {}
    try:
        return TypeAdapter(_File).validate_json(read_text(file))["tokens"]
    except ValueError as error:
        raise TokensError(
            f"{file} cannot be used; remove it, and make new tokens by ccq-tui serve token"
        ) from error


def change_tokens(state: Path, name: str, *, add: bool = True) -> str:
    """Make a token and return it, or remove those of a name and return ""; raises `TokensError`."""
    made = secrets.token_urlsafe(32) if add else ""
    with locked(state / f"{FILE}.lock") as alone:
        if not alone:
            raise TokensError("the tokens are being changed by another ccq-tui: try again")
        tokens = read_tokens(state)
        if not add and name not in tokens.values():
            raise TokensError(f"no token has the name {name!r}")
        if add:
            tokens[digest(made)] = name
        else:
            tokens = {one: owner for one, owner in tokens.items() if owner != name}
        try:
            write_whole(state / FILE, json.dumps({"version": 1, "tokens": tokens}, indent=1))
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


def page_sign(key: bytes, run_id: str) -> str:
    """Return what opens the page of a run, as part of its address."""
    return hmac.digest(key, f"page {run_id}".encode(), "sha256").hex()[:32]

"""Who may call the API: tokens, of which a file keeps the digests; and the key of the pages' addresses."""

from __future__ import annotations

import hmac
import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from ccq_tui.bounded import read_text
from ccq_tui.inbox.store.rows import stamp
from ccq_tui.remote.relay.members import digest
from ccq_tui.stored import locked, write_whole

FILE, KEY = "service-tokens.json", "service-key"
"""Files in the directory of state."""


class TokensError(Exception):
    """The tokens cannot be read or changed; the message says why."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        name: Who has it: the actor of what is done with it.
        digest: Its digest.
        created: When it was made.
    """

    name: str
    digest: str
    created: str


class _File(TypedDict):
    version: Literal[1]
    tokens: tuple[Token, ...]


def read_tokens(state: Path) -> tuple[Token, ...]:
    """Return the tokens, oldest first; raises `TokensError`."""
    file = state / FILE
    if not file.exists():
        return ()
    try:
        return TypeAdapter(_File).validate_json(read_text(file))["tokens"]
    except ValueError as error:
        raise TokensError(
            f"{file} cannot be used; remove it, and make new tokens by ccq-tui serve token"
        ) from error


def change_tokens(state: Path, name: str, *, add: bool = True) -> str:
    """Make a token and return it, or remove those of a name and return ""; raises `TokensError`."""
    from datetime import UTC, datetime

    made = secrets.token_urlsafe(32) if add else ""
    with locked(state / f"{FILE}.lock") as alone:
        if not alone:
            raise TokensError("the tokens are being changed by another ccq-tui: try again")
        before = read_tokens(state)
        kept = [one for one in before if add or one.name != name]
        if not add and len(kept) == len(before):
            raise TokensError(f"no token has the name {name!r}")
        if made:
            kept.append(Token(name, digest(made), stamp(datetime.now(UTC))))
        try:
            write_whole(
                state / FILE, json.dumps({"version": 1, "tokens": [asdict(one) for one in kept]}, indent=1)
            )
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

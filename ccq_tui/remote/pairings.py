"""The pairings of this machine's inbox: where its relays are, and the secrets for them."""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from ccq_tui.bounded import read_text
from ccq_tui.config.paths import state_dir
from ccq_tui.stored import locked, write_whole


class PairingsError(Exception):
    """The file of pairings cannot be used; the message says why, for a person."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pairing:
    """This inbox at one relay.

    Attributes:
        id: The pairing's id.
        relay: The URL by which this machine reaches the relay, without a slash at its end.
        public: The URL by which devices reach it.
        token: The terminal's token.
        key: The pairing's key in base64url, or "" in a plain pairing.
        certificate: The file of a certificate to trust for this relay alone, or "".
        is_home: Whether ``ccq-tui phone`` on this machine serves the relay, while it runs.
    """

    id: str
    relay: str
    public: str
    token: str = dataclasses.field(repr=False)
    key: str = dataclasses.field(default="", repr=False)
    certificate: str = ""
    is_home: bool = False

    def __post_init__(self) -> None:
        if self.key:
            from ccq_tui.remote.seal import KEY_BYTES, from_base64  # cryptography takes long to import

            if len(from_base64(self.key)) != KEY_BYTES:
                raise ValueError("a damaged key")

    @property
    def is_sealed(self) -> bool:
        """Whether the relay sees sealed bytes alone."""
        return bool(self.key)


class PairingsFile(TypedDict):
    """The content of the file."""

    version: Literal[1]
    pairings: tuple[Pairing, ...]


def pairings_file() -> Path:
    """Return the file of the pairings."""
    return state_dir() / "pairings.json"


def read_pairings(file: Path) -> tuple[Pairing, ...]:
    """Return the pairings, oldest first; none if there is no file. Raises `PairingsError`."""
    try:
        if file.stat().st_mode & 0o077:
            raise PairingsError(f"{file} can be read by others; run: chmod 600 {file}")
        return TypeAdapter(PairingsFile).validate_json(read_text(file))["pairings"]
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise PairingsError(f"{file} cannot be used; remove it, and pair again") from error


def change_pairings(file: Path, *, add: Iterable[Pairing] = (), remove: Iterable[str] = ()) -> None:
    """Add pairings, or replace those with the same id, and remove others by their ids.

    Raises `PairingsError`.
    """
    new, removed = {one.id: one for one in add}, set(remove)
    with locked(file.with_suffix(".lock")) as alone:
        if not alone:
            raise PairingsError(f"{file} is being changed by another ccq-tui: try again")
        kept = {one.id: one for one in read_pairings(file)} | new
        entries = [dataclasses.asdict(one) for one in kept.values() if one.id not in removed]
        try:
            write_whole(file, json.dumps({"version": 1, "pairings": entries}, indent=1))
        except OSError as error:
            raise PairingsError(f"{file} cannot be written: {error.strerror}") from error

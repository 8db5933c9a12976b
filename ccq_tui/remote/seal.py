"""End-to-end encryption of what passes the relay; the rules are in `docs/dev/relay-protocol.md`.

The page's ``seal.js`` does the same in WebCrypto.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

VERSION = 1
KEY_BYTES = 32
NONCE_BYTES = 12
TAG_BYTES = 16
CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base32."""
INVITATION_LETTERS, SECRET_LETTERS = 4, 12
PLAIN_LETTER = "P"
"""The first letter of a code whose secret is the proof; that of a sealed pairing never has it."""
CODE_ROUNDS = 600_000


class SealError(ValueError):
    """An envelope does not open: it is damaged, or for something else; the message is for a person."""


class Sealed(StrEnum):
    """The kinds of sealed text."""

    REQUEST = "request"
    ANSWER = "answer"
    STATEMENT = "statement"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class About:
    """What an envelope is bound to.

    Attributes:
        kind: The kind of its text.
        id: The request's id at the relay; for a name, the invitation's.
        expires: The request's time of expiry as the relay has it, or "".
        request: The request's envelope, of which this is an answer or a statement, or "".
    """

    kind: Sealed
    id: str
    expires: str = ""
    request: str = ""


def to_base64(data: bytes) -> str:
    """Encode for URLs, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_base64(text: str) -> bytes:
    """Decode what `to_base64` made; raises `SealError`."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise SealError("it is not base64url") from error


class Sealer:
    """Seals and opens the texts of one pairing.

    Args:
        key: The pairing's key, 32 bytes.
        pairing: The pairing's id.
    """

    def __init__(self, key: bytes, pairing: str) -> None:
        self._key = key
        self._pairing = pairing

    def seal(self, content: Mapping[str, Any], about: About) -> str:
        """Return the envelope of a JSON object; that of a request is always the same."""
        plain = json.dumps(content, separators=(",", ":"), ensure_ascii=True, default=str).encode("ascii")
        bound = self._bound(about)
        if about.kind is Sealed.REQUEST:
            nonce = hmac.digest(self._derived("nonce"), bound + plain, "sha256")[:NONCE_BYTES]
        else:
            nonce = secrets.token_bytes(NONCE_BYTES)
        return _envelope(self._derived(about.kind), nonce, plain, bound)

    def open(self, envelope: str, about: About) -> dict[str, Any]:
        """Return the JSON object of an envelope; raises `SealError`."""
        from cryptography.exceptions import InvalidTag  # 10 MB, and a relay or service seals nothing
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        data = from_base64(envelope)
        if len(data) < 1 + NONCE_BYTES + TAG_BYTES or data[0] != VERSION:
            raise SealError("its format is not known")
        nonce, sealed = data[1 : 1 + NONCE_BYTES], data[1 + NONCE_BYTES :]
        try:
            plain = AESGCM(self._derived(about.kind)).decrypt(nonce, sealed, self._bound(about))
            content = json.loads(plain)
        except InvalidTag as error:
            raise SealError("it was changed, or is not for this request and pairing") from error
        except (ValueError, RecursionError) as error:
            raise SealError("it holds no JSON") from error
        if not isinstance(content, dict):
            raise SealError("it holds no JSON object")
        return content

    def _derived(self, purpose: str) -> bytes:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        info = f"ccq-tui {VERSION} {purpose}".encode()
        return HKDF(SHA256(), KEY_BYTES, self._pairing.encode(), info).derive(self._key)

    def _bound(self, about: About) -> bytes:
        request = digest(about.request) if about.request else ""
        lines = (f"ccq-tui {VERSION}", self._pairing, about.id, about.kind, about.expires, request)
        return "\n".join(lines).encode()


@dataclass(frozen=True, slots=True)
class Code:
    """A one-time code for typing.

    Attributes:
        invitation: Its first letters, which the relay knows it by.
        secret: The others.
    """

    invitation: str
    secret: str

    @classmethod
    def new(cls, *, plain: bool = False) -> "Code":
        """Make one, which says itself whether its pairing is plain."""
        first = PLAIN_LETTER if plain else secrets.choice(CODE_LETTERS.replace(PLAIN_LETTER, ""))
        letters = "".join(secrets.choice(CODE_LETTERS) for _ in range(INVITATION_LETTERS + SECRET_LETTERS))
        return cls(first + letters[1:INVITATION_LETTERS], letters[INVITATION_LETTERS:])

    @classmethod
    def read(cls, typed: str) -> "Code":
        """Read one as typed: in any case, with or without dashes; raises `SealError`."""
        letters = re.sub(r"[\s-]", "", typed).upper().translate(str.maketrans("OIL", "011"))
        if len(letters) != INVITATION_LETTERS + SECRET_LETTERS or not set(letters) <= set(CODE_LETTERS):
            raise SealError("a code has 16 letters and digits, as in 7K2M-9QXD-4TBV-H8RW")
        return cls(letters[:INVITATION_LETTERS], letters[INVITATION_LETTERS:])

    @property
    def shown(self) -> str:
        """The code as a person types it."""
        letters = self.invitation + self.secret
        return "-".join(letters[place : place + 4] for place in range(0, len(letters), 4))

    def stretched(self) -> tuple[str, bytes]:
        """Return the proof and the wrapping key of a sealed pairing; takes a fifth of a second."""
        salt = f"ccq-tui code {self.invitation}".encode()
        made = hashlib.pbkdf2_hmac("sha256", self.secret.encode(), salt, CODE_ROUNDS, 2 * KEY_BYTES)
        return to_base64(made[:KEY_BYTES]), made[KEY_BYTES:]


def wrap_key(key: bytes, wrapping: bytes, invitation: str) -> str:
    """Return the envelope of a pairing's key for who types the code of an invitation."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return _envelope(wrapping, nonce, key, f"ccq-tui wrapped {invitation}".encode())


def digest(secret: str) -> str:
    """Return what the relay keeps of a token or a proof."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _envelope(key: bytes, nonce: bytes, plain: bytes, bound: bytes) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return to_base64(bytes([VERSION]) + nonce + AESGCM(key).encrypt(nonce, plain, bound))

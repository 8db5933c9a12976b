"""Who may call a server: its names, rates, wrong secrets, and the headers of every response."""

import asyncio
import hashlib
import ipaddress
import re
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ccq_tui.web.problems import ProblemError, too_many

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

PORT = re.compile(r":\d+$")


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How much a server takes.

    Attributes:
        body: Most bytes of a body.
        wrong: Wrong tokens and proofs from one address that may come at once.
        wrong_rate: The same a second, in the long run.
        remembered: Tokens and addresses that are remembered for this.
    """

    body: int
    wrong: float = 20.0
    wrong_rate: float = 0.2
    remembered: int = 10_000


class Allowances:
    """A bounded number of allowances, which fill again with time; the one unused longest is forgotten first.

    Args:
        burst: What a full one holds.
        rate: What it gains a second.
        most: How many are remembered.
    """

    def __init__(self, burst: float, rate: float, most: int) -> None:
        self._burst, self._rate, self._most = burst, rate, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def missing(self, key: str) -> float:
        """Return the seconds until one call is allowed, 0 if it is now."""
        return max(0.0, (1.0 - self._now(key)) / self._rate)

    def spend(self, key: str) -> None:
        """Count a call."""
        self._left[key] = (self._now(key) - 1.0, time.monotonic())
        self._left.move_to_end(key)
        if len(self._left) > self._most:
            self._left.popitem(last=False)

    def _now(self, key: str) -> float:
        left, at = self._left.get(key, (self._burst, 0.0))
        return min(self._burst, left + (time.monotonic() - at) * self._rate)


class Guesses:
    """Counts wrong secrets by the address that a call comes from.

    Args:
        limits: How many are allowed.
    """

    def __init__(self, limits: CallLimits) -> None:
        self._wrong = Allowances(limits.wrong, limits.wrong_rate, limits.remembered)

    @contextmanager
    def guessing(self, request: Request) -> Iterator[None]:
        """Count a secret as wrong if the block raises `ProblemError`; raise one at once after too many."""
        address = _address(request)
        if seconds := self._wrong.missing(address):
            raise too_many("Too many wrong tokens or codes came from this address.", seconds)
        try:
            yield
        except ProblemError:
            self._wrong.spend(address)
            raise


def token_digest(request: Request) -> str:
    """Return the digest of a call's token, which is that of no token if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return hashlib.sha256(token.strip().encode() if scheme.lower() == "bearer" else b"").hexdigest()


def _address(request: Request) -> str:
    """Return where a call is from; a home has a whole network of IPv6 addresses."""
    host = request.client.host if request.client else ""
    try:
        return str(ipaddress.IPv6Network((host, 64), strict=False))
    except ValueError:
        return host


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a call; raises `ProblemError` as soon as it is too long."""
    body = bytearray()
    try:
        async with asyncio.timeout(30.0):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise ProblemError(413, f"The body is too long: at most {most} bytes are taken.")
    except (TimeoutError, ClientDisconnect) as error:
        raise ProblemError(408, "The body did not arrive in time; send it again.") from error
    return bytes(body)


def guarded(app: ASGIApp, hosts: Collection[str], *, tls: bool) -> ASGIApp:
    """Return an app that answers to its own names alone, and gives every response its headers.

    A page of another site could otherwise reach a server on this machine through the person's browser.

    Args:
        app: The app.
        hosts: Its names; a proxy may serve it at another port.
        tls: Whether clients reach it by TLS.
    """
    fixed = HEADERS | ({"Strict-Transport-Security": "max-age=31536000"} if tls else {})

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(fixed)
                # A page and its scripts must be of one version: a browser asks each time for its files.
                headers.setdefault("Cache-Control", "no-cache" if "etag" in headers else "no-store")
            await send(message)

        refusal = _refusal(Headers(scope=scope), hosts)
        # The server sends no body to HEAD, whatever answers.
        called = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        await (refusal.response() if refusal else app)(called, receive, with_headers)

    return checked


def _refusal(headers: Headers, hosts: Collection[str]) -> ProblemError | None:
    host, origin = headers.get("host", "").lower(), headers.get("origin")
    if PORT.sub("", host) not in hosts:
        return ProblemError(421, "This server has another name: give it this one as its public URL.")
    if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
        return ProblemError(403, "A page of another site may not call this server.")
    return None

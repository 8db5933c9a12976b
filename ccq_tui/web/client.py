"""Calls over HTTP that end: bounded in time and in bytes, and made again where a busy server asks for it."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

from ccq_tui.text import one_line

HERE = ("127.0.0.1", "::1", "localhost")
"""Hosts that no proxy reaches."""
FAILURES = (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError)


class CallError(Exception):
    """A server gave no answer; the message says what it does."""


class HttpClient(httpx2.AsyncClient):
    """A client of one server, for one event loop; to make one reads certificates, which takes 20 ms or more.

    Args:
        url: The server's URL, or that of its one address.
        seconds: Most seconds for one call in all.
        certificate: The file of the one certificate to trust, or "" for those of the system.
        options: As for httpx's own client.
    """

    def __init__(self, url: str, seconds: float, *, certificate: str = "", **options: Any) -> None:
        self._seconds = seconds
        trusted = ssl.create_default_context(cafile=certificate) if certificate else True
        super().__init__(
            base_url=url,
            # Without TLS none are read: all certificates take 50 ms.
            verify=trusted if url.startswith("https:") else False,
            timeout=httpx2.Timeout(seconds, connect=min(seconds, 10.0)),
            trust_env=not certificate and urlsplit(url).hostname not in HERE,
            **options,
        )

    async def call(
        self,
        method: str,
        path: str = "",
        content: str | bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        most: int = 1_000_000,
        again: bool = False,
    ) -> tuple[httpx2.Response, bytes]:
        """Make a call; return the response and its body, or raise `CallError`.

        Args:
            method: Its method.
            path: Its place at the server.
            content: Its body.
            headers: More headers than the client's.
            most: Most bytes of the response's body.
            again: Whether to call again after the time that a busy server asks for.
        """
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    async with self.stream(method, path, content=content, headers=headers) as response:
                        body = await read_bounded(response, most)
                    if not again or response.status_code != httpx2.codes.TOO_MANY_REQUESTS:
                        return response, body
                    asked = response.headers.get("retry-after", "")
                    await asyncio.sleep(int(asked) if asked.isdecimal() else 1)
        except FAILURES as error:
            raise CallError(failure_words(error)) from error


async def read_bounded(response: httpx2.Response, most: int) -> bytes:
    """Return the body of a response that streams; raises `httpx2.StreamError` for a longer one."""
    body = bytearray()
    async for part in response.aiter_bytes():
        body += part
        if len(body) > most:
            raise httpx2.StreamError(f"the response has more than {most:,} bytes")
    return bytes(body)


def failure_words(error: Exception) -> str:
    """Say why a server gave no answer: one of `FAILURES`."""
    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return "does not answer in time"
    return f"cannot be reached: {one_line(str(error), 200) or type(error).__name__}"

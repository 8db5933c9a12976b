"""What adapters share that send over HTTP."""

import time
from collections.abc import Mapping
from contextlib import suppress

import httpx2

from ccq_tui.service.port import RetryLaterError
from ccq_tui.text import one_line
from ccq_tui.web.client import CallError, HttpClient

CALL_SECONDS = 15.0
SECRET_SECONDS = 20.0
"""Seconds between two tries without a usable secret."""

LONGEST_WAIT = 3600.0


class HttpAdapter:
    """Sends to one address, no sooner than the other side wants; to be closed with `close`.

    Args:
        url: The address.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._paused_until = 0.0
        """When the other side takes calls again, by the monotonic clock."""
        self._http = HttpClient(url, CALL_SECONDS)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def _post(self, content: str, headers: Mapping[str, str]) -> tuple[httpx2.Response, bytes]:
        """Send a text; return the response and its body, unless `RetryLaterError` is what it means."""
        if (left := self._paused_until - time.monotonic()) > 0:
            raise RetryLaterError("no more calls are taken for now", left)
        try:
            response, body = await self._http.call("POST", self._url, content, headers=headers)
        except CallError as error:
            raise RetryLaterError(f"{one_line(self._url, 200)} {error}") from error
        if response.status_code == httpx2.codes.TOO_MANY_REQUESTS:
            raise self._paused(response)
        if response.is_server_error:
            raise RetryLaterError(f"HTTP {response.status_code}", _after(response.headers))
        return response, body

    def _paused(self, response: httpx2.Response) -> RetryLaterError:
        """Send nothing more for the time that a response names; return the error that says so."""
        wait = _wait(response.headers)
        self._paused_until = time.monotonic() + wait
        return RetryLaterError("no more calls are taken for now", wait)


def _wait(headers: Mapping[str, str]) -> float:
    """Return the seconds until calls that are limited are taken again, 0 if that is not said."""
    with suppress(ValueError):
        reset = float(headers.get("x-ratelimit-requests-reset", "0")) / 1000 - time.time()
        return _after(headers) or min(max(reset, 0.0), LONGEST_WAIT)
    return 0.0


def _after(headers: Mapping[str, str]) -> float:
    """Return the seconds until the other side takes calls again, 0 if it does not say; at most an hour."""
    with suppress(ValueError):
        return min(max(float(headers.get("retry-after", "0")), 0.0), LONGEST_WAIT)
    return 0.0

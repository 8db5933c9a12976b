"""The channels of a notification, all at once, each with its own limit of time.

All but a few are services of apprise, which is synchronous, and an extra.
"""

import asyncio
import json
import logging
import re
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from logging.handlers import BufferingHandler
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx2

from ccq_tui.config.settings import Settings
from ccq_tui.config.values import shown_url
from ccq_tui.installation import missing
from ccq_tui.remote.client import RelayClient, RelayError
from ccq_tui.remote.notify.notification import Notification, Receipt
from ccq_tui.remote.notify.program import try_program
from ccq_tui.remote.pairings import Pairing
from ccq_tui.text import one_line
from ccq_tui.web.client import CallError, HttpClient

_logger = logging.getLogger(__name__)

LIMIT_SECONDS = 15.0
"""Most seconds for a channel to take a notification."""
TRIAL = Notification("ccq-tui · test", "Notifications arrive here.")


async def try_channels(settings: Settings, pairings: Sequence[Pairing]) -> list[Receipt]:
    """Send a test through every channel and to the person's program; return what became of it in each."""
    receipts = await deliver(TRIAL, settings.notify_urls, pairings)
    return [*receipts, await try_program(settings.on_request)] if settings.on_request else receipts


async def deliver(
    notification: Notification, urls: Iterable[str], pairings: Iterable[Pairing]
) -> list[Receipt]:
    """Send a notification through every channel; return what became of it in each."""
    pushes = (push(pairing, notification.topic) for pairing in pairings)
    receipts = await asyncio.gather(*(_send(url, notification) for url in urls), *pushes)
    for one in receipts:
        if one.problem:
            _logger.warning("A notification by %s failed: %s", one.channel, one.problem)
    return receipts


async def push(pairing: Pairing, topic: str = "") -> Receipt:
    """Have a relay send an empty Web Push to every subscribed device."""
    channel = f"Web Push by {pairing.relay}"
    try:
        async with await asyncio.to_thread(RelayClient, pairing) as client:  # it reads certificates
            sent, reasons = await client.notify(topic)
    except RelayError as error:
        return Receipt(channel, one_line(str(error), 300))
    return Receipt(channel, one_line("; ".join(dict.fromkeys(reasons)), 300), sent)


async def _send(url: str, notification: Notification) -> Receipt:
    send = send_by_ntfy if url.lower().startswith(("ntfy://", "ntfys://")) else _send_by_apprise
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            problem = one_line(_without_secrets(await send(url, notification), url), 300)
    except TimeoutError:
        problem = f"no receipt within {LIMIT_SECONDS:.0f} s"
    return Receipt(shown_url(url), problem, sent=0 if problem else 1)


async def _send_by_apprise(url: str, notification: Notification) -> str:
    """Send by the service of a URL; return why it failed, or ""."""
    problem: Future[str] = Future()
    problem.set_running_or_notify_cancel()  # it takes a result also after the time is over

    def work() -> None:
        problem.set_result(_apprise_problem(url, notification))

    # Not a thread of the loop's own: the end of the program would wait for a service that hangs.
    threading.Thread(target=work, name="apprise", daemon=True).start()
    return await asyncio.wrap_future(problem)


def _apprise_problem(url: str, notification: Notification) -> str:
    records = BufferingHandler(100)
    records.setLevel(logging.WARNING)
    logger = logging.getLogger("apprise")
    for one in (logger, logging.getLogger("urllib3")):
        one.propagate = False  # their records have URLs with secrets, which a debug log would take
    logger.addHandler(records)
    try:
        from apprise import Apprise

        service = Apprise.instantiate(url)
        text = f"{notification.text}\n{notification.page}".strip()
        if service is not None and service.notify(body=text, title=notification.title):
            return ""
    except ImportError:
        return missing("notify")
    except Exception as error:  # noqa: BLE001 (a service may fail in any way)
        return f"apprise failed: {type(error).__name__}"
    finally:
        logger.removeHandler(records)
    ours = [one.getMessage() for one in records.buffer if one.thread == threading.get_ident()]
    return ours[-1] if ours else "the service gave no reason"


def _without_secrets(words: str, url: str) -> str:
    """Return words without the parts of a URL that may not be shown."""
    shown = shown_url(url)
    for part in sorted(re.split(r"[/:@?&=,]+", url), key=len, reverse=True):
        # Characters from which on a part of a URL is left out of a reason.
        if len(part) >= 3 and part not in shown:
            words = words.replace(part, "…")
    return words


def target_of(url: str) -> tuple[str, tuple[str, ...], tuple[str, str] | None]:
    """Return the server, the topics, and the name and the password of a URL; raises ValueError.

    As apprise reads it: ``ntfys://[user:password@|token@]host[:port]/topic``, or ``ntfy://topic``.
    """
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    topics = tuple(unquote(part) for part in parts.path.split("/") if part)
    scheme = "https" if parts.scheme == "ntfys" else "http"
    server, topics = (f"{scheme}://{place}", topics) if topics else ("https://ntfy.sh", (unquote(place),))
    if not topics[0] or ":" in topics[0]:
        raise ValueError("no topic")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    # ntfy takes a token as the password of nobody.
    return server, topics, (user, password) if password else ("", user) if user else None


async def send_by_ntfy(url: str, notification: Notification) -> str:
    """Publish a notification to the topics of a URL; return why it failed, or "".

    By ntfy's own JSON, which needs no extra, and has a button that opens the page.
    """
    try:
        server, topics, login = target_of(url)
    except ValueError:
        return "its URL names no server and topic, as in ntfys://ntfy.sh/your-topic"
    fields: dict[str, Any] = {"title": notification.title, "message": notification.text, "priority": 4}
    if page := notification.page:
        view = {"action": "view", "label": "Answer", "url": page, "clear": True}
        fields |= {"click": page, "actions": [view]}
    try:
        # It reads certificates.
        async with await asyncio.to_thread(HttpClient, server, LIMIT_SECONDS, auth=login) as client:
            for topic in topics:
                response, body = await client.call("POST", server, json.dumps({"topic": topic, **fields}))
                if response.status_code != httpx2.codes.OK:
                    why = f"HTTP {response.status_code} {body.decode('utf-8', 'replace')}"
                    return one_line(f"the server refused it: {why}", 300)
    except CallError as error:
        return f"the server {error}"
    except httpx2.InvalidURL:
        return "the server cannot be reached: InvalidURL"
    return ""

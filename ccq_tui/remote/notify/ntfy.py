"""Notifications of ntfy, by its own JSON, which needs no extra and has a button that opens the page."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx2

from ccq_tui.remote.notify.notification import Notification
from ccq_tui.text import one_line

PUBLIC = "https://ntfy.sh"
HIGH = 4
"""The priority that makes a phone ring and vibrate."""


def is_ntfy(url: str) -> bool:
    """Whether a URL is one of ntfy."""
    return url.lower().startswith(("ntfy://", "ntfys://"))


def target_of(url: str) -> tuple[str, tuple[str, ...], tuple[str, str] | None]:
    """Return the server, the topics, and the name and the password of a URL; raises ValueError.

    As apprise reads it: ``ntfys://[user:password@|token@]host[:port]/topic``, or ``ntfy://topic``.
    """
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    topics = tuple(unquote(part) for part in parts.path.split("/") if part)
    scheme = "https" if parts.scheme == "ntfys" else "http"
    server, topics = (f"{scheme}://{place}", topics) if topics else (PUBLIC, (unquote(place),))
    if not topics[0] or ":" in topics[0]:
        raise ValueError("no topic")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    # ntfy takes a token as the password of nobody.
    return server, topics, (user, password) if password else ("", user) if user else None


async def send(url: str, notification: Notification) -> str:
    """Publish a notification to the topics of a URL, without a limit of time; return why it failed, or ""."""
    try:
        server, topics, login = target_of(url)
    except ValueError:
        return "its URL names no server and topic, as in ntfys://ntfy.sh/your-topic"
    try:
        # It reads certificates.
        async with await asyncio.to_thread(httpx2.AsyncClient, auth=login, timeout=None) as client:
            for topic in topics:
                response = await client.post(server, json={"topic": topic, **_content(notification)})
                if response.status_code != httpx2.codes.OK:
                    said = f"the server refused it: HTTP {response.status_code} {response.text}"
                    return one_line(said, 300)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        # Other errors quote the URL.
        said = str(error) if isinstance(error, httpx2.NetworkError) else type(error).__name__
        return f"the server cannot be reached: {one_line(said, 200)}"
    return ""


def _content(notification: Notification) -> dict[str, Any]:
    """Return the fields of a notification, whose texts are shorter than what ntfy takes."""
    said: dict[str, Any] = {"title": notification.title, "message": notification.text, "priority": HIGH}
    if notification.page:
        view = {"action": "view", "label": "Answer", "url": notification.page, "clear": True}
        said |= {"click": notification.page, "actions": [view]}
    return said

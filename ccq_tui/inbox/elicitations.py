"""Elicitations of MCP servers: from Claude Code's data to a request.

The same data come as a control request of the CLI and as the input of its Elicitation hook.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from ccq_tui.claude_lines import text
from ccq_tui.inbox.requests import ElicitationRequest, Origin, Request, RequestOutcome
from ccq_tui.questions import Answered
from ccq_tui.questions.schema_form import OPEN_LINK

MOST_SCHEMA = 256 * 1024
"""Most characters of a schema that is kept and shown."""
MOST_TEXT = 20_000
MOST_URL = 8_192
_SESSION = Origin()


def read_elicitation(
    data: Mapping[str, Any], name: str, asker_id: str, origin: Origin = _SESSION
) -> ElicitationRequest:
    """Read an elicitation from Claude Code's data.

    Args:
        data: Claude Code's data about it.
        name: The stand-in for a call's ``tool_use_id``, which the data lack.
        asker_id: The session that asks, or the key of another asker.
        origin: Who asks.

    Returns:
        The request; it can only be declined or dismissed if its form or link is unusable.
    """
    server, message = text(data, "mcp_server_name")[:MOST_TEXT], text(data, "message")
    message = message[:MOST_TEXT] or "It wants input."
    request = ElicitationRequest(name, asker_id, server or "An MCP server", message, origin=origin)
    match data.get("mode", "form"):
        case "url":
            return _link(request, text(data, "url"))
        case "form":
            return _form(request, data.get("requested_schema", {}), data.get("property_order"))
        case mode:
            return replace(request, trouble=f"it is of the kind “{str(mode)[:40]}”, which is not known here")


def link_to_open(request: Request, outcome: RequestOutcome) -> str:
    """Return the link that a person chose to open, or ""."""
    if not isinstance(request, ElicitationRequest) or not isinstance(outcome, Answered):
        return ""
    return request.url if any(OPEN_LINK in answer.selected for answer in outcome.answers) else ""


def _form(request: ElicitationRequest, schema: object, order: object) -> ElicitationRequest:
    if not isinstance(schema, dict):
        return replace(request, trouble="it has no schema")
    try:
        size = len(json.dumps(schema))
    except (RecursionError, TypeError, ValueError):
        return replace(request, trouble="its schema cannot be read")
    if size > MOST_SCHEMA:
        return replace(request, trouble=f"its schema has {size:,} characters, more than {MOST_SCHEMA:,}")
    names = order if isinstance(order, list) else []
    return replace(request, schema=schema, order=tuple(name for name in names if isinstance(name, str)))


def _link(request: ElicitationRequest, url: str) -> ElicitationRequest:
    if len(url) > MOST_URL:
        return replace(request, trouble=f"its link has {len(url):,} characters, more than {MOST_URL:,}")
    try:
        parts, host = urlsplit(url), host_of(url)
    except ValueError:
        return replace(request, trouble="its link is none that a browser could open")
    clean = url.isprintable() and " " not in url
    if parts.scheme not in ("http", "https") or not host or not clean or "\\" in url:
        return replace(request, trouble="its link is no address of a web page")
    return replace(request, url=url, host=host)


def host_of(url: str) -> str:
    """Return the host that a browser would open, in ASCII, with its port; raises `ValueError`."""
    parts = urlsplit(url.replace("\\", "/"))
    host, port = parts.hostname or "", parts.port
    plain = host if host.isascii() else host.encode("idna").decode()
    return f"{plain}:{port}" if plain and port else plain

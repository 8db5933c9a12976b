"""Suggested permissions, from the SDK's types to plain data and back."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from claude_agent_sdk import PermissionUpdate

from ccq_tui.inbox.suggestions import Rule, Suggestion

_logger = logging.getLogger(__name__)

MOST = 20
"""Most suggestions to read; the CLI was never seen to make more than three."""


def suggestions(updates: Iterable[PermissionUpdate]) -> tuple[Suggestion, ...]:
    """Translate the CLI's suggestions, without those that cannot be sent back."""
    return tuple(_readable(list(updates)[:MOST]))


def update(suggestion: Suggestion) -> PermissionUpdate:
    """Translate a suggestion, or a change of mode, back."""
    rules = [{"toolName": rule.tool, "ruleContent": rule.content or None} for rule in suggestion.rules]
    made: dict[str, object] = {
        "type": suggestion.kind,
        "destination": suggestion.destination,
        "rules": rules or None,
        "behavior": suggestion.behavior or None,
        "mode": suggestion.mode or None,
        "directories": list(suggestion.directories) or None,
    }
    return PermissionUpdate.from_dict(made)


def _readable(updates: Iterable[PermissionUpdate]) -> Iterator[Suggestion]:
    for one in updates:
        read = Suggestion(
            kind=one.type,
            destination=one.destination or "session",
            rules=tuple(Rule(rule.tool_name, rule.rule_content or "") for rule in one.rules or ()),
            behavior=one.behavior or "",
            mode=one.mode or "",
            directories=tuple(one.directories or ()),
        )
        try:
            # If one cannot be sent, the SDK sends none, and the choice shown would be false.
            update(read).to_dict()
        except (ValueError, TypeError):
            _logger.warning("A suggestion of kind %s cannot be sent back", one.type)
            continue
        yield read

"""The ends of requests, retries and turns in words, for every surface."""

from __future__ import annotations

from ccq_tui.agent.events import Retrying, TurnEnded
from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.call_results import ROUNDS_USED
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied
from ccq_tui.inbox.suggestions import MODES, granted
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Dismissed, Expired
from ccq_tui.text import one_line, safe
from ccq_tui.transcript import blocks as bl
from ccq_tui.words import duration

NOT_IN_TIME = "no answer: nobody answered in time"
TEXT_LIMIT = 4_000
"""Most characters shown of a question or a note."""
VERBS = {Discussed: "discussed", Declined: "declined", Denied: "kept planning", Dismissed: "cancelled"}
"""What a person did with a request, other than to answer it."""
LEAST_WAIT = 1.0
"""Fewest seconds of waiting for a person that a turn's line mentions."""
_USUAL_ENDS = frozenset({"", "success", "completed", "end_turn", "result"})
_ENDS = {"hook_stopped": "stopped by a hook"}
_WHY = {
    "rate_limit": "the rate limit is reached",
    "overloaded": "the API is overloaded",
    "server_error": "the API failed",
    "authentication_failed": "the API key or sign-in was refused",
    "timeout": "the API did not answer in time",
}


def retry_words(event: Retrying) -> str:
    """Return which attempt is made, and why; the CLI has no word for a connection that broke."""
    kind = one_line(event.error.replace("_", " "), 300)
    unnamed = "the API failed" if event.status else "the connection broke"
    why = _WHY.get(event.error) or (unnamed if kind in ("", "unknown") else kind)
    why = f"{why} ({event.status})" if event.status else why
    return f"attempt {event.attempt} of {event.max_attempts} · {why}"


def ending_words(event: TurnEnded) -> str:
    """Return why a turn did not end as usual, or ""."""
    if event.reason.startswith("aborted"):
        return "interrupted"
    if event.is_error or event.reason not in _USUAL_ENDS:
        return _ENDS.get(event.reason) or one_line(event.reason.replace("_", " "), 200) or "failed"
    return ""


def turn_words(event: TurnEnded) -> str:
    """Return the time of work of a turn, its tokens, its cost; waiting for a person apart."""
    facts = [duration(event.worked)]
    if event.waited >= LEAST_WAIT:
        facts.append(f"waited {duration(event.waited)} for you")
    if event.input_tokens or event.output_tokens:
        facts.append(f"{event.input_tokens:,} → {event.output_tokens:,} tokens")
    if event.turn_cost is not None:
        facts.append(f"${event.turn_cost:.4f}" if event.turn_cost < 1 else f"${event.turn_cost:.2f}")
    return " · ".join(facts)


def _decided(block: bl.RequestBlock, verb: str) -> str:
    """Say who decided, and when: "you answered 14:55", "declined by a hook 14:55"."""
    by = _by(block.actor)
    return f"{'you ' if block.actor and not by else ''}{verb}{by}{_clock(block)}"


def _by(actor: Actor | None) -> str:
    """Return who answered; "" if unknown, and for the panel of this very session."""
    where = "" if actor is None else actor.where_from_here
    return f" {where}" if actor and where != Actor(Surface.PANEL).where else ""


def _clock(block: bl.RequestBlock, sign: str = " ") -> str:
    return f"{sign}{block.settled:%H:%M}" if block.settled else ""


def outcome_words(block: bl.RequestBlock) -> str:
    """Return the outcome of a request in words, or where it is answered."""
    match block.outcome:
        case None:
            return with_keys(block.place)
        case Expired():
            return f"{NOT_IN_TIME}{_clock(block, ' · ')}"
        case Cancelled(reason):
            why = f": {one_line(reason, 200)}" if reason else ""
            return f"{'not asked' if reason == ROUNDS_USED else 'cancelled'}{why}{_clock(block, ' · ')}"
        case Allowed(mode=mode, plan=plan):
            how = f" · {MODES[mode][0]} mode" if mode in MODES else ""
            return _decided(block, "approved as edited" if plan else "approved") + how
        case Answered() if isinstance(block, bl.FormBlock):
            return _decided(block, "accepted")
        case Answered(answers=[Answer(selected=[], other=str(other))]) if other:
            return _decided(block, "wrote")
        case outcome:
            return _decided(block, VERBS.get(type(outcome), "answered"))


def permission_words(block: bl.PermissionBlock, *, whole: bool) -> str:
    """Say how a permission was decided, and what was granted; or where it is. ``whole``: keep its lines."""
    outcome, by = block.outcome, _by(block.actor)
    match outcome:
        case Allowed(suggestion=lasts):
            words = f"allowed{by}{granted(lasts, block.request.command)}" if lasts else f"allowed once{by}"
        case Denied():
            words = f"denied{by}"
        case _:
            asks = outcome is None and block.place is bl.RequestPlace.OPEN
            return ("asks " if asks else "") + outcome_words(block)
    said = safe(outcome.text, keep_newlines=whole, limit=TEXT_LIMIT)
    return f"{words}: “{said}”" if said else words

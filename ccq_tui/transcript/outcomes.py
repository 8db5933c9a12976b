"""What became of a request, a turn and a call, in words: for the screen, lines and files."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ccq_tui.agent.events import Retrying, TurnEnded
from ccq_tui.agent.user_texts import hook_refusal
from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.call_results import ROUNDS_USED
from ccq_tui.inbox.file_diff import counts
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied
from ccq_tui.inbox.suggestions import MODES, granted
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Dismissed, Expired
from ccq_tui.text import one_line, safe
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.blocks import ToolBlock, ToolState, uncoloured
from ccq_tui.transcript.bodies import Excerpt, PlainText, TodoState
from ccq_tui.transcript.tools import EDITS, LIMIT, ToolCard, card_of
from ccq_tui.words import bytes_counted, duration, plural

NOT_IN_TIME = "no answer: nobody answered in time"
TEXT_LIMIT = 4_000
"""Most characters shown of a question or a note."""
VERBS = {Discussed: "discussed", Declined: "declined", Denied: "kept planning", Dismissed: "cancelled"}
"""What a person did with a request, other than to answer it."""
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
    if event.is_error or event.reason not in {"", "success", "completed", "end_turn", "result"}:
        return _ENDS.get(event.reason) or one_line(event.reason.replace("_", " "), 200) or "failed"
    return ""


def turn_words(event: TurnEnded) -> str:
    """Return the time of work of a turn, its tokens, its cost; waiting for a person apart."""
    facts = [duration(event.worked)]
    # Fewest seconds of waiting for a person that a turn's line mentions.
    if event.waited >= 1.0:
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
            return _decided(block, "wrote" if block.actor else "answered")
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
    text = safe(outcome.text, keep_newlines=whole, limit=TEXT_LIMIT)
    return f"{words}: “{text}”" if text else words


_CALL_ENDS = {ToolState.OK: "done", ToolState.FAILED: "failed", ToolState.STOPPED: "stopped"}
_DONE = {TodoState.PENDING: "to do", TodoState.NOW: "begun", TodoState.DONE: "done"}


def result_line(block: ToolBlock) -> str:
    """Return the result of a call that is over or in the background, or "" where the lines below show it."""
    if block.state is ToolState.RUNNING:
        return "in the background" if block.background else ""
    if block.refused:
        return ""
    if block.task is not None and block.background and block.task.ended:
        return f"{_CALL_ENDS[block.state]} in the background"
    if block.state is ToolState.STOPPED:
        return "interrupted" if block.interrupted else _CALL_ENDS[block.state]
    return _failed(block) if block.state is ToolState.FAILED else _result(block)


def _failed(block: ToolBlock) -> str:
    if (reason := hook_refusal(block.output)) is not None:
        shown = isinstance(block.body, Excerpt | PlainText)
        return "refused by a hook" if shown else f"refused by a hook: {_failure(reason)}"
    if not isinstance(block.body, Excerpt | PlainText):
        return outcome(block.tool, uncoloured(block), block.structured, failed=True)
    found = bl.EXIT.match(block.output)
    return f"exit code {found[1]}" if found else "failed"


def _result(block: ToolBlock) -> str:
    record = block.structured if isinstance(block.structured, Mapping) else {}
    if block.card in EDITS:
        return _edited(block, record)
    if block.entry is not None:
        return _DONE[block.entry.doing]
    if block.card in (ToolCard.AGENT, ToolCard.TODOS) or isinstance(block.body, Excerpt):
        return ""
    if re.match(r"\A\[image[^\n\]]*\]\Z", block.output):
        return block.output[1:-1]
    fetched = _fetched(record) if block.card is ToolCard.WEB else ""
    return fetched or outcome(block.tool, uncoloured(block), block.structured, failed=False)


def _edited(block: ToolBlock, record: Mapping[str, Any]) -> str:
    if block.body is None:
        return "nothing changed"
    added, removed = counts(block.input, block.structured)
    if block.card is ToolCard.WRITE and record.get("type", "create") == "create":
        return f"new, {plural(added, 'line')}"
    return f"+{added} −{removed}"


def _fetched(record: Mapping[str, Any]) -> str:
    """Read the CLI's record of a page or a search."""
    if isinstance(record.get("code"), int):
        answer, size = f"{record['code']} {record.get('codeText') or ''}".strip(), record.get("bytes")
        return f"{answer}, {bytes_counted(size, exact=True)}" if isinstance(size, int) else answer
    results = record.get("results")
    if not isinstance(results, list):
        return ""
    links = (result.get("content") for result in results if isinstance(result, Mapping))
    return plural(sum(len(some) for some in links if isinstance(some, list)), "result")


def outcome(tool: str, output: str, structured: Any, *, failed: bool) -> str:
    """Return the outcome of a call in a few words, unsanitised."""
    if failed:
        return _failure(output)
    if isinstance(structured, Mapping) and (counted := _structured(tool, structured)):
        return counted
    output = output.strip()
    if not output or output == f"({tool} completed with no output)":
        return "no output"
    if "\n" not in output and len(output) <= 60:
        return output
    return plural(output.count("\n") + 1, "line")


def _failure(output: str) -> str:
    text = bl.ERROR_TAGS.sub("", output[:LIMIT]).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return "failed"
    if bl.EXIT.fullmatch(lines[0]):
        return ": ".join([lines[0].lower(), *lines[1:2]])
    return _refused_input(text) or lines[0]


def _refused_input(text: str) -> str:
    """Return what was wrong with a call's input where the CLI lists it as JSON."""
    head, _, listed = text.partition(": ")
    if head != "InputValidationError" or not listed.startswith("["):
        return ""
    try:
        problems = json.loads(listed)
    except (ValueError, RecursionError):
        return "invalid input"
    messages = [str(one["message"]) for one in problems if isinstance(one, dict) and one.get("message")]
    return ": ".join(["invalid input", *messages[:1]])


def _structured(tool: str, record: Mapping[str, Any]) -> str:
    """Read counts from the CLI's record where it has them."""
    file = record.get("file")
    if card_of(tool) is ToolCard.FILE and isinstance(file, Mapping) and isinstance(file.get("numLines"), int):
        # The CLI counts an empty line behind the line break at the end of a file.
        return plural(file["numLines"] - str(file.get("content", "")).endswith("\n"), "line")
    counted = {"content": ("numLines", "line"), "count": ("numMatches", "match")}
    usual = ("numFiles", "file") if "numFiles" in record else ("numMatches", "match")
    name, word = counted.get(str(record.get("mode")), usual)
    return plural(record[name], word) if isinstance(record.get(name), int) else ""

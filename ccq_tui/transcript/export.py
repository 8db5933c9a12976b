"""The transcript as a text: Markdown to read, JSON to process."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import lines
from ccq_tui.inbox.records import outcome_record
from ccq_tui.text import fenced
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.tools import main_argument

VERSION = 2
"""Version of the JSON form; it changes when a reader would have to change."""
Draw = Callable[[Iterable[bl.Block]], str]
"""Returns blocks as plain text, as they are drawn."""


def export_json(blocks: Iterable[bl.Block], *, session: Mapping[str, str], at: datetime, draw: Draw) -> str:
    """Return blocks as JSON: one object with ``version``, ``session``, ``exported_at`` and ``blocks``."""
    written = {
        "version": VERSION,
        "session": dict(session),
        "exported_at": at.isoformat(timespec="seconds"),
        "blocks": [_record(block, draw) for block in bl.with_inner(blocks)],
    }
    # Plain ASCII is equivalent, and acts on no terminal that it is printed on.
    return json.dumps(written, indent=2, default=str) + "\n"


def _record(block: bl.Block, draw: Draw) -> dict[str, Any]:
    kind = type(block).__name__.removesuffix("Block").lower()
    record: dict[str, Any] = {"kind": kind, "depth": block.depth}
    match block:
        case bl.PromptBlock():
            record |= {"text": block.text, "queued": block.queued}
        case bl.ProseBlock() | bl.ThinkingBlock():
            record["text"] = block.document.text
        case bl.ToolBlock():
            record |= {name: getattr(block, name) for name in ("id", "parent", "tool", "input")}
            record |= {"state": block.state.value, "seconds": round(block.seconds, 3), "text": block.output}
        case bl.QuestionBlock() | bl.FormBlock() | bl.PermissionBlock() | bl.PlanBlock():
            record |= kind_of(block.request).record(block.request)
            record |= {
                "id": block.request.tool_use_id,
                "outcome": outcome_record(block.outcome),
                "settled_at": block.settled.isoformat(timespec="seconds") if block.settled else None,
                "surface": block.actor.called if block.actor else "",
            }
        case bl.ResultBlock(event=event):
            record |= {"text": event.reason, "is_error": event.is_error, "seconds": event.duration}
            names = ("input_tokens", "output_tokens", "cost", "turn_cost")
            record |= {
                "waited_seconds": round(event.waited, 3),
                **{one: getattr(event, one) for one in names},
            }
        case bl.NoticeBlock():
            record |= {"level": block.level, "text": block.text}
        case bl.ErrorBlock():
            record |= {"error": block.kind, "text": block.text}
        case _:
            record["text"] = draw([block])
    return record


def export_markdown(
    blocks: Iterable[bl.Block], *, session: Mapping[str, str], at: datetime, draw: Draw
) -> str:
    """Return blocks as Markdown: prompts as quotes, prose as it came, the others under their names."""
    facts = " · ".join(value for value in session.values() if value)
    head = [f"# {session.get('name') or 'Session'}", f"{facts} · exported {at:%Y-%m-%d %H:%M}"]
    texts = (text for block in bl.with_inner(blocks) for text in _markdown(block, draw))
    return "\n\n".join([*head, *texts]) + "\n"


def _markdown(block: bl.Block, draw: Draw) -> Iterator[str]:
    match block:
        case bl.PromptBlock(text=text):
            yield "## ❯ Prompt"
            yield _quoted(text)
        case bl.ProseBlock(document=document):
            yield document.text.strip("\n")
        case bl.ThinkingBlock(document=document):
            yield f"<details><summary>Thinking</summary>\n\n{_quoted(document.text.strip())}\n\n</details>"
        case bl.ToolBlock():
            yield from _tool(block)
        case bl.PlanBlock(request=plan):
            yield f"### Plan · {_ended(block)}"
            yield plan.plan.strip("\n")
        case bl.QuestionBlock() | bl.FormBlock():
            yield f"### {block.called.capitalize()} · {_ended(block)}"
            parts = kind_of(block.request).document(block.request, block.outcome)
            yield fenced("\n".join(lines(parts)).strip())
        case bl.RuleBlock(text=text):
            yield f"---\n\n*{text}*"
        case _:
            yield fenced(draw([block]))


def _tool(block: bl.ToolBlock) -> Iterator[str]:
    yield f"### {block.tool} · {block.state.value}"
    if argument := main_argument(block.tool, block.input):
        yield fenced(argument)
    if block.output.strip():
        yield fenced(bl.uncoloured(block).rstrip())


def _ended(block: bl.RequestBlock) -> str:
    outcome = outcome_record(block.outcome)
    if outcome is None:
        return "waiting"
    text = outcome.get("text", "")
    return f"{outcome['kind']}: {text}" if text else outcome["kind"]


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))

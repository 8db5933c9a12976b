"""The page of a run: what it asks, with a form to answer, and what happened in it; without a script."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from markdown_it import MarkdownIt

from ccq_tui import signs
from ccq_tui.service.run import OVER, WORKS, Happened, Run, RunEvent, RunState
from ccq_tui.text import one_line, safe

MOST_EVENTS = 1_000
LONGEST = 20_000
WORDS = {
    RunState.QUEUED: f"{signs.QUEUED} It waits for room.",
    RunState.WORKING: f"{signs.WORKS} It works.",
    RunState.WAITING: f"{signs.WAITS} It waits for an answer.",
    RunState.PARKED: f"{signs.PARKED} It waits for an answer; no process runs.",
    RunState.ENDED: f"{signs.DONE} It is done; a message in its ticket continues it.",
    RunState.FAILED: f"{signs.FAILED} It failed; a message in its ticket continues it.",
    RunState.STOPPED: f"{signs.STOPPED} It was stopped; a message in its ticket continues it.",
}
POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
STYLE = Path(__file__).with_name("page.css").read_text("utf-8")
FIELD = (
    '<textarea name="text" rows="2" aria-label="Your answer" placeholder="Your answer" required></textarea>'
)
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("image")


def question_in(events: Sequence[RunEvent]) -> RunEvent | None:
    """Return what a run asks, of its events with the newest first; None if that was answered."""
    ends = (Happened.ASKED, Happened.ANSWERED, Happened.ENDED)
    last = next((one for one in events if one.kind in ends), None)
    return last if last is not None and last.kind is Happened.ASKED else None


def meant_by(question: RunEvent) -> str:
    """Return what `TicketMessage.meant` is for an answer to a question."""
    return f"{question.body['request']}:{question.body['number']}"


def run_page(run: Run, events: Sequence[RunEvent], *, sending: bool) -> str:
    """Return the page, as HTML in which every text is a text.

    Args:
        run: The run.
        events: What happened in it, the newest first.
        sending: Whether a message to it is still on its way.
    """
    question = None if run.state in OVER else question_in(events)
    asks = question is not None and not sending
    moves = sending or (run.state not in OVER and not asks)
    words = f"{signs.WAITS} It asks." if asks and run.state in WORKS else WORDS[run.state]
    place = " · ".join((run.id, run.repository, run.branch or "no branch yet"))
    parts = [
        f"<p><strong>{f'{signs.WORKS} A message is on its way.' if sending else words}</strong></p>",
        f"<p><small>Run {escaped(place)} {link(run.url, 'The ticket')}</small></p>",
    ]
    if asks and question is not None:
        asked = markdown(str(question.body["text"]))
        parts.append(f"<section>{asked}{_answering(question, run.machine)}</section>")
    if run.state not in OVER:
        parts.append(form('<input type="hidden" name="stop" value="1">', "Stop the run"))
    for event in events:
        if event is not question or not asks:
            head = event.body.get("end") if event.kind is Happened.ENDED else event.kind
            text = " ".join(str(event.body[one]) for one in ("text", "parameter") if event.body.get(one))
            at = f"{event.at:%Y-%m-%d %H:%M:%S} UTC"
            parts.append(f"<h2>{escaped(str(head))} <time>{at}</time></h2>{markdown(text)}")
    again, title = (
        '<meta http-equiv="refresh" content="2">' if moves else "",
        one_line(run.title or run.id, 200),
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">{again}<title>{escaped(title)}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css">'
        f"<main><h1>{escaped(title)}</h1>{''.join(parts)}</main>"
    )


def markdown(text: str) -> str:
    """Return Markdown as HTML, without images and without HTML of its own."""
    return str(_MARKDOWN.render(safe(text, limit=LONGEST)))


def _answering(question: RunEvent, machine: str) -> str:
    """Return the forms that answer a question: a button for each option, and a field."""
    if question.body.get("decides"):
        return "<p>Who may decide it does so in its ticket or in ccq-tui, not on this page.</p>"
    options = "".join(map(option, question.body["options"]))
    said = f'<input type="hidden" name="meant" value="{escaped(meant_by(question))}">'
    chosen = form(said + options) if options else ""
    name = escaped(str(question.body["request"]))
    also = f"Or in ccq-tui on {escaped(machine)}, or by <code>ccq-tui answer {name}</code>."
    return f"{chosen}{form(said + FIELD, 'Reply')}<p>{also}</p>"


def form(fields: str, button: str = "") -> str:
    """Return a form that is sent once, however often its button is pressed."""
    fields += f'<input type="hidden" name="id" value="{uuid4()}">'
    return f'<form method="post">{fields}{button and f"<button>{button}</button>"}</form>'


def option(text: str) -> str:
    """Return a button that sends a text."""
    return f'<button name="text" value="{escaped(text)}">{escaped(one_line(text, 200))}</button>'


def link(url: str, text: str) -> str:
    """Return a link, "" if its address is not of the web."""
    shown = f'<a rel="noreferrer" href="{escaped(url)}">{escaped(text)}</a>'
    return shown if url.startswith(("https://", "http://")) else ""


def escaped(text: str) -> str:
    """Return a text as HTML."""
    return html.escape(safe(text, limit=LONGEST))

"""The page of a run: what happened in it and what waits, as text without a script."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.service.run import Happened, Run, RunEvent, RunState
from ccq_tui.text import one_line, safe

REFRESH_SECONDS = 5
MOST_EVENTS = 1_000
LONGEST = 20_000
WORDS = {
    RunState.QUEUED: "It waits for room.",
    RunState.WORKING: "It works.",
    RunState.WAITING: "It waits for an answer.",
    RunState.PARKED: "It waits for an answer; no process runs.",
    RunState.ENDED: "It is done; it continues with a message to the ticket.",
    RunState.FAILED: "It failed.",
    RunState.STOPPED: "It was stopped.",
}
MOVING = (RunState.QUEUED, RunState.WORKING, RunState.WAITING)
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 1rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: .2rem 0 1rem }
h2 { font-size: 1rem; margin: 1rem 0 0 }
time { color: #666 }
@media (prefers-color-scheme: dark) {
  body { background: #111; color: #ddd } a { color: #9cf } time { color: #999 }
}
"""


def run_page(run: Run, events: Sequence[RunEvent], waiting: Iterable[StoredRequest]) -> str:
    """Return the page, as HTML in which every text is a text."""
    refresh = f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">' if run.state in MOVING else ""
    title = _text(one_line(run.title, 200) or run.id)
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        f'<meta name="viewport" content="width=device-width">{refresh}<title>{title}</title>',
        f'<link rel="stylesheet" href="/page.css"><h1>{title}</h1>',
        f"<p><strong>{WORDS[run.state]}</strong></p>",
        f"<p>Run {run.id} · {_text(run.repository)} · {_text(run.branch or 'no branch yet')}</p>",
    ]
    if run.url.startswith(("https://", "http://")):
        parts.append(f'<p><a rel="noreferrer" href="{_text(run.url)}">The ticket</a></p>')
    for one in waiting:
        name = _text(one.request.id)
        lines = "\n".join(kind_of(one.request).plain_text(one.request, None))
        parts.append(f"<h2>Waits for an answer</h2><pre>{_text(lines)}</pre>")
        parts.append(
            f"<p>Answer in the ticket, in any ccq-tui, or by <code>ccq-tui answer {name}</code>.</p>"
        )
    for event in events:
        head = event.body.get("end") if event.kind is Happened.ENDED else event.kind
        text = str(event.body.get("text", ""))
        if parameter := event.body.get("parameter"):
            text = f"{text} {parameter}"
        at = f"{event.at:%Y-%m-%d %H:%M:%S} UTC"
        parts.append(f"<h2>{_text(str(head))} <time>{at}</time></h2><pre>{_text(text)}</pre>")
    return "\n".join(parts)


def _text(text: str) -> str:
    return html.escape(safe(text, limit=LONGEST))

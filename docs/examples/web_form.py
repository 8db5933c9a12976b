"""Another surface: what waits in the inbox of this machine, as web forms on loopback.

Usage: python web_form.py [PORT]

Open http://127.0.0.1:8123/. A form asks one question; the grammar of typed answers reads what is sent, the
draft keeps it for all surfaces, and the last question settles the request. What lasts is not granted here.
"""

from __future__ import annotations

import asyncio
import sys
from html import escape
from urllib.parse import parse_qs, quote

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from ccq_tui.answering.document import question_blocks
from ccq_tui.answering.grammar import TypedError, read_line
from ccq_tui.answering.interview import Interview
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import QUOTED, lines
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.verdicts import AlreadySettled, InvalidOutcome
from ccq_tui.text import one_line

ME = Actor.here(Surface.PROGRAM, "a web form")
MOST = 100
"""Most requests that are listed."""


def page(*parts: str) -> Response:
    """Return a page of parts of HTML."""
    return HTMLResponse("\n".join(["<!doctype html><meta charset=utf-8><title>Inbox</title>", *parts]))


class WebForms:
    """Asks what waits in an inbox."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        routes = [Route("/", self.listed), Route("/{name:path}", self.asked, methods=["GET", "POST"])]
        # Another website must not answer, nor a name that it lets point here.
        here = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1"])
        self.app = Starlette(routes=routes, middleware=[here])

    async def listed(self, _web: Request) -> Response:
        """List what waits."""
        waiting = await self._inbox.run(lambda store: store.requests.waiting(limit=MOST))
        named = (
            (one.request.id, one_line(kind_of(one.request).summary(one.request), QUOTED)) for one in waiting
        )
        rows = (f'<li><a href="/{quote(name)}">{escape(words)}</a>' for name, words in named)
        return page("<h1>Inbox</h1><ul>", *rows, "</ul>")

    async def asked(self, web: Request) -> Response:
        """Ask the next question of a request, or take its answer."""
        opened = await self._inbox.open(web.path_params["name"])
        if opened is None or not opened.is_pending:
            return RedirectResponse("/", 303)
        questions = kind_of(opened.request).asked(opened.request).offered(lasting=False).questions
        one, why = Interview.of(questions, opened.shown, reviews=False).review(), ""
        if web.method == "POST":
            if web.headers.get("origin") != str(web.base_url).rstrip("/"):
                return Response("Send the form from its own page.", 403)
            text = parse_qs((await web.body()).decode()).get("answer", [""])[0]
            try:
                return await self._take(opened, one.answer_question(read_line(one.state.page.question, text)))
            except (TypedError, InvalidOutcome) as error:
                why = f"Nothing was sent: {error}"
        about = kind_of(opened.request).document(opened.request, None)
        shown = question_blocks(one.state.page.question) if one.count > 1 else about
        form = "<form method=post><input name=answer autofocus><button>Answer</button></form>"
        return page(f"<pre>{escape(chr(10).join(lines(shown)))}</pre><p>{escape(why)}</p>", form)

    async def _take(self, opened: OpenRequest, one: Interview) -> Response:
        """Keep an answer, settle with the last one, and say if another was faster."""
        if one.state.outcome is None:
            opened.type(one.state, ME)
            return RedirectResponse(f"/{quote(opened.request.id)}", 303)
        verdict = await opened.settle_by(one.state.outcome, ME)
        if isinstance(verdict, AlreadySettled):
            return page("<p>It was answered elsewhere; nothing was sent. <a href=/>Inbox</a></p>")
        return RedirectResponse("/", 303)


async def serve(port: int) -> None:
    """Serve the forms until Ctrl+C."""
    inbox = await Inbox.connect(inbox_path())
    try:
        server = uvicorn.Server(uvicorn.Config(WebForms(inbox).app, "127.0.0.1", port, log_level="warning"))
        await server.serve()
    finally:
        await inbox.close()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8123))

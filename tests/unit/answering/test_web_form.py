"""The example of another surface: one module over document, grammar, interview and open request."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Allowed, PermissionRequest, QuestionRequest
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet

EXAMPLE = Path(__file__).parents[3] / "docs/examples/web_form.py"
HERE = "http://127.0.0.1:8123"
NUMBERS = Question("How many?", "Count", (Option("2"), Option("3", "the <b>usual</b>"), Option("4")))
STORE = Question("Which store?", "Store", (Option("Redis"), Option("SQLite")))


def example() -> Any:
    spec = spec_from_file_location("web_form", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(module := module_from_spec(spec))
    return module


async def test_a_surface_of_one_module_asks_and_settles_as_all_others(tmp_path: Path) -> None:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    transport = httpx.ASGITransport(app=example().WebForms(inbox).app)
    async with (
        httpx.AsyncClient(transport=transport, base_url=HERE, headers={"origin": HERE}) as web,
        inbox.asking(QuestionRequest("q1", "s", QuestionSet("q1", (NUMBERS, STORE)))) as asked,
        inbox.asking(PermissionRequest("p1", "s", "Bash", {"command": "ls <x>"})) as permission,
    ):
        await asked.added()
        await permission.added()
        question, command = quote(asked.request.id), quote(permission.request.id)

        async def sent(name: str, answer: str, **headers: str) -> httpx.Response:
            return await web.post(f"/{name}", data={"answer": answer}, headers=headers)

        listed = (await web.get("/")).text
        assert (listed.count("<li>"), f'<a href="/{question}">How many?</a>' in listed) == (2, True)
        shown = (await web.get(f"/{question}")).text
        assert "b  3: the &lt;b&gt;usual&lt;/b&gt;" in shown
        assert "Nothing was sent: " in (await sent(question, "1")).text, "a number that misleads is no option"
        assert (await sent(question, "2")).status_code == 303
        assert "Which store?" in (await web.get(f"/{question}")).text
        assert (await sent(question, "own words")).headers["location"] == "/"
        assert await asked.outcome() == Answered((Answer(("2",)), Answer(other="own words")))
        assert "command: ls &lt;x&gt;" in (await web.get(f"/{command}")).text
        assert (await sent(command, "y", origin="http://evil.example")).status_code == 403
        assert (await web.get(f"/{command}", headers={"host": "evil.example"})).status_code == 400
        assert permission.is_pending
        await sent(command, "y")
        assert await permission.outcome() == Allowed()
        assert (await web.get(f"/{command}")).headers["location"] == "/"
    await inbox.close()

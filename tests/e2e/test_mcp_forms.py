"""Forms over MCP, filled in by the person in the inbox."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccq_tui.forms.output import read_records
from tests.e2e.asking import Desk
from tests.e2e.test_mcp import text_of
from tests.unit.forms.test_reading import RELEASE
from tests.unit.worktrees.repositories import run

CONTEXT = {"commit": "3f2a"}
ANSWERS = {
    "kind": {"value": "x", "label": "Major"},
    "why": None,
    "areas": {"values": ["Docs"], "labels": ["Docs"]},
    "sure": {"value": True, "label": "Yes"},
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.make(tmp_path) as made:
        (made.project / "release.toml").write_text(RELEASE, "utf-8")
        yield made


async def test_the_person_fills_in_a_form_in_the_inbox(desk: Desk) -> None:
    async with desk.client() as client:
        arguments = {"form": "./release.toml", "context": CONTEXT}
        asking = asyncio.ensure_future(client.call_tool("ask_user", arguments))
        (request,) = await desk.waiting()
        shown = await asyncio.to_thread(desk.run, "show", request)
        assert "Release notes" in shown
        assert "commit: 3f2a" in shown
        answers = [{"selected": ["Major"]}, None, {"selected": ["Docs"]}, None, {"selected": ["Yes"]}, None]
        (desk.project / "given.json").write_text(json.dumps({"answers": answers}), "utf-8")
        await asyncio.to_thread(desk.run, "answer", request, "--json", "given.json")
        found = (await asking).structured_content or {}
        assert (found["outcome"], found["record"]["answers"]) == ("answered", ANSWERS)
        assert found["record"]["context"] == CONTEXT
        asking = asyncio.ensure_future(client.call_tool("ask_user", arguments))
        (request,) = await desk.waiting()
        await asyncio.to_thread(desk.run, "decline", request)
        declined = (await asking).structured_content or {}
        assert (declined["outcome"], "record" in declined) == ("declined", False)
        result = await client.call_tool("ask_user", arguments | {"questions": [{"question": "q"}]})
        assert "give either questions or a form" in text_of(result)


async def test_a_reflection_given_in_the_inbox_is_written_to_the_file_of_the_repository(desk: Desk) -> None:
    run(desk.project, "init", "-q")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    run(desk.project, *who, "commit", "-q", "--allow-empty", "-m", "Mend it")
    question = {"id": "feedback", "text": "What should I know?", "kind": "text"}
    form = {"form": {"id": "commit-reflection", "questions": [question]}}
    async with desk.client() as client:
        asking = asyncio.ensure_future(client.call_tool("ask_user", form))
        (request,) = await desk.waiting()
        await asyncio.to_thread(desk.run, "answer", request, "--other", "Run the tests first")
        record = ((await asking).structured_content or {})["record"]
        assert read_records(str(desk.project / ".commit-reflections.jsonl")).records == [record]
        assert "has a reflection of" in text_of(await client.call_tool("ask_user", form))

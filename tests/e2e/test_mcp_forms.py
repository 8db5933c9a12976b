"""Forms over MCP: filled in by a client in turns, or by the person in the inbox; and the feedback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, types

from ccq_tui.forms.output import read_records
from tests.e2e.asking import Desk
from tests.e2e.test_mcp import text_of
from tests.steps import step
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
    made = Desk.make(tmp_path)
    (made.project / "release.toml").write_text(RELEASE, "utf-8")
    yield made
    assert made.left_over() == [], "no process is left over"


async def test_a_client_fills_in_forms_in_turns(desk: Desk) -> None:
    async with desk.client() as client, desk.client() as second:

        async def call(tool: str, *, by: Client = client, **arguments: Any) -> tuple[str, dict[str, Any]]:
            result = await by.call_tool(tool, arguments)
            return text_of(result), result.structured_content or {}

        with step("the first question, with what is allowed"):
            given = {"form": "./release.toml", "context": CONTEXT, "output": "out.jsonl"}
            text, state = await call("start_form", **given)
            question, form_id = state["question"], state["form_id"]
            assert (question["id"], question["number"], state["total"]) == ("kind", 1, 4)
            assert (question["required"], question["proposed"]) == (True, ["Major"])
            assert text.startswith(
                f"Release notes\n{state['description']}\ncommit: 3f2a\nQuestion 1 of 4 of the form"
            )
            assert state["title"] == "Release notes"
            assert state["description"].startswith("For the people who use it.\n")
            assert "2  Minor: features" in text
        with step("a wrong answer leaves the question, and says what is allowed"):
            for _ in range(2):
                wrong = {"form_id": form_id, "question": "kind", "answer": "Huge"}
                result = await client.call_tool("answer_form", wrong)
                state = result.structured_content or {}
                assert (result.is_error, state["question"]["id"]) == (True, "kind")
                assert state["error"].startswith("no option “Huge”: choose 1 Major, 2 Minor")
                await call("answer_form", form_id=form_id, question="kind", answer="Minor")
        with step("parallel ones are apart, and each goes on in any process"):
            number = {"id": "a", "text": "A?", "kind": "number"}
            other = (await call("start_form", form={"id": "f", "questions": [number]}))[1]["form_id"]
            asked = []
            for question, answer in (("kind", 1), ("why", None), ("areas", ["docs"]), ("sure", True)):
                given = {"form_id": form_id, "question": question, "answer": answer}
                text, state = await call("answer_form", by=second, **given)
                asked.append(state.get("question", {}).get("id"))
            assert asked == ["why", "areas", "sure", None]
            assert text == "Every question is answered. Call complete_form."
        with step("the record is written once, and returned"):
            record = (await call("complete_form", form_id=form_id))[1]["record"]
            assert (record["form"], record["context"], record["answers"]) == ("release", CONTEXT, ANSWERS)
            assert (await call("complete_form", form_id=form_id))[1]["record"] == record
            assert read_records(str(desk.project / "out.jsonl")).records == [record]
        with step("cancelled, nothing is left of it"):
            text, _ = await call("cancel_form", form_id=other)
            assert text == "The form is cancelled; nothing was written."
            text, _ = await call("answer_form", form_id=other, question="a", answer=1)
            assert "no open form has this id" in text
        for arguments, said in (
            ({"form": "none"}, "none: no form has this name; there are commit-reflection"),
            ({"form": {"id": "f", "questions": [{"id": "a"}]}}, "form: question 1, text: is missing; form: "),
            ({"form": "-"}, "form: expected the name of a form"),
            ({"form": "commit-reflection", "output": "."}, "is a directory; name a file in it"),
            ({"form": "commit-reflection", "context": {"a": 1}}, "context: expected an object of texts"),
        ):
            result = await client.call_tool("start_form", arguments)
            assert result.is_error
            assert said in text_of(result)


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


async def test_a_client_reads_the_feedback_on_recent_commits(desk: Desk) -> None:
    async with desk.client() as client:
        (resource,) = (await client.list_resources()).resources

        async def read() -> str:
            (content,) = (await client.read_resource(resource.uri)).contents
            assert isinstance(content, types.TextResourceContents)
            return content.text

        assert await read() == "No feedback on recent commits."
        run(desk.project, "init", "-q")
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        run(desk.project, *who, "commit", "-q", "--allow-empty", "-m", "Mend it")
        with step("a reflection that the person gives in the inbox is written to the repository's file"):
            question = {"id": "feedback", "text": "What should I know?", "kind": "text"}
            form = {"form": {"id": "commit-reflection", "questions": [question]}}
            asking = asyncio.ensure_future(client.call_tool("ask_user", form))
            (request,) = await desk.waiting()
            await asyncio.to_thread(desk.run, "answer", request, "--other", "Run the tests first")
            record = ((await asking).structured_content or {})["record"]
            assert read_records(str(desk.project / ".commit-reflections.jsonl")).records == [record]
            assert "has a reflection of" in text_of(await client.call_tool("ask_user", form))
        text = await read()
        assert text.startswith("## Feedback on recent commits")
        assert "Mend it: Run the tests first" in text
        with pytest.raises(MCPError, match="Unknown resource: there is ccq://feedback"):
            await client.read_resource("ccq://other")

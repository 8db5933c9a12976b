"""Real MCP clients ask over stdio and HTTP, and are answered by keyboard and by command."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import MCPError, types

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.questions import Answer, Answered
from tests import hostile
from tests.e2e.asking import BareClient, Desk, selected
from tests.e2e.over_http import over_http
from tests.e2e.terminal import LIMIT, Terminal
from tests.steps import step, until_true

LETTER = {"question": "Which letter?", "header": "Letter", "options": [{"label": "A"}, {"label": "B"}]}
WIDE = {"label": "Wide (Recommended)", "description": "fills the screen", "preview": "+-+\n| |\n+-+"}
CHECKS = [{"label": label} for label in ("Lint", "Types", "Tests")]
SHARDS = {"question": "How many shards?", "header": "Shards", "kind": "number", "min": 1, "max": 9}
ALL_KINDS = {
    "title": "Before the release",
    "questions": [
        {"question": "Which layout?", "header": "Layout", "options": [WIDE, {"label": "Narrow"}]},
        {"question": "Which checks?", "header": "Checks", "multiSelect": True, "options": CHECKS},
        {"question": "What is it called?", "header": "Name", "kind": "text"},
        SHARDS | {"unit": "shards"},
    ],
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.make(tmp_path) as made:
        yield made


def structured(result: types.CallToolResult) -> dict[str, Any]:
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def answer_all_kinds(terminal: Terminal) -> None:
    """Answer the four questions by keys alone."""
    terminal.wait("Before the release").press("right").wait_panel("Which layout?")
    assert "─ Codex: Before the release ─ ◆ Layout ─ ☐ Checks ─" in terminal.panel
    assert "Claude" not in terminal.text
    terminal.press("2").wait(lambda seen: "● 2  Narrow" in seen.panel)
    terminal.press("n").type("keep it small").press("enter").wait("Enter choose Narrow")
    terminal.press("enter").wait(lambda seen: "Which checks?" in seen.panel)
    terminal.press("1 3 enter").wait(lambda seen: "What is it called?" in seen.panel)
    terminal.type("Wörter, 一").press("enter").wait(lambda seen: "How many shards?" in seen.panel)
    terminal.type("5").press("enter").wait(lambda seen: "→    Submit" in seen.panel)
    terminal.press("enter").wait("Codex collects it from the inbox")


ANSWERS = [
    {"question": "Which layout?", "selected": ["Narrow"], "other": "", "note": "keep it small"},
    {"question": "Which checks?", "selected": ["Lint", "Tests"], "other": "", "note": ""},
    {"question": "What is it called?", "selected": [], "other": "Wörter, 一", "note": ""},
    {"question": "How many shards?", "selected": [], "other": "5", "note": "", "number": 5},
]
ANSWER_TEXT = Path(__file__).with_name("mcp_answer.txt").read_text(encoding="utf-8")


async def test_clients_over_stdio_are_answered_by_keyboard_and_by_command(desk: Desk) -> None:
    received: list[tuple[float, str]] = []

    async def receive(progress: float, _total: float | None, message: str | None) -> None:
        received.append((progress, message or ""))

    async with desk.client() as client:
        with step("it names itself and its tools"):
            assert (client.server_info.name, client.server_capabilities.tools) == (
                "ccq-tui",
                types.ToolsCapability(list_changed=False),
            )
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools][:3] == ["ask_user", "notify_user", "list_requests"]
        with step("nobody looks: it waits, and the progress says so"):
            call = asyncio.ensure_future(client.call_tool("ask_user", ALL_KINDS, progress_callback=receive))
            (request,) = await desk.waiting()
            await until_true(lambda: received)
            assert received[0][1].startswith("No ccq-tui is open: the question waits in its inbox")
            listed = structured(await client.call_tool("list_requests", {}))
            assert listed["answered"] == []
            assert [one["title"] for one in listed["waiting"]] == ["Before the release"]
        with desk.inbox() as terminal:
            with step("answered by keyboard"):
                await asyncio.to_thread(answer_all_kinds, terminal)
                result = await call
                given = structured(result)
                assert given.pop("answered_at")
                assert given == {"outcome": "answered", "request": request, "answers": ANSWERS}
                assert text_of(result) == ANSWER_TEXT
                assert not result.is_error
                await until_true(lambda: desk.stored(request).state is RequestState.DELIVERED)
                assert desk.stored(request).request.origin.directory == str(desk.project)
            with step("somebody looks: the progress says so, and a notification is shown"):
                received.clear()
                call = asyncio.ensure_future(
                    client.call_tool("ask_user", {"questions": [LETTER]}, progress_callback=receive)
                )
                await asyncio.to_thread(terminal.wait, "Which letter?")
                await until_true(lambda: received)
                assert received[0][1].startswith("Waiting for the user to answer in ccq-tui")
                notified = await client.call_tool("notify_user", {"message": "half of it is built"})
                assert text_of(notified) == "The user was told."
                await asyncio.to_thread(terminal.wait, "Codex: half of it is built")
            with step("answered by command: the screen closes it"):
                (request,) = await desk.waiting()
                await asyncio.to_thread(desk.run, "answer", request, "--choose", "2", "--note", "by hand")
                assert selected(await call) == [["B"]]
                await asyncio.to_thread(terminal.wait_absent, "Which letter?")
            with step("a client among hostile texts"):
                await hostile_text_is_harmless_and_bounded(desk, terminal)


async def hostile_text_is_harmless_and_bounded(desk: Desk, terminal: Terminal) -> None:
    """Ask, tell and send what is hostile."""
    mark = hostile.MARK
    question = {
        "question": f"{mark} [bold]Which?[/bold]",
        "header": mark,
        "description": mark,
        "options": [{"label": f"{mark} A", "description": mark, "preview": mark}, {"label": "[red]B"}],
    }
    terminal.resize((110, 60))
    with BareClient(desk, f"{mark}agent") as client:
        number = client.ask(question)
        await asyncio.to_thread(terminal.wait, "[bold]Which?[/bold]")
        terminal.press("right")
        await asyncio.to_thread(terminal.wait_panel, "Which?")
        terminal.press("2")
        await asyncio.to_thread(terminal.wait, "● 2  [red]B")
        terminal.press("enter")
        result = await asyncio.to_thread(client.result, number)
        assert selected(result) == [["[red]B"]]
        assert result["structuredContent"]["answers"][0]["question"] == question["question"], "exact"
        assert "told" not in terminal.text
        client.send("tools/call", {"name": "notify_user", "arguments": {"message": f"told{mark}"}})
        await asyncio.to_thread(terminal.wait, "told")
        assert b"OWNED\x07" not in terminal.raw
        assert not hostile.FORGED.search(terminal.text)
        with step("megabytes, no JSON and nonsense are refused, each by its id, and the next call is served"):
            huge = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {"x": "y" * 5_000_000}}
            client.write(huge)
            error = (await asyncio.to_thread(client.answer, 77))["error"]
            assert error["code"] == -32602
            result = await asyncio.to_thread(client.result, client.ask({"question": "x" * 300_000}))
            assert "at most 200,000 are taken" in result["content"][0]["text"]
            for nonsense in (b"no JSON", b"[" * 50_000, b"\xff\xfe"):
                client.write(nonsense)
                assert (await asyncio.to_thread(client.read))["error"]["code"] == -32700
            for name, given in (("null", None), ("1.5", 1.5), ("1e400", None), ("true", None), ("[]", None)):
                client.write(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % name.encode())
                answer = await asyncio.to_thread(client.read)
                assert (answer["id"], answer["error"]["code"]) == (given, -32600), "nobody waits for ever"
            for part in (b'"params":5', b'"params":{"name":"ask_user","arguments":{"title":"\\ud83d"}}'):
                client.write(b'{"jsonrpc":"2.0","id":78,"method":"tools/call",%s}' % part)
                error = (await asyncio.to_thread(client.answer, 78))["error"]
                assert (error["code"], "half of a character" in error["message"]) == (-32600, True)
            for _ in range(25):
                number = client.send("tools/call", {"name": "notify_user", "arguments": {"message": "again"}})
            result = await asyncio.to_thread(client.result, number)
            assert "more than 20 notifications in a minute" in result["content"][0]["text"]
    printed = await asyncio.to_thread(desk.run, "history")
    assert not hostile.FORBIDDEN.search(printed)


async def test_calls_are_withdrawn_left_and_asked_again(desk: Desk) -> None:
    with BareClient(desk) as client:
        assert client.hello["serverInfo"]["name"] == "ccq-tui"
        with step("a cancelled call closes its request, with its client's name"):
            number = client.ask(LETTER)
            (request,) = await desk.waiting()
            client.tell("notifications/cancelled", requestId=number, reason="the user pressed Esc")
            await desk.waiting(0)
            stored = desk.stored(request)
            assert stored.outcome == Cancelled("withdrawn by Codex")
            assert stored.actor.where == "in Codex"
        with step("one that is cancelled before it is written, too"):
            number = client.ask(LETTER, {"question": "And then?"})
            client.tell("notifications/cancelled", requestId=number)
        with step("asked again it waits anew, and nothing else does"):
            client.ask(LETTER)
            await until_true(lambda: desk.waits() == [request])
    with step("the client is gone: its question waits on, and its server has ended"):
        assert client.server.wait(timeout=LIMIT) == 0
        assert await desk.waiting() == [request]
        shown = await asyncio.to_thread(desk.run, "answer", request, "--choose", "1", "--note", "late")
        assert "Codex has ended; it gets the answer when it asks the same again." in shown
    with BareClient(desk, "cursor-vscode") as other, step("another client does not get the answer"):
        other.ask(LETTER)
        (others,) = await desk.waiting()
        assert others != request
        listed = await asyncio.to_thread(
            other.result, other.send("tools/call", {"name": "list_requests", "arguments": {}})
        )
        assert listed["structuredContent"]["answered"] == []
        await asyncio.to_thread(desk.run, "decline", others)
    with BareClient(desk) as client, step("the same client gets it at once, and only once"):
        result = await asyncio.to_thread(client.result, client.ask(LETTER))
        assert selected(result) == [["A"]]
        assert result["structuredContent"]["request"] == request
        await until_true(lambda: desk.stored(request).state is RequestState.DELIVERED)
        number = client.ask(LETTER)
        (again,) = await desk.waiting()
        late = await asyncio.to_thread(desk.run, "answer", request, "--choose", "2", code=3)
        assert "was already answered by ccq-tui answer" in late, (
            "an answer to the first is none to the second"
        )
        await asyncio.to_thread(desk.run, "decline", again)
        result = await asyncio.to_thread(client.result, number)
        assert result["structuredContent"]["outcome"] == "declined"


async def test_a_server_is_killed_at_odd_moments(desk: Desk) -> None:
    with step("as it is asked: either it waits, or it was never asked, and then it is"):
        client = BareClient(desk)
        client.ask(LETTER)
        killed(client)
        client = BareClient(desk)
        number = client.ask(LETTER)
        (request,) = await desk.waiting()
        await asyncio.to_thread(desk.run, "answer", request, "--choose", "2")
        assert selected(await asyncio.to_thread(client.result, number)) == [["B"]]
        number = client.ask(LETTER)
        (request,) = await desk.waiting()
    with step("while it waits: its request keeps its place"):
        killed(client)
        client = BareClient(desk)
        number = client.ask(LETTER)
        await until_true(lambda: client.server.pid == owner_of(desk, request))
        assert desk.waits() == [request]
    for delay in (0.0, 0.1):
        with step(f"{delay} s after it is answered: the answer is in the pipe or given next"):
            await until_true(lambda: client.server.pid == owner_of(desk, request))  # noqa: B023 - it is awaited
            desk.store.requests.settle(request, Answered((Answer(("A",)),)), Actor(Surface.PROGRAM))
            await asyncio.sleep(delay)
            given = [one["result"] for one in killed(client) if one.get("id") == number]
            client = BareClient(desk)
            listed = await asyncio.to_thread(
                client.result, client.send("tools/call", {"name": "list_requests", "arguments": {}})
            )
            unmarked = [{"structuredContent": one} for one in listed["structuredContent"]["answered"]]
            given += unmarked  # both, where it was killed after it wrote it and before it noted that
            assert given
            assert all(selected(one) == [["A"]] for one in given)
            await until_true(lambda: desk.stored(request).state is RequestState.DELIVERED)  # noqa: B023 - as above
            number = client.ask(LETTER)
            if unmarked:
                answer = await asyncio.to_thread(client.result, number)
                assert selected(answer) == [["A"]], "what was read in the list answers the same call once"
                number = client.ask(LETTER)
            before, (request,) = request, await desk.waiting()
            assert request != before, "it was given: now it is asked anew"
    with client, step("a client that reads nothing and leaves leaves no server"):
        for _ in range(40):  # more than a pipe holds
            client.send("tools/list", {})


def killed(client: BareClient) -> list[dict[str, Any]]:
    """Kill a client's server; return what it had written."""
    client.kill_server()
    rest = client.rest()
    client.leave()
    return rest


def owner_of(desk: Desk, request: str) -> int:
    """Return the process that takes the outcome of a request that waits."""
    stored = desk.stored(request)
    return stored.request.origin.process.pid if stored.state is RequestState.PENDING else 0


async def test_clients_over_http(desk: Desk) -> None:
    async with desk.serving() as (url, headers):
        with step("only with the token, and only from this machine's own names"):
            async with httpx2.AsyncClient() as http:
                hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                accept = {"Accept": "application/json, text/event-stream"}

                async def status(**more: str) -> int:
                    answer = await http.post(url, json=hello, headers={**accept, **more})
                    return answer.status_code

                token = headers["Authorization"]
                assert await status() == 401
                assert await status(Authorization="Bearer wrong") == 401
                assert await status(Authorization=token, Host="evil.example") == 421
                assert await status(Authorization=token, Origin="https://evil.example") == 403
                elsewhere = await http.get(url.replace("/mcp", "/"), headers={"Authorization": token})
                assert elsewhere.status_code == 404
        with step("a call that times out closes its request"):
            async with over_http(url, headers) as client:
                with pytest.raises(MCPError, match="timed out"):
                    await client.call_tool("ask_user", {"questions": [LETTER]}, read_timeout_seconds=1.0)
                await desk.waiting(0)
        with step("a client that dies leaves it, and gets the answer when it asks again where it works"):
            await dies_while_it_waits(f"{url}?directory=/srv/shop", headers, desk)
            (request,) = await desk.waiting()
            assert desk.stored(request).request.origin.directory == "/srv/shop"
            await asyncio.to_thread(desk.run, "answer", request, "--choose", "2")
            async with over_http(url, headers) as client:
                listed = structured(await client.call_tool("list_requests", {}))
                assert listed == {"waiting": [], "answered": []}, "nobody knows where it works"

            async def roots(_context: object) -> types.ListRootsResult:
                return types.ListRootsResult(roots=[types.Root(uri="file:///srv/shop")])

            async with over_http(url, headers, list_roots_callback=roots) as client:
                result = await client.call_tool("ask_user", {"questions": [LETTER]})
                assert (structured(result)["request"], selected(result)) == (request, [["B"]])
        with step("a protocol without sessions"):
            async with over_http(f"{url}?directory=/a", headers, mode="auto") as client:
                call = asyncio.ensure_future(client.call_tool("ask_user", {"questions": [LETTER]}))
                (request,) = await desk.waiting()
                await asyncio.to_thread(desk.run, "answer", request, "--choose", "1")
                assert selected(await call) == [["A"]]
                await until_true(lambda: desk.stored(request).state is RequestState.DELIVERED)
                await dies_while_it_waits(f"{url}?directory=/a", headers, desk, mode="auto")
                (request,) = await desk.waiting()
    assert await desk.waiting() == [request], "the server has ended, and what waits waits on"


async def dies_while_it_waits(url: str, headers: dict[str, str], desk: Desk, mode: str = "legacy") -> None:
    """Ask, and vanish without a word."""
    words = ("-m", "tests.e2e.over_http", json.dumps([url, headers, mode, LETTER]))
    process = await asyncio.create_subprocess_exec(sys.executable, *words, cwd=Path(__file__).parents[2])
    await desk.waiting()
    process.kill()
    await process.wait()


async def test_a_protocol_without_a_handshake_over_stdio(desk: Desk) -> None:
    async with desk.client("auto") as client:
        call = asyncio.ensure_future(client.call_tool("ask_user", {"questions": [LETTER]}))
        (request,) = await desk.waiting()
        await asyncio.to_thread(desk.run, "answer", request, "--choose", "1")
        assert selected(await call) == [["A"]]
        await until_true(lambda: desk.stored(request).state is RequestState.DELIVERED)
        with pytest.raises(MCPError, match="timed out"):
            await client.call_tool("ask_user", {"questions": [LETTER]}, read_timeout_seconds=1.0)
        await desk.waiting(0)


def test_a_client_that_leaves_at_once_leaves_nothing(desk: Desk) -> None:
    for text in ("", '\nno JSON\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'):
        answers = map(json.loads, desk.run("mcp", lines=text).splitlines())
        assert [one["error"]["code"] for one in answers] == [-32700] * bool(text)

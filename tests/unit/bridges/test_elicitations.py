"""The Elicitation hook: from the input that Claude Code gives it to what it prints."""

from __future__ import annotations

import io
import json
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.bridges.claude_code import waiting_hook
from ccq_tui.bridges.claude_code.hook import run_hook
from ccq_tui.bridges.claude_code.hook_input import read_hook_input
from ccq_tui.bridges.claude_code.hook_requests import decision_of, request_of
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.requests import Asker, Cancelled, ElicitationRequest, RequestOutcome
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, Declined, Dismissed
from ccq_tui.questions.schema_form import ACCEPT_LINK

SAID: dict[str, Any] = {
    "session_id": "f51476bb-37c8-45d6-aaf2-73967212db9f",
    "transcript_path": "/home/me/.claude/projects/-srv/f51476bb.jsonl",
    "cwd": "/srv",
    "prompt_id": "5c596b3c-f3c7-4994-831b-76980d826758",
    "hook_event_name": "Elicitation",
    "mcp_server_name": "deploy",
    "message": "Please give details",
    "mode": "form",
    "requested_schema": {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 10}, "count": {"type": "integer"}},
        "required": ["name"],
    },
}
LINK = {"mcp_server_name": "deploy", "message": "Sign in", "mode": "url", "url": "https://example.com/a"}


def asked(**said: Any) -> ElicitationRequest:
    hook = read_hook_input(io.BytesIO(json.dumps(SAID | said).encode()))
    request = request_of(hook, "hook_1")
    assert isinstance(request, ElicitationRequest)
    return request


def printed(outcome: RequestOutcome, **said: Any) -> Any:
    request = asked(**said)
    check_outcome(request, outcome)
    hook = read_hook_input(io.BytesIO(json.dumps(SAID | said).encode()))
    output = decision_of(hook, request, outcome)
    return output and output["hookSpecificOutput"]


def test_what_a_native_session_asks_is_a_request_of_its_hook() -> None:
    request = asked()
    assert (request.server, request.message) == ("deploy", "Please give details")
    assert request.session_id == f"hook:{SAID['session_id']}"
    assert (request.origin.asker, request.origin.directory) == (Asker.HOOK, "/srv")
    assert request.origin.process == this_process()
    assert [field.name for field in request.form.fields] == ["name", "count"]


def test_each_outcome_is_printed_as_claude_code_takes_it() -> None:
    accepted = {"hookEventName": "Elicitation", "action": "accept", "content": {"name": "Ada", "count": 5}}
    assert printed(Answered((Answer(other="Ada"), Answer(other="5")))) == accepted
    assert printed(Declined()) == {"hookEventName": "Elicitation", "action": "decline"}
    assert printed(Dismissed()) == {"hookEventName": "Elicitation", "action": "cancel"}
    assert printed(Cancelled("its session has ended")) is None
    opened = Answered((Answer(selected=(ACCEPT_LINK,)),))
    assert printed(opened, **LINK) == {"hookEventName": "Elicitation", "action": "accept"}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"requested_schema": "no"}, "it has no schema"),
        ({"requested_schema": {"properties": {"x": {"title": "y" * 300_000}}}}, "more than 262,144"),
        ({"mode": "voice"}, "it is of the kind “voice”"),
        (LINK | {"url": "javascript:alert(1)"}, "no address of a web page"),
        (LINK | {"url": "https://"}, "no address of a web page"),
        (LINK | {"url": "https://a.example/\x1b[2J"}, "no address of a web page"),
        (LINK | {"url": "https://[a"}, "none that a browser could open"),
        (LINK | {"url": "https://a.example/" + "x" * 9000}, "more than 8,192"),
        (LINK | {"url": 7}, "no address of a web page"),
    ],
)
def test_what_cannot_be_asked_can_be_declined(said: dict[str, Any], problem: str) -> None:
    request = asked(**said)
    assert problem in request.form.problem
    assert printed(Declined(), **said)["action"] == "decline"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/a?b", "example.com"),
        ("http://example.com:8080/", "example.com:8080"),
        ("https://paypal.com@evil.example/", "evil.example"),
        ("https://p\u0430ypal.com/", "xn--pypal-4ve.com"),
    ],
)
def test_the_host_of_a_link_is_told_plainly(url: str, host: str) -> None:
    request = asked(**LINK | {"url": url})
    assert (request.url, request.host) == (url, host)
    assert request.questions.questions[0].description == f"It leads to {host}:\n{url}"


def test_a_server_that_says_nothing_is_asked_for_all_the_same() -> None:
    request = asked(mcp_server_name=3, message=None)
    assert (request.server, request.message) == ("An MCP server", "It wants input.")


@pytest.mark.parametrize(
    "said",
    [{}, {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {}, "agent_id": "a1"}],
    ids=["form", "permission of a subagent"],
)
def test_what_holds_claude_code_up_ends_once_no_ccq_tui_is_open(
    said: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_hook, "UNHEARD_SECONDS", 0.3)
    monkeypatch.setattr(waiting_hook, "LISTEN_SECONDS", 0.02)
    path, printed = tmp_path / "inbox.db", list[str]()
    store = Store(path)
    store.listeners.add(this_process())

    def close_ccq_tui() -> None:
        own = Store(path)
        while not own.requests.waiting():
            time.sleep(0.01)
        own.listeners.remove(this_process())
        own.close()

    closing = threading.Thread(target=close_ccq_tui)
    closing.start()
    said = SAID | {"transcript_path": str(tmp_path / "projects" / "-srv" / "f51476bb.jsonl")} | said
    run_hook(io.BytesIO(json.dumps(said).encode()), path, printed.append)
    closing.join()
    ((stored,), _) = store.requests.unsettled_before(datetime.fromtimestamp(0, UTC))
    assert (printed, stored.outcome) == ([], Cancelled(waiting_hook.UNHEARD))
    store.close()

"""Inputs of hooks become requests, outcomes their decisions; and sessions that ask without a hook."""

import io
import json
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.bridges.claude_code import waiting_hook
from ccq_tui.bridges.claude_code.hook import run_hook
from ccq_tui.bridges.claude_code.hook_input import MOST_BYTES, HookInput, HookInputError, read_hook_input
from ccq_tui.bridges.claude_code.live_sessions import live_sessions
from ccq_tui.bridges.claude_code.native_sessions import NativeSessions, beside_hooks
from ccq_tui.bridges.claude_code.transcript import CallEnd
from ccq_tui.bridges.claude_code.waiting_hook import decision_of, outcome_there, request_of
from ccq_tui.cli import main
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.agent_texts import DECLINED, EXPIRED, rejection
from ccq_tui.inbox.call_results import CallResult
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.kinds import check_outcome, kind_of
from ccq_tui.inbox.requests import (
    Allowed,
    Asker,
    Cancelled,
    Denied,
    ElicitationRequest,
    Origin,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    RequestOutcome,
)
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Dismissed, Expired
from ccq_tui.questions.keys import hints
from ccq_tui.questions.schema_form import ACCEPT_LINK
from tests.steps import until
from tests.tables import each_row, table
from tests.unit.bridges.native import (
    ASKED,
    COMMAND,
    QUESTION,
    SAID,
    SESSION,
    STOPPED,
    NativeSession,
    calls,
    ends,
    prompt,
    says,
)

LASTING = [
    {"type": "addDirectories", "directories": ["/work/other"], "destination": "session"},
    {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": "touch *"}],
        "behavior": "allow",
        "destination": "localSettings",
    },
]
OWN = {**LASTING[0], "directories": ["/work/project/src"]}
"""It grants nothing: a session works in its own directory."""
PLAN = {"plan": "# Plan\n", "planFilePath": "/x/plan.md"}


def hook_of(tmp_path: Path, tool: str, source: Any, **more: Any) -> HookInput:
    """Return what a hook is told, as it reads it."""
    payload = NativeSession(tmp_path / "claude").hook_input(tool, source, **more)
    return read_hook_input(io.BytesIO(json.dumps(payload).encode()))


def decision(hook: HookInput, request: Any, outcome: RequestOutcome) -> Any:
    """Return the decision that is printed for an outcome, which the request takes."""
    check_outcome(request, outcome)
    verdict = decision_of(hook, request, outcome)
    assert verdict["hookSpecificOutput"]["hookEventName"] == "PermissionRequest"
    return verdict["hookSpecificOutput"]["decision"]


def test_questions_are_answered_discussed_and_declined(tmp_path: Path) -> None:
    hook = hook_of(tmp_path, "AskUserQuestion", ASKED)
    request = request_of(hook, "toolu_1")
    assert isinstance(request, QuestionRequest)
    assert request.id == f"toolu_1@hook:{SESSION}"
    origin = request.origin
    assert (origin.asker, origin.name, origin.directory, origin.process) == (
        Asker.HOOK, "project · Claude Code", "/work/project", this_process(),
    )  # fmt: skip
    assert decision(hook, request, Answered((Answer(("Postgres",), note="soon"),))) == {
        "behavior": "allow",
        "updatedInput": {
            "questions": [QUESTION],
            "answers": {"Which database?": "Postgres"},
            "annotations": {"Which database?": {"notes": "soon"}},
        },
    }
    for outcome, message in (
        (Discussed("Why not both?"), rejection("Why not both?")),
        (Declined(), DECLINED),
        (Expired(), EXPIRED),
    ):
        assert decision(hook, request, outcome) == {"behavior": "deny", "message": message}
    assert decision_of(hook, request, Cancelled("over")) is None


def test_permissions_are_granted_once_or_as_it_was_suggested(tmp_path: Path) -> None:
    hook = hook_of(tmp_path, "Bash", COMMAND, permission_suggestions=[*LASTING, OWN, {"type": 7}, "odd"])
    request = request_of(hook, "toolu_1")
    assert isinstance(request, PermissionRequest)
    directory, rule = request.suggestions
    assert (request.tool, request.description) == ("Bash", "Make a file")
    assert directory == Suggestion("addDirectories", directories=("/work/other",))
    assert rule == Suggestion("addRules", "localSettings", (Rule("Bash", "touch *"),), "allow")
    once = {"behavior": "allow", "updatedInput": COMMAND}
    assert decision(hook, request, Allowed()) == once
    for at, one in enumerate((directory, rule)):
        lasting = {**once, "updatedPermissions": [LASTING[at]]}
        assert decision(hook, request, Allowed(suggestion=one)) == lasting
    assert decision(hook, request, Denied("Use make.")) == {"behavior": "deny", "message": f"{SAID}Use make."}


def test_no_words_are_offered_that_could_not_be_said_along_with_a_permission(tmp_path: Path) -> None:
    for number, (tool, source) in enumerate((("Bash", COMMAND), ("ExitPlanMode", PLAN))):
        request = request_of(hook_of(tmp_path / str(number), tool, source), "toolu_1")
        assert isinstance(request, PermissionRequest | PlanRequest)
        asked = kind_of(request).asked(request)
        assert [one.key for one in asked.acts if one.allows and one.takes_words] == []
        assert "a" not in dict(hints(first_draft(request)))
        assert [one.takes_words for one in asked.acts if not one.allows] == [False, True]
        with pytest.raises(InvalidOutcome, match="takes no words"):
            check_outcome(request, Allowed("and be quick"))


def test_a_plan_is_approved_edited_or_sent_back(tmp_path: Path) -> None:
    hook = hook_of(tmp_path, "ExitPlanMode", PLAN)
    request = request_of(hook, "toolu_1")
    assert isinstance(request, PlanRequest)
    assert request.plan == "# Plan\n"
    edits = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    assert decision(hook, request, Allowed(mode="acceptEdits", plan="# Mine\n")) == {
        "behavior": "allow",
        "updatedInput": {**PLAN, "plan": "# Mine\n"},
        "updatedPermissions": [edits],
    }
    assert decision(hook, request, Denied()) == {"behavior": "deny", "message": rejection("")}


def test_a_subagent_is_named_and_has_its_own_transcript(tmp_path: Path) -> None:
    hook = hook_of(tmp_path, "Bash", COMMAND, agent_id="a2d0cc", agent_type="Explore")
    assert hook.transcript.parts[-3:] == (SESSION, "subagents", "agent-a2d0cc.jsonl")
    request = request_of(hook, "toolu_1")
    assert isinstance(request, PermissionRequest)
    assert (request.agent_id, request.agent) == ("a2d0cc", "Explore")


def test_questions_that_cannot_be_read_are_left_to_claude_code(tmp_path: Path) -> None:
    assert (
        request_of(hook_of(tmp_path, "AskUserQuestion", {"questions": [{"header": "x"}]}), "toolu_1") is None
    )


ACCEPT = {"decision": "accept", "source": "user_temporary"}
REJECT = {"decision": "reject", "source": "user_reject", "denial": "user-rejected"}


@pytest.mark.parametrize(
    ("asks", "result", "more", "outcome"),
    [
        (ASKED, CallResult("", structured={"answers": {"Which database?": "Postgres"}}), ACCEPT,
         Answered((Answer(("Postgres",)),))),
        (ASKED, CallResult("", structured={"answers": {"Which database?": "my own"}, "annotations": {}}),
         ACCEPT, Answered((Answer(other="my own"),))),
        (ASKED, CallResult(STOPPED, failed=True, structured="User rejected tool use"),
         {"denial": "user-rejected"}, Cancelled("interrupted in Claude Code")),
        (ASKED, CallResult(f"{SAID}The user wants to clarify these questions.", failed=True), REJECT,
         Discussed("The user wants to clarify these questions.")),
        (ASKED, CallResult("No response after 8s — the user may be away from keyboard."), ACCEPT, Expired()),
        (ASKED, CallResult("<tool_use_error>odd", failed=True), {}, Cancelled("decided in Claude Code")),
        (COMMAND, CallResult("done"), ACCEPT, Allowed()),
        (COMMAND, CallResult("exit code 1", failed=True), ACCEPT, Allowed()),
        (COMMAND, CallResult(STOPPED, failed=True), {"denial": "user-rejected"}, Denied()),
        (COMMAND, CallResult(f"{SAID}Use make.", failed=True), REJECT, Denied("Use make.")),
        (COMMAND, CallResult("done"), {}, Allowed()),
        (COMMAND, CallResult("odd", failed=True), {}, Cancelled("decided in Claude Code")),
    ],
)  # fmt: skip
def test_how_questions_and_permissions_ended_there(
    tmp_path: Path, asks: dict[str, Any], result: CallResult, more: dict[str, str], outcome: RequestOutcome
) -> None:
    request = request_of(hook_of(tmp_path, "Bash" if asks is COMMAND else "AskUserQuestion", asks), "toolu_1")
    assert request is not None
    assert outcome_there(request, CallEnd(result, **more)) == outcome
    check_outcome(request, outcome)


def test_a_plan_that_was_edited_there_is_kept_as_it_was_approved(tmp_path: Path) -> None:
    request = request_of(hook_of(tmp_path, "ExitPlanMode", PLAN), "toolu_1")
    assert request is not None
    structured = {"plan": "# Mine\n", "planWasEdited": True}
    assert outcome_there(request, CallEnd(CallResult("", structured=structured), **ACCEPT)) == Allowed(
        plan="# Mine\n"
    )


GOOD = {
    "session_id": SESSION,
    "transcript_path": "/x/projects/y/z.jsonl",
    "hook_event_name": "PermissionRequest",
}


@each_row(
    (b"", "it is no JSON: JSONDecodeError"),
    (b"\xff\xfe\x00", "it is no JSON: UnicodeDecodeError"),
    (b"[" * 100_000, "it is no JSON: ValueError"),
    (b"[]", "it is no JSON object"),
    (b" " * (MOST_BYTES + 1), "it has more than 16,000,000 bytes"),
    (json.dumps({**GOOD, "session_id": "../../x"}).encode(), "session_id is no id"),
    (json.dumps({**GOOD, "session_id": None}).encode(), "session_id is no text"),
    (json.dumps({**GOOD, "agent_id": "../x"}).encode(), "agent_id is no id"),
    (json.dumps({**GOOD, "transcript_path": "z.jsonl"}).encode(), "transcript_path is not the file"),
    (json.dumps({**GOOD, "transcript_path": "/etc/passwd"}).encode(), "transcript_path is not the file"),
    (json.dumps({**GOOD, "tool_input": []}).encode(), "tool_input is no object"),
    (json.dumps({**GOOD, "tool_name": 7}).encode(), "tool_name is no text"),
    (json.dumps({**GOOD, "cwd": "a\0b"}).encode(), "cwd is no text"),
)
def test_input_that_is_none_says_what_is_wrong(data: bytes, problem: str) -> None:
    with pytest.raises(HookInputError) as caught:
        read_hook_input(io.BytesIO(data))
    assert str(caught.value).startswith(problem)


def test_fields_of_a_newer_version_are_passed_over() -> None:
    hook = read_hook_input(io.BytesIO(json.dumps({**GOOD, "brand_new": {"a": 1}}).encode()))
    assert (hook.event, hook.tool, hook.input, hook.suggestions) == ("PermissionRequest", "", {}, ())


SERVER_SAID: dict[str, Any] = table(__file__, "elicitation.json")
LINK = {"mcp_server_name": "deploy", "message": "Sign in", "mode": "url", "url": "https://example.com/a"}


def asked(**wanted: Any) -> ElicitationRequest:
    hook = read_hook_input(io.BytesIO(json.dumps(SERVER_SAID | wanted).encode()))
    request = request_of(hook, "hook_1")
    assert isinstance(request, ElicitationRequest)
    return request


def printed(outcome: RequestOutcome, **wanted: Any) -> Any:
    request = asked(**wanted)
    check_outcome(request, outcome)
    hook = read_hook_input(io.BytesIO(json.dumps(SERVER_SAID | wanted).encode()))
    output = decision_of(hook, request, outcome)
    return output and output["hookSpecificOutput"]


def test_what_a_native_session_asks_is_a_request_of_its_hook() -> None:
    request = asked()
    assert (request.server, request.message) == ("deploy", "Please give details")
    assert request.session_id == f"hook:{SERVER_SAID['session_id']}"
    assert (request.origin.asker, request.origin.directory) == (Asker.HOOK, "/srv")
    assert request.origin.process == this_process()
    assert request.form.names == ("name", "count")


def test_each_outcome_is_printed_as_claude_code_takes_it() -> None:
    accepted = {"hookEventName": "Elicitation", "action": "accept", "content": {"name": "Ada", "count": 5}}
    assert printed(Answered((Answer(other="Ada"), Answer(other="5")))) == accepted
    assert printed(Declined()) == {"hookEventName": "Elicitation", "action": "decline"}
    assert printed(Dismissed()) == {"hookEventName": "Elicitation", "action": "cancel"}
    assert printed(Cancelled("its session has ended")) is None
    opened = Answered((Answer(selected=(ACCEPT_LINK,)),))
    assert printed(opened, **LINK) == {"hookEventName": "Elicitation", "action": "accept"}


@each_row(
    ({"requested_schema": "no"}, "it has no schema"),
    ({"requested_schema": {"properties": {"x": {"title": "y" * 300_000}}}}, "more than 262,144"),
    ({"mode": "voice"}, "it is of the kind “voice”"),
    (LINK | {"url": "javascript:alert(1)"}, "no address of a web page"),
    (LINK | {"url": "https://"}, "no address of a web page"),
    (LINK | {"url": "https://a.example/\x1b[2J"}, "no address of a web page"),
    (LINK | {"url": "https://[a"}, "none that a browser could open"),
    (LINK | {"url": "https://a.example/" + "x" * 9000}, "more than 8,192"),
    (LINK | {"url": 7}, "no address of a web page"),
)
def test_what_cannot_be_asked_can_be_declined(body: dict[str, Any], problem: str) -> None:
    request = asked(**body)
    assert problem in request.form.problem
    assert printed(Declined(), **body)["action"] == "decline"


@each_row(
    ("https://example.com/a?b", "example.com"),
    ("http://example.com:8080/", "example.com:8080"),
    ("https://paypal.com@evil.example/", "evil.example"),
    ("https://p\u0430ypal.com/", "xn--pypal-4ve.com"),
)
def test_the_host_of_a_link_is_told_plainly(url: str, host: str) -> None:
    request = asked(**LINK | {"url": url})
    assert (request.url, request.host) == (url, host)
    assert request.questions.questions[0].description == f"It leads to {host}:\n{url}"


def test_a_server_that_says_nothing_is_asked_for_all_the_same() -> None:
    request = asked(mcp_server_name=3, message=None)
    assert (request.server, request.message) == ("An MCP server", "It wants input.")


@pytest.mark.parametrize(
    "payload",
    [{}, {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {}, "agent_id": "a1"}],
    ids=["form", "permission of a subagent"],
)
def test_what_holds_claude_code_up_ends_once_no_ccq_tui_is_open(
    payload: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_hook, "UNWATCHED_SECONDS", 0.3)
    monkeypatch.setattr(waiting_hook, "LISTEN_SECONDS", 0.02)
    path, printed = tmp_path / "inbox.db", list[str]()
    store = Store(path)
    store.listeners.add(this_process())

    def close_ccq_tui() -> None:
        own = Store(path)
        until(own.requests.waiting)
        own.listeners.remove(this_process())
        own.close()

    closing = threading.Thread(target=close_ccq_tui)
    closing.start()
    payload = (
        SERVER_SAID | {"transcript_path": str(tmp_path / "projects" / "-srv" / "f51476bb.jsonl")} | payload
    )
    run_hook(io.BytesIO(json.dumps(payload).encode()), path, printed.append)
    closing.join()
    (stored,) = store.requests.unsettled_before(datetime.fromtimestamp(0, UTC))
    assert (printed, stored.outcome) == ([], Cancelled(waiting_hook.UNWATCHED))
    store.close()


@pytest.fixture
def session(home: Path) -> NativeSession:
    """A session that waits at a question."""
    made = NativeSession(home / ".claude")
    made.write(prompt("go"), says("Let me ask."), calls("toolu_1", "AskUserQuestion", ASKED))
    made.stands("waiting", seconds_ago=60)
    return made


def test_what_it_asks_is_read_from_its_transcript(session: NativeSession) -> None:
    (found,) = NativeSessions(session.config).waiting()
    request = found.request
    assert isinstance(request, QuestionRequest)
    assert (request.id, found.context) == (f"toolu_1@hook:{SESSION}", "Let me ask.")
    assert request.origin == Origin(Asker.HOOK, "project · Claude Code", "/work/project")


def test_a_question_goes_before_what_runs_beside_it(session: NativeSession) -> None:
    session.write(
        calls("toolu_2", "Bash", COMMAND, "msg_2"), calls("toolu_3", "AskUserQuestion", ASKED, "msg_2")
    )
    assert [one.request.tool_use_id for one in NativeSessions(session.config).waiting()] == ["toolu_3"]


def test_a_permission_waits_too(session: NativeSession) -> None:
    session.write(ends("toolu_1", "done"), calls("toolu_2", "Bash", COMMAND, "msg_2"))
    (found,) = NativeSessions(session.config).waiting()
    assert isinstance(found.request, PermissionRequest)
    assert found.request.input == COMMAND


def test_only_what_waits_for_a_while_in_its_own_screen_is_listed(session: NativeSession) -> None:
    native = NativeSessions(session.config)
    for more, count in (
        ({}, 1),
        ({"seconds_ago": 0.5}, 0),
        ({"status": "busy"}, 0),
        ({"entrypoint": "sdk-py"}, 0),
        ({"kind": "print"}, 0),
        ({"procStart": "1"}, 0),
        ({"pidDomain": "linux:another:pid:[1]"}, 0),
        ({}, 1),
    ):
        session.stands(**({"status": "waiting", "seconds_ago": 60.0} | more))
        assert len(native.waiting()) == count, more
    session.write(ends("toolu_1", "done"))
    session.stands("waiting", seconds_ago=30)
    assert native.waiting() == []


def test_a_killed_one_is_not_listed(session: NativeSession) -> None:
    with subprocess.Popen(["sleep", "60"]) as claude:
        session.stands("waiting", seconds_ago=60, pid=claude.pid, procStart=None)
        assert len(NativeSessions(session.config).waiting()) == 1
        claude.kill()
    assert NativeSessions(session.config).waiting() == []


def test_files_that_say_something_else_are_passed_over(session: NativeSession) -> None:
    body = json.loads(session.live.read_text())
    odd = ["", "[]", "{}", "[" * 3_000, json.dumps(body | {"pid": "x"}), json.dumps(body | {"sessionId": 7})]
    odd += [json.dumps(body | {"statusUpdatedAt": at}) for at in ("soon", 1e300, -1e300)]
    odd += [json.dumps(body | {"sessionId": name}) for name in ("../../x", "a/b", "*", "\0")]
    for number, text in enumerate(odd):
        (session.live.parent / f"{number}.json").write_text(text)
    (session.live.parent / "directory.json").mkdir()
    assert len(NativeSessions(session.config).waiting()) == 1
    assert NativeSessions(session.config / "none").waiting() == []
    assert len(live_sessions(session.config)) >= 1


def test_a_session_is_read_once_for_each_time_it_waits(session: NativeSession) -> None:
    native = NativeSessions(session.config)
    first = native.waiting()
    session.path.unlink()
    assert native.waiting() == first
    session.stands("waiting", seconds_ago=30)
    assert native.waiting() == []


def test_ours_and_those_of_hooks_are_left_out(session: NativeSession, tmp_path: Path) -> None:
    found = NativeSessions(session.config).waiting()
    store = Store(tmp_path / "inbox.db")
    assert beside_hooks(store, found) == [found[0]]
    store.requests.add(found[0].request)
    assert beside_hooks(store, found) == []
    store.requests.settle(found[0].request.id, Declined(), Actor.here(Surface.HOOK))
    assert beside_hooks(store, found) == [], "its dialog is about to close"
    store.sessions.claim(SESSION, this_process())
    assert beside_hooks(store, found) == []
    store.close()


def test_the_printed_list_has_them_unless_the_settings_say_not(
    session: NativeSession, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["inbox"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "Nothing waits."
    assert out[2] == "Waiting in Claude Code's own screen, to be answered there:"
    assert out[4].split()[-3:] == ["/work/project", "Which", "database?"]
    assert out[5] == "To answer here, too: ccq-tui hooks install"
    assert main(["hooks", "install", "--yes"]) == 0
    capsys.readouterr()
    assert main(["inbox"]) == 0
    assert capsys.readouterr().out.splitlines()[5].startswith("Installed hooks ask here only while")
    assert main(["inbox", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["requests"] == []
    monkeypatch.setenv("CCQ_NATIVE_SESSIONS", "false")
    assert main(["inbox"]) == 0
    assert capsys.readouterr().out == "Nothing waits.\n"

"""What the MCP server says around its calls, calls that wait, and what docs/bridges.md shows."""

import asyncio
import json
import os
import re
import tomllib
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from anyio.streams.memory import MemoryObjectSendStream
from click.testing import CliRunner
from mcp import types
from mcp.shared.message import SessionMessage

from ccq_tui.bridges.mcp import entries
from ccq_tui.bridges.mcp.calls import Client, McpCall, TooManyError, shown_name
from ccq_tui.bridges.mcp.entries import lines_of
from ccq_tui.bridges.mcp.http import place_of
from ccq_tui.bridges.mcp.server import MOST_AT_ONCE, AskingServer, directory_of, file_path
from ccq_tui.bridges.mcp.stdio import ClientPipes, pipe_to
from ccq_tui.bridges.mcp.token import TokenError, read_token
from ccq_tui.bridges.mcp.tools import (
    MOST_CHARACTERS,
    MOST_OPTIONS,
    MOST_QUESTIONS,
    TOOLS,
    ArgumentsError,
    outcome_record,
    outcome_result,
    read_message,
    read_questions,
)
from ccq_tui.cli.main import cli
from ccq_tui.doctor.examine import Check, Level, examine_mcp
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, RequestOutcome
from ccq_tui.inbox.store.rows import LISTED, RequestState, StoredRequest, moment, state_after
from ccq_tui.processes import own_command
from ccq_tui.questions import (
    Answer,
    Answered,
    Declined,
    Discussed,
    Expired,
    Kind,
    Option,
    Question,
    QuestionSet,
)
from tests.actors import PANEL
from tests.steps import until_true
from tests.tables import each_row, table

TABLES = table(__file__, "mcp_parts.json")
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def asking(question: object) -> dict[str, Any]:
    return {"questions": [question]}


@each_row(
    *table(__file__, "arguments_refused.json"),
    (
        asking({"question": "q", "options": [str(n) for n in range(MOST_OPTIONS + 1)]}),
        "questions[0].options: 101 options; at most 100 are taken",
    ),
    ({"questions": ["x" * MOST_CHARACTERS]}, "at most 200,000 are taken: put long material into a file"),
    (asking({"question": "q", "kind": "\x1b[2J" * 500}), "questions[0].kind: expected one of"),
)
def test_wrong_arguments_are_told_with_their_field(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ArgumentsError) as caught:
        read_questions(arguments)
    assert text in str(caught.value)
    assert len(str(caught.value)) <= 600
    assert "\x1b" not in str(caught.value)


@each_row(None, 5, "", " \n", "x" * 2_001)
def test_a_notification_needs_a_sentence(message: object) -> None:
    with pytest.raises(ArgumentsError, match="message: "):
        read_message({"message": message})


def test_the_same_questions_are_the_same_call_however_they_are_written() -> None:
    labels = [{"label": "A"}, {"label": "B"}]
    same = {**asking({"options": ["A", "B"], "question": "Which?", "multiSelect": False}), "title": "Way"}
    other = {"title": "Way", **asking({"question": "Which?", "options": ["A", "B"], "multiSelect": True})}
    first = read_questions({"title": "Way", **asking({"question": "Which?", "options": labels})})
    assert read_questions(same) == first
    assert read_questions(json.loads(json.dumps(same)) | {"unknown": [1]}).id == first.id
    assert read_questions(other).id != first.id
    assert first.id == "ask_ba891b8fb594dd7d", "what earlier versions called it: who asks again is answered"
    assert first.source == {}, "what came beside the questions is not kept"


def test_every_property_of_the_schema_is_read() -> None:
    (tool,) = [tool for tool in TOOLS if tool.name == "ask_user"]
    question = {
        "question": "How many?", "header": "Count", "kind": "number", "description": "d", "placeholder": "p",
        "min": 1, "max": 9, "step": 2, "defaultValue": 3, "unit": "s", "multiSelect": False, "options": [],
    }  # fmt: skip
    properties = tool.input_schema["properties"]["questions"]["items"]["properties"]
    assert set(properties) == set(question)
    assert properties["kind"]["enum"] == list(Kind)
    assert tool.input_schema["properties"]["questions"]["maxItems"] == MOST_QUESTIONS
    assert properties["options"]["maxItems"] == MOST_OPTIONS
    (read,) = read_questions({"questions": [question]}).questions
    assert (read.kind, read.minimum, read.maximum, read.step, read.default) == (Kind.NUMBER, 1, 9, 2, "3")
    option = properties["options"]["items"]["properties"]
    (choice,) = read_questions(asking({"question": "q", "options": [dict.fromkeys(option, "x")]})).questions
    assert choice.options == (Option("x", "x", "x"),)


WHICH, MANY = {"question": "Which?", "options": ["A", "B"]}, {"question": "How many?", "kind": "number"}
ASKED = read_questions({"questions": [WHICH, MANY]})
REQUEST = QuestionRequest(ASKED.id, "mcp:1", ASKED)


def decided(outcome: RequestOutcome) -> StoredRequest:
    return StoredRequest(1, REQUEST, "", state_after(outcome), NOW, outcome=outcome, settled_at=NOW)


RECORDS = [
    {"question": "Which?", "selected": ["B"], "other": "", "note": "n"},
    {"question": "How many?", "selected": [], "other": "0.5", "note": "", "number": 0.5},
]


@each_row(
    (Answered((Answer(("B",), note="n"), Answer(other="0.5"))), {"outcome": "answered", "answers": RECORDS}),
    (Discussed("why?", ()), {"outcome": "discussed", "text": "why?", "answers": []}),
    (Declined(), {"outcome": "declined"}),
    (Expired(), {"outcome": "expired"}),
    (Cancelled("withdrawn by Codex"), {"outcome": "withdrawn", "text": "withdrawn by Codex"}),
)
def test_results_are_structured_and_no_error(outcome: RequestOutcome, record: dict[str, Any]) -> None:
    result = outcome_result(decided(outcome), NOW)
    expected = {"request": REQUEST.id, "answered_at": "2026-01-02T03:04:05.000000Z", **record}
    assert result.structured_content == expected
    assert not result.is_error
    (tool,) = [tool for tool in TOOLS if tool.name == "ask_user"]
    assert set(expected) <= set(tool.output_schema["properties"]) if tool.output_schema else False


@each_row("1e400", "12345678901234567", "0.1234567890123456789")
def test_a_number_that_no_float_holds_exactly_is_text_alone(number: str) -> None:
    outcome = Answered((Answer(("A",)), Answer(other=number)))
    result = outcome_result(decided(outcome), NOW)
    assert result.structured_content["answers"][1] == {
        "question": "How many?", "selected": [], "other": number, "note": "",
    }  # fmt: skip


def test_an_answer_from_before_the_call_says_when() -> None:
    result = outcome_result(decided(Declined()), NOW + timedelta(hours=3))
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert content.text.endswith("(This was decided at 2026-01-02 03:04 UTC, before this call.)")


@each_row(*TABLES["names"], ("x" * 10_000, "", "x" * 39 + "…"))
def test_clients_are_called_what_people_call_them(name: str, title: str, shown: str) -> None:
    assert shown_name(name, title) == shown


def test_a_session_is_a_client_in_a_directory() -> None:
    one = Client("Codex", "/work")
    assert one.session_id == Client("Codex", "/work").session_id
    others = ("Codex", "/other"), ("Cursor", "/work"), ("Codex", "", "c"), ("Codex", "", "d")
    assert len({one.session_id, *(Client(*other).session_id for other in others)}) == 5


@each_row(*TABLES["roots"], ("file:///" + "x" * 2_000, ""))
def test_roots_are_directories_of_this_machine(uri: str, path: str) -> None:
    assert file_path(uri) == path


def test_a_relative_directory_is_none() -> None:
    assert [directory_of(path) for path in ("", "work", "/work/", "~")] == ["", "", "/work", ""]


@each_row(*list(entries.SETUPS))
def test_the_lines_to_add_are_what_the_client_reads(client: str) -> None:
    command = ["/opt/a b/ccq-tui"]
    text = lines_of(client, entries.stdio_entry(client, command))
    read = tomllib.loads(text) if client == "codex" else json.loads(text)
    entry = read[entries.SETUPS[client].key]["ccq"]
    assert entry["command"] in ("/opt/a b/ccq-tui", ["/opt/a b/ccq-tui", "mcp"])
    text = lines_of(client, entries.http_entry(client, "http://127.0.0.1:1/mcp", "t"))
    read = tomllib.loads(text) if client == "codex" else json.loads(text)
    entry = read[entries.SETUPS[client].key]["ccq"]
    assert "http://127.0.0.1:1/mcp" in entry.values()
    assert {"Authorization": "Bearer t"} in entry.values()


def test_the_command_is_the_path_that_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program, link = tmp_path / "env" / "ccq-tui", tmp_path / "bin" / "ccq-tui"
    monkeypatch.setattr("sys.executable", str(program.with_name("python")))
    monkeypatch.setenv("PATH", str(link.parent))
    assert own_command()[1:] == ["-m", "ccq_tui"]
    for directory in (program.parent, link.parent):
        directory.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert own_command() == [str(program)]
    link.symlink_to(program)
    assert own_command() == [str(link)]


def test_the_token_is_private_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "state" / "mcp-token"
    token = read_token(file)
    assert len(token) >= 32
    assert read_token(file) == token
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda file: file.chmod(0o644), "can be read by others; run: chmod 600"),
        (lambda file: file.write_text("short"), "holds no token; remove it"),
        (lambda file: (file.unlink(), file.symlink_to("/etc/passwd")), "it is a link"),
        (lambda file: (file.unlink(), os.mkfifo(file)), "is not a file of yours"),
        (lambda file: (file.unlink(), file.mkdir()), "cannot be used: Is a directory"),
        (lambda file: (file.unlink(), file.parent.chmod(0o500)), "Permission denied"),
    ],
)
def test_a_token_that_is_not_private_is_refused(tmp_path: Path, spoil: Any, text: str) -> None:
    if text == "Permission denied" and os.getuid() == 0:
        pytest.skip("root may write everywhere")
    file = tmp_path / "mcp-token"
    read_token(file)
    spoil(file)
    with pytest.raises(TokenError, match=text):
        read_token(file)


PAGE = Path(__file__).parents[3].joinpath("docs/bridges.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Any agent over MCP") :].partition("\n## ")[0]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that is installed, in a home of its own."""
    path = tmp_path / "ccq-tui"
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr("ccq_tui.processes.own_command", lambda: [str(path)])
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return path


def test_the_lines_are_those_that_are_printed(program: Path) -> None:
    (block,) = re.findall(r"```console\n\$ ccq-tui (mcp config.*?)\n(.*?)```", SECTION, re.DOTALL)
    done = CliRunner().invoke(cli, block[0].split())
    assert done.exit_code == 0
    printed = done.output.replace(str(program), "/usr/local/bin/ccq-tui")
    assert printed.replace(str(program.parent), "/home/you") == block[1]


@each_row(*TABLES["flags"])
def test_a_flag_that_would_be_passed_over_is_refused(words: list[str], text: str, *, program: Path) -> None:
    done = CliRunner().invoke(cli, ["mcp", *words])
    assert (done.exit_code, text in done.output) == (2, True)


def test_the_question_and_its_result_are_those_of_the_tool() -> None:
    asked, answered = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL))
    questions = read_questions(asked)
    first = Answer(("Narrow",), note="keep it small")
    given = Answered((first, Answer(("Lint", "Tests")), Answer(other="ledger"), Answer(other="5")))
    request = QuestionRequest("ask_70cf5d874011796a", "mcp:7b2540b87c179047", questions)
    at = moment(answered["answered_at"])
    stored = StoredRequest(1, request, "", RequestState.ANSWERED, at, outcome=given, settled_at=at)
    assert outcome_record(stored) == answered


def test_every_tool_and_outcome_is_named() -> None:
    for tool in TOOLS:
        assert f"`{tool.name}`" in SECTION
    for outcome in (TOOLS[0].output_schema or {})["properties"]["outcome"]["enum"]:
        assert f"`{outcome}`" in SECTION


FOREIGN = {
    ".toml": '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x"\n',
    ".json": '{\n  "mine": {\n    "theme": "dark"\n  }\n}\n',
}


@pytest.mark.parametrize("client", list(entries.SETUPS))
def test_it_is_installed_beside_what_a_client_has_and_taken_out_again(client: str, program: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["mcp", *words])
        assert done.exit_code == 0, done.output
        return done.output

    file = entries.file_of(client).path
    file.parent.mkdir(parents=True, exist_ok=True)
    before = FOREIGN[file.suffix]
    file.write_text(before, encoding="utf-8")
    assert examine_mcp() == []
    shown = run("install", client, "--yes")
    text = file.read_text(encoding="utf-8")
    assert "Installed in" in shown
    assert "mine" in text
    assert file.with_name(f"{file.name}.before-ccq-tui").read_text(encoding="utf-8") == before
    assert "stays as it is" in run("install", client, "--yes")
    assert entries.servers_in(client, text)[entries.SERVER] == entries.stdio_entry(client, [str(program)])
    assert examine_mcp() == [Check("MCP", client, f"{program} mcp")]
    program.unlink()
    (check,) = examine_mcp()
    assert (check.level, check.found) == (Level.WARNING, f"{program} mcp: there is no such program")
    assert check.advice == f'Run "ccq-tui mcp install {client}".'
    run("uninstall", client, "--yes")
    assert file.read_text(encoding="utf-8") == before
    assert examine_mcp() == []


@each_row(*TABLES["restored"])
def test_taking_it_out_restores_each_byte(client: str, before: str) -> None:
    installed = entries.with_entry(client, before, entries.stdio_entry(client, ["ccq-tui"]))
    assert entries.servers_in(client, installed)[entries.SERVER]
    assert entries.with_entry(client, installed, None) == before


@each_row(*TABLES["below"])
def test_what_was_added_below_it_stays_with_its_comment(below: str) -> None:
    above, entry = 'model = "o"', entries.stdio_entry("codex", ["ccq-tui"])
    text = f"{above}\n\n{entries.lines_of('codex', entry)}{below}"
    assert entries.with_entry("codex", text, None) == above + below


@each_row(*TABLES["unsafe"])
def test_a_configuration_that_is_not_safely_changed_stays(
    client: str, content: str, *, program: Path
) -> None:
    file = entries.file_of(client).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
    done = CliRunner().invoke(cli, ["mcp", "install", client, "--yes"])
    assert (done.exit_code, "nothing was changed" in done.output) == (2, True)
    assert file.read_text(encoding="utf-8") == content


@each_row("", "[]", '{"mcpServers": []}', '{"mcpServers": {"a": 5, "b": {"command": []}}}', "[" * 10_000)
def test_the_doctor_passes_over_what_is_no_configuration(content: str, *, program: Path) -> None:
    (program.parent / ".claude.json").write_text(content, encoding="utf-8")
    assert examine_mcp() == []


@each_row(*TABLES["arguments"])
def test_the_doctor_passes_over_arguments_that_are_no_list_of_strings(args: object, *, program: Path) -> None:
    good = {"command": str(program), "args": ["mcp"]}
    servers = {"malformed": {"command": "ccq-tui", "args": args}, "good": good}
    (program.parent / ".claude.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    assert examine_mcp() == [Check("MCP", "claude", f"{program} mcp")]


QUESTIONS = QuestionSet("letter", (Question("Which?", "Which", (Option("A"), Option("B"))),), source={})
LETTER = QuestionRequest("letter", "", QUESTIONS)


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    try:
        yield inbox
    finally:
        assert await inbox.close()


async def waits() -> None:
    """Take that a call waits."""


@pytest.mark.parametrize("steps", range(1, 9))
@pytest.mark.parametrize("ended", ["never", "before", "afterwards"])
async def test_a_call_taken_back_as_it_is_written_waits_no_more(steps: int, ended: str, inbox: Inbox) -> None:
    server, call = AskingServer(inbox, place_of), McpCall(Client("Codex", "/work"))
    asking = asyncio.ensure_future(server.ask_person(call, LETTER, waits, asyncio.Event()))
    async with asyncio.timeout(30):
        for _ in range(steps):
            await asyncio.sleep(0)
        if ended == "before":
            asking.cancel()
        server.withdraw(call)
        if ended == "afterwards":
            await asyncio.sleep(0)
            asking.cancel()
        with suppress(asyncio.CancelledError):
            outcome = await asking
            assert outcome is None or outcome.outcome == Cancelled("withdrawn by Codex")
    stored = await inbox.run(lambda store: store.requests.get(call.request_id))
    assert stored.outcome == Cancelled("withdrawn by Codex")


async def test_calls_that_come_at_once_are_counted_and_share_nothing(inbox: Inbox) -> None:
    lost = asyncio.Event()
    server = AskingServer(inbox, place_of)
    asked = [McpCall(Client("Codex", "/work")) for _ in range(MOST_AT_ONCE + 3)]
    asking = [asyncio.ensure_future(server.ask_person(call, LETTER, waits, lost)) for call in asked]
    async with asyncio.timeout(30):
        await until_true(lambda: sum(one.done() for one in asking) >= 3)
        waiting = await inbox.run(lambda store: store.requests.waiting())
        assert {one.request.id for one in waiting} == {call.request_id for call in asked[:MOST_AT_ONCE]}
        assert len(waiting) == MOST_AT_ONCE
        server.withdraw(asked[1])
        await asking[1]
        left = await inbox.run(lambda store: store.requests.waiting())
        assert len(left) == MOST_AT_ONCE - 1, "a call that is taken back closes its own request"
        lost.set()
        ended = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(one) for one in ended if isinstance(one, Exception)] == [TooManyError] * 3


async def test_an_answer_read_in_the_list_answers_the_same_call_once(inbox: Inbox) -> None:
    client = Client("Codex", "/work")
    server, call, ended = AskingServer(inbox, place_of), McpCall(client), asyncio.Event()
    asking = asyncio.ensure_future(server.ask_person(call, LETTER, waits, ended))
    async with asyncio.timeout(30):
        while not (await server.listed(client))[0]:  # noqa: ASYNC110 (nothing tells)
            await asyncio.sleep(0)
        ended.set()
        assert await asking is None
        await inbox.settle(call.request_id, Declined(), PANEL)
        _, (decided,) = await server.listed(client)
        inbox.sessions.delivered(decided.request.id, LISTED)
        again = await server.ask_person(McpCall(client), LETTER, waits, asyncio.Event())
        assert again.outcome == Declined()
        inbox.sessions.delivered(again.request.id, "result")
        ended.clear()
        asking = asyncio.ensure_future(server.ask_person(McpCall(client), LETTER, waits, ended))
        while not (await server.listed(client))[0]:  # noqa: ASYNC110 (nothing tells)
            await asyncio.sleep(0)
        ended.set()
        assert await asking is None, "asked anew"


class Leaving:
    """A server whose last word is more than the pipe takes."""

    def create_initialization_options(self) -> None:
        """Take none."""

    async def run(self, _received: object, sender: MemoryObjectSendStream[SessionMessage], _: None) -> None:
        response = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"content": "x" * 200_000})
        async with sender:
            await sender.send(SessionMessage(response))


async def test_what_is_written_as_its_client_leaves_is_noted_as_delivered(inbox: Inbox) -> None:
    reading, target = os.pipe()
    try:
        server, call = AskingServer(inbox, place_of), McpCall(Client("Codex", "/work"))
        asking = asyncio.ensure_future(server.ask_person(call, LETTER, waits, asyncio.Event()))
        async with asyncio.timeout(30):
            await until_true(lambda: call.request_id)
            await inbox.settle(call.request_id, Declined(), PANEL)
            assert await asking is not None
            reader = asyncio.StreamReader()
            reader.feed_eof()
            pipes = ClientPipes(reader, await pipe_to(target), inbox, "")
            pipes.place_of(SimpleNamespace(request_id=1)).answered(call.request_id)  # type: ignore[arg-type]
            read = asyncio.ensure_future(asyncio.to_thread(rest_of_line, reading))
            await pipes.serve(Leaving())  # type: ignore[arg-type]
            assert len(await read) > 200_000
        stored = await inbox.run(lambda store: store.requests.get(call.request_id))
        assert stored.state is RequestState.DELIVERED
    finally:
        os.close(reading)


def rest_of_line(reading: int) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        data += os.read(reading, 65536)
    return data

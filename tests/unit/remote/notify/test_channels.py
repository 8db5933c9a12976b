"""Channels against servers on loopback that refuse what the real ones refuse."""

import json
import logging
import socket
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest, Request
from ccq_tui.processes import alive, owner_of
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.remote.client import UNPAIRED
from ccq_tui.remote.notify import channels, program
from ccq_tui.remote.notify.channels import deliver, push, send_by_ntfy, target_of
from ccq_tui.remote.notify.notification import Notification, Receipt, notification_of
from ccq_tui.remote.notify.program import run_program
from tests.steps import until_true
from tests.tables import each_row
from tests.unit.remote.notify.doubles import serving
from tests.unit.remote.publishing import plan
from tests.unit.remote.relays import a_subscription, running
from tests.unit.remote.test_publication import stored

NOTICE = Notification("api · Cache — “größer”", "1 question waits", "https://relay.example/")
BASH = PermissionRequest("p", "s", tool="Bash", input={"command": "rm\x1b[1m -r"})


def asking(*labels: str, count: int = 1, header: str = "Cache", **more: Any) -> QuestionRequest:
    question = Question("Which cache?", header, tuple(map(Option, labels)), **more)
    return QuestionRequest("q", "s", QuestionSet("q", (question,) * count))


# -- notifications ------------------------------------------------------------------------------------------


NOTIFICATIONS = [
    (asking("A"), "Cache", "question", "Which cache?"),
    (asking("A", header=""), "question", "question", "Which cache?"),
    (asking("A", count=3), "Cache, Cache, Cache", "3 questions", "Which cache?"),
    (BASH, "permission: Bash", "permission", "Bash: rm␛[1m -r"),
    (plan(), "plan", "plan", "Build it"),
]


@each_row(*NOTIFICATIONS)
def test_a_notification_has_as_much_of_the_request_as_is_allowed(
    request_: Request, with_topic: str, without: str, text: str
) -> None:
    one = [(stored(request_), None)]
    least = notification_of(one, with_text=False, with_topic=False)
    more = notification_of(one, with_text=False, with_topic=True)
    assert (least.title, more.title) == (f"Claude · {without}", f"Claude · {with_topic}")
    assert least.text == more.text
    assert more.text in ("1 question waits", "3 questions wait", "1 decision waits")
    assert text in notification_of(one, with_text=True, with_topic=True).text


def test_a_summary_names_five_requests() -> None:
    notice = notification_of([(stored(asking("A")), None)] * 7, with_text=True, with_topic=True)
    assert notice == Notification("7 requests wait", ", ".join(["Claude · Cache"] * 5) + " and 2 more")


# -- ntfy ---------------------------------------------------------------------------------------------------


async def test_ntfy_takes_what_is_sent_to_it() -> None:
    with serving() as server:
        server.authorization = "Basic OnRrX2FiYw=="
        url = f"ntfy://tk_abc@{server.place}/Topic_1/two"
        assert await send_by_ntfy(url, NOTICE) == ""
        view = {"action": "view", "label": "Answer", "url": NOTICE.page, "clear": True}
        body = {"title": NOTICE.title, "message": NOTICE.text, "priority": 4}
        body |= {"click": NOTICE.page, "actions": [view]}
        assert server.contents == [{"topic": topic, **body} for topic in ("Topic_1", "two")]

        refused = await send_by_ntfy(f"{url}/a%20b", NOTICE)
    assert refused == 'the server refused it: HTTP 400 {"error": "invalid request: topic invalid"}'


async def test_where_a_url_of_ntfy_sends() -> None:
    assert target_of("ntfy://My-Topic") == ("https://ntfy.sh", ("My-Topic",), None)
    assert target_of("ntfys://me:s%40cret@h:8/T") == ("https://h:8", ("T",), ("me", "s@cret"))
    for url in ("ntfy://", "ntfy:///", "ntfys://h.example:8/", "ntfy://[x/"):
        assert (await send_by_ntfy(url, NOTICE)).startswith("its URL names no server and topic")
    assert await send_by_ntfy("ntfy://host:hush/topic", NOTICE) == "the server cannot be reached: InvalidURL"


# -- relays -------------------------------------------------------------------------------------------------


async def test_a_relay_that_fails_says_why(tmp_path: Path) -> None:
    with serving() as service:
        async with running(tmp_path, push_anywhere=True) as relay:
            made = await relay.pairing()
            pairing, channel = made.known, f"Web Push by {relay.url}"
            assert await push(pairing) == Receipt(channel), "nobody subscribed"
            await made.device("POST", f"/push/{made.id}", a_subscription(f"http://{service.place}/500"))
            assert await push(pairing) == Receipt(channel, "the push service answered 500")
            unknown = await push(replace(pairing, token="wrong"))
        away, liar = await push(pairing), await push(replace(pairing, relay=f"http://{service.place}"))
    assert unknown.problem == UNPAIRED
    assert away.problem.startswith("the relay cannot be reached")
    assert liar.problem == "the relay's answer cannot be read"


# -- everything else ----------------------------------------------------------------------------------------


async def test_each_channel_has_its_receipt_and_keeps_its_secrets(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving() as server, closing(socket.create_server(("127.0.0.1", 0))) as silent:
        place, still = server.place, f"127.0.0.1:{silent.getsockname()[1]}"
        urls = [
            f"json://user:hush-hush@{place}/hooks/tok-123456",
            f"json://user:hush-hush@{place}/500/tok-123456",
            "nosuch://tok-123456/hush-hush",
        ]
        monkeypatch.setattr(channels, "LIMIT_SECONDS", 90.0)  # what delivers takes long to import
        good, broken, unknown = await deliver(NOTICE, urls, ())
        monkeypatch.setattr(channels, "LIMIT_SECONDS", 0.5)
        (late,) = await deliver(NOTICE, [f"ntfy://user:hush-hush@{still}/tok-123456"], ())
        ((path, _, content),) = server.got
    assert (path, content["title"]) == ("/hooks/tok-123456", NOTICE.title)
    assert content["message"] == "1 question waits\nhttps://relay.example/"
    assert good == Receipt(f"json://{place}/…", sent=1)
    assert late == Receipt(f"ntfy://{still}/…", "no receipt within 0 s")
    assert "Internal server error" in broken.problem
    assert unknown.problem
    written = f"{good}{broken}{late}{unknown}{caplog.text}"
    assert "hush" not in written
    assert "tok-" not in written


# -- the person's program -----------------------------------------------------------------------------------


async def test_a_program_gets_the_request_on_its_standard_input(tmp_path: Path) -> None:
    code = "import os, sys; open(sys.argv[1], 'w').write(os.environ['CCQ_REQUEST'] + sys.stdin.read())"
    file, one = tmp_path / "$HOME; x", stored(asking("A", "B"))
    assert await run_program([sys.executable, "-c", code, str(file)], one) == ""
    name, _, content = file.read_text(encoding="utf-8").partition("{")
    record = json.loads("{" + content)
    assert name == "q@s"
    assert (record["version"], record["request"]["id"], record["request"]["state"]) == (1, "q@s", "pending")
    assert await run_program([sys.executable, "-c", ""], one) == "", "it may read nothing"
    assert await run_program([sys.executable, "-c", "exit(3)"], one) == "it ended with exit code 3"
    assert (await run_program([str(tmp_path / "gone")], one)).startswith("it cannot be started: No such file")


async def test_a_program_that_hangs_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "PROGRAM_SECONDS", 0.5)
    note = tmp_path / "child"
    problem = await run_program(["/bin/sh", "-c", f"sleep 60 & echo $! >{note}; wait"], stored(BASH))
    assert problem.endswith("and was killed")
    child = owner_of(int(note.read_text(encoding="utf-8")))
    await until_true(lambda: not alive(child))

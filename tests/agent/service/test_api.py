"""The service over HTTP: runs, answers, events, pages and webhooks, with a session of the real CLI."""

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
import standardwebhooks

from ccq_tui.questions import Option, Question
from ccq_tui.service.config import Secret, WebhookTable
from ccq_tui.service.run import UNLINKED, Happened
from ccq_tui.service.store import RunStore
from ccq_tui.service.tokens import Scope, TokensError, change_tokens
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.agent.service.over_http import Client, served, state_of
from tests.steps import step
from tests.unit.worktrees.repositories import repository

QUESTION = Question("Which <b>library</b>?", "Library", (Option("date-fns"), Option("Day.js")))
SCRIPT = Scenario("api").says("I look.").asks(QUESTION).says("All is done.").ends_turn()
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


async def hook(call: Client, kind: str, ticket: str, data: Any, delivery: str) -> httpx2.Response:
    """Send a signed CloudEvent."""
    event = {"specversion": "1.0", "id": delivery, "source": "/ci", "type": kind, "subject": ticket}
    body, now = json.dumps(event | {"data": data}), datetime.now(UTC)
    signature = standardwebhooks.Webhook(SECRET).sign(delivery, now, body)
    headers = {"webhook-id": delivery, "webhook-timestamp": str(int(now.timestamp()))}
    return await call.http.post(
        "/webhooks/webhook", content=body, headers=headers | {"webhook-signature": signature}
    )


async def events(call: Client, path: str, until: str, after: int = 0) -> list[tuple[int, str]]:
    """Follow a stream until an event of a kind."""
    seen: list[tuple[int, str]] = []
    headers = {"Authorization": f"Bearer {call.token}", "Last-Event-ID": str(after)}
    async with call.http.stream("GET", path, headers=headers) as response:
        async for one in httpx2.EventSource(response):
            seen.append((int(one.id), one.event))
            if one.event == until:
                return seen
    raise AssertionError(seen)


async def test_a_run_over_http(
    tmp_path: Path,
    scripted_model: Callable[..., ScriptedModel],
    claude_env: Callable[..., CleanHome],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("API_SECRET", SECRET)
    home = claude_env(scripted_model(SCRIPT))
    table = WebhookTable(secret=Secret("API_SECRET"))
    async with served(home, repository(tmp_path / "repo"), webhook=table) as call:
        with step("who may call"):
            assert (await call("GET", "/runs", Authorization="Bearer x")).status_code == 401
            assert (await call("GET", "/runs", Host="evil.example")).status_code == 421
            assert (await call("GET", "/runs", Origin="http://evil.example")).status_code == 403
            assert (await call("GET", "/health", Authorization="")).json()["status"] == "ok"
            assert "own user" in (await call("GET", "/ready", Authorization="")).json()["sessions"]
            assert set((await call("GET", "/openapi.json")).json()["paths"]) >= {"/runs/{run}/stop"}
        with step("wrong calls"):
            for body, field in (
                ({"title": "A", "prompt": "B", "repository": "other"}, "repository"),
                ({"title": "A"}, "prompt"),
                ({"title": 1, "prompt": "B"}, "title"),
                ({"title": "", "prompt": "B"}, "title"),
            ):
                refused = await call("POST", "/runs", body)
                assert (refused.status_code, refused.json()["field"]) == (400, field)
            assert (await call("GET", "/runs?state=asleep")).json()["field"] == "state"
            assert (await call("GET", "/runs?mode=1")).json()["field"] == "mode"
            assert (await call("GET", "/runs/0123")).status_code == 404
        with step("created once for a ticket"):
            new = {"title": "Dates <i>", "prompt": "Choose.", "ticket": "T-1"}
            run = (await call("POST", "/runs", new)).json()
            assert (await call("POST", "/runs", new)).json()["id"] == run["id"]
            assert [one["id"] for one in (await call("GET", "/runs")).json()["runs"]] == [run["id"]]
            path = f"/runs/{run['id']}"
            reader = change_tokens(state_of(home), "reader", scopes=[Scope.READ])
            read = (await call("GET", path, Authorization=f"Bearer {reader}")).json()
            assert (read["id"], read["page"], bool(run["page"])) == (run["id"], "", True)
            assert set(read["refused"].values()) == {"This token may read, but not answer."}

        async def shown(after: int = 0) -> dict[str, Any]:
            return dict((await call("GET", f"{path}?after={after}")).json())

        with step("asked and answered"):
            seen = await events(call, f"{path}/events", "asked")
            assert seen[0][1] == "started"
            [asked] = (await call("GET", f"{path}/requests")).json()["requests"]
            assert [one["label"] for one in asked["questions"][0]["options"]] == ["date-fns", "Day.js"]
            place = f"{path}/requests/{asked['id']}/answer"
            wrong = await call("POST", place, {"answer": {"answers": [{"selected": [7]}]}})
            assert (wrong.status_code, wrong.json()["field"]) == (400, "answer.answers[0].selected")
            answer = {"answer": {"answers": [{"selected": [2]}]}}
            assert (await call("POST", f"{path}/requests/other/answer", answer)).status_code == 404
            for listed in (
                (await call("GET", "/runs?state=waiting&state=working")).json()["runs"][0],
                await shown(),
            ):
                [waits] = listed["waiting"]
                assert (listed["questions"], waits["request"]) == (1, asked["id"])
                assert (waits["kind"], waits["text"]) == ("question", "Which <b>library</b>?")
            assert (await call("POST", place, answer)).json() == {"success": True}
            again = await call("POST", place, answer)
            assert again.status_code == 409
            assert "Already answered" in again.json()["detail"]
        with step("followed to its end"):
            rest = await events(call, "/events", "ended", after=seen[-1][0])
            assert next(kind for _, kind in rest) == "answered"
            assert min(number for number, _ in rest) > seen[-1][0]
            ended = await call.run("T-1", "ended")
            assert ended["result"].startswith("All is done.")
            assert (await call("POST", f"{path}/stop")).status_code == 409
        with step("what happened, and after that"):
            whole = await shown()
            assert [one["kind"] for one in whole["events"]][-2:] == ["acted", "started"]
            assert (whole["here"], whole["asked"], whole["questions"]) == (True, None, 0)
            assert (await shown(whole["events"][1]["number"]))["events"] == whole["events"][:1]
            assert set(whole["refused"]) == {"allow"}
        with step("its page, whose address is a right to it alone"):
            page = await call.http.get(run["page"])
            assert (page.status_code, "<i>" in page.text) == (200, False)
            assert "script-src 'self'" in page.headers["content-security-policy"]
            for file in ("/", "/board/board.js", "/static/dom.js", "/static/style.css"):
                assert (await call.http.get(file)).status_code == 200
            seen_there = (await call.on_page(run, "GET", path)).json()
            assert seen_there["result"].startswith("All is done.")
            assert (seen_there["people"], "acted" in str(seen_there["events"])) == ({}, False)
            assert (await call.on_page(run, "GET", f"{path}/events")).status_code == 403
            other = await call("POST", "/runs", {"title": "Other", "prompt": "x", "ticket": "T-0"})
            beside = f"/runs/{other.json()['id']}"
            for method, place, body, status, why in (
                ("GET", "/runs", None, 403, "a right to its run alone"),
                ("GET", beside, None, 403, "a right to its run alone"),
                ("POST", f"{beside}/stop", None, 403, "a right to its run alone"),
                ("POST", "/runs", new, 403, "a right to its run alone"),
                ("POST", f"{path}/done", {}, 403, "no right to mark it"),
                ("POST", f"{path}/messages", {"text": "More"}, 403, "its page continues nothing"),
                ("POST", f"{path}/messages", {"text": "1", "meant": "x:1"}, 409, "no longer asks this"),
            ):
                refused = await call.on_page(run, method, place, body)
                assert (refused.status_code, why in refused.json()["detail"]) == (status, True), refused.text
            forged = {**run, "page": run["page"][:-1] + "x"}
            assert (await call.on_page(forged, "GET", path)).status_code == 404
            await call("POST", f"{beside}/stop")
            await call.run("T-0", "ended", "stopped")
        with step("done with it, by who may stop it"):
            assert (await call("POST", f"{path}/done", {})).json() == {"success": True}
            assert (await shown())["done"] is True
            assert (await call("POST", f"{path}/done", {"done": False})).json() == {"success": True}
            assert (await shown())["done"] is False
        with step("webhooks"):
            ticket = {"title": "Nowhere", "prompt": "x", "repository": "other"}
            assert (await hook(call, "ccq.ticket", "T-2", ticket, "d1")).status_code == 200
            for _ in range(2):
                assert (await hook(call, "ccq.message", "T-9\n", {"text": "1"}, "d2")).status_code == 200
            assert [one for one in caplog.messages if "no run" in one] == [
                "A message for a ticket that has no run is kept for it (webhook: T-9)"
            ]
            forged = await call.http.post("/webhooks/webhook", content=b"{}")
            assert (forged.status_code, forged.json()["detail"][:13]) == (401, "The signature")
            huge = await call.http.post("/webhooks/webhook", content=b"x" * 1_000_001)
            assert huge.status_code == 413
            assert (await call.http.post("/webhooks/linear", content=b"{}")).status_code == 404
            assert len((await call("GET", "/runs")).json()["runs"]) == 3
            without = f"/runs/{(await call.run('T-2', 'failed'))['id']}"
            assert (await call("POST", f"{without}/done", {})).status_code == 403
        with step("counts"):
            text = (await call("GET", "/metrics")).text
            for line in (
                'ccq_runs{state="ended"} 1.0',
                'ccq_run_events_total{kind="asked"} 1.0',
                'ccq_webhooks_total{adapter="webhook",result="refused"} 1.0',
                "ccq_question_wait_seconds_count 1.0",
            ):
                assert line in text
        with step("the page continues nothing, and opens no more once it is closed"):
            with closing(RunStore.open(f"sqlite:///{home.root / 'runs.db'}")) as store:
                store.update(run["id"], link=UNLINKED)
                acts = [one.body for one in store.all_events(run["id"], Happened.ACTED)]
            assert [(one["act"], one["where"]) for one in acts] == [("start", "by ci"), ("answer", "by ci")]
            assert (await call.on_page(run, "GET", path)).status_code == 404
        with step("another token, which reads alone, and one that is over"):
            tokens = (([Scope.READ], "", 200, 403), ([*Scope], "2020-01-01", 401, 401))
            for scopes, until, status, stops in tokens:
                other = change_tokens(state_of(home), "other", scopes=scopes, until=until)
                bearer = {"Authorization": f"Bearer {other}"}
                assert (await call("GET", "/runs", **bearer)).status_code == status
                assert (await call("POST", f"{path}/stop", **bearer)).status_code == stops
        with step("a revoked token"):
            change_tokens(state_of(home), "ci", add=False)
            assert (await call("GET", "/runs")).status_code == 401
            with pytest.raises(TokensError, match="no token"):
                change_tokens(state_of(home), "ci", add=False)

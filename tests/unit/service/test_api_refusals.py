"""What the service answers to calls while it cannot, or will not, do what they ask."""

import asyncio
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2

from ccq_tui.service.adapters.webhook import WebhookAdapter
from ccq_tui.service.api import LIMITS, ServiceParts, service_app
from ccq_tui.service.isolation import Isolation
from ccq_tui.service.people import Participant
from ccq_tui.service.policy import Policy
from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import Run, RunState
from ccq_tui.service.service import Service
from ccq_tui.service.store import RunStore
from ccq_tui.service.telemetry import Telemetry
from ccq_tui.service.tokens import change_tokens, page_sign
from tests.unit.service.test_webhook import GOOD, SECRET, signed


def parts_of(state: Path) -> ServiceParts:
    hooks = {"webhook": WebhookAdapter(lambda: SECRET)}
    service = Service(Policy({}), "", hooks, machine="one", state=state)
    service.isolation = Isolation("Sessions run as nobody.", apart=True)
    service.store = RunStore.open(f"sqlite:///{state / 'runs.db'}")
    return ServiceParts(service, state, lambda _run: "", b"key", Telemetry())


async def test_who_has_the_address_of_a_page_takes_no_place_of_another_message(tmp_path: Path) -> None:
    parts, now = parts_of(tmp_path), datetime.now(UTC)
    store, texts = parts.service.store, ("webhook", "T", "A title", "", "Build it", "repo", now, now)
    run = store.create(Run("0123456789ab", *texts, machine="two", state=RunState.WORKING, link="n"))
    transport = httpx2.ASGITransport(service_app(parts))
    async with httpx2.AsyncClient(transport=transport, base_url="http://here") as http:
        place, link = f"/runs/{run.id}/messages", f"Bearer page.{run.id}.{page_sign(b'key', run)}"
        for _ in range(2):
            sent = {"text": "More", "id": "7"}
            assert (await http.post(place, json=sent, headers={"Authorization": link})).status_code == 200
    stop = TicketMessage("webhook", "T", "7", "", Participant("webhook:anna"), stop=True)
    assert store.unknown([stop]) == [stop]
    assert [one.text for one in store.kept(run)] == ["More"]
    store.close()


async def test_a_database_that_is_away_and_wrong_tokens(tmp_path: Path) -> None:
    parts = parts_of(tmp_path)
    bearer = {"Authorization": f"Bearer {await asyncio.to_thread(change_tokens, tmp_path, 'ci')}"}
    transport = httpx2.ASGITransport(service_app(parts))
    async with httpx2.AsyncClient(transport=transport, base_url="http://here") as http:
        assert (await http.get("/health")).status_code == 200
        link: Any = {"Authorization": b"Bearer page.0123.\xe9"}
        assert (await http.get("/runs/0123", headers=link)).status_code == 404
        with sqlite3.connect(tmp_path / "runs.db") as database:
            database.execute("ALTER TABLE ccq_runs RENAME TO gone")
            database.execute("ALTER TABLE ccq_schema RENAME TO gone_too")
        assert (await http.get("/health")).status_code == 200, "it is alive"
        for path in ("/ready", "/runs", "/metrics"):
            away = await http.get(path, headers=bearer)
            assert (away.status_code, away.headers["retry-after"]) == (503, "2")
            assert away.json()["detail"].startswith("The database of runs cannot be used")
        for _ in range(2):  # what could not be taken is no repetition when it comes again
            assert (
                await http.post("/webhooks/webhook", content=GOOD, headers=signed(GOOD))
            ).status_code == 503
        with sqlite3.connect(tmp_path / "runs.db") as database:
            database.execute("ALTER TABLE gone RENAME TO ccq_runs")
            database.execute("ALTER TABLE gone_too RENAME TO ccq_schema")
        assert (await http.get("/ready")).status_code == 200
        assert (await http.post("/webhooks/webhook", content=GOOD, headers=signed(GOOD))).status_code == 200
        for _ in range(int(LIMITS.wrong) - 1):
            assert (await http.get("/runs")).status_code == 401
        assert (await http.get("/runs")).status_code == 429
        assert (await http.get("/metrics", headers=bearer)).status_code == 200
    parts.service.store.close()

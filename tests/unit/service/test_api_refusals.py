"""What the service answers to calls while it cannot, or will not, do what they ask."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import httpx2

from ccq_tui.service.adapters.webhook import WebhookAdapter
from ccq_tui.service.api import LIMITS, ServiceParts, service_app
from ccq_tui.service.isolation import Isolation
from ccq_tui.service.policy import Policy
from ccq_tui.service.service import Service
from ccq_tui.service.store import RunStore
from ccq_tui.service.telemetry import Telemetry
from ccq_tui.service.tokens import change_tokens
from tests.unit.service.test_webhook import GOOD, SECRET, signed


async def test_a_database_that_is_away_and_wrong_tokens(tmp_path: Path) -> None:
    service = Service(Policy({}), "", machine="one", state=tmp_path)
    service.isolation = Isolation("Sessions run as nobody.", apart=True)
    service.store = RunStore.open(f"sqlite:///{tmp_path / 'runs.db'}")
    hooks = {"webhook": WebhookAdapter(lambda: SECRET)}
    parts = ServiceParts(service, hooks, tmp_path, lambda _run: "", b"key", Telemetry())
    bearer = {"Authorization": f"Bearer {await asyncio.to_thread(change_tokens, tmp_path, 'ci')}"}
    transport = httpx2.ASGITransport(service_app(parts))
    async with httpx2.AsyncClient(transport=transport, base_url="http://here") as http:
        assert (await http.get("/health")).status_code == 200
        assert (await http.get("/page/0123/wrong")).status_code == 404
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
        for _ in range(int(LIMITS.wrong)):
            assert (await http.get("/runs")).status_code == 401
        assert (await http.get("/runs")).status_code == 429
        assert (await http.get("/runs", headers=bearer)).status_code == 200
    service.store.close()

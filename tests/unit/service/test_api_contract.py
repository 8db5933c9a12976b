"""The API of the service against its own OpenAPI document."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ccq_tui.service import api
from ccq_tui.service.config import ServiceConfig
from ccq_tui.service.policy import Repository
from ccq_tui.service.serving import ServiceOptions, serve
from ccq_tui.service.tokens import Scope, change_tokens
from ccq_tui.web.guards import CallLimits
from tests.agent.service.waiting import MACHINE, fill
from tests.contract import try_all


async def test_every_call_keeps_to_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "LIMITS", CallLimits(1_000_000, wrong=1e9))
    store, state, tried = f"sqlite:///{tmp_path / 'runs.db'}", tmp_path / "state", asyncio.Event()
    await asyncio.to_thread(fill, 1, store, tmp_path)
    headers = {"Authorization": f"Bearer {await asyncio.to_thread(change_tokens, state, 'ci')}"}
    # In a directory that is no checkout, runs fail before a session starts.
    config = ServiceConfig(
        machine=MACHINE, repositories={"repo": Repository(tmp_path, answer=("token:ci",), stop=("token:ci",))}
    )
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    options = ServiceOptions(config, store, state, port=0)
    async with asyncio.TaskGroup() as group:
        group.create_task(serve(options, started=url.set_result, stop=tried))
        async with httpx2.AsyncClient(base_url=await url, headers=headers, trust_env=False) as http:
            [run] = (await http.get("/runs")).json()["runs"]
            [request] = (await http.get(f"/runs/{run['id']}/requests")).json()["requests"]

        def existing(case: Any) -> None:
            given = {"run": run["id"], "request": request["id"]}
            case.path_parameters |= {name: given[name] for name in case.path_parameters}

        await asyncio.to_thread(try_all, url.result(), dict.fromkeys(Scope, headers), existing)
        tried.set()

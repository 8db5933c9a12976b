"""A service as people and programs reach it: over HTTP, with a scripted Linear beside it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2

from ccq_tui.service.config import LinearTable, Secret, ServiceConfig
from ccq_tui.service.policy import Repository, RunLimits
from ccq_tui.service.serving import ServiceOptions, serve
from ccq_tui.service.tokens import change_tokens
from ccq_tui.testing import CleanHome
from tests.agent.service.scripted_linear import LinearSession, ScriptedLinear
from tests.steps import until_true


def state_of(home: CleanHome) -> Path:
    """Return the directory of state, which commands in this home use too."""
    return home.home / ".local" / "state" / "ccq-tui"


class Client:
    """Calls a service that is served, with a token or another one."""

    def __init__(self, url: str, state: Path) -> None:
        self.url, self.token = url, change_tokens(state, "ci")
        self.http = httpx2.AsyncClient(base_url=url, timeout=30, trust_env=False)

    async def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        """Make a call."""
        given = {"Authorization": f"Bearer {self.token}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return await self.http.request(method, path, json=body, headers=given)

    async def on_page(self, run: dict[str, Any], method: str, path: str, body: Any = None) -> httpx2.Response:
        """Make a call as the page of a run does, whose address is its only right."""
        *_, run_id, sign = run["page"].split("/")
        return await self(method, path, body, Authorization=f"Bearer page.{run_id}.{sign}", Origin=self.url)

    async def run(self, ticket: str, *states: str) -> dict[str, Any]:
        """Wait until the run of a ticket is there, and in one of some states."""

        async def look() -> dict[str, Any] | None:
            runs = (await self("GET", "/runs")).json()["runs"]
            found = (one for one in runs if one["ticket"] == ticket)
            return next((one for one in found if not states or one["state"] in states), None)

        return dict(await until_true(look))


class Linear(ScriptedLinear):
    """A scripted Linear with its secrets in files.

    Args:
        place: The directory of the files.

    Attributes:
        table: Its table in the configuration of a service.
        token_file: The file of the token that the service sends.
    """

    def __init__(self, place: Path) -> None:
        super().__init__("", secret="lin_secret", token="lin_token")
        secret_file, self.token_file = place / "secret", place / "token"
        secret_file.write_text("lin_secret", encoding="utf-8")
        self.token_file.write_text("lin_token", encoding="utf-8")
        secret, token = Secret(file=secret_file), Secret(file=self.token_file)
        self.table = LinearTable(webhook_secret=secret, token=token, url=f"{self.url}/graphql")


def bodies(session: LinearSession, kind: str) -> list[str]:
    """Return the texts of the activities of a kind."""
    return [one["body"] for one in session.activities if one["type"] == kind]


async def until_act(session: LinearSession, kind: str, count: int = 1) -> str:
    """Wait until a session has so many activities of a kind; return the text of the last of them."""
    await until_true(lambda: len(bodies(session, kind)) >= count)
    return bodies(session, kind)[count - 1]


async def first_activity(session: LinearSession) -> None:
    """Wait for the first activity of a session, and print how long it took."""
    since = time.monotonic()
    await until_act(session, "thought")
    print(f"first activity after {time.monotonic() - since:.2f} s")  # noqa: T201 - Linear allows 10 s


@asynccontextmanager
async def served(
    home: CleanHome,
    repository: Repository | Path,
    linear: Linear | None = None,
    *,
    limits: RunLimits | None = None,
    **tables: Any,
) -> AsyncIterator[Client]:
    """Serve a service as the command does; what it keeps is in the home."""
    here = repository if isinstance(repository, Repository) else Repository(repository)
    # The client of the test may do all that people in the ticket may.
    may = {name: (*getattr(here, name), "token:ci") for name in ("prompt", "answer", "stop")}
    here = replace(here, **may)
    config = ServiceConfig(
        machine="one",
        repositories={"repo": here},
        page_links=True,
        limits=limits or RunLimits(),
        linear=linear and linear.table,
        **tables,
    )
    options = ServiceOptions(
        config, f"sqlite:///{home.root / 'runs.db'}", state_of(home), environment=home.overrides(), port=0
    )
    stop, url = asyncio.Event(), asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(options, started=url.set_result, stop=stop))
    await asyncio.wait({serving, url}, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        await serving
    client = Client(await url, options.state)
    if linear is not None:
        linear.webhook = f"{client.url}/webhooks/linear"
    try:
        yield client
    finally:
        await client.http.aclose()
        stop.set()
        await serving

"""The terminal's side of a pairing by hand, what it asks, and pages in a real browser."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ccq_tui.inbox.requests import Request
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, StoredSession, StoredSessionState
from ccq_tui.remote.client import RelayClient
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.phone.devices import link_for_device
from ccq_tui.remote.publication import Publication, body_of, statement
from ccq_tui.remote.seal import About, Sealed, Sealer, to_base64
from tests.unit.remote.publishing import SESSION
from tests.unit.remote.relays import RunningRelay, TestPairing, in_days

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Locator, Page

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
KEY = bytes(range(32))
Body = dict[str, Any]


class Terminal:
    """The terminal's side of one pairing."""

    def __init__(self, made: TestPairing, key: bytes) -> None:
        self.id = made.id
        self._made = made
        self._key = key
        self._sealer = Sealer(key, made.id) if key else None

    @classmethod
    async def paired(cls, relay: RunningRelay, key: bytes = KEY) -> Terminal:
        """Make a pairing, a plain one without a key."""
        return cls(await relay.pairing(sealed=bool(key), devices=0), key)

    def at(self, relay: RunningRelay) -> Terminal:
        """Return the same at a relay that was started again."""
        caller = dataclasses.replace(self._made.terminal, relay=relay)
        return Terminal(TestPairing(relay, self.id, caller), self._key)

    async def call(self, method: str, path: str, body: Body | None = None) -> Any:
        response = await self._made.terminal(method, path, body)
        assert response.is_success, (method, path, response.text)
        return response.json()

    async def invited(self, make: Callable[[RelayClient], Awaitable[str]]) -> str:
        """Invite a device; return the link or the code."""
        relay = self._made.relay.url
        token = self._made.terminal.token
        async with RelayClient(Pairing(self.id, relay, relay, token, to_base64(self._key))) as client:
            return await make(client)

    async def publish(
        self,
        request: Request,
        session: str = "api-refactor",
        context: str = "I looked.",
        *,
        parked: bool = False,
    ) -> Publication:
        """Publish a request as the inbox would that has it."""
        now = datetime.now(UTC)
        state = StoredSessionState.PARKED if parked else StoredSessionState.AWAITING
        asker = StoredSession(SESSION, f"/home/anna/src/{session}", session, state, None, now, now)
        stored = StoredRequest(1, request, context, RequestState.PENDING, now)
        body = body_of(stored, asker, "anna-laptop", grants=False)
        made = Publication(str(uuid.uuid4()), in_days(6), body)
        if self._sealer:
            sealed = self._sealer.seal(body, About(Sealed.REQUEST, made.id, made.expires))
            made = dataclasses.replace(made, sealed=sealed)
        await self.call("POST", "/request", {"pairingId": self.id, "request": made.posted})
        return made

    async def answer(self, published: Publication) -> Body:
        """Wait for the answer, opened as the terminal opens it."""
        record = await self.call("GET", f"/request/{self.id}/{published.id}?wait=20")
        given: Body = record["answer"]
        if self._sealer is None or given.get("skipped"):
            return given
        return self._sealer.open(given["sealed"], self._about(Sealed.ANSWER, published))

    async def state(self, published: Publication, end: str = "", *, ended: bool = True, **said: Any) -> None:
        """Say what became of a request."""
        content: Body = {"statement": statement(end, **said)}
        if self._sealer:
            about = self._about(Sealed.STATEMENT, published)
            content = {"sealed": self._sealer.seal(content["statement"], about)}
        status = {"status": "ended" if ended else "pending"}
        await self.call("PUT", f"/request/{self.id}/{published.id}/status", status | content)

    async def devices(self) -> dict[str, str]:
        """Return the ids of the devices by their names, opened."""
        found = (await self.call("GET", f"/devices/{self.id}"))["devices"]
        return {self._opened(one): one["id"] for one in found if one["role"] == "device"}

    def _opened(self, device: Body) -> str:
        if self._sealer is None:
            return str(device["name"])
        return str(self._sealer.open(device["name"], About(Sealed.NAME, device["invitation"]))["name"])

    @staticmethod
    def _about(kind: Sealed, published: Publication) -> About:
        return About(kind, published.id, published.expires, published.sealed)


class Pages:
    """The page on several devices: each has a browser profile of its own."""

    def __init__(self, browser: Browser) -> None:
        self.errors: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    async def open(self, size: tuple[int, int] = (390, 844), script: str = "", **options: Any) -> Page:
        """Open an empty page; a script runs in it before its own."""
        shown = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce"}
        # Each profile would else keep all files of the page anew.
        options = {"service_workers": "block", **options}
        context = await self._browser.new_context(**shown, **options)
        context.set_default_timeout(20_000)
        self._contexts.append(context)
        page = await context.new_page()
        await page.add_init_script(script)
        page.on("pageerror", lambda error: self.errors.append(f"{error}\n{error.stack}"))
        page.on("console", self._logged)
        return page

    async def paired(self, terminal: Terminal, name: str = "Anna’s phone", **options: Any) -> Page:
        """Open a page, and pair it by a link."""
        page = await self.open(**options)
        await page.goto(await terminal.invited(link_for_device))
        await page.get_by_label("Name of this device").fill(name)
        await press(page, "Pair this device")
        await page.get_by_text("Live", exact=True).wait_for(state="attached")
        return page

    async def close(self) -> None:
        for context in self._contexts:
            await context.close()

    def _logged(self, message: Any) -> None:
        # A browser logs each call that fails, which many of these tests mean to.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)


async def press(page: Page, *names: str) -> None:
    """Press buttons, one after the other."""
    for name in names:
        await page.get_by_role("button", name=name, exact=True).click()


def main(page: Page) -> Locator:
    return page.locator("#open")


async def pick(page: Page, *labels: str) -> None:
    """Choose options of the request that is open."""
    for label in labels:
        await main(page).get_by_text(label, exact=True).click()


async def shown(page: Page, *texts: str) -> None:
    """Wait until what is open shows texts."""
    for text in texts:
        await main(page).get_by_text(text).first.wait_for()


async def ready(page: Page) -> None:
    """Wait until the request that was opened takes keys."""
    await page.locator(".content:not([inert])").wait_for()

"""The terminal's side of a pairing without an inbox, and pages in a real browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ccq_tui.answering.record import Record
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, SessionState, StoredRequest, StoredSession
from ccq_tui.remote.client import RelayClient
from ccq_tui.remote.phone.devices import link_for_device
from ccq_tui.remote.publication import Channel, Publication, statement
from tests.steps import until_true
from tests.unit.remote.publishing import SESSION
from tests.unit.remote.relays import RunningRelay

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Locator, Page

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


class Terminal:
    """Publishes requests at a relay, and says of them what a test wants, without an inbox."""

    def __init__(self, client: RelayClient) -> None:
        self.client = client
        self._channel = Channel(client.pairing)
        self._asked: dict[str, Request] = {}

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
        state = SessionState.PARKED if parked else SessionState.AWAITING
        asker = StoredSession(SESSION, f"/home/anna/src/{session}", session, state, None, now, now)
        stored = StoredRequest(1, request, context, RequestState.PENDING, now)
        made = self._channel.publication(stored, asker)
        self._asked[made.id] = request
        await self.client.publish(made.posted)
        return made

    async def answered(self, published: Publication) -> Record:
        """Wait for the answer; return the relay's record."""

        async def look() -> Record | None:
            record = await self.client.request(published.id) or {}
            return record if record.get("status") == "answered" else None

        return dict(await until_true(look))

    async def answer(self, published: Publication) -> tuple[RequestOutcome, Actor]:
        """Wait for the answer; return the outcome, and who answered, as the inbox would take them."""
        record = await self.answered(published)
        return self._channel.read(record, published, self._asked[published.id])

    async def state(
        self, published: Publication, end: str = "", *, ended: bool = True, **wanted: Any
    ) -> None:
        """Say what became of a request."""
        content = self._channel.stated(statement(end, **wanted), published.posted, published)
        await self.client.put_status(published.id, "ended" if ended else "pending", content)


@asynccontextmanager
async def paired(relay: RunningRelay, *, sealed: bool = True) -> AsyncIterator[Terminal]:
    """Make a pairing."""
    made = await relay.pairing(sealed=sealed, devices=0)
    async with RelayClient(made.known) as client:
        yield Terminal(client)


class Pages:
    """The page on several devices: each has a browser profile of its own.

    A profile and its process cost more than most tests do in it: the first page of a test is that of the test
    before, without what it has kept, unless it is to be its own.
    """

    def __init__(self, browser: "Browser") -> None:
        self.errors: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._kept: Page | None = None
        self._is_free = True

    async def open(
        self, size: tuple[int, int] = (390, 844), script: str = "", *, own: bool = False, **options: Any
    ) -> "Page":
        """Open an empty page; a script runs in it before its own."""
        if own or script or options or not self._is_free:
            page = await self._made(script, **options)
            self._contexts.append(page.context)
        else:
            page = self._kept = self._kept or await self._made()
            self._is_free = False
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        return page

    async def _made(self, script: str = "", **options: Any) -> "Page":
        # Each profile would else keep all files of the page anew.
        usual = {"service_workers": "block", "reduced_motion": "reduce"}
        context = await self._browser.new_context(**usual | options)
        context.set_default_timeout(60_000)
        page = await context.new_page()
        await page.add_init_script(script)
        page.on("pageerror", lambda error: self.errors.append(f"{error}\n{error.stack}"))
        page.on("console", self._logged)
        return page

    async def paired(self, terminal: Terminal, name: str = "Anna’s phone", **options: Any) -> "Page":
        """Open a page, and pair it by a link."""
        page = await self.open(**options)
        await page.goto(await link_for_device(terminal.client))
        await page.get_by_label("Name of this device").fill(name)
        await press(page, "Pair this device")
        await page.get_by_text("Live", exact=True).wait_for(state="attached")
        return page

    async def close(self) -> None:
        """Close the pages of a test, and clear the one that is kept; none may have logged an error."""
        for context in self._contexts:
            await context.close()
        self._contexts.clear()
        if (page := self._kept) and not self._is_free:
            origin = "/".join(page.url.split("/")[:3])
            await page.unroute_all()
            await page.context.set_offline(False)
            await page.goto("about:blank")
            await page.emulate_media(color_scheme="null", forced_colors="null")
            browser = await page.context.new_cdp_session(page)
            await browser.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
            await browser.detach()
            self._is_free = True
        errors, self.errors = self.errors, []
        assert errors == []

    def _logged(self, message: Any) -> None:
        # A browser logs each call that fails, which many of these tests mean to.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)


async def press(page: "Page", *names: str) -> None:
    """Press buttons, one after the other."""
    for name in names:
        await page.get_by_role("button", name=name, exact=True).click()


def main(page: "Page") -> "Locator":
    return page.locator("#open")


async def pick(page: "Page", *labels: str) -> None:
    """Choose options of the request that is open."""
    for label in labels:
        await main(page).get_by_text(label, exact=True).click()


async def shown(page: "Page", *texts: str) -> None:
    """Wait until what is open shows texts."""
    for text in texts:
        await main(page).get_by_text(text).first.wait_for()


async def ready(page: "Page") -> None:
    """Wait until the request that was opened takes keys."""
    await page.locator(".content:not([inert])").wait_for()


PHONE = (390, 844)
LOOKS: Any = ((PHONE, "light"), (PHONE, "dark"), ((1280, 800), "dark"), ((190, 230), "light"))
RULES = {"light": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"], "dark": ["color-contrast"]}
SMALL = """() => [...document.querySelectorAll("button, summary, a, textarea, input[type=text], label.pick")]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
    .filter(([, { width, height }]) => Math.min(width, height) < 43.5)
    .map(([name, { width, height }]) => `${name} ${width}x${height}`)"""
WIDE = "() => document.documentElement.scrollWidth > innerWidth"


async def violations(page: "Page", rules: list[str]) -> Any:
    """Return which rules of accessibility a page breaks."""
    from axe_playwright_python.base import AXE_SCRIPT

    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    return await page.evaluate("async (options) => (await axe.run(options)).violations", options)


async def check(page: "Page", place: str) -> None:
    """Measure the page in all sizes, the watch's last; on a phone, let axe look at it too."""
    for (width, height), scheme in LOOKS:
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(color_scheme=scheme)
        at = (place, width)
        assert (at, await page.evaluate(SMALL)) == (at, [])
        assert not await page.evaluate(WIDE), at
        if width == PHONE[0]:
            # All but the colours is the same in dark.
            assert (place, await violations(page, RULES[scheme])) == (place, [])

"""The page's accessibility and its sizes, from a watch to a desk, in light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ccq_tui.remote.phone.devices import link_for_device
from tests.e2e import asked
from tests.e2e.paging import Pages, Terminal, press, ready
from tests.unit.remote.relays import RunningRelay

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE = (390, 844)
LOOKS: tuple[Any, ...] = (
    *((PHONE, "light"), (PHONE, "dark")),
    *(((1280, 800), "dark"), ((190, 230), "light")),
)
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
REQUESTS = {
    "one": asked.asks(asked.CACHE),
    "set": asked.asks(asked.CACHE, asked.FEATURES, asked.REPLICAS, asked.NAME),
    "edit": asked.EDIT,
    "bash": asked.BASH,
    "plan": asked.PLAN,
    "form": asked.FORM,
    "link": asked.LINK,
}
SMALL = """() => [...document.querySelectorAll("button, summary, a, textarea, input[type=text], label.pick")]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
    .filter(([, { width, height }]) => Math.min(width, height) < 43.5)
    .map(([name, { width, height }]) => `${name} ${width}x${height}`)"""
WIDE = "() => document.documentElement.scrollWidth > innerWidth"


async def check(page: Page, place: str) -> None:
    """Measure the page in all sizes, the watch's last; on a phone, let axe look at it too."""
    from axe_playwright_python.async_playwright import Axe

    for (width, height), scheme in LOOKS:
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(color_scheme=scheme)
        at = (place, width)
        assert (at, await page.evaluate(SMALL)) == (at, [])
        assert not await page.evaluate(WIDE), at
        if width == PHONE[0]:
            # All but the colours is the same in dark.
            only = ("tag", RULES) if scheme == "light" else ("rule", ["color-contrast"])
            found = await Axe().run(
                page, options={"runOnly": dict(zip(("type", "values"), only, strict=True))}
            )
            wrong = [
                (one["id"], [node["html"][:120] for node in one["nodes"]])
                for one in found.response["violations"]
            ]
            assert (place, wrong) == (place, [])


async def test_fits_and_is_accessible(relay: RunningRelay, terminal: Terminal, pages: Pages) -> None:
    page = await pages.open()
    await page.goto(relay.url)
    await page.get_by_label("Code").wait_for()
    await check(page, "pair")
    published = {name: await terminal.publish(one, name) for name, one in REQUESTS.items()}
    await page.goto(await terminal.invited(link_for_device))
    await press(page, "Pair this device")
    await page.get_by_text("7 waiting").wait_for()
    await check(page, "list")
    for name in REQUESTS:
        await page.locator(".card").filter(has=page.get_by_text(name, exact=True)).click()
        await ready(page)
        if name == "set":
            await page.get_by_text("Preview").click()
            await page.get_by_text("Other…").click()
            await press(page, "Add a note")
            await check(page, "question")
            await press(page, "Name")
            await page.get_by_role("button", name="Review").click()
        await check(page, name)
        await press(page, "Back to the list")
    await press(page, "Pairings and notifications")
    await page.get_by_role("button", name="Forget").click()
    await check(page, "settings")
    await press(page, "Back to the list")
    await terminal.state(published["one"], "answered", by="at the terminal", taken=True)
    await page.locator(".recent .row").click()
    await ready(page)
    await check(page, "ended")

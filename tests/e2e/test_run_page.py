"""The pages of the service in a real browser: a ticket of the scripted Linear, and the page of its run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests import hostile
from tests.agent.service.over_http import Linear, served
from tests.e2e.paging import Pages, press
from tests.e2e.test_page import RULES
from tests.results import replied
from tests.steps import step
from tests.unit.worktrees.repositories import IDENTITY, repository

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")
TAGS = "<script>hostile=1</script></textarea></pre><img src=x onerror=hostile=1><h1 style='width:9999px'>"
HOSTILE = f"{TAGS}{hostile.MARK} ![i](http://x/i) [l](javascript:hostile=1) {'x' * 5_000}"
LABEL = f'"> {HOSTILE}'
CACHE = Question(f"Which cache? {HOSTILE}", "Cache", (Option("Redis", HOSTILE), Option(LABEL)))
ROOM = Question("Which room?", "Room", (Option("Big"), Option("Small")))
NAME = Question("What is it called?", "Name", (Option("api"), Option("web")))
COUNT = Question("How many replicas?", "Replicas", (Option("3"), Option("1")))
SCRIPT = Scenario("pages").says(HOSTILE).asks(CACHE, NAME).says("I note it.").asks(COUNT).asks(ROOM)
FITS = """() => document.readyState === "complete" && document.documentElement.scrollWidth <= innerWidth
    && !window.hostile && !document.querySelector("script, img, h1[style], [href^=java]")"""


async def check(page: Page) -> None:
    """Check that a page and its frames fit and run nothing of what they show; that it is accessible, too."""
    from axe_playwright_python.async_playwright import Axe

    for width, scheme, rules in (
        (1280, "light", []),
        (390, "light", RULES["light"]),
        (390, "dark", RULES["dark"]),
    ):
        await page.set_viewport_size({"width": width, "height": 844})
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for frame in page.frames:  # which may be loading again
            await frame.wait_for_function(FITS)
        if rules:
            found = await Axe().run(page, options={"runOnly": rules})
            assert (page.url, found.response["violations"]) == (page.url, [])


async def test_a_ticket_is_answered_in_a_browser(
    tmp_path: Path,
    scripted_model: Callable[..., ScriptedModel],
    claude_env: Callable[..., CleanHome],
    monkeypatch: pytest.MonkeyPatch,
    pages: Pages,
) -> None:
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    model, linear = scripted_model(SCRIPT), Linear(tmp_path)
    try:
        async with served(claude_env(model), repository(tmp_path / "repo"), linear):
            ticket, page = await asyncio.gather(pages.open(), pages.open())
            activities = ticket.frame_locator("iframe")
            with step("a new ticket"):
                await ticket.goto(linear.url)
                for name in ("Title", "Description"):
                    await ticket.get_by_label(name).fill(HOSTILE)
                await press(ticket, "Assign to the agent")
                await activities.get_by_role("button", name="Redis").wait_for()
                await check(ticket)
            with step("a button, then a text"):
                [session] = linear.sessions.values()
                await page.goto(session.urls[0]["url"])
                await check(page)
                await page.get_by_role("button", name="2", exact=True).click()
                await page.get_by_text("What is it called?").wait_for()
                await page.get_by_label("Your answer").fill("café <b>")
                await press(page, "Reply")
                result = await model.wait_for_result("toolu_pages_1")
                assert result.text == replied(f'"{CACHE.text}"="{LABEL}", "What is it called?"="café <b>"')
            with step("answered in the ticket first"):
                await page.get_by_text("How many replicas?").wait_for()
                await activities.get_by_role("button", name="1", exact=True).click()
                await activities.get_by_role("button", name="1", exact=True).wait_for(state="detached")
                await press(page, "3")
                await page.get_by_text("Answered in the ticket, by Robin: Replicas: 1").wait_for()
                await page.get_by_text("nothing was sent from here").wait_for()
            with step("stopped"):
                await press(page, "Stop the run")
                await page.get_by_text("It was stopped; a message in its ticket continues it.").wait_for()
                await check(page)
                await activities.get_by_text("Status: complete").wait_for()
    finally:
        linear.close()

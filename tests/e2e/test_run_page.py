"""The page of a run in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests import hostile
from tests.agent.service.over_http import Linear, served, until_said
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
    """Check that a page fits and runs nothing of what it shows; that it is accessible, too."""
    from axe_playwright_python.async_playwright import Axe

    for width, scheme, rules in (
        (1280, "light", []),
        (390, "light", RULES["light"]),
        (390, "dark", RULES["dark"]),
    ):
        await page.set_viewport_size({"width": width, "height": 844})
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        await page.wait_for_function(FITS)  # it may be loading again
        if rules:
            found = await Axe().run(page, options={"runOnly": rules})
            assert (page.url, found.response["violations"]) == (page.url, [])


async def test_a_run_is_answered_in_a_browser(
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
            page, session = await pages.open(), linear.assign(HOSTILE, HOSTILE)
            with step("a button, then a text"):
                await until_said(session, "elicitation")
                await page.goto(session.urls[0]["url"])
                await check(page)
                await page.get_by_role("button", name="2", exact=True).click()
                await page.get_by_text("What is it called?").wait_for()
                await page.get_by_label("Your answer").fill("café <b>")
                await press(page, "Reply")
                result = await model.wait_for_result("toolu_pages_1")
                assert result.text == replied(f'"{CACHE.text}"="{LABEL}", "What is it called?"="café <b>"')
            with step("answered in the ticket first"):
                # A page that looks again by itself has the question already, but no buttons.
                await page.get_by_role("button", name="3", exact=True).wait_for()
                linear.reply(session.id, "b")
                await until_said(session, "elicitation", 4)
                await press(page, "3")
                await page.get_by_text("Answered in the ticket, by Robin: Replicas: 1").wait_for()
                await page.get_by_text("nothing was sent from here").wait_for()
            with step("stopped"):
                await press(page, "Stop the run")
                await page.get_by_text("It was stopped; a message in its ticket continues it.").wait_for()
                await check(page)
                await until_said(session, "response")
    finally:
        linear.close()

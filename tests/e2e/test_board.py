"""The board of runs, and the page of one, in a real browser."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.service.policy import Repository
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.service.store import RunStore
from ccq_tui.service.tokens import Scope, change_tokens
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from ccq_tui.testing.replies import Replies
from tests import hostile
from tests.agent.service.over_http import Linear, served, state_of, until_act
from tests.e2e.paging import RULES, Pages, pick, press, shown, violations
from tests.results import answered
from tests.steps import step
from tests.unit.worktrees.repositories import repository

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")
TAGS = "<script>hostile=1</script></textarea></pre><img src=x onerror=hostile=1><h1 style='width:9999px'>"
HOSTILE = f"{TAGS}{hostile.MARK} ![i](http://x/i) [l](javascript:hostile=1) {'x' * 5_000}"
LABEL = f'"> {HOSTILE}'
CACHE = Question(f"Which cache? {HOSTILE}", "Cache", (Option("Redis", HOSTILE), Option(LABEL)))
PARTS = Question("Which parts?", "Parts", (Option("Auth"), Option("Logs"), Option("Mail")), multi_select=True)
COUNT = Question("How many replicas?", "Replicas", (Option("3"), Option("1")))
ROOM = Question("Which room?", "Room", (Option("Big"), Option("Small")))
SCRIPT = Scenario("page").says(HOSTILE).asks(CACHE, PARTS).says("I note it.").asks(COUNT).asks(ROOM)
FITS = """() => document.readyState === "complete" && document.documentElement.scrollWidth <= innerWidth
    && !window.hostile && !document.querySelector("main script, img, h1[style], [href^=java]")"""


async def check(page: "Page") -> None:
    """Check that a page fits and runs nothing of what it shows; that it is accessible, too."""
    for width, scheme, rules in (
        (1280, "light", []),
        (320, "dark", []),
        (390, "light", RULES["light"]),
        (390, "dark", RULES["dark"]),
        (1280, "dark", RULES["dark"]),
    ):
        await page.set_viewport_size({"width": width, "height": 844})
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        await page.wait_for_function(FITS)
        if rules:
            assert (page.url, await violations(page, rules)) == (page.url, [])


async def test_a_run_is_answered_on_its_page(
    tmp_path: Path,
    scripted_model: Callable[..., ScriptedModel],
    claude_env: Callable[..., CleanHome],
    pages: Pages,
) -> None:
    model, linear = scripted_model(SCRIPT), Linear(tmp_path)
    try:
        async with served(claude_env(model), repository(tmp_path / "repo"), linear):
            page, session = await pages.open(), linear.assign(HOSTILE, HOSTILE)
            with step("radio buttons, then boxes"):
                await until_act(session, "elicitation")
                await page.goto(session.urls[0]["url"])
                await shown(page, "Which cache?")
                await check(page)
                await page.get_by_role("radio").nth(1).check()
                await press(page, "Next")
                await pick(page, "Logs", "Auth")
                await press(page, "Review", "Submit 2 answers")
                result = await model.wait_for_result("toolu_page_1")
                assert result.text == answered(f'"{CACHE.text}"="{LABEL}", "Which parts?"="Auth, Logs"')
            with step("answered in the ticket first"):
                await page.get_by_role("radio", name="3", exact=True).check()
                linear.reply(session.id, "b")
                await shown(page, "Answered in the ticket, by Robin: Replicas: 1")
            with step("stopped"):
                await press(page, "Stop the run")
                await shown(page, "It was stopped.")
                await check(page)
                await until_act(session, "response")
    finally:
        linear.close()


SCENES = {
    "Ask": Scenario().asks(CACHE, ROOM),
    "Run": Scenario().runs("Bash", command="touch made", description="Make it"),
    "End": Scenario(),
}


def scene(replies: Replies) -> Scenario:
    """Return what a ticket's text asks for."""
    return next(one for word, one in SCENES.items() if word in replies.prompt)


async def card(page: "Page", title: str) -> None:
    """Open a run from the list."""
    await page.locator("#list").get_by_role("link", name=title).click()
    await page.get_by_role("heading", name=title, level=1).wait_for()


async def test_the_board_lists_runs_and_opens_them(
    tmp_path: Path,
    scripted_model: Callable[..., ScriptedModel],
    claude_env: Callable[..., CleanHome],
    pages: Pages,
) -> None:
    model = scripted_model(Scenario("board").then(scene).says("All is done.").ends_turn())
    home, linear = claude_env(model), Linear(tmp_path)
    may = dict.fromkeys(("allow", "answer", "prompt", "stop"), ("creator", "token:lead"))
    repo = Repository(repository(tmp_path / "repo"), most_runs=9, **may)
    try:
        async with served(home, repo, linear) as call:
            asks, runs = linear.assign("Asks", "Ask"), linear.assign("Runs", "Run")
            ends = linear.assign("Ends", "End")
            for session, kind in ((asks, "elicitation"), (runs, "elicitation"), (ends, "response")):
                await until_act(session, kind)
            await call.run(asks.id, "waiting")
            page = await pages.open((1280, 900))
            with step("signed in by a wrong token, then by a link"):
                await page.goto(call.url)
                await page.get_by_label("Token").fill("wrong")
                await press(page, "Sign in")
                await page.get_by_text("The token is missing or unknown").wait_for()
                await check(page)
                lead = change_tokens(state_of(home), "lead")
                await page.goto(f"{call.url}/#token={lead}")
                await page.get_by_role("heading", name="3 questions wait", exact=True).wait_for()
                assert page.url == f"{call.url}/"
                await page.get_by_role("heading", name="Waits for you · 2 runs, 3 questions").wait_for()
                await page.get_by_role("heading", name="Ended · 1 run").wait_for()
                await check(page)
                await page.set_viewport_size({"width": 1280, "height": 900})
            with step("a permission, by those who may not allow it"):
                run = await call.run(runs.id)
                path, asked = f"/runs/{run['id']}", run["waiting"][0]["request"]
                for place, body in (
                    (f"{path}/requests/{asked}/answer", {"answer": {"choice": 1}}),
                    (f"{path}/messages", {"text": "y", "meant": f"{asked}:1"}),
                ):
                    by_link = await call.on_page(run, "POST", place, body)
                    assert by_link.json()["detail"] == "The address of a page is no right to allow."
                    by_token = await call("POST", place, body)
                    assert by_token.json()["detail"].startswith("ci may not allow in repo; ")
                    assert (by_link.status_code, by_token.status_code) == (403, 403)
                linked = await pages.open()
                await linked.goto(run["page"])
                await shown(linked, "touch made", "The address of a page is no right to allow.")
                assert await linked.get_by_role("button", name="Allow once").count() == 0
                assert (await call.run(runs.id))["questions"] == 1
            with step("a permission, by somebody who may allow it"):
                await card(page, "Runs")
                await shown(page, "touch made")
                await press(page, "Allow once")
                assert (await until_act(runs, "response")).startswith("All is done.")
                await shown(page, "It is done.", "Answered on the page of its run, by lead")
            with step("done with it, and not"):
                await press(page, "Done")
                await page.get_by_role("heading", name="Done · 1 run").wait_for()
                await press(page, "Not done")
                await page.get_by_role("heading", name="Ended · 2 runs").wait_for()
            with step("questions, one after the other"):
                await card(page, "Asks")
                await page.get_by_role("radio", name="Redis").check()
                await press(page, "Next")
                await page.get_by_role("radio", name="Small").check()
                await press(page, "Review", "Submit 2 answers")
                await until_act(asks, "response")
                await page.get_by_role("heading", name="No question waits", exact=True).wait_for()
            with step("stopped, and tried again"):
                stops = linear.assign("Stops", "Ask")
                await until_act(stops, "elicitation")
                await card(page, "Stops")
                await press(page, "Stop the run")
                await shown(page, "It was stopped.")
                await press(page, "Retry")
                await until_act(stops, "elicitation", 2)
                await page.get_by_role("radio", name="Redis").wait_for()
                await press(page, "Stop the run")
                await shown(page, "It was stopped.")
                await card(page, "Asks")
            with step("said more"):
                await page.get_by_label("Say more to the session").fill("End <b>well</b>")
                await press(page, "Send")
                await shown(page, "Written on the page of its run, by lead: End <b>well</b>")
            with step("a run of another machine, whose next question comes from its ticket"):
                now = datetime.now(UTC)
                place = ("linear", "T", "Elsewhere", "", "Build it", "repo", now, now, "two", "s")
                other = Run("0123456789ab", *place, state=RunState.WAITING)
                with closing(RunStore.open(f"sqlite:///{home.root / 'runs.db'}")) as store:
                    store.create(other)
                    asked = {"request": "q", "of": 3, "text": "Which **cache**?", "decides": False}
                    store.record(
                        other.id, Happened.ASKED, "q:2", asked | {"number": 2, "options": ["A", "B"]}
                    )
                    await page.get_by_role("heading", name="2 questions wait", exact=True).wait_for()
                    await card(page, "Elsewhere")
                    await page.get_by_role("radio", name="B", exact=True).check()
                    await press(page, "Send B")
                    await shown(page, "Waiting for the session")
                    [sent] = store.kept(other)
                    assert (sent.text, sent.meant, sent.person.id) == ("B", "q:2", "token:lead")
                    store.record(other.id, Happened.ASKED, "q:3", asked | {"number": 3, "options": []})
                    await page.get_by_role("textbox", name="Your answer").wait_for()
                    again = asked | {"request": "r", "of": 1, "number": 1, "options": ["A", "B"]}
                    store.record(other.id, Happened.ASKED, "r:1", again)
                    await page.get_by_role("radio", name="B", exact=True).wait_for()
            with step("another person, who may read alone"):
                guest = change_tokens(state_of(home), "guest", scopes=[Scope.READ])
                await page.evaluate(f"location.hash = 'token={guest}'")
                await card(page, "Elsewhere")
                await shown(page, "This token may read, but not answer.")
                assert await page.get_by_role("radio").count() == 0
                assert await page.get_by_role("button", name="Stop the run").count() == 0
                await check(page)
                await press(page, "Sign out")
                await page.get_by_label("Token").wait_for()
                assert await page.evaluate("Object.keys(localStorage)") == []
    finally:
        linear.close()

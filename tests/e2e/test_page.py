"""The page in a real browser, with a real relay: what it does, its accessibility, and how it fits."""

import dataclasses
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from ccq_tui.cli.ask import question_form
from ccq_tui.forms.filling import request_of
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import Allowed, Denied, FormRequest, Request
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Dismissed, Option, Question, QuestionSet
from ccq_tui.remote import relay as page_files
from ccq_tui.remote.phone.devices import code_for_device, devices_of, link_for_device
from ccq_tui.remote.publication import Publication, read_answer
from ccq_tui.remote.relay.members import pushes_of, put
from ccq_tui.remote.relay.push import KEY, OWN, Pusher
from tests import hostile
from tests.e2e import asked
from tests.e2e.paging import Pages, Terminal, check, main, paired, pick, press, ready, shown
from tests.steps import until_true
from tests.unit.answering import asking
from tests.unit.questions.drive import RELEASE
from tests.unit.remote.publishing import SESSION
from tests.unit.remote.relays import RunningRelay, running

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")
PUSH_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SQLITE = Answered((Answer(("SQLite",), preview=asked.CACHE.options[1].preview),))
TAKEN = "The session has it"


@pytest_asyncio.fixture(loop_scope="session")
async def plain(relay: RunningRelay) -> AsyncIterator[Terminal]:
    """Make a pairing without encryption at the relay."""
    async with paired(relay, sealed=False) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def page(terminal: Terminal, pages: Pages) -> "Page":
    """Pair a page by a link."""
    return await pages.paired(terminal)


async def drafts(page: "Page") -> list[str]:
    return list(await page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft'))"))


async def test_answers_a_multi_select_with_a_note(terminal: Terminal, page: "Page") -> None:
    assert page.url.endswith("/")
    published = await terminal.publish(asked.asks(asked.FEATURES))
    await shown(page, "Which features should it have?")
    await pick(page, "Export", "Auth")
    await press(page, "Add a note")
    await page.get_by_label("Note to the agent").fill("no more")
    await page.get_by_role("button", name="Review").dblclick()
    await shown(page, "Note: no more")
    await press(page, "Submit answer")
    await shown(page, "Waiting for the session")
    outcome, by = await terminal.answer(published)
    assert outcome == Answered((Answer(("Auth", "Export"), note="no more"),))
    (device,) = await devices_of(terminal.client)
    assert (by.name, by.device) == (device.name, device.id) == ("Anna’s phone", by.device)
    await terminal.state(published, "answered", by="on Anna’s phone", taken=True)
    await shown(page, TAKEN)
    assert await drafts(page) == []
    assert await page.locator("#count").text_content() == "All clear"


async def test_a_form_asks_what_the_answers_call_for(terminal: Terminal, page: "Page") -> None:
    form = QuestionSet("release", RELEASE, "Release notes", intro="For everybody", is_form=True)
    published = await terminal.publish(FormRequest("f1", SESSION, form, context={"version": "1.0"}))
    await shown(page, "Release notes", "For everybody", "version: 1.0", "Required")
    needed = page.get_by_role("button", name="An answer is needed")
    assert await needed.is_disabled()
    steps = main(page).locator(".step bdi")
    assert await steps.all_inner_texts() == ["Kind", "Notes"]
    await pick(page, "Major")
    assert await steps.all_inner_texts() == ["Kind", "Why", "Notes"]
    await press(page, "Next")
    assert await needed.is_disabled()
    await page.get_by_label("Why").fill("the api breaks")
    await press(page, "Next")
    await page.get_by_label("How sure").fill("9")
    await press(page, "Next", "Review")
    await shown(page, "the api breaks", "Skipped")
    await press(page, "Change the answer to Kind")
    await pick(page, "Minor")
    await press(page, "Next", "Back")
    await shown(page, "Required")
    await pick(page, "Major")
    await press(page, "Next", "Next", "Next", "Review", "Submit the form")
    texts = (Answer(other="the api breaks"), Answer(other="9"))
    assert (await terminal.answer(published))[0] == Answered((Answer(("Major",)), *texts, Answer()))


async def test_the_terminal_answers_first(terminal: Terminal, page: "Page") -> None:
    published = await terminal.publish(asked.asks(asked.NAME))
    await page.get_by_label(asked.NAME.text).fill("cachette")
    await terminal.state(published, "answered", by="at the terminal", text="redis", taken=True)
    await shown(page, "Answered at the terminal", "redis", "cachette")
    assert await page.get_by_label(asked.NAME.text).count() == 0
    assert await page.locator("#news").text_content() == "api-refactor: Answered at the terminal"
    await press(page, "Done", "Remove api-refactor from the list")
    await page.get_by_text("Nothing waits").wait_for()


async def test_a_question_that_opened_by_itself_gives_way(terminal: Terminal, page: "Page") -> None:
    first = await terminal.publish(asked.asks(asked.CACHE), "first")
    await shown(page, "Which cache should the API use?")
    second = await terminal.publish(asked.BASH, "second")
    await page.get_by_text("2 waiting").wait_for(state="attached")
    await terminal.state(first, "answered", by="at the terminal", text="redis", taken=True)
    await shown(page, "make test", "Answered at the terminal · Which cache should the API use?")
    await check(page, "gave way")
    await terminal.state(second, "declined", by="at the terminal", taken=True)
    await page.get_by_text("Nothing waits").wait_for()
    row = page.locator(".recent .row").first
    assert await row.locator(".became").text_content() == "Declined at the terminal"


async def test_a_question_of_a_script(terminal: Terminal, page: "Page") -> None:
    form = question_form("Which database?", "choice", {"options": ["PostgreSQL", "SQLite"]})
    request = request_of(form, {}, "", Path("/srv"), "A script")
    published = await terminal.publish(request)
    await shown(page, "Which database?")
    assert await main(page).locator(".kind").text_content() == "Question"
    assert await main(page).locator(".ways button").all_text_contents() == [
        "Answer on the computer",
        "Decline",
    ]
    await check(page, "script")
    await pick(page, "PostgreSQL")
    await press(page, "Send PostgreSQL")
    await shown(page, "Waiting for the script")
    outcome, by = await terminal.answer(published)
    assert outcome == Answered((Answer(("PostgreSQL",)),))
    await terminal.state(published, "answered", by=by.where, device=by.device, taken=True)
    await shown(page, "Answered on this device", "The script has it")


async def test_a_receipt_has_the_note(terminal: Terminal, page: "Page") -> None:
    await terminal.publish(asked.asks(asked.CACHE))
    await pick(page, "SQLite")
    await press(page, "Add a note")
    await page.get_by_label("Note to the agent").fill("from my phone " * 40)
    await press(page, "Send SQLite")
    await shown(page, "Waiting for the session")
    note = ("from my phone " * 40)[:199].rstrip() + "…"
    assert await main(page).locator(".given").all_text_contents() == [f"SQLite · note: {note}"]


async def test_an_answer_that_lost_is_not_shown_as_the_one(terminal: Terminal, page: "Page") -> None:
    published = await terminal.publish(asked.asks(asked.NAME))
    await page.get_by_label(asked.NAME.text).fill("cachette")
    await page.get_by_role("button", name="Send").click()
    await terminal.answer(published)
    await terminal.state(published, "answered", by="by ccq-tui answer", device="", text="redis", taken=True)
    await shown(page, "Answered by ccq-tui answer", "redis", TAKEN, "You had typed")


async def test_two_pages_race(terminal: Terminal, pages: Pages) -> None:
    deaf = """(call) => {
        window.fetch = (to, how) => (how.method === "POST" ? call(to, how) : new Promise(() => 0));
    }"""
    published = await terminal.publish(asked.asks(asked.CACHE))
    anna, ben = await pages.paired(terminal), await pages.paired(terminal, "Ben’s watch")
    await pick(ben, "SQLite")
    await ben.evaluate(f"({deaf})(fetch)")
    await pick(anna, "Redis")
    await press(anna, "Send Redis")
    assert (await terminal.answer(published))[0] == Answered((Answer(("Redis (Recommended)",)),))
    await press(ben, "Send SQLite")
    await shown(ben, "Answered on Anna’s phone")
    await shown(anna, "Sent")


async def test_a_late_page_gets_everything_and_each_end_has_its_word(
    terminal: Terminal, pages: Pages, relay: RunningRelay
) -> None:
    first = await terminal.publish(asked.asks(asked.CACHE), "first")
    await terminal.publish(asked.asks(asked.CACHE, asked.NAME), "second", parked=True)
    third = await terminal.publish(asked.EDIT, "third")
    page = await pages.paired(terminal)
    await page.get_by_text("3 waiting").wait_for()
    cards = page.locator(".card")
    assert await cards.locator(".name").all_text_contents() == ["first", "second", "third"]
    assert await cards.locator(".headline").all_text_contents() == [
        "Which cache should the API use?",
        "Which cache should the API use? and 1 more",
        "Edit cache.py",
    ]
    await cards.nth(1).click()
    await shown(page, "Paused · your answer resumes the session")
    await page.goto(f"{relay.url}/#r={third.id}")
    await shown(page, "/home/anna/src/api/cache.py")
    await press(page, "Back to the list")
    # A relay that lies is harmless.
    identity = "5f0c1f6e-0d1c-4f6a-9a51-6a3c3c1d2e4f"
    await terminal.client.publish(first.posted | {"id": identity})
    await page.get_by_role("button", name="Could not be opened").click()
    await shown(page, "It was changed on its way")
    assert await main(page).get_by_text("Which cache").count() == 0
    assert await main(page).locator("input").count() == 0
    await press(page, "Back to the list", "Remove A request from the list")
    ends = ("answered", "declined", "withdrawn", "expired")
    published = {end: await terminal.publish(asked.BASH, end) for end in ends}
    await page.get_by_text("7 waiting").wait_for()
    for end in ends:
        await terminal.state(published[end], end, by="at the terminal")
    await terminal.state(first, "parked", ended=False)
    await cards.first.get_by_text("Paused").wait_for()
    texts = [f"{end.capitalize()} at the terminal" for end in reversed(ends)]
    await page.locator(".recent .row").nth(3).wait_for()
    assert await page.locator(".recent .became").all_text_contents() == texts


async def test_keeps_a_draft_over_a_reload(terminal: Terminal, page: "Page") -> None:
    published = await terminal.publish(asked.asks(asked.CACHE, asked.FEATURES, asked.REPLICAS, asked.NAME))
    await pick(page, "Other…")
    await page.get_by_label("Your own answer").fill("Memcached,\nas before")
    await press(page, "Next", "Skip for now")
    field = page.get_by_label("How many replicas?")
    await field.fill("9")
    await page.reload()
    await field.click()
    await field.press("Tab")
    assert await field.input_value() == "9"
    assert await page.get_by_role("button", name="Check the answer").is_disabled()
    await shown(page, "out of range · 1 to 8")
    await field.fill("3")
    await press(page, "Next", "Review")
    await shown(page, "“Memcached,", "3 pods")
    await page.get_by_label("None of these, on purpose").check()
    await press(page, "Submit 3 of 4 answers")
    given = await terminal.answer(published)
    answers = (Answer(other="Memcached,\nas before"), Answer(empty=True), Answer(other="3"), Answer())
    assert given[0] == Answered(answers)
    await terminal.state(published, refused="answers[0].other: too long", ended=False)
    await shown(page, "Not taken by the session: answers[0].other: too long", "“Memcached,")
    await press(page, "Submit 3 of 4 answers")
    assert await terminal.answer(published) == given
    await terminal.state(published, "answered", taken=True)
    await shown(page, TAKEN)
    assert await drafts(page) == []


async def test_the_relay_is_restarted(tmp_path: Path, pages: Pages) -> None:
    async with running(tmp_path) as relay, paired(relay) as terminal:
        published = await terminal.publish(asked.asks(asked.CACHE))
        page = await pages.paired(terminal)
        await pick(page, "SQLite")
        await relay.stop()
        await press(page, "Send SQLite")
        await shown(page, "It is kept here")
        await relay.start()
        await press(page, "Send SQLite")
        assert (await terminal.answer(published))[0] == SQLITE
        await terminal.publish(asked.BASH, "after")
        await press(page, "Next: after")
        await shown(page, "make test && ./deploy.sh staging")


async def test_offline_or_hidden_and_back(terminal: Terminal, page: "Page") -> None:
    hide = """(hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    await page.evaluate(hide, True)
    await page.get_by_text("Live, asks every 2 s").wait_for()
    hidden = await terminal.publish(asked.asks(asked.CACHE), "hidden")
    assert await page.get_by_text("Nothing waits").is_visible()
    await page.evaluate(hide, False)
    await shown(page, "Which cache should the API use?")
    await terminal.state(hidden, "withdrawn")
    await page.get_by_text("Nothing waits").wait_for()
    await page.context.set_offline(True)
    await page.get_by_text("Offline · trying again").wait_for()
    await terminal.publish(asked.asks(asked.CACHE), "one")
    await terminal.publish(asked.asks(asked.CACHE), "two")
    await page.context.set_offline(False)
    await page.get_by_text("Live", exact=True).wait_for()
    await page.get_by_text("2 waiting").wait_for()


async def test_asks_again_and_again_where_nothing_streams(terminal: Terminal, pages: Pages) -> None:
    """As on a watch: without service worker and streams."""
    script = "delete Response.prototype.body; delete Navigator.prototype.serviceWorker;"
    page = await pages.open(
        (190, 230), script, user_agent="Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"
    )
    await page.goto(await link_for_device(terminal.client))
    await press(page, "Pair this device")
    await page.get_by_text("Live, asks every 2 s").wait_for()
    published = await terminal.publish(asked.asks(asked.CACHE))
    await pick(page, "None")
    await press(page, "Send None")
    outcome, by = await terminal.answer(published)
    assert (outcome, by.name) == (Answered((Answer(("None",)),)), "iPhone")


async def test_shows_hostile_text_as_text(terminal: Terminal, page: "Page") -> None:
    text = hostile.TEXT.replace("\ud800", "") + "<img src=x onerror=alert(1)><script>alert(2)</script>"
    long = "word " * 1_500 + "x" * 5_000 + "`" * 3_000 + "*" * 3_000
    options = [Option(f"{text} {number}", f"{text}\n\n{long}") for number in range(5)]
    await terminal.publish(asked.asks(Question(text, text, tuple(options))), text[:60], f"{long}\n\n{text}")
    await page.locator(".request .option").first.wait_for()
    await press(page, "Show what came before")
    seen = await page.evaluate("document.body.innerText")
    assert not hostile.FORBIDDEN.search(seen.replace("\t", ""))
    assert all(sign in seen for sign in ("␛]0;OWNED", "‹U+202E›", "<script>alert(2)"))
    assert await page.locator("img, #open script").count() == 0
    assert len(seen) > 100_000
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.get_by_role("radio").nth(1).check()
    assert await page.get_by_role("button", name="Send").is_enabled()


@pytest.mark.parametrize("sealed", [True, False])
async def test_pairs_by_a_typed_code(pages: Pages, relay: RunningRelay, *, sealed: bool) -> None:
    async with paired(relay, sealed=sealed) as terminal:
        page = await pages.open()
        await page.goto(relay.url)
        await page.get_by_label("Code").fill("AB12")
        await press(page, "Pair this device")
        await shown(page, "A code has 16 letters and digits")
        code = await code_for_device(terminal.client)
        await page.get_by_label("Code").fill(code.lower().replace("0", "o"))
        await press(page, "Pair this device")
        published = await terminal.publish(asked.BASH)
        await press(page, "Allow once")
        outcome, by = await terminal.answer(published)
        assert (outcome, by.name) == (Allowed(), "Linux computer")


async def test_a_link_that_was_cut_spends_nothing(terminal: Terminal, pages: Pages) -> None:
    page, link = await pages.open(), await link_for_device(terminal.client)
    old, cut = "This page is older than the link.", "This link is not whole."
    begun = link.index("&k=")
    links = {link[:-1]: cut, link[: begun + 48]: cut, link[: begun + 9]: cut, link[: begun - 1]: cut}
    links |= {link.replace("&k=", "&k=A"): cut, link.replace("v=1", "v=9"): old}
    for wrong, text in links.items():
        await page.goto("about:blank")
        await page.goto(wrong)
        await shown(page, text)
        await page.get_by_label("Code").wait_for()
    await page.goto("about:blank")
    await page.goto(link)
    await press(page, "Pair this device")
    await page.get_by_text("Live", exact=True).wait_for(state="attached")


async def test_every_kind_and_every_way_to_end_it(terminal: Terminal, page: "Page") -> None:

    async def opened(request: Request, *buttons: str) -> Publication:
        """Publish a request, go on to it, and press buttons."""
        published = await terminal.publish(request, "another")
        await press(page, "Next: another", *buttons)
        return published

    async def confirm(name: str) -> None:
        await page.locator(".bar").get_by_role("button", name=name).click()

    denied = await terminal.publish(asked.BASH)
    await pick(page, "Deny, and say what to do instead…")
    assert await page.get_by_role("button", name="Write your message").is_disabled()
    await page.get_by_label("Your message to the agent").fill("use staging2")
    await press(page, "Deny with these words")
    assert (await terminal.answer(denied))[0] == Denied("use staging2")
    edit = await opened(asked.EDIT)
    assert await main(page).locator(".minus code").all_text_contents() == ["    return None"]
    assert await main(page).locator(".plus code").count() == 2
    await press(page, "Deny")
    assert (await terminal.answer(edit))[0] == Denied()
    plan = dataclasses.replace(asked.PLAN, plan=asked.PLAN.plan + "\n\n- one more step" * 80)
    long = await opened(plan, approve := "Approve, and ask before each edit")
    await shown(page, "You have not seen it to its end.")
    await press(page, "Show the rest")
    seen = "(end) => new Promise((seen) => new IntersectionObserver(seen).observe(end))"
    await page.locator(".end").evaluate(seen)
    await press(page, approve)
    assert (await terminal.answer(long))[0] == Allowed(mode="default")
    discussed = await opened(asked.asks(asked.CACHE), "Discuss")
    await page.get_by_label("Reply in your own words").fill("Neither: measure first.")
    await press(page, "Send reply")
    assert (await terminal.answer(discussed))[0] == Discussed("Neither: measure first.")
    declined = await opened(asked.asks(asked.CACHE), "Decline")
    await shown(page, "Decline it? Nothing is chosen.")
    await confirm("Decline")
    assert (await terminal.answer(declined))[0] == Declined()
    left = await opened(asked.asks(asked.CACHE), "Answer on the computer", "Leave it")
    await shown(page, "Left to the computer")
    assert (await terminal.answered(left))["answer"]["skipped"] is True
    link = await opened(asked.LINK)
    opens = page.get_by_role("link", name="Open accounts.example.com")
    assert await opens.get_attribute("rel") == "noopener noreferrer"
    await press(page, "Accept")
    assert (await terminal.answer(link))[0] == Answered((Answer(("Accept without opening it here",)),))
    none = await opened(dataclasses.replace(asked.LINK, trouble="its link is none"), "Dismiss")
    await confirm("Dismiss")
    assert (await terminal.answer(none))[0] == Dismissed()
    form = await opened(asked.FORM)
    await pick(page, "Yes")
    await press(page, "Review")
    assert await page.get_by_role("button", name="Region is required").is_disabled()
    await press(page, "Back")
    await pick(page, "us-east")
    await press(page, "Review", "Submit the form")
    assert (await terminal.answer(form))[0] == Answered((Answer(("us-east",)), Answer(), Answer(("Yes",))))
    proposed = await opened(asking.REQUESTS["proposed"], "Next", "Next", "Review", "Submit the form")
    assert asking.words((await terminal.answer(proposed))[0]) == "= b · “five” · “x”"
    options = Option("y" * 9_000), Option("z")
    cut = await opened(asked.asks(Question("x" * 9_000, "Long", options)))
    await main(page).get_by_role("radio").first.check()
    await page.get_by_role("button", name="Send y").click()
    assert (await terminal.answer(cut))[0] == Answered((Answer(("y" * 9_000,)),))


NEW = re.findall(r"\w+", "review notes reply dismiss checks proposed none skip format does shown mark")
ANSWERS = """(rows) => import("/draft.js").then(({ answersOf, areAsked, asAsked, newDraft, problem }) =>
    rows.map(([record, entered]) => {
        const request = asAsked(record);
        const draft = newDraft(request);
        entered.forEach((one, place) => Object.assign(draft.parts[place], one));
        const asked = request.questions.filter((_, place) => areAsked(request.questions, draft.parts)[place]);
        const problems = asked.map((one) => problem(one, draft.parts[request.questions.indexOf(one)]));
        return [answersOf(request, draft), problems.filter(Boolean)];
    }),
)"""


async def test_what_is_entered_means_what_the_table_says(relay: RunningRelay, pages: Pages) -> None:
    rows = [
        (asking.REQUESTS[name], given[2:], wanted) for name, given, wanted in asking.ROWS if given[0] == "P"
    ]
    records = [{"kind": kind_of(one).WORD, **kind_of(one).record(one)} for one, _, _ in rows]
    page = await pages.open()
    await page.goto(relay.url)

    async def came(asked: list[dict[str, Any]]) -> list[str]:
        entries = [asking.entered(text) for _, text, _ in rows]
        found = await page.evaluate(ANSWERS, json.loads(json.dumps([*zip(asked, entries, strict=True)])))
        return [
            f"✗ {problems[0]}" if problems else asking.words(read_answer(answer, request))
            for (request, text, wanted), (answer, problems) in zip(rows, found, strict=True)
            if asked is records or not (wanted.startswith("✗") or "*" in text or "3e0" in text)
        ]

    assert await came(records) == [wanted for _, _, wanted in rows]
    # An older terminal leaves the rules out: what it takes is answered, and the rest it refuses.
    assert set(await came([without_rules(one) for one in records])) <= {wanted for _, _, wanted in rows}


def without_rules(record: Any) -> Any:
    """Return a record as version 1 first had it."""
    if isinstance(record, dict):
        return {name: without_rules(one) for name, one in record.items() if name not in NEW}
    return [without_rules(one) for one in record] if isinstance(record, list) else record


async def test_the_keyboard_suffices(terminal: Terminal, pages: Pages) -> None:
    focused = "document.activeElement.textContent"
    published = await terminal.publish(asked.asks(asked.CACHE))
    await terminal.publish(asked.BASH, "other")
    page = await pages.paired(terminal)
    await page.locator(".card").first.focus()
    for key in ("ArrowDown", "ArrowUp", "Enter"):
        await page.keyboard.press(key)
    assert await page.evaluate(focused) == "api-refactor"
    await ready(page)
    await page.get_by_role("radio").first.focus()
    await page.keyboard.press("Enter")
    assert await page.get_by_role("button", name="Choose an answer").is_disabled()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Escape")
    await until_true(lambda: page.evaluate(f"{focused}.includes('api-refactor')"))
    await page.keyboard.press("Enter")
    await ready(page)
    await page.get_by_role("radio", name="SQLite").focus()
    await page.keyboard.press("Enter")
    assert (await terminal.answer(published))[0] == SQLITE


async def test_forgets_a_pairing_and_notices_a_revoked_one(
    plain: Terminal, terminal: Terminal, page: "Page"
) -> None:
    await page.goto(await link_for_device(plain.client))
    await press(page, "Pair this device")
    await page.get_by_text("Nothing waits").wait_for()
    await plain.publish(asked.BASH, "plain")
    await terminal.publish(asked.BASH, "sealed")
    await page.get_by_text("2 waiting").wait_for(state="attached")
    await press(page, "Back to the list")
    (device,) = await devices_of(plain.client)
    await plain.client.revoke(device.id)
    await page.get_by_text("No longer paired").wait_for()
    await press(page, "Pairings and notifications")
    await shown(page, "No longer paired")
    for left in (1, 0):
        await page.get_by_role("button", name="Forget").first.click()
        await press(page, "Forget")
        await page.locator(".pair").nth(left).wait_for(state="detached")
    await page.get_by_label("Code").wait_for()
    assert await devices_of(terminal.client) == []
    assert await page.evaluate("localStorage.getItem('ccq.pairings')") == "[]"


async def test_the_page_names_all_its_files() -> None:
    directory = Path(page_files.__file__).parents[1] / "page"
    named = re.findall(r'(?:href|src)="/([^"]+)"', (directory / "index.html").read_text(encoding="utf-8"))
    others = {"sw.js", "index.html", "icon-192.png", "icon-512.png"}
    assert sorted(named) == sorted({one.name for one in directory.iterdir()} - others)


PUSHES = """
    const keys = { p256dh: KEY, auth: "BTBZMqHH6r4Tts7J_aSIgg" };
    const standard = (key) => atob(key.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = (key) => Uint8Array.from(standard(key), (one) => one.charCodeAt(0));
    let kept = null;
    PushManager.prototype.getSubscription = async () => kept;
    PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
        if (kept && kept.key !== key) throw new DOMException("another key", "InvalidStateError");
        const endpoint = `https://push.example/${key}`;
        kept ??= {
            key,
            options: { applicationServerKey: bytes(key).buffer },
            toJSON: () => ({ endpoint, expirationTime: null, keys }),
            unsubscribe: async () => (kept = null),
        };
        return kept;
    };
""".replace("KEY", json.dumps(PUSH_KEY))
ALLOWED: Any = {"permissions": ["notifications"], "service_workers": "allow"}


async def test_push_is_renewed_for_every_pairing_at_each_start(
    relay: RunningRelay, terminal: Terminal, plain: Terminal, pages: Pages
) -> None:
    page = await pages.paired(terminal, script=PUSHES, **ALLOWED)
    await press(page, "Pairings and notifications", "Turn on")
    await shown(page, "Apple’s devices get none")  # its relay has no https name
    await page.get_by_role("button", name="Turn off").wait_for()
    groups = [pushes_of(one.client.pairing.id) for one in (terminal, plain)]

    async def subscribed(count: int, text: str = "push.example") -> bool:
        found = [entry.text for group in groups for entry in (await relay.store.entries(group)).values()]
        return len(found) == count and all(text in one for one in found)

    async def forget(group: str) -> None:
        for device in await relay.store.entries(group):
            await put(relay.store, group, device, None)

    assert await subscribed(1)
    await forget(groups[0])  # its push service answered 410
    await page.reload()
    await until_true(lambda: subscribed(1))
    await page.goto(await link_for_device(plain.client))
    await press(page, "Pair this device")
    await until_true(lambda: subscribed(2))
    await put(relay.store, OWN, KEY, None)
    key = await Pusher(relay.store, "").public_key()
    await page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    (worker,) = page.context.service_workers
    change = "Object.assign(new Event('pushsubscriptionchange'), { waitUntil: () => 0 })"
    await worker.evaluate(f"dispatchEvent({change})")
    await until_true(lambda: subscribed(2, key))
    await press(page, "Pairings and notifications", "Turn off")
    await page.get_by_role("button", name="Turn on").wait_for()
    assert await subscribed(0)
    await page.reload()
    await page.get_by_text("Live", exact=True).wait_for(state="attached")
    assert await subscribed(0)


async def test_no_script_reads_a_key(terminal: Terminal, page: "Page") -> None:
    await terminal.publish(asked.BASH)
    await shown(page, "make test")
    kept = "localStorage.getItem('ccq.pairings')"
    key, now = terminal.client.pairing.key, await page.evaluate(kept)
    assert key not in now
    old = json.dumps([{**one, "key": key} for one in json.loads(now)])
    for text in (now, old):  # as an older page kept it
        await page.evaluate("(text) => localStorage.setItem('ccq.pairings', text)", text)
        await page.reload()
        await shown(page, "make test")
        assert await page.evaluate(kept) == now
    stored = "() => import('/storage.js').then(({ keyOf, pairings }) => keyOf(pairings()[0]))"
    assert await page.evaluate(f"({stored})().then((key) => key.extractable)") is False


async def test_the_service_worker_notifies_and_starts_without_a_network(
    relay: RunningRelay, terminal: Terminal, pages: Pages
) -> None:
    page = await pages.paired(terminal, script=PUSHES, **ALLOWED)
    browser = await page.context.new_cdp_session(page)
    registered: list[dict[str, Any]] = []
    listen = "ServiceWorker.workerRegistrationUpdated"
    browser.on(listen, lambda event: registered.extend(event["registrations"]))
    await browser.send("ServiceWorker.enable")
    notified = """async () => {
        const worker = await navigator.serviceWorker.ready;
        return (await worker.getNotifications()).map(({ title, tag }) => `${tag}: ${title}`).join();
    }"""

    async def pushed() -> str:
        # Again and again: on a busy machine, one delivery alone was sometimes not shown.
        for one in registered:
            to = {"origin": relay.url, "registrationId": one["registrationId"], "data": ""}
            await browser.send("ServiceWorker.deliverPushMessage", to)
        return str(await page.evaluate(notified))

    assert await until_true(pushed, 20) == "waits: A question waits"
    await page.reload()  # nothing waits: it was answered
    await until_true(lambda: page.evaluate(f"({notified})().then((shown) => !shown)"))

    await page.context.set_offline(True)
    await page.reload()
    await page.get_by_text("Offline · trying again").wait_for()


# -- sizes and accessibility ---------------------------------------------------------------------------------


REQUESTS = {
    "one": asked.asks(asked.CACHE),
    "set": asked.asks(asked.CACHE, asked.FEATURES, asked.REPLICAS, asked.NAME),
    "edit": asked.EDIT,
    "bash": asked.BASH,
    "plan": asked.PLAN,
    "form": asked.FORM,
    "link": asked.LINK,
}


async def test_fits_and_is_accessible(relay: RunningRelay, terminal: Terminal, pages: Pages) -> None:
    page = await pages.open()
    await page.goto(relay.url)
    await page.get_by_label("Code").wait_for()
    await check(page, "pair")
    published = {name: await terminal.publish(one, name) for name, one in REQUESTS.items()}
    await page.goto(await link_for_device(terminal.client))
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

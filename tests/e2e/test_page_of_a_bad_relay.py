"""What the page says of a relay that stalls, lies, or is away: nothing that it cannot know."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ccq_tui.remote.phone.devices import code_for_device, link_for_device
from tests.e2e import asked
from tests.e2e.paging import Pages, Terminal, check, main, paired, pick, press, shown
from tests.steps import until_true
from tests.unit.remote.relays import RunningRelay, running

if TYPE_CHECKING:
    from playwright.async_api import Page, Route

pytestmark = pytest.mark.asyncio(loop_scope="session")
SMALL = (320, 568)
IN_SIGHT = """(names) => names.filter((name) => {
    const { top, bottom, left, right, height } = document.querySelector(name).getBoundingClientRect();
    return height > 0 && top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
})"""
STALLS = """([path, method, isReached]) => {
    const real = fetch;
    const stalled = ({ signal }) => {
        const start = (body) => (signal.onabort = () => body.error(signal.reason));
        return new Response(new ReadableStream({ start }));
    };
    globalThis.mend = () => (globalThis.fetch = real);
    globalThis.fetch = async (to, how) => {
        if (!to.startsWith(path) || (how.method ?? "GET") !== method) return real(to, how);
        if (isReached) await real(to, how);
        globalThis.isStalled = true;
        return stalled(how);
    };
}"""


async def stall(page: "Page", path: str, method: str = "GET", *, is_reached: bool = False) -> None:
    """Have the bodies of replies stall from now on, until `mend` is called."""
    await page.evaluate(STALLS, [path, method, is_reached])


async def count_is(page: "Page", title: str) -> None:
    await page.locator("#count").get_by_text(title, exact=True).wait_for(state="attached")


async def test_a_reply_that_stalls_is_given_up(terminal: Terminal, pages: Pages) -> None:
    page = await pages.paired(terminal, own=True)
    await page.clock.install()
    await stall(page, "/request/")
    await terminal.publish(asked.BASH)
    await until_true(lambda: page.evaluate("globalThis.isStalled"))
    await page.evaluate("mend()")
    await page.clock.fast_forward(20_000)
    await shown(page, "make test && ./deploy.sh staging")


async def test_all_clear_is_said_for_30_seconds_alone(terminal: Terminal, pages: Pages) -> None:
    page = await pages.paired(terminal, own=True)
    await count_is(page, "All clear")
    await page.clock.install()
    await stall(page, "/")
    await page.clock.run_for(36_000)
    await page.get_by_text("Looking again…").wait_for()
    await count_is(page, "ccq-tui")
    assert not await page.get_by_text("Nothing waits").is_visible()
    await page.evaluate("mend()")
    await press(page, "Try now")
    await count_is(page, "All clear")


@pytest.mark.parametrize("is_reached", [True, False])
async def test_an_answer_without_a_reply_may_have_arrived(
    terminal: Terminal, pages: Pages, *, is_reached: bool
) -> None:
    published = await terminal.publish(asked.asks(asked.CACHE))
    page = await pages.paired(terminal)
    await pick(page, "SQLite")
    await stall(page, "/request/", "POST", is_reached=is_reached)
    await press(page, "Send SQLite")
    await until_true(lambda: page.evaluate("globalThis.isStalled"))
    await shown(page, "Sending…")
    await page.evaluate("mend(); dispatchEvent(new Event('online'))")
    if not is_reached:
        await shown(page, "It may have arrived: No answer from the relay.")
        await press(page, "Send SQLite")
    await shown(page, "Waiting for the session")
    assert await page.locator(".given").all_inner_texts() == ["SQLite"]
    assert (await terminal.answered(published))["status"] == "answered"


async def test_offline_is_said_where_one_answers(tmp_path: Path, pages: Pages) -> None:
    async with running(tmp_path) as relay, paired(relay) as terminal:
        plan = await terminal.publish(asked.PLAN, parked=True)
        page = await pages.paired(terminal, own=True, size=SMALL)
        await shown(page, "Paused")
        await relay.stop()
        await shown(page, "Offline: what you enter stays here.")
        places = [".head .connection", ".bar .trouble", ".bar .primary"]
        for way in ("0", "document.body.scrollHeight"):
            await page.evaluate(f"scrollTo(0, {way})")
            assert await page.evaluate(IN_SIGHT, places) == places
        await check(page, "offline")
        await page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
        await press(page, "Back to the list")
        await page.clock.install()
        for _ in range(3):
            async with page.expect_event("requestfailed"):
                await page.clock.run_for(5_000)
        await relay.start()
        await page.clock.run_for(5_000)
        await page.get_by_text("Live", exact=True).wait_for()
        await terminal.state(plan, "withdrawn")
        await count_is(page, "All clear")
        await relay.stop()
        await page.get_by_text("Offline · trying again").wait_for()
        await count_is(page, "ccq-tui")
        assert not await page.get_by_text("Nothing waits").is_visible()
        await relay.start()
        await press(page, "Try now")
        await count_is(page, "All clear")


async def test_a_device_that_is_not_paired_says_so(
    relay: RunningRelay, terminal: Terminal, pages: Pages
) -> None:
    page = await pages.paired(terminal)
    (device,) = [one for one in await terminal.client.devices() if one["role"] == "device"]
    await terminal.client.revoke(device["id"])
    await page.get_by_text("No longer paired").wait_for()
    await count_is(page, "ccq-tui")
    await press(page, "Pair again")
    await page.get_by_label("Code").fill(await code_for_device(terminal.client))
    await press(page, "Pair this device")
    await count_is(page, "All clear")
    assert len(await page.evaluate("JSON.parse(localStorage.getItem('ccq.pairings'))")) == 1
    await page.evaluate(
        "localStorage.clear(); dispatchEvent(new StorageEvent('storage', { key: 'ccq.pairings' }))"
    )
    await page.get_by_text("This device is not paired").wait_for()
    await press(page, "Pair this device")
    await page.get_by_label("Code").wait_for()


# -- a relay that lies ---------------------------------------------------------------------------------------


async def test_a_typed_secret_is_not_coaxed_out(
    terminal: Terminal, pages: Pages, relay: RunningRelay
) -> None:
    sent: list[dict[str, Any]] = []

    async def lie(route: "Route") -> None:
        sent.append(json.loads(route.request.post_data or ""))
        paired = {
            "pairingId": terminal.client.pairing.id,
            "deviceId": "d",
            "token": "t",
            "mode": "plain",
            "wrapped": "",
        }
        await route.fulfill(status=(403, 200)[len(sent) - 1], json=paired)

    page = await pages.open()
    await page.route("**/pair", lie)
    await page.goto(relay.url)
    code = await code_for_device(terminal.client)
    await page.get_by_label("Code").fill(code)
    for text in ("This code is not the right one.", "Its format is not known"):
        await press(page, "Pair this device")
        await shown(page, text)
    secret = code.replace("-", "")[4:]
    assert [secret in json.dumps(one) for one in sent] == [False, False]
    assert await page.evaluate("localStorage.getItem('ccq.pairings')") is None
    assert await page.get_by_role("checkbox").count() == 0


@asynccontextmanager
async def lying(page: "Page", lie: Any) -> AsyncIterator[None]:
    """Have the page hear a relay that changes its records."""

    async def altered(route: "Route") -> None:
        response = await route.fetch()
        body = await response.json()
        if "requests" in body:
            body["requests"] = [one for one in map(lie, body["requests"]) if one]
        elif "id" in body and not (body := lie(body)):
            return await route.fulfill(status=404, json={})
        return await route.fulfill(response=response, json=body)

    await page.route("**/request*/**", altered)
    await page.evaluate("dispatchEvent(new Event('online'))")
    yield
    await page.unroute_all(behavior="wait")
    await page.evaluate("dispatchEvent(new Event('online'))")


async def test_nothing_that_a_relay_makes_up_is_shown(terminal: Terminal, pages: Pages) -> None:
    one = await terminal.publish(asked.asks(asked.CACHE), "one")
    two = await terminal.publish(asked.asks(asked.NAME), "two")
    await terminal.state(two, "answered", by="at the terminal", text="redis", taken=True)
    page = await pages.paired(terminal)
    await shown(page, "Which cache should the API use?")
    mine = (await page.evaluate("JSON.parse(localStorage.getItem('ccq.pairings'))"))[0]["deviceId"]
    other = await terminal.client.request(two.id) or {}
    by = {"device": {"id": mine, "name": "x"}, "at": other["timestamp"]}
    lies: list[dict[str, Any]] = [
        {"status": "answered", "answer": {"sealed": "QUJD", **by}},
        {"status": "answered", "statement": other["statement"], "answer": None},
        {"statement": {"end": "answered", "taken": True, "by": "at the terminal"}},
    ]
    for lie in lies:
        async with lying(page, lambda record, lie=lie: record | lie | {"seq": record["seq"] + 1}):
            await page.get_by_text("Live", exact=True).wait_for(state="attached")
            assert await page.locator("#count").text_content() == "1 waiting", lie
            await shown(page, "Which cache should the API use?")
            assert await main(page).locator(".became").count() == 0, lie
    # What is not sealed for this request is not shown, and what is gone has not ended.
    for swap in (two.content, {"expires": "2036-01-01T00:00:00Z"}):
        async with lying(page, lambda record, swap=swap: record | swap | {"seq": record["seq"] + 1}):
            await shown(page, "Could not be opened")
    async with lying(page, lambda _: None):
        await shown(page, "Gone from the relay")
    await page.reload()
    await pick(page, "SQLite")
    await page.route("**/answer", lambda route: route.fulfill(status=409, json={"winner": lies[0]["answer"]}))
    await press(page, "Send SQLite")
    await shown(page, "The relay has an answer that no device of yours gave.")
    await page.unroute_all()
    await press(page, "Send SQLite")
    await shown(page, "Waiting for the session")
    assert (await terminal.answered(one))["status"] == "answered"


# -- what the page does with what it shows -------------------------------------------------------------------


TABLE = "| step | who |\n|---|:-:|\n| `a \\| b` | **me** |\n| two | |"


async def test_a_long_set_and_a_plan_fit_a_small_phone(terminal: Terminal, pages: Pages) -> None:
    page = await pages.paired(terminal, size=SMALL)
    await terminal.publish(asked.asks(asked.CACHE, asked.FEATURES, asked.REPLICAS, asked.NAME))
    await press(page, "Skip for now", "Skip for now", "Skip for now")
    await page.get_by_label(asked.NAME.text).fill("x")
    await until_true(lambda: page.evaluate(IN_SIGHT, [".step[aria-current]"]))
    await page.emulate_media(forced_colors="active")
    edge = "(one) => getComputedStyle(one).borderTopStyle"
    for name in (".primary", ".step[aria-current]", ".round"):
        assert await main(page).locator(name).first.evaluate(edge) == "solid", name
    await press(page, "Back to the list")
    await terminal.publish(type(asked.PLAN)("plan2", asked.PLAN.session_id, f"# Move\n\n{TABLE}"), "planner")
    await page.locator(".card").filter(has=page.get_by_text("planner", exact=True)).click()
    await shown(page, "a | b")
    rows = "(rows) => rows.map((row) => [...row.cells].map((cell) => `${cell.tagName} ${cell.textContent}`))"
    found = await main(page).locator("tr").evaluate_all(rows)
    assert found == [["TH step", "TH who"], ["TD a | b", "TD me"], ["TD two", "TD "]]


async def test_a_proxy_without_the_relay_leaves_the_page(tmp_path: Path, pages: Pages) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad")
        writer.close()

    async with running(tmp_path) as relay:
        async with paired(relay) as terminal:
            page = await pages.paired(terminal, service_workers="allow")
            await page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
            await page.goto(await link_for_device(terminal.client))
        await relay.stop()
        async with await asyncio.start_server(refuse, "127.0.0.1", int(relay.url.rpartition(":")[2])):
            await page.reload()
            await page.get_by_text("Offline · trying again").wait_for()
        await relay.start()

"""The scripted model over HTTP, without a CLI."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from ccq_tui.testing import Scenario, ScriptedModel

LIMIT = 10.0


@contextmanager
def sent(
    model: ScriptedModel, *, path: str = "/v1/messages", method: str = "POST", **body: Any
) -> Iterator[http.client.HTTPResponse]:
    address = urlsplit(model.url)
    with closing(
        http.client.HTTPConnection(str(address.hostname), address.port, timeout=LIMIT)
    ) as connection:
        content = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **body}
        connection.request(method, path, json.dumps(content) if method == "POST" else None)
        yield connection.getresponse()


def streamed(model: ScriptedModel) -> str:
    with sent(model, stream=True) as response:
        assert response.headers["content-type"] == "text/event-stream"
        events = [
            json.loads(line[6:]) for line in response.read().decode().splitlines() if line[:5] == "data:"
        ]
    return "".join(event.get("delta", {}).get("text", "") for event in events)


def test_it_listens_on_loopback_alone() -> None:
    with ScriptedModel(Scenario().says("a")) as model:
        address = urlsplit(model.url)
        assert address.hostname == "127.0.0.1"
        with socket.socket() as other:
            other.settimeout(LIMIT)
            # The whole of 127/8 is loopback: only a wildcard address would answer here.
            assert other.connect_ex(("127.0.0.2", address.port or 0)) != 0


def test_it_answers_streamed_and_whole() -> None:
    with ScriptedModel(Scenario("x").says("one").ends_turn().says("two")) as model:
        assert streamed(model) == "one"
        with sent(model) as response:
            body = json.load(response)
    assert body["content"] == [{"type": "text", "text": "two"}]
    assert (body["stop_reason"], body["model"], body["id"]) == ("end_turn", "m", "msg_x_2")


def test_it_logs_each_request_with_times() -> None:
    with ScriptedModel(Scenario("x").says("one")) as model:
        before = time.monotonic()
        streamed(model)
        model.wait_for_sync(lambda seen: seen.exchanges[-1].last_byte > 0, LIMIT)
        (exchange,) = model.exchanges
    assert before <= exchange.received <= exchange.first_byte <= exchange.last_byte
    assert (exchange.method, exchange.path, exchange.status) == ("POST", "/v1/messages", 200)
    assert (exchange.role, exchange.scenario, exchange.broken) == ("main", "x", False)
    assert exchange.body["stream"] is True


def test_the_speed_is_kept() -> None:
    with ScriptedModel(Scenario().says("x" * 100), speed=400, delta_size=10) as model:
        begun = time.monotonic()
        assert streamed(model) == "x" * 100
        assert time.monotonic() - begun >= 0.2


def test_the_speed_may_change_while_it_speaks() -> None:
    with ScriptedModel(Scenario().says("x" * 10_000), speed=10, delta_size=1) as model:
        threading.Timer(0.05, lambda: setattr(model, "speed", 0)).start()
        assert len(streamed(model)) == 10_000


@pytest.mark.parametrize(("status", "kind"), [(401, "authentication_error"), (529, "overloaded_error")])
def test_it_fails_with_status_and_body(status: int, kind: str) -> None:
    scenario = Scenario().fails(status, "no", retry_after=2)
    with ScriptedModel(scenario) as model, sent(model, stream=True) as response:
        assert (response.status, response.headers["retry-after"]) == (status, "2")
        assert json.load(response)["error"] == {"type": kind, "message": "no"}


@pytest.mark.parametrize("stream", [True, False])
def test_it_breaks_off(stream: bool) -> None:
    with ScriptedModel(Scenario().says("half of it").cuts(4)) as model:
        with (
            pytest.raises((http.client.IncompleteRead, http.client.RemoteDisconnected)),
            sent(model, stream=stream) as response,
        ):
            response.read()
        model.wait_for_sync(lambda seen: seen.exchanges[-1].broken, LIMIT)


def test_it_is_silent_until_it_is_released() -> None:
    with ScriptedModel(Scenario().says("a").hangs(gate="g", limit=LIMIT).says("b")) as model:
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.append(streamed(model)))
        thread.start()
        model.wait_for_sync(lambda seen: any(one.first_byte for one in seen.exchanges), LIMIT)
        assert not found
        model.release("g")
        thread.join(LIMIT)
        assert found == ["ab"]


def test_a_silence_ends_at_its_limit() -> None:
    with ScriptedModel(Scenario().hangs(limit=0.1).says("late")) as model:
        assert streamed(model) == "late"
        (exchange,) = model.exchanges
        assert exchange.first_byte - exchange.received >= 0.1


def test_a_client_that_goes_away_ends_its_answer() -> None:
    with ScriptedModel(Scenario().says("a").hangs(limit=60)) as model:
        with sent(model, stream=True) as response:
            response.read(1)
        model.wait_for_sync(lambda seen: seen.exchanges[-1].broken, LIMIT)


def test_it_stops_with_a_silent_answer_open() -> None:
    before = {thread.ident for thread in threading.enumerate()}
    model = ScriptedModel(Scenario().says("a").hangs(limit=60)).start()
    address = urlsplit(model.url)
    with sent(model, stream=True) as response:
        response.read(1)
        begun = time.monotonic()
        model.stop()
        model.stop()
        assert time.monotonic() - begun < 30, "it did not wait for the answer"
    assert {thread.ident for thread in threading.enumerate()} <= before
    with socket.socket() as other:
        other.settimeout(LIMIT)
        assert other.connect_ex(("127.0.0.1", address.port or 0)) != 0
    with pytest.raises(RuntimeError, match="not started"):
        _ = model.url


async def test_it_is_an_async_context_manager_too() -> None:
    async with ScriptedModel(Scenario().says("a")) as model:
        with pytest.raises(TimeoutError):
            await model.wait_for_result("toolu_script_1", 0.01)
        with pytest.raises(TimeoutError, match=r"not seen within 0\.01 s"):
            model.wait_for_result_sync("toolu_script_1", 0.01)
        with pytest.raises(KeyError):
            model.result("toolu_script_1")


def test_it_does_not_start_twice() -> None:
    with ScriptedModel(Scenario()) as model, pytest.raises(RuntimeError, match="already"):
        model.start()


def test_it_counts_tokens_and_answers_what_it_does_not_know() -> None:
    with ScriptedModel(Scenario()) as model:
        with sent(model, path="/v1/messages/count_tokens") as response:
            assert json.load(response)["input_tokens"] > 0
        with sent(model, path="/api/hello", method="HEAD") as response:
            assert response.status == 200
        with sent(model, path="/v1/files") as response:
            assert (response.status, json.load(response)["error"]["type"]) == (404, "not_found_error")
        assert [exchange.role for exchange in model.exchanges] == ["other"] * 3


def test_it_begins_anew_with_another_scenario() -> None:
    with ScriptedModel(Scenario("x").says("a").ends_turn().says("never"), delta_size=1) as model:
        assert streamed(model) == "a"
        model.release("g")
        model.begin(Scenario("y").hangs(gate="g", limit=0.1).says("b"))
        assert (model.exchanges, model.tool_results(), model.finished) == ([], [], False)
        model.delta_size = 10
        assert streamed(model) == "b"
        (exchange,) = model.exchanges
        assert exchange.first_byte - exchange.received >= 0.1, "the gate was closed"
        assert exchange.scenario == "y"
        assert model.finished


def test_an_answer_on_its_way_is_forgotten_too() -> None:
    with ScriptedModel(Scenario("x").says("a").hangs(gate="old", limit=60)) as model:
        with sent(model, stream=True) as response:
            response.read(1)
            (waiting,) = model.exchanges
            model.begin(Scenario("y").says("b"))
        model.wait_for_sync(lambda _: waiting.broken, LIMIT)
        assert not model.exchanges


def test_an_answer_on_its_way_does_not_come_back_when_newer_requests_took_its_place() -> None:
    scenario = Scenario("x").says("a").hangs(limit=60)
    with ScriptedModel(scenario, keeps=1) as model, sent(model, stream=True) as response:
        response.read(1)
        (waiting,) = model.exchanges
        with sent(model, path="/v1/messages/count_tokens") as other:
            other.read()
        newest = model.exchanges
        model.release()
        response.read()
        model.wait_for_sync(lambda _: waiting.last_byte > 0, LIMIT)
        assert (model.exchanges, newest == [waiting]) == (newest, False)


def test_errors_of_the_script_are_kept() -> None:
    def words(_: object) -> str:
        raise LookupError("boom")

    with ScriptedModel(Scenario().says(words)) as model:
        with sent(model) as response:
            assert response.status == 400
            assert "boom" in json.load(response)["error"]["message"]
        with pytest.raises(ExceptionGroup) as caught:
            model.check()
    assert isinstance(caught.value.exceptions[0], LookupError)


def test_tool_results_are_listed_once_and_in_order() -> None:
    def conversation(*texts: str) -> list[dict[str, Any]]:
        return [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}]}
            for n, text in enumerate(texts)
        ]

    with ScriptedModel(Scenario()) as model:
        for texts in (("a",), ("a", "b"), ("a", "b", "c")):
            with sent(model, messages=conversation(*texts)) as response:
                response.read()
        assert [(found.tool_use_id, found.text) for found in model.tool_results()] == [
            ("t0", "a"),
            ("t1", "b"),
            ("t2", "c"),
        ]
        assert model.wait_for_result_sync("t1", LIMIT).text == "b"

"""What the service says of itself, and what it keeps to itself."""

import json
import logging
from datetime import UTC, datetime, timedelta

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ccq_tui.service.run import Happened, RunEvent, RunState
from ccq_tui.service.telemetry import JsonFormatter, Telemetry
from ccq_tui.testing.server import ServerThread

NOW = datetime.now(UTC)
SECRET = "Which password?"


def event(kind: Happened, seconds: float = 0.0) -> RunEvent:
    return RunEvent("id", "0123", 7, kind, NOW + timedelta(seconds=seconds), {"text": SECRET})


@pytest.mark.parametrize("allowed", [False, True])
def test_the_log_has_texts_only_where_they_are_allowed(
    caplog: pytest.LogCaptureFixture, *, allowed: bool
) -> None:
    telemetry = Telemetry(log_questions=allowed)
    with caplog.at_level(logging.INFO, "ccq_tui.service"):
        telemetry.happened(event(Happened.ASKED))
        logging.getLogger("ccq_tui.service").error("It failed", exc_info=ValueError(SECRET))
    asked, failed = (json.loads(JsonFormatter(verbose=False).format(one)) for one in caplog.records)
    assert (asked["run"], asked["event"], asked["level"]) == ("0123", "asked", "info")
    assert (SECRET in json.dumps(asked)) is allowed
    assert "ValueError" in failed["error"]
    assert SECRET not in json.dumps(failed)


def test_waits_and_runs_are_counted() -> None:
    telemetry = Telemetry()
    for one in (event(Happened.ASKED), event(Happened.ASKED, 5), event(Happened.ANSWERED, 70)):
        telemetry.happened(one)
    telemetry.happened(event(Happened.ANSWERED, 80))
    telemetry.webhook("linear", "taken")
    text = telemetry.text({RunState.WAITING: 3}).decode()
    for line in (
        'ccq_runs{state="waiting"} 3.0',
        'ccq_run_events_total{kind="answered"} 2.0',
        'ccq_question_wait_seconds_bucket{le="60.0"} 0.0',
        "ccq_question_wait_seconds_sum 70.0",
        'ccq_webhooks_total{adapter="linear",result="taken"} 1.0',
    ):
        assert line in text


def test_traces_and_metrics_go_where_the_usual_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    came: dict[str, bytes] = {}

    async def take(request: Request) -> Response:
        came[request.url.path] = await request.body()
        return Response()

    server = ServerThread(Starlette(routes=[Route("/{place:path}", take, methods=["POST"])]))
    try:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.port}")
        telemetry = Telemetry()
        for one in (event(Happened.ASKED), event(Happened.ANSWERED, 70)):
            telemetry.happened(one)
        telemetry.close()
    finally:
        server.stop()
    assert set(came) == {"/v1/traces", "/v1/metrics"}
    assert b"question" in came["/v1/traces"]
    assert b"0123" in came["/v1/traces"]
    assert b"ccq.run.events" in came["/v1/metrics"]
    assert not any(SECRET.encode() in body for body in came.values())

"""What the service reports of itself: counts, traces and a structured log, none with what people wrote."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import prometheus_client as prometheus
from opentelemetry import metrics, trace

from ccq_tui.logs import DiscreetFormatter
from ccq_tui.service.run import Happened, RunEvent, RunState

_logger = logging.getLogger("ccq_tui.service")
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


class JsonFormatter(DiscreetFormatter):
    """Writes each record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record."""
        known = {"time": record.created, "level": record.levelname.lower(), "logger": record.name}
        known |= {"message": record.getMessage(), **getattr(record, "fields", {})}
        if record.exc_info:
            known["error"] = self.formatException(record.exc_info)
        return json.dumps(known)


class Telemetry:
    """Counts and traces what happens; `Service.subscribe` gives it the events.

    OpenTelemetry is used where its usual variables name an endpoint.

    Args:
        log_questions: Whether the log has the texts of questions and answers.
    """

    def __init__(self, *, log_questions: bool = False) -> None:
        self._log_questions = log_questions
        self._registry = prometheus.CollectorRegistry()
        self._runs = prometheus.Gauge("ccq_runs", "Runs by state", ["state"], registry=self._registry)
        self._happened = prometheus.Counter(
            "ccq_run_events", "Events of runs on this machine", ["kind"], registry=self._registry
        )
        self._webhooks = prometheus.Counter(
            "ccq_webhooks", "Webhooks by adapter and result", ["adapter", "result"], registry=self._registry
        )
        self._waits = prometheus.Histogram(
            "ccq_question_wait_seconds",
            "Seconds from asking a question to its answer",
            buckets=(10, 60, 600, 1800, 3600, 14_400, 86_400, 604_800),
            registry=self._registry,
        )
        self._asked: dict[str, datetime] = {}
        self._providers: tuple[Any, ...] = ()
        if any(os.environ.get(name) for name in _ENDPOINTS):
            self._providers = _exporting()
        traces, meters = self._providers or (trace.NoOpTracerProvider(), metrics.NoOpMeterProvider())
        self._tracer = traces.get_tracer("ccq-tui")
        self._count = meters.get_meter("ccq-tui").create_counter("ccq.run.events")

    def close(self) -> None:
        """Send what is left; may wait for the network."""
        for provider in self._providers:
            provider.shutdown()

    def happened(self, event: RunEvent) -> None:
        """Count and log an event of this machine."""
        self._happened.labels(event.kind).inc()
        self._count.add(1, {"kind": event.kind})
        fields: dict[str, Any] = {"run": event.run, "event": event.kind, "number": event.number}
        if self._log_questions and event.kind in (Happened.ASKED, Happened.ANSWERED):
            fields["text"] = event.body.get("text", "")
        _logger.info("Run %s: %s", event.run, event.kind, extra={"fields": fields})
        if event.kind is Happened.ASKED:
            self._asked.setdefault(event.run, event.at)
        elif event.kind in (Happened.ANSWERED, Happened.ENDED):
            asked = self._asked.pop(event.run, None)
            if asked is not None:
                self._waits.observe((event.at - asked).total_seconds())
                began, ended = (int(one.timestamp() * 1e9) for one in (asked, event.at))
                run = {"ccq.run": event.run}
                self._tracer.start_span("question", start_time=began, attributes=run).end(ended)

    def webhook(self, adapter: str, result: str) -> None:
        """Count a webhook; ``result`` is "taken", "ignored" or "refused"."""
        self._webhooks.labels(adapter, result).inc()

    def text(self, runs: Mapping[RunState, int]) -> bytes:
        """Return all counts as Prometheus reads them.

        Args:
            runs: How many runs there are, by state.
        """
        for state, count in runs.items():
            self._runs.labels(state).set(count)
        return prometheus.generate_latest(self._registry)


def _exporting() -> tuple[Any, Any]:
    """Return what sends traces and metrics to the endpoints."""
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    traces = TracerProvider()
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return traces, MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())])

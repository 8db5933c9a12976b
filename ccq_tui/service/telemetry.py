"""What the service reports of itself: counts, traces and a structured log, none with what people wrote."""

import json
import logging
import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from prometheus_client import CollectorRegistry, generate_latest

from ccq_tui.logs import DiscreetFormatter
from ccq_tui.service.run import Happened, RunEvent, RunState

_logger = logging.getLogger("ccq_tui.service")
BUCKETS = (10.0, 60.0, 600.0, 1800.0, 3600.0, 14_400.0, 86_400.0, 604_800.0)
"""The upper ends of the buckets of a histogram, in seconds: from ten to a week."""
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

    OpenTelemetry sends traces and counts where its usual variables name an endpoint.

    Args:
        log_questions: Whether the log has the texts of questions and answers.
    """

    def __init__(self, *, log_questions: bool = False) -> None:
        self._log_questions = log_questions
        self._registry = CollectorRegistry()
        readers: list[MetricReader] = [
            PrometheusMetricReader(True, scope_info_enabled=False, registry=self._registry)
        ]
        traces = TracerProvider()
        if any(os.environ.get(name) for name in _ENDPOINTS):
            from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
            readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))
        self._providers = traces, MeterProvider(readers)
        self._tracer = traces.get_tracer("ccq-tui")
        meter = self._providers[1].get_meter("ccq-tui")
        self._runs = meter.create_gauge("ccq.runs", description="Runs by state")
        self._events = meter.create_counter("ccq.run.events", description="Events of runs on this machine")
        self._webhooks = meter.create_counter("ccq.webhooks", description="Webhooks by adapter and result")
        self._waits = meter.create_histogram(
            "ccq.question.wait",
            "s",
            "Seconds from asking a question to its answer",
            explicit_bucket_boundaries_advisory=BUCKETS,
        )
        self._asked: dict[str, datetime] = {}

    def close(self) -> None:
        """Send what is left; may wait for the network."""
        for provider in self._providers:
            provider.shutdown()

    def happened(self, event: RunEvent) -> None:
        """Count and log an event of this machine."""
        self._events.add(1, {"kind": event.kind})
        fields: dict[str, Any] = {"run": event.run, "event": event.kind, "number": event.number}
        if self._log_questions and event.kind in (Happened.ASKED, Happened.ANSWERED):
            fields["text"] = event.body.get("text", "")
        _logger.info("Run %s: %s", event.run, event.kind, extra={"fields": fields})
        if event.kind is Happened.ASKED:
            self._asked.setdefault(event.run, event.at)
        elif event.kind in (Happened.ANSWERED, Happened.ENDED):
            asked = self._asked.pop(event.run, None)
            if asked is not None:
                self._waits.record((event.at - asked).total_seconds())
                began, ended = (int(one.timestamp() * 1e9) for one in (asked, event.at))
                run = {"ccq.run": event.run}
                self._tracer.start_span("question", start_time=began, attributes=run).end(ended)

    def webhook(self, adapter: str, result: str) -> None:
        """Count a webhook; ``result`` is "taken", "ignored" or "refused"."""
        self._webhooks.add(1, {"adapter": adapter, "result": result})

    def text(self, runs: Mapping[RunState, int]) -> bytes:
        """Return all counts as Prometheus reads them.

        Args:
            runs: How many runs there are, by state.
        """
        for state, count in runs.items():
            self._runs.set(count, {"state": state})
        return generate_latest(self._registry)

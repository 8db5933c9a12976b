"""Serves the service: its parts as the configuration says, until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ccq_tui.remote.relay.serve import Served, serve_app
from ccq_tui.service.adapters.linear import LinearAdapter
from ccq_tui.service.adapters.webhook import WebhookAdapter
from ccq_tui.service.api import ServiceParts, page_address, service_app
from ccq_tui.service.config import ServiceConfig
from ccq_tui.service.service import Service
from ccq_tui.service.telemetry import Telemetry
from ccq_tui.service.tokens import page_key

DEFAULT_PORT = 8766


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """How the service is served; where, as a relay is.

    Attributes:
        config: Its configuration.
        store: The URL of the database of runs.
        state: The directory of state.
        flags: Settings of all sessions, as the command line has them.
        environment: Variables for Claude Code, over those of this process.
        host: The address to listen at.
        port: The port; 0 for any that is free.
        certificate: The file of its certificate, or None without TLS of its own.
        key: The file of the certificate's key.
        plain: Whether to serve others than this machine without TLS.
    """

    config: ServiceConfig
    store: str
    state: Path
    flags: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    certificate: Path | None = None
    key: Path | None = None
    plain: bool = False

    @property
    def public_url(self) -> str:
        """The origin by which people reach it, or "" for its own."""
        return self.config.public_url


async def serve(
    options: ServiceOptions,
    *,
    started: Callable[[str], None] | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until it is stopped or cancelled.

    Args:
        options: How.
        started: Called with the URL by which this machine reaches it, as soon as it takes calls.
        stop: Ends it when it is set.

    Raises:
        ServeError: Its address or its certificate cannot be used.
        RunStoreError: The database of runs cannot be used.
        InboxError: The inbox cannot be used.
        SettingsError: The settings of the person are wrong.
    """

    @asynccontextmanager
    async def opened(url: str) -> AsyncIterator[Served]:
        config = options.config
        key, origin = await asyncio.to_thread(page_key, options.state), options.public_url or url
        telemetry = Telemetry(log_questions=config.log_questions)
        async with AsyncExitStack() as ending:
            adapters = _adapters(config)
            for one in adapters.values():
                ending.push_async_callback(one.close)
            service = await ending.enter_async_context(
                Service(
                    config.policy,
                    options.store,
                    adapters,
                    machine=config.machine,
                    state=options.state,
                    flags=options.flags,
                    environment={**options.environment, **config.hidden},
                    page=lambda run: page_address(origin, key, run),
                )
            )
            service.subscribe(telemetry.happened)
            ending.push_async_callback(asyncio.to_thread, telemetry.close)
            parts = ServiceParts(service, adapters, options.state, origin, key, telemetry)
            yield await asyncio.to_thread(service_app, parts), parts.ending.set

    await serve_app(options, opened, started=started, stop=stop)


def _adapters(config: ServiceConfig) -> dict[str, LinearAdapter | WebhookAdapter]:
    adapters: dict[str, LinearAdapter | WebhookAdapter] = {}
    if (linear := config.linear) is not None:
        read = linear.webhook_secret.read, linear.token.read
        adapters["linear"] = LinearAdapter(*read, url=linear.url)
    if (webhook := config.webhook) is not None:
        adapters["webhook"] = WebhookAdapter(webhook.secret.read, webhook.url)
    return adapters

"""Serves the service: its parts as the configuration says, until it is stopped."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ccq_tui.service.adapters.linear import LinearAdapter
from ccq_tui.service.adapters.webhook import WebhookAdapter
from ccq_tui.service.api import ServiceParts, page_address, service_app
from ccq_tui.service.config import ServiceConfig
from ccq_tui.service.service import Service
from ccq_tui.service.telemetry import Telemetry
from ccq_tui.service.tokens import page_key
from ccq_tui.web.serving import Listening, Served, serve_app


@dataclass(frozen=True, slots=True)
class ServiceOptions(Listening):
    """How the service is served; the public URL is that of its configuration.

    Attributes:
        config: Its configuration.
        store: The URL of the database of runs.
        state: The directory of state.
        environment: Variables for Claude Code, over those of this process.
    """

    config: ServiceConfig
    store: str
    state: Path
    environment: Mapping[str, str] = field(default_factory=dict)


async def serve(options: ServiceOptions, started: Callable[[str], None], stop: asyncio.Event) -> None:
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
    config = options.config

    @asynccontextmanager
    async def opened(url: str) -> AsyncIterator[Served]:
        key = await asyncio.to_thread(page_key, options.state)
        page = partial(page_address, config.public_url or url, key)
        telemetry = Telemetry(log_questions=config.log_questions)
        async with AsyncExitStack() as ending:
            adapters = _adapters(config)
            for one in adapters.values():
                ending.push_async_callback(one.close)
            service = await ending.enter_async_context(
                Service(
                    config,
                    options.store,
                    adapters,
                    machine=config.machine,
                    state=options.state,
                    environment={**options.environment, **config.hidden},
                    page=lambda run: page(run) if run.source != "webhook" or config.page_links else "",
                )
            )
            service.subscribe(telemetry.happened)
            ending.push_async_callback(asyncio.to_thread, telemetry.close)
            shown = page if config.page_links else lambda _run: ""
            parts = ServiceParts(service, options.state, shown, key, telemetry)
            yield await asyncio.to_thread(service_app, parts), parts.ending.set

    await serve_app(replace(options, public_url=config.public_url), opened, started=started, stop=stop)


def _adapters(config: ServiceConfig) -> dict[str, LinearAdapter | WebhookAdapter]:
    adapters: dict[str, LinearAdapter | WebhookAdapter] = {}
    if (linear := config.linear) is not None:
        read = linear.webhook_secret.read, linear.token.read
        adapters["linear"] = LinearAdapter(*read, url=linear.url)
    if (webhook := config.webhook) is not None:
        adapters["webhook"] = WebhookAdapter(webhook.secret.read, webhook.url)
    return adapters

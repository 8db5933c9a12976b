"""The command that serves runs of tickets."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ccq_tui.cli.exits import ENDED, Refused
from ccq_tui.output import echo
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.service.serving import ServiceOptions

AnyCallable = TypeVar("AnyCallable", bound=Callable[..., Any])
NEEDED = ("dbos", "sqlalchemy", "graphql", "standardwebhooks", "prometheus_client", "opentelemetry")
PORT = 8766
_FILE = click.Path(path_type=Path, dir_okay=False)
_port = click.option("--port", metavar="N", type=click.IntRange(0, 65535), default=PORT, show_default=True,
                     help="The port; 0 for any that is free.")  # fmt: skip
_store = click.option(
    "--store", metavar="URL", default="", help="The database of runs: sqlite:PATH or postgresql://HOST/NAME."
)


@click.group(invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@_port
@_store
@click.option("--config", "file", type=_FILE, metavar="FILE", help="The configuration: docs/service.md.")
@click.option("--certfile", "certificate", type=_FILE, help="Its certificate, for TLS without a proxy.")
@click.option("--keyfile", "key", type=_FILE, help="The certificate's key.")
@click.option(
    "--without-tls", "plain", is_flag=True, help="Serve a network although others in it can read along."
)
@click.option("--demo", is_flag=True, help="Try it without any account: the model and Linear are scripted.")
@click.pass_context
def serve(
    context: click.Context, /, store: str, file: Path | None, demo: bool, host: str, port: int, **options: Any
) -> int:
    """Turn tickets into sessions, whose questions are answered in the ticket.

    Also in any ccq-tui, on the phone, or by "ccq-tui answer": the first answer wins.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise Refused(f"{', '.join(missing)} is not installed: pip install 'ccq-tui[service]'.")
    if context.invoked_subcommand is not None:
        return ENDED
    if demo:
        return _demo(host, port)
    from ccq_tui.config.paths import state_dir
    from ccq_tui.service.config import config_path, read_config
    from ccq_tui.service.serving import ServiceOptions

    config = read_config(file or config_path())
    _run(ServiceOptions(config, _url(store), state_dir(), host=host, port=port, **options), _started)
    return ENDED


@serve.command()
@_store
def status(store: str) -> int:
    """List the runs, the one that changed last first."""
    from ccq_tui.inbox.layout import local
    from ccq_tui.service.store import RunStore, RunStoreError

    try:
        opened = RunStore.open(_url(store))
        runs, counts = opened.list(), opened.counts()
        opened.close()
    except RunStoreError as error:
        raise Refused(str(error)) from error
    for run in runs:
        where = f"{run.repository} on {run.machine or 'no machine yet'}"
        echo(
            f"{run.id}  {run.state:<8} {local(run.changed)}  {one_line(run.title, 60)}  {one_line(where, 60)}"
        )
    echo(", ".join(f"{count} {state}" for state, count in counts.items() if count) or "No runs yet.")
    return ENDED


@serve.command()
@click.argument("name")
@click.option("--revoke", is_flag=True, help="Revoke the tokens of this name instead.")
def token(name: str, revoke: bool) -> int:
    """Print a new token for the API; NAME says who answers with it."""
    from ccq_tui.config.paths import state_dir
    from ccq_tui.service.tokens import TokensError, change_tokens

    try:
        made = change_tokens(state_dir(), name, add=not revoke)
    except TokensError as error:
        raise Refused(f"{error}.") from error
    echo(made or "Revoked.")
    return ENDED


@serve.command()
@click.argument("machine")
@_port
def adopt(machine: str, port: int) -> int:
    """Take over the runs of MACHINE, which is gone, by their pushed branches.

    The service of this machine must run.
    """
    import secrets
    from urllib.parse import quote

    import httpx2

    from ccq_tui.config.paths import state_dir
    from ccq_tui.service.tokens import TokensError, change_tokens

    name = f"ccq-tui serve adopt {secrets.token_hex(4)}"
    try:
        made = change_tokens(state_dir(), name)
        try:
            url = f"http://127.0.0.1:{port}/machines/{quote(machine, safe='')}/adopt"
            bearer = {"Authorization": f"Bearer {made}"}
            done = httpx2.post(url, headers=bearer, timeout=60.0, trust_env=False)
            found = done.json()
        finally:
            change_tokens(state_dir(), name, add=False)
    except (httpx2.HTTPError, ValueError) as error:
        raise Refused(
            f"no service answers at port {port} of this machine: start ccq-tui serve, or give its --port."
        ) from error
    except TokensError as error:
        raise Refused(f"{error}.") from error
    if not done.is_success:
        raise Refused(one_line(str(found.get("detail", done.status_code)), 300))
    for run in found["runs"]:
        echo(f"{run['id']}  {run['state']:<8} {one_line(run['title'], 60)}")
    echo(f"Adopted {len(found['runs'])} runs.")
    return ENDED


def _url(store: str) -> str:
    """Return the database's URL as SQLAlchemy writes it."""
    from ccq_tui.config.paths import state_dir
    from ccq_tui.stored import private_dir

    if not store:
        private_dir(state_dir())
        return f"sqlite:///{state_dir() / 'service.db'}"
    if store.startswith("sqlite:") and not store.startswith("sqlite:///"):
        return f"sqlite:///{Path(store.removeprefix('sqlite:')).expanduser().absolute()}"
    if store.startswith(("sqlite:///", "postgresql://", "postgres://")):
        return store
    raise Refused(f"--store takes sqlite:PATH or postgresql://HOST/NAME, not {one_line(store, 60)}.")


def _started(url: str) -> None:
    echo(f"Serving runs at {url}; Ctrl+C ends it.", err=True)
    echo("For its API: ccq-tui serve token NAME", err=True)


def _run(options: ServiceOptions, started: Callable[[str], None]) -> None:
    import asyncio
    import signal

    from ccq_tui.inbox.verdicts import InboxError
    from ccq_tui.logs import start_logging
    from ccq_tui.remote.relay.serve import ServeError
    from ccq_tui.service.serving import serve as serving
    from ccq_tui.service.store import RunStoreError
    from ccq_tui.service.telemetry import JsonFormatter

    async def run() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await serving(options, started=started, stop=stop)

    start_logging(formatter=JsonFormatter, name="service.log")
    try:
        asyncio.run(run())
    except (ServeError, RunStoreError, InboxError) as error:
        raise Refused(f"{one_line(str(error), 1_000).rstrip('.')}.") from error


def _demo(host: str, port: int) -> int:
    """Serve a scripted model and a scripted Linear in a temporary home."""
    import secrets
    from contextlib import ExitStack

    from ccq_tui.service.adapters.scripted_linear import ScriptedLinear
    from ccq_tui.service.config import LinearTable, Secret, ServiceConfig
    from ccq_tui.service.policy import Repository
    from ccq_tui.service.serving import ServiceOptions
    from ccq_tui.testing import ScriptedModel, clean_environment
    from ccq_tui.testing.scenarios import READY
    from ccq_tui.worktrees.git import git

    ready = READY["mixed_four"]
    secret = {name: secrets.token_hex(16) for name in ("CCQ_DEMO_WEBHOOK", "CCQ_DEMO_TOKEN")}
    os.environ |= secret
    with ExitStack() as ending:
        model = ending.enter_context(ScriptedModel(ready.scenario, speed=600.0 * ready.pace))
        home = ending.enter_context(clean_environment(model.url))
        linear = ScriptedLinear("", secret=secret["CCQ_DEMO_WEBHOOK"], token=secret["CCQ_DEMO_TOKEN"])
        ending.callback(linear.close)
        for words in (["init", "-q"], ["-c", "user.name=demo", "-c", "user.email=demo@localhost", "commit",
                                       "-q", "--allow-empty", "-m", "Begin"]):  # fmt: skip
            git(home.project, *words)
        state = home.home / ".local" / "state" / "ccq-tui"
        config = ServiceConfig(
            machine="demo",
            repositories={"demo": Repository(home.project)},
            linear=LinearTable(
                webhook_secret=Secret("CCQ_DEMO_WEBHOOK"),
                token=Secret("CCQ_DEMO_TOKEN"),
                url=f"{linear.url}/graphql",
            ),
        )

        def started(url: str) -> None:
            linear.webhook = f"{url}/webhooks/linear"
            session = linear.assign("Design the bookmark API", ready.prompt)
            echo(f"Answer the ticket at {linear.url}/{session.id}", err=True)
            places = f"XDG_STATE_HOME={state.parent} CLAUDE_CONFIG_DIR={home.config}"
            echo(f"or in its inbox: {places} ccq-tui inbox", err=True)
            echo("Ctrl+C ends it, and removes everything.", err=True)

        options = ServiceOptions(
            config, f"sqlite:///{home.root / 'service.db'}", state,
            environment=home.overrides(), host=host, port=port,
        )  # fmt: skip
        _run(options, started)
    return ENDED

"""The command that serves runs of tickets."""

import asyncio
import getpass
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from ccq_tui import DOCS
from ccq_tui.cli import exits
from ccq_tui.cli.exits import Refused, refusing
from ccq_tui.cli.options import listening_flags, port_flag
from ccq_tui.cli.store import opened_store
from ccq_tui.config.errors import SettingsError
from ccq_tui.config.load import read_settings_file
from ccq_tui.config.paths import config_dir, state_dir
from ccq_tui.inbox.layout import local
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.installation import is_installed, missing
from ccq_tui.output import echo
from ccq_tui.service.config import ServiceConfig, read_config
from ccq_tui.service.run import OVER, UNLINKED, Happened
from ccq_tui.service.tokens import Scope, TokensError, change_tokens, is_over, page_key, read_tokens
from ccq_tui.stored import private_dir
from ccq_tui.text import one_line
from ccq_tui.web.serving import ServeError, stopped_by_signals
from ccq_tui.words import duration

if TYPE_CHECKING:
    from ccq_tui.service.serving import ServiceOptions
    from ccq_tui.service.store import RunStore

THEN = "For the board of its runs: ccq-tui serve link NAME. For its API: ccq-tui serve token NAME"
_DAY = click.DateTime(["%Y-%m-%d"])
_FILE = click.Path(path_type=Path, dir_okay=False)
_store = click.option(
    "--store", metavar="URL", default="", help="The database of runs: sqlite:PATH or postgresql://HOST/NAME."
)
_config = click.option("--config", "file", type=_FILE, metavar="FILE", help="The configuration.")
_scopes = click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(Scope, case_sensitive=False),
    default=[*Scope],
    help="Let it do this alone: read, answer (and stop) or start; several times for several.",
)
_until = click.option("--until", type=_DAY, metavar="DAY", help="The last day on which it counts.")


@click.group(invoke_without_command=True, epilog=f"More: {DOCS}/service.md")
@listening_flags
@port_flag(8766)
@_store
@_config
@click.option("--demo", is_flag=True, help="Try it without any account: the model is scripted.")
def serve(store: str, file: Path | None, demo: bool, **options: Any) -> None:
    """Turn tickets into sessions, whose questions are answered in the ticket.

    Also in ccq-tui, on the phone, or by "ccq-tui answer": the first answer wins.
    """
    if not is_installed("service"):
        raise Refused(missing("service"))
    if click.get_current_context().invoked_subcommand is not None:
        return
    if demo:
        _demo(options)
        return

    from ccq_tui.service.checks import doubts, token_refused
    from ccq_tui.service.isolation import isolation
    from ccq_tui.service.serving import ServiceOptions
    from ccq_tui.transcript.tools import TOOLS

    place = file or config_dir() / "service.toml"
    if not place.exists():
        where = one_line(str(place), 300)
        raise Refused(f"{where} is missing; ccq-tui serve --demo needs none. An example: {DOCS}/service.md")
    config = read_config(place)
    echo(isolation(config.sessions, state_dir(), config.hidden).words, err=True)
    for doubt in doubts(place, config, TOOLS):
        echo(str(doubt), err=True)
    if (refused := asyncio.run(token_refused(place, config))) is not None:
        raise SettingsError([refused])
    _run(ServiceOptions(config, _url(store), state_dir(), **options), exits.saying("runs", THEN))


@serve.command()
@_store
@_config
def status(store: str, file: Path | None) -> None:
    """List the runs, with their tickets and pages. The newest change is first."""
    from ccq_tui.service.api import page_address

    with _runs(store) as opened:
        runs, counts = opened.list(), opened.counts()
        refused = {one.run: one.body["text"] for one in opened.current(Happened.REFUSED)}
        asked = {one.run: one.at for one in opened.asked([one.id for one in runs])}
    origin = _public_url(file)
    key = page_key(state_dir()) if origin else b""
    for run in runs:
        where = f"{run.repository} on {run.machine or 'no machine yet'}"
        echo(
            f"{run.id}  {run.state:<8} {local(run.changed)}  {one_line(run.title, 60)}  {one_line(where, 60)}"
        )
        if run.state not in OVER:
            parts = [one_line(run.url, 300), page_address(origin, key, run) if origin else ""]
            if run.id in asked:  # also one that works: its process is kept for a permission
                parts.insert(0, f"waits {duration((datetime.now(UTC) - asked[run.id]).total_seconds())}")
            if any(parts):
                echo("  ".join(["", *filter(None, parts)]))
    for run_id, why in refused.items():
        echo(f"{run_id}  its ticket refuses what it is sent: {one_line(why, 200)}; see ccq-tui inbox")
    echo(", ".join(f"{count} {state}" for state, count in counts.items() if count) or "No runs yet.")


@serve.command()
@click.argument("name", required=False)
@_scopes
@_until
@click.option("--revoke", is_flag=True, help="Revoke the tokens of this name instead.")
def token(name: str | None, scopes: tuple[Scope, ...], until: datetime | None, revoke: bool) -> None:
    """Print a new token for the API; NAME says who answers with it.

    Without NAME, list the tokens that there are.
    """
    with refusing(TokensError):
        if name is not None:
            last = f"{until:%Y-%m-%d}" if until else ""
            echo(change_tokens(state_dir(), name, add=not revoke, scopes=scopes, until=last) or "Revoked.")
            return
        tokens = read_tokens(state_dir()).values()
    for one in tokens:
        ends = f"until {one['until']}" if one["until"] else "without end"
        ends += ", which is over" if is_over(one) else ""
        echo(f"{one['name']:<20} {', '.join(one['scopes'])}  {ends}")
    if not tokens:
        echo("No tokens yet: ccq-tui serve token NAME makes one.")


@serve.command()
@click.argument("name")
@_scopes
@_until
@_config
def link(name: str, scopes: tuple[Scope, ...], until: datetime | None, file: Path | None) -> None:
    """Print an address that signs a browser in to the board.

    The board has all runs; NAME says who answers there.

    It is a token of that name, for a week unless --until says another day.
    """
    last = until or datetime.now(UTC) + timedelta(days=7)
    with refusing(TokensError):
        made = change_tokens(state_dir(), name, scopes=scopes, until=f"{last:%Y-%m-%d}")
    echo(f"{_public_url(file) or 'http://127.0.0.1:8766'}/#token={made}")


def _public_url(file: Path | None) -> str:
    place = file or config_dir() / "service.toml"
    # Not the whole of it, whose secrets may be in the service's environment alone.
    return str(read_settings_file(place, "user").values.get("public_url", "")) if place.exists() else ""


@serve.command()
@click.argument("run")
@_store
def unlink(run: str, store: str) -> None:
    """Close the page of RUN for everybody who has its address."""
    from ccq_tui.service.store import UnknownRunError

    with refusing(UnknownRunError), _runs(store) as opened:
        opened.update(run, link=UNLINKED)
    echo("Its page opens no more.")


@serve.command()
@click.argument("run")
@_store
def forget(run: str, store: str) -> None:
    """Delete what is kept of RUN, which has ended.

    Its history goes, its audit too.
    """
    from ccq_tui.service.service import forget_session
    from ccq_tui.service.store import UnknownRunError

    with refusing(UnknownRunError), _runs(store) as runs, opened_store() as inbox:
        known = runs.get(run)
        if known.state not in OVER:
            raise Refused(f"The run is {known.state}: stop it first.")
        forget_session(inbox, known.session)
        runs.forget(known, audit=True)
        user = getpass.getuser()
        act = {"act": "forget", "person": user, "surface": "command", "where": "by ccq-tui serve"}
        runs.record(run, Happened.ACTED, "forget", act)
    branch = f", and so does its branch {known.branch}" if known.branch else ""
    echo(f"Deleted. Claude's own record of the session stays{branch}.")


@serve.command()
@click.option("--run", default="", metavar="RUN", help="Only of this run.")
@click.option("--since", type=_DAY, metavar="DAY", help="Only from this day on.")
@click.option("--jsonl", is_flag=True, help="Print a line of JSON for each act.")
@_store
def audit(run: str, since: datetime | None, jsonl: bool, store: str) -> None:
    """List who started, prompted, answered, allowed and stopped what.

    Also who was refused.
    """
    with _runs(store) as opened:
        acts = opened.all_events(run or None, Happened.ACTED)
    for one in acts:
        if since is not None and one.at < since.astimezone():
            continue
        body = {name: one_line(str(value), 300) for name, value in one.body.items()}
        text = f"refused: {body['refused']}" if body.get("refused") else body.get("text", "")
        known = body.get("id", "") not in ("", body["person"])  # a name for people can be anybody's
        who = f"{body['person']} ({body['id']})" if known else body["person"]
        line = f"{local(one.at)}  {one.run}  {body['act']:<7} {who}, {body['where']}  {text}"
        echo(json.dumps(one.record) if jsonl else line.rstrip())


@serve.command()
@click.argument("machine")
@_store
@_config
def adopt(machine: str, store: str, file: Path | None) -> None:
    """Take over the runs of MACHINE, by their pushed branches.

    The machine is gone.

    The service of this machine continues them.
    """
    config = read_config(file or config_dir() / "service.toml")
    if machine == config.machine:
        raise Refused(f"{machine} is this machine: it has its runs.")
    with _runs(store) as runs:
        adopted = runs.adopt(machine, config.machine, config.repositories)
    for run in adopted:
        echo(f"{run.id}  {run.state:<8} {one_line(run.title, 60)}")
    echo(f"Adopted {len(adopted)} runs.")


@contextmanager
def _runs(store: str) -> "Iterator[RunStore]":
    """Open the database of runs."""
    from ccq_tui.service.store import RunStore, RunStoreError

    with refusing(RunStoreError), closing(RunStore.open(_url(store))) as opened:
        yield opened


def _url(store: str) -> str:
    """Return the database's URL as SQLAlchemy writes it."""
    if not store:
        private_dir(state_dir())
        return f"sqlite:///{state_dir() / 'service.db'}"
    if store.startswith("sqlite:") and not store.startswith("sqlite:///"):
        return f"sqlite:///{Path(store.removeprefix('sqlite:')).expanduser().absolute()}"
    if store.startswith(("sqlite:///", "postgresql://", "postgres://")):
        return store
    raise Refused(f"--store takes sqlite:PATH or postgresql://HOST/NAME, not {one_line(store, 60)}.")


def _run(options: "ServiceOptions", started: Callable[[str], None], log: str = "service.log") -> None:
    from ccq_tui.service.serving import serve as serving
    from ccq_tui.service.store import RunStoreError
    from ccq_tui.service.telemetry import JsonFormatter

    async def run() -> None:
        await serving(options, started, stopped_by_signals())

    errors = (ServeError, RunStoreError, InboxError)
    exits.serve(run(), *errors, formatter=JsonFormatter, name=log)


def _demo(options: dict[str, Any]) -> None:
    """Serve a scripted model in a temporary home, and begin a run."""
    import httpx2

    from ccq_tui.service.policy import Repository
    from ccq_tui.service.serving import ServiceOptions
    from ccq_tui.testing import ScriptedModel, clean_environment
    from ccq_tui.testing.scenarios import READY
    from ccq_tui.worktrees.git import git

    ready = READY["four"]
    with ExitStack() as ending:
        model = ending.enter_context(ScriptedModel(ready.build(), speed=600.0))
        home = ending.enter_context(clean_environment(model.url))
        for words in (["init", "-q"], ["-c", "user.name=demo", "-c", "user.email=demo@localhost", "commit",
                                       "-q", "--allow-empty", "-m", "Begin"]):  # fmt: skip
            git(home.project, *words)
        state = home.home / ".local" / "state" / "ccq-tui"
        config = ServiceConfig({"demo": Repository(home.project)}, machine="demo", page_links=True)
        bearer = {"Authorization": f"Bearer {change_tokens(state, 'demo')}"}
        new = {"title": "Design the bookmark API", "prompt": ready.prompt}

        def begin(url: str) -> None:
            made = httpx2.post(f"{url}/runs", json=new, headers=bearer, verify=False, trust_env=False).json()
            echo(f"Answer the run at {made['page']}", err=True)
            own = ("CLAUDE_CONFIG_DIR", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")
            places = " ".join([f"XDG_STATE_HOME={state.parent}", *(f"{one}={home.env[one]}" for one in own)])
            echo(f"or in its inbox: {places} ccq-tui inbox", err=True)
            call = f"curl -H 'Authorization: {bearer['Authorization']}' {url}/runs -d '{json.dumps(new)}'"
            echo(f"Begin another, as a program does: {call}", err=True)
            echo(f"All runs are on the board: {url}/#token={bearer['Authorization'].split()[1]}", err=True)
            echo("Ctrl+C ends it, and removes everything.", err=True)

        def started(url: str) -> None:
            Thread(target=begin, args=(url,), daemon=True).start()  # it calls the service that calls this

        store = f"sqlite:///{home.root / 'service.db'}"
        served = ServiceOptions(config, store, state, environment=home.overrides(), **options)
        _run(served, started, log=str(home.root / "service.log"))  # not that of another service here

"""The demo, in which the model alone is scripted, and that model for other programs."""

import os
import signal
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ccq_tui import DOCS
from ccq_tui.cli.exits import Refused
from ccq_tui.cli.options import AnyCallable, flag, given_settings, plain_flag, setting_flags, with_flags
from ccq_tui.cli.session import end_on_signals, plain_why, require_terminal, show, shown_early
from ccq_tui.output import echo
from ccq_tui.testing import ScriptedModel, clean_environment
from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios import READY, Ready
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.config.load import Loaded
    from ccq_tui.config.settings import Settings
    from ccq_tui.preboot_input import EarlyPrompt

NAMES = ("tour", "single", "four")
"""The scenarios, the usual one first."""
CHARACTERS_A_SECOND = 600.0
"""Roughly the speed of a quick model."""
MOST_EXCHANGES = 100
"""Requests that a served model keeps: each has its whole conversation."""
KEPT_SETTINGS = (
    *("theme", "bell", "notify", "notify_after", "progress", "reduce_motion", "screen_reader", "keys"),
    *("cli_path", "question_previews", "extended_questions", "log_level"),
    *("park_after", "question_timeout", "on_question_timeout"),
)
"""Settings that a demo takes from files and the environment: looks, and the person's time limits.

The rest could change what the scenario shows.
"""


def _known(_context: click.Context, _param: click.Parameter, value: str) -> str:
    """Return the name of a ready scenario, or the path of a Python file that is there."""
    if value not in NAMES and not (value.endswith(".py") and Path(value).is_file()):
        raise click.BadParameter(f"{value!r} is neither tour, single or four nor a Python file that exists")
    return value


def _completed(*words: Any) -> list[CompletionItem]:
    """Offer the names, then files; the last of the words is incomplete."""
    names = [CompletionItem(name) for name in NAMES if name.startswith(words[-1])]
    return names or [CompletionItem(words[-1], type="file")]


_script = partial(click.argument, "script", callback=_known, shell_complete=_completed)


def _speed(default: float) -> Callable[[AnyCallable], AnyCallable]:
    about = f"Speed of the scripted model as a factor; 0 is without delay. [default: {default:g}]"
    return with_flags(flag("--speed", "X", about, type=click.FloatRange(0.0, 1000.0), default=default))


@click.command(epilog=f"More: {DOCS}/scripted-model.md")
@_script(default=NAMES[0], metavar="[NAME|FILE]")
@_speed(1.0)
@plain_flag
@setting_flags(hidden=True)
def demo(script: str, speed: float, **_flags: object) -> int:
    """Try the program without an account: only the model is scripted.

    NAME is tour, single (one question) or four (at once). FILE is a Python file with a scenario of your
    own. Everything happens in a temporary directory, which is removed at the end;
    your own files and settings of Claude Code are not touched.
    """
    end_on_signals()
    plain = plain_why()
    ready = _ready(script)
    early = None if plain else shown_early()
    from ccq_tui.config.launch import load_trusted

    loaded, _ = load_trusted(given_settings())
    require_terminal(plain)
    return _play(ready, loaded, CHARACTERS_A_SECOND * speed, early, plain)


@click.command(epilog=f"More: {DOCS}/scripted-model.md")
@_script(metavar="NAME|FILE")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, help="A port of 127.0.0.1. [default: a free one]"
)
@_speed(0.0)
def model(script: str, port: int, speed: float) -> None:
    """Serve a scripted model on loopback, for tests in any language, until Ctrl+C.

    Prints the environment in which Claude Code talks to it, one NAME=VALUE a line, then an empty line.
    FILE is a Python file with a scenario; NAME is one of the demo's.
    """
    end_on_signals()

    serves = ScriptedModel(
        _ready(script).build(), speed=CHARACTERS_A_SECOND * speed, port=port, keeps=MOST_EXCHANGES
    )
    with ExitStack() as ending:
        try:
            ending.enter_context(serves)
        except OSError as error:
            raise Refused(f"port {port} cannot be opened: {os.strerror(error.errno or 0)}.") from error
        home = ending.enter_context(clean_environment(serves.url))
        with suppress(KeyboardInterrupt):
            for name, value in home.for_claude().items():
                echo(f"{name}={value}")
            echo()
            signal.pause()


def _ready(script: str) -> Ready:
    """Return the scenario of a name, or run the file that makes one."""
    if script in READY:
        return READY[script]
    import runpy

    try:
        names = runpy.run_path(script)
    except Exception as error:
        raise Refused(f"{script} failed: {type(error).__name__}: {one_line(str(error), 300)}.") from error
    scenario = names.get("scenario")
    if not isinstance(scenario, Scenario):
        raise Refused(f'{script} has no scenario: assign one, as in scenario = Scenario().says("Hello.").')
    return Ready(str(names.get("prompt", "Go on")), lambda: scenario)


def demo_settings(loaded: "Loaded", project: Path) -> "Settings":
    """Return the person's settings that apply in a demo: every flag, and those in `KEPT_SETTINGS`."""
    from ccq_tui.config.settings import Settings

    kept = {
        name: getattr(loaded.settings, name)
        for name, origin in loaded.origins.items()
        if origin.startswith("--") or name in KEPT_SETTINGS
    }
    return Settings(**({"permission_mode": "default"} | kept | {"cwd": project}))


def _play(ready: Ready, loaded: "Loaded", speed: float, early: "EarlyPrompt | None", plain: str) -> int:
    from ccq_tui.config.launch import Launch, ProgramArguments

    with ExitStack() as ending:
        model = ending.enter_context(ScriptedModel(ready.build(), speed=speed))
        home = ending.enter_context(clean_environment(model.url))
        settings = demo_settings(loaded, home.project)
        # Prompts typed in a demo do not belong among the person's own.
        program = ProgramArguments(state=home.root / "state", environment=home.overrides())
        return show(Launch(settings=settings, prompt=ready.prompt, program=program), early, plain)

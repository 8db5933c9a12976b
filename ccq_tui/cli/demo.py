"""The demo: the real program, SDK and CLI, with a scripted model in place of the network."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ccq_tui.cli.options import given_settings, plain_flag, setting_flags
from ccq_tui.cli.session import end_on_signals, plain_why, require_terminal, show, shown_early

if TYPE_CHECKING:
    from ccq_tui.config.load import Loaded
    from ccq_tui.config.settings import Settings
    from ccq_tui.preboot_input import EarlyPrompt

NAMES = ("tour", "single", "four")
"""The scenarios, the usual one first."""
CHARACTERS_A_SECOND = 600.0
"""Roughly the speed of a quick model."""
LOOKS = (
    *("theme", "bell", "notify", "notify_after", "progress", "reduce_motion", "screen_reader", "keys"),
    *("cli_path", "question_previews", "extended_questions", "log_level"),
    *("park_after", "question_timeout", "on_question_timeout"),
)
"""Settings that a demo takes from files and the environment: looks, and the person's time limits.

The rest could change what the scenario shows.
"""


@click.command()
@click.argument("name", type=click.Choice(NAMES), default=NAMES[0])
@click.option(
    "--speed",
    type=click.FloatRange(min=0.0, max=1000.0),
    default=1.0,
    metavar="X",
    help="Speed of the scripted model as a factor; 0 is without delay. [default: 1]",
)
@plain_flag
@setting_flags(hidden=True)
@click.pass_context
def demo(context: click.Context, /, name: str, speed: float, **_flags: object) -> int:
    """Try the program without an account: only the model is scripted.

    A tour, or a single question, or four at once. Everything happens in a temporary directory, which
    is removed at the end; your own files and settings of Claude Code are not touched.
    """
    end_on_signals()
    plain = plain_why(context)
    early = None if plain else shown_early(context)
    from ccq_tui.config.launch import load_trusted

    loaded, _ = load_trusted(given_settings(context))
    require_terminal(plain)
    return _play(name, loaded, CHARACTERS_A_SECOND * speed, early, plain)


def demo_settings(loaded: Loaded, project: Path) -> Settings:
    """Return the person's settings that apply in a demo: every flag, and those in `LOOKS`."""
    from ccq_tui.config.settings import Settings

    kept = {
        name: getattr(loaded.settings, name)
        for name, origin in loaded.origins.items()
        if origin.startswith("--") or name in LOOKS
    }
    return Settings(**({"permission_mode": "default"} | kept | {"cwd": project}))


def _play(name: str, loaded: Loaded, speed: float, early: EarlyPrompt | None, plain: str) -> int:
    from ccq_tui.config.launch import Launch, ProgramArguments
    from ccq_tui.testing import ScriptedModel, clean_environment
    from ccq_tui.testing.scenarios import READY

    ready = READY[name]
    with ExitStack() as ending:
        model = ending.enter_context(ScriptedModel(ready.build(), speed=speed))
        home = ending.enter_context(clean_environment(model.url))
        settings = demo_settings(loaded, home.project)
        # Prompts typed in a demo do not belong among the person's own.
        program = ProgramArguments(state=home.root / "state", environment=home.overrides())
        return show(Launch(settings=settings, prompt=ready.prompt, program=program), early, plain)

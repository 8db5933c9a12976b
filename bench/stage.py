"""A program on stage: started in a clean home, with a scripted model to talk to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.programs import Program
from bench.terminal import LIMIT, NotShownError, Terminal
from ccq_tui.testing import CleanHome, Exchange, Scenario, ScriptedModel, clean_environment

ENTER, UP, DOWN, PAGE_UP, PAGE_DOWN = "\r", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~"
OWN = ("CCQ_", "TEXTUAL", "NO_COLOR", "PYTHON")
"""How variables begin by which somebody has set up programs to their own taste."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What a play works with."""

    program: Program
    terminal: Terminal
    model: ScriptedModel
    home: CleanHome

    def request(self, number: int) -> Exchange:
        """Wait for a request of the main agent.

        Args:
            number: Which one, counted from 0.

        Returns:
            The request; its answer may be on its way.
        """
        try:
            self.model.wait_for_sync(lambda model: len(model.requests()) > number, LIMIT)
        except TimeoutError as error:
            self.terminal.rest(0.1)
            raise NotShownError(f"request {number} did not come:\n{self.terminal.text}") from error
        return self.model.requests()[number]

    def sent(self, number: int) -> Exchange:
        """Wait until a request of the main agent is answered to the last byte."""
        self.request(number)
        self.model.wait_for_sync(lambda model: bool(model.requests()[number].last_byte), LIMIT)
        return self.model.requests()[number]

    def echo(self, key: str, shown: str) -> float:
        """Type into the prompt; return when it stands there."""
        self.terminal.press(key)
        return self.terminal.wait(shown)


@contextmanager
def stage(
    program: Program,
    scenario: Scenario,
    *words: str,
    speed: float = 0.0,
    delta_size: int = 24,
    home: CleanHome | None = None,
    variables: dict[str, str] | None = None,
) -> Iterator[Stage]:
    """Start a program.

    Args:
        program: The program.
        scenario: What the model plays.
        words: Arguments, the prompt among them.
        speed: The model's characters a second; 0 is as fast as possible.
        delta_size: The model's characters a delta.
        home: A home that is there already, with a session to resume.
        variables: More environment variables.

    Yields:
        The stage; at the end the program is killed and a home of its own removed.
    """
    with ScriptedModel(scenario, speed=speed, delta_size=delta_size) as model:
        made = clean_environment(model.url) if home is None else home
        kept = {name: value for name, value in made.env.items() if not name.startswith(OWN)}
        env = kept | {"ANTHROPIC_BASE_URL": model.url} | (variables or {})
        try:
            with Terminal([*program.command, *words], env, made.project) as terminal:
                yield Stage(program, terminal, model, made)
        finally:
            if home is None:
                made.remove()

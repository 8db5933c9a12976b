"""The interface of a session to the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from ccq_tui.agent.commands import Images, Kept
from ccq_tui.agent.controls import Control, Rewound
from ccq_tui.agent.events import AgentEvent
from ccq_tui.config.launch import Launch

T = TypeVar("T")


class Session(Protocol):
    """A session as the screen sees it; `ccq_tui.agent.session.AgentSession` is one."""

    async def run(self) -> None:
        """Run the session to its end."""

    @property
    def record_id(self) -> str:
        """The id of the session's record, or "" while it is not known."""

    def send(self, text: str, kept: Kept | None = None, images: Images = (), *, answer: bool = True) -> str:
        """Give the agent a prompt, once ``kept`` is done: it is on disk then; see `Send`."""

    async def taken(self, prompts: Mapping[str, str]) -> frozenset[str]:
        """Return the prompts that were read, given with the session of each."""

    def withdraw(self, prompt_id: str) -> None:
        """Take back a prompt that waits for the running turn."""

    def interrupt(self) -> None:
        """End the running turn."""

    def set_mode(self, mode: str) -> None:
        """Change the permission mode."""

    def set_model(self, model: str | None) -> None:
        """Change the model; None is the default one."""

    def set_effort(self, level: str) -> None:
        """Change how hard the model thinks."""

    async def ask(self, control: Control[T]) -> T:
        """Ask the CLI something; raises `CommandError` with a reason for a person."""

    async def rewind(self, prompt_id: str, *, files: bool) -> Rewound:
        """Take the conversation back to before a prompt, and then the files; raises as `ask` does."""

    async def rename(self, title: str) -> None:
        """Give the session a title; raises as `ask` does."""

    def park(self, cause: str = "") -> None:
        """End the process while questions wait; ``cause`` is for the history, if no person wanted it."""

    def close(self, cause: str = "") -> None:
        """End the session; ``cause`` as with `park`."""


SessionFactory = Callable[[Callable[[AgentEvent], None], Launch], Session]
"""Makes the session of a launch, which passes its events to a function."""

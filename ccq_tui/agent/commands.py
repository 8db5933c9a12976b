"""Commands of a session: frozen, and executed through its queue."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from uuid import uuid4

from ccq_tui.agent.controls import CommandError as CommandError


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image that goes with a prompt; its file is read when the prompt is sent."""

    name: str
    path: Path
    media_type: str


Images = tuple[ImageFile, ...]
"""The images that a prompt's text names, in its order."""
Kept = asyncio.Future[None]
"""Done once a prompt is on disk: it is not sent before."""


@dataclass(frozen=True, slots=True)
class Send:
    """Give the agent a prompt.

    Attributes:
        text: The prompt.
        prompt_id: The prompt's UUID.
        kept: Its way to the disk; None if another store keeps it.
        images: Its images.
        answer: Whether Claude answers the prompt; else it reads it with the next one that it answers.
    """

    text: str
    prompt_id: str = field(default_factory=lambda: str(uuid4()))
    kept: Kept | None = field(default=None, compare=False, repr=False)
    images: Images = ()
    answer: bool = True


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take back a prompt that waits for the running turn, by the id under which it was sent."""

    prompt_id: str


Option = Literal["mode", "model", "effort"]


@dataclass(frozen=True, slots=True)
class SetOption:
    """Change the permission mode, the model, or how hard the model thinks.

    Attributes:
        what: Which of them.
        value: Claude Code's own name for the new one; "" for the default model.
    """

    what: Option
    value: str


Ordered = Send | Withdraw | SetOption
"""Commands that keep their order."""

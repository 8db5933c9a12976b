"""The right to run a session: one process has it, and takes it before it starts a CLI."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.processes import Owner, this_process


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a session; only an inbox's `claim` gives it, and a CLI that resumes one needs it.

    Attributes:
        session_id: The Claude session id.
    """

    session_id: str


class ClaimLostError(Exception):
    """Something else runs the session; the message is for a person.

    Attributes:
        owner: The process that runs it, which may be this one.
    """

    def __init__(self, owner: Owner) -> None:
        here = owner == this_process()
        super().__init__("it is open in this terminal" if here else f"process {owner.pid} runs it")
        self.owner = owner

"""What the parts of the service need of the whole: its runs, and what happens in them."""

from collections.abc import Mapping
from typing import Any, Protocol

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.service.isolation import Isolation
from ccq_tui.service.policy import Policy
from ccq_tui.service.port import Adapter, TicketMessage
from ccq_tui.service.run import Happened, Run
from ccq_tui.service.store import RunStore


class Runs(Protocol):
    """The runs of a machine.

    Attributes:
        policy: Its repositories and limits.
        adapters: The adapters by their names.
        machine: The name of this machine.
        store: The runs of all machines; its calls block, `asyncio.to_thread` takes them.
        runtime: The sessions of this process; its launch is theirs, without a repository's flags.
        isolation: What they run as.
        inbox: The inbox of this machine, in which the requests of its runs wait.
    """

    policy: Policy
    adapters: Mapping[str, Adapter]
    machine: str
    store: RunStore
    runtime: Runtime
    isolation: Isolation
    inbox: Inbox

    async def requests(self, run: Run) -> list[StoredRequest]:
        """Return the requests of a run that wait on this machine, oldest first; raises `InboxError`."""

    async def record(self, run_id: str, kind: Happened, what: str, body: Mapping[str, Any]) -> None:
        """Record what happened in a run, once; it is sent to the ticket and to followers."""

    async def route(self, run: Run) -> list[TicketMessage]:
        """Give messages that answer something to it; return the others, which are to prompt the session."""

    async def advance(self, run: Run) -> None:
        """Do what the messages and answers of a run ask for: stop, answer, prompt, begin the next segment."""

    async def withdraw(self, run: Run, why: str) -> None:
        """Withdraw what a run asked; raises `InboxError`."""

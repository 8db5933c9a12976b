"""The start of a hook: it ends at once if nobody would see the request, because Claude Code waits for it."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from ccq_tui.bridges.claude_code.hook_input import PERMISSION, HookInput, read_hook_input
from ccq_tui.inbox.store.database import PATIENT_SECONDS
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import alive

WAIT_SECONDS = 12 * 3600.0


def run_hook(
    stream: BinaryIO,
    inbox: Path,
    say: Callable[[str], None],
    wait: float = WAIT_SECONDS,
    *,
    always: bool = False,
) -> None:
    """Run a hook of Claude Code, from its input to its end.

    Args:
        stream: Its standard input.
        inbox: The inbox's database.
        say: Prints its decision.
        wait: Most seconds to wait.
        always: Whether to ask although no ccq-tui is open, if Claude Code shows its dialog meanwhile.

    Raises:
        HookInputError: The input is not a hook's.
        InboxError: The inbox cannot be used.
        OSError: The transcript cannot be read.
    """
    hook = read_hook_input(stream)
    unwatched_too = always and hook.event == PERMISSION and not hook.agent_id
    if not _is_watched(inbox, hook, min(wait, PATIENT_SECONDS), unwatched_too=unwatched_too):
        return
    # The waiting part takes longer to load than the check that nobody listens.
    from ccq_tui.bridges.claude_code.waiting_hook import ask_person

    ask_person(hook, inbox, say, wait)


def _is_watched(path: Path, hook: HookInput, patience: float, *, unwatched_too: bool) -> bool:
    """Whether a person would see the request, at some time at least, and its session is none of ours."""
    if not path.exists():
        return unwatched_too
    with closing(Store(path, patience)) as store:
        session = store.sessions.get(hook.session_id)
        ours = session is not None and alive(session.owner)
        return not ours and (unwatched_too or store.listeners.any())

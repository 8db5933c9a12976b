"""The sessions that an earlier run of the program left before Claude had read anything of theirs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from ccq_tui.config import Launch, SettingsError, state_dir
from ccq_tui.prompts.unread import Unbegun
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.screens.sessions.trust_gate import TrustGate
from ccq_tui.supervisor.launches import LONGEST_PATH
from ccq_tui.supervisor.unbegun import as_chosen, launch_of_unbegun, move_draft, take_unbegun
from ccq_tui.text import one_line
from ccq_tui.worktrees.model import WorktreeError

_logger = logging.getLogger(__name__)

LATER = "leave it for later"
"""The row that does not trust the directory of such a session now: it comes back with the next start."""
MOST_NAMED = 3


async def bring_back(sessions: OpenSessions, trust: TrustGate, first: Launch) -> None:
    """Open the sessions that were left, each as itself, behind the first session; for a worker."""
    await sessions.begun.wait()
    place = (first.state or state_dir()) / "drafts"
    try:
        found, unreadable = await asyncio.to_thread(take_unbegun, place, first.settings.directory)
    except OSError as error:
        _logger.warning("Sessions that had not begun cannot be brought back: %s", error)
        return
    sessions.note([_unreadable_words(unreadable)] if unreadable else [])
    before = len(sessions)
    plain = not (first.prompt or first.draft)
    back = [one for one in found if await _opened(sessions, trust, one, place, plain=plain)]
    sessions.note([_back_words(back, before + 1)] if back else [])


async def _opened(
    sessions: OpenSessions, trust: TrustGate, one: Unbegun, place: Path, *, plain: bool
) -> bool:
    """Open one session, or let one that is as it was take its prompts over; whether it was opened."""
    front = sessions.front
    if front is None:
        return False
    try:
        launch = await launch_of_unbegun(one, place, front.launch)
    except (SettingsError, WorktreeError) as error:
        sessions.note([f"A session that had not begun is kept for the next start: {error}"])
        return False
    if launch is None or (plain and launch.session_id and await front.keeper.take_over(one)):
        return False
    if launch.session_id not in ("", one.id):
        await asyncio.to_thread(move_draft, place, one.id, launch.session_id)
    trusted = await trust.let_in(launch, leave=LATER)
    if trusted is not None:
        await sessions.add_behind(as_chosen(one, trusted))  # the answer has read its settings anew
    return trusted is not None


def _back_words(back: Sequence[Unbegun], number: int) -> str:
    """Say which sessions are back, the first of them at this place."""
    named = ", ".join(f"“{one.title}”" for one in back[:MOST_NAMED] if one.title)
    more = f" and {len(back) - MOST_NAMED} more" if len(back) > MOST_NAMED else ""
    names = f": {named}{more}" if named else ""
    if len(back) == 1:
        return f"1 session that had not begun is back with its prompt{names} · Alt+{number} goes there"
    count = f"{len(back)} sessions that had not begun are back with their prompts"
    return f"{count}{names} · Alt+{number} goes to the first"


def _unreadable_words(files: Sequence[Path]) -> str:
    """Say which files of drafts cannot be read, and what to do with them."""
    count = "1 draft" if len(files) == 1 else f"{len(files)} drafts"
    named = ", ".join(one_line(str(path), LONGEST_PATH) for path in files[:MOST_NAMED])
    more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
    return f"{count} cannot be read: {named}{more}. Copy what is in there, then delete it."

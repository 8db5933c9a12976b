"""Sessions in Claude Code's own screen that wait for the person and have no hook: read, never answered."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ccq_tui.bounded import UnfitFileError
from ccq_tui.bridges.claude_code.live_sessions import LiveSession, live_sessions, native_origin
from ccq_tui.bridges.claude_code.transcript import TranscriptFile
from ccq_tui.bridges.claude_code.waiting_hook import call_request
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.inbox.requests import Asker, Cancelled, Request
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import alive

NUMBERS = 1 << 61
"""First number of requests that are in no inbox: after all that are."""


class NativeSessions:
    """Requests in Claude Code's own screen; a session is read again only after its state has changed."""

    def __init__(self, config: Path) -> None:
        self._config = config
        self._known: dict[tuple[str, datetime], StoredRequest | None] = {}

    def waiting(self) -> list[StoredRequest]:
        """Return pending requests, as if stored; call it in a thread: it reads files and processes."""
        before, now = self._known, datetime.now(UTC)
        waits = [
            one
            for one in live_sessions(self._config)
            # a hook asks within two seconds
            if one.waits and one.is_screen and now - one.since >= timedelta(seconds=2.0)
        ]
        self._known = {
            key: before[key] if key in before else self._read(one)
            for one in waits[:50]
            for key in ((one.session_id, one.since),)
        }
        return [one for one in self._known.values() if one is not None]

    def _read(self, session: LiveSession) -> StoredRequest | None:
        path = next(self._config.glob(f"projects/*/{session.session_id}.jsonl"), None)
        if path is None:
            return None
        transcript = TranscriptFile(path)
        try:
            transcript.read()
        except (OSError, UnfitFileError):
            return None
        calls = transcript.unanswered()
        # Beside a question, other calls of its message may run.
        call = next((one for one in calls if one.tool == QUESTION_TOOL), next(iter(calls), None))
        if call is None:
            return None
        origin = native_origin(session.name, session.directory)
        request = call_request(call.tool, call.input, call.id, session.session_id, origin)
        if request is None:
            return None
        number = NUMBERS + int(session.since.timestamp() * 1000)
        return StoredRequest(number, request, transcript.before(call), RequestState.PENDING, session.since)


def beside_hooks(store: Store, found: Iterable[StoredRequest]) -> list[StoredRequest]:
    """Return the requests of sessions that no ccq-tui runs and no hook asks for, too.

    Raises `InboxUnavailable`.
    """
    prefix = f"{Asker.HOOK}:"
    known = ((one, store.sessions.get(one.request.session_id.removeprefix(prefix))) for one in found)
    theirs = (one for one, session in known if session is None or not alive(session.owner))
    return [one for one in theirs if not _has_hook(store, one.request)]


def _has_hook(store: Store, request: Request) -> bool:
    """Whether a hook has a request of the same session in the inbox, or had this one and it was answered."""
    known = store.requests.get(request.id)
    if known is not None and not isinstance(known.outcome, Cancelled | None):
        return True  # Claude Code's dialog closes only once it has the answer
    return bool(store.requests.waiting(request.session_id, limit=1))

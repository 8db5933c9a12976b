"""Sessions as data: who waits, works, rests or was; in one order, found by words, with one cursor."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ccq_tui import signs
from ccq_tui.config.keymap import key_of
from ccq_tui.filtered_list import FilteredList
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.place import Group, Place, group_of
from ccq_tui.inbox.requests import Origin, QuestionRequest
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.runtime.facts import TITLE_LENGTH
from ccq_tui.runtime.launches import PlaceError, SessionSpec, wanted
from ccq_tui.runtime.view import short_path
from ccq_tui.text import one_line
from ccq_tui.worktrees.model import WorktreeError

Messages = tuple[tuple[str, str], ...]
"""The end of a conversation: who wrote what."""
LONGEST_LINE = 300
DAY, WEEK = 86_400, 604_800


class ListHeading(Enum):
    """The groups of the list in their order: words, sign, and whether the longest wait comes first."""

    NEEDS = ("Waiting for you", signs.WAITS, True)
    WORKING = ("Working", signs.WORKS, False)
    QUEUED = ("Queued", signs.QUEUED, False)
    PARKED = ("Paused", signs.PARKED, True)
    IDLE = ("Idle", signs.IDLE, False)
    FAILED = ("Failed", signs.FAILED, False)
    DONE = ("Done", signs.DONE, False)
    NEW = ("", signs.NEW, False)
    EARLIER = ("Earlier", signs.EARLIER, False)

    @property
    def words(self) -> str:
        return self.value[0]

    @property
    def sign(self) -> str:
        return self.value[1]

    @property
    def oldest_first(self) -> bool:
        """Whether who waits longest comes first, not the newest."""
        return self.value[2]


ORDER = {heading: at for at, heading in enumerate(ListHeading)}


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A request that waits, under its session.

    Attributes:
        key: Its id.
        stored: The request.
        sign: The sign of its kind.
        words: It in one harmless line.
        more: The number of further questions of its set.
        draft: How much is typed, in words, or "".
        typed: What is typed, or None.
    """

    key: str
    stored: StoredRequest
    sign: str
    words: str
    more: int = 0
    draft: str = ""
    typed: Draft | None = None

    @property
    def session_id(self) -> str:
        """Its asker among the sessions."""
        return self.stored.request.session_id

    @property
    def asked(self) -> float:
        """When it was asked, in seconds since 1970."""
        return self.stored.asked_at.timestamp()

    @property
    def line(self) -> str:
        """All of it in one line."""
        more = f" +{self.more}" if self.more else ""
        return f"{self.words}{more}{f' · {self.draft}' if self.draft else ''}"


def request_row(stored: StoredRequest, typed: Draft | None = None) -> RequestRow:
    """Return the row of a request, with what is typed."""
    request, kind = stored.request, kind_of(stored.request)
    more = len(request.questions.questions) - 1 if isinstance(request, QuestionRequest) else 0
    draft = "draft" if typed is not None and typed.has_draft else ""
    if typed is not None and draft and not typed.page.question.acts:
        draft = f"draft {typed.answered_count}/{len(typed.asked_tabs)}"
    words = one_line(kind.summary(request), LONGEST_LINE)
    return RequestRow(request.id, stored, signs.REQUESTS[kind.WORD], words, more, draft, typed)


@dataclass(frozen=True, kw_only=True)
class SessionRow:
    """A session, or another asker.

    Attributes:
        key: Identifies it as long as it is in the same place.
        session_id: The Claude session id, or "" while there is none.
        session: Its name.
        place: Its place.
        state: Its state, in the program's word.
        since: Start of that state, in seconds since 1970.
        runs: Whether it has a process.
        requests: What waits in it, oldest first.
        number: The digit that goes there with Alt, or 0.
        directory: Its directory, or "".
        branch: The git branch of that, or "".
        background: The number of agents and commands that run in its background.
        undelivered: Number of confirmed answers that wait for it to be resumed.
        cost: US dollars so far, or None.
        last_line: The agent's last line.
        last: Its last messages: who, and what.
        done: Whether the person marked it as done.
        labels: Its labels in one line, or "".
        known: Whether it is stored: only then can it be marked.
        shown: Whether it is the session on the screen.
        unused: Whether nothing was sent or typed in it.
    """

    key: str = ""
    session_id: str = ""
    session: str = ""
    place: Place = Place.UNKNOWN
    state: str = "ended"
    since: float = 0.0
    runs: bool = False
    requests: tuple[RequestRow, ...] = ()
    number: int = 0
    directory: str = ""
    branch: str = ""
    background: int = 0
    undelivered: int = 0
    cost: float | None = None
    last_line: str = ""
    last: Messages = ()
    done: bool = False
    labels: str = ""
    known: bool = True
    shown: bool = False
    unused: bool = False

    def __post_init__(self) -> None:
        """Make its texts harmless to draw, in one line each."""
        for name in ("session", "branch", "last_line", "labels"):
            most = 200 if name == "session" else LONGEST_LINE
            object.__setattr__(self, name, one_line(getattr(self, name), most))

    @cached_property
    def heading(self) -> ListHeading:
        """The group that it stands in."""
        if not self.ours:
            return ListHeading.NEEDS
        group = group_of(self.state, len(self.requests), runs=self.runs, done=self.done)
        rests = self.place is not Place.HERE and not (self.runs or self.requests)
        if rests and self.undelivered:
            return ListHeading.PARKED
        return (
            ListHeading.EARLIER if rests and group in (Group.IDLE, Group.PARKED) else ListHeading[group.name]
        )

    @cached_property
    def found_by(self) -> str:
        texts = (self.session, self.directory, self.branch, self.heading.words, self.labels, self.last_line)
        return " ".join((*texts, *(one.words for one in self.requests))).casefold()

    @property
    def sign(self) -> str:
        return signs.FAILED if self.place.is_lost else self.heading.sign

    @property
    def ours(self) -> bool:
        """Whether it is a session of ours, and no other asker."""
        return self.place not in (Place.FOREIGN, Place.NATIVE)

    @property
    def quoted(self) -> str:
        """Its name in a notice, where there is little room."""
        return f"“{one_line(self.session, TITLE_LENGTH)}”"

    @property
    def waits_since(self) -> float:
        """When its first request was asked, or its state began."""
        return self.requests[0].asked if self.requests else self.since


UNSTORED = SessionRow(known=False)
"""The row of a session of which nothing is known."""


def foreign_row(
    origin: Origin, session_id: str, requests: tuple[RequestRow, ...], place: Place
) -> SessionRow:
    """Return the row of an asker other than a session of ours."""
    where = f" in {short_path(Path(origin.directory))}" if origin.directory else ""
    row = replace(UNSTORED, key=session_id, session_id=session_id, place=place, requests=requests)
    return replace(row, session=origin.called + where, directory=origin.directory, state="awaiting")


@dataclass(frozen=True, slots=True)
class NewRow:
    """The row that becomes a new session."""

    key: str = "new"
    found_by: str = ""
    heading: ListHeading = ListHeading.NEW


NEW_ROW = NewRow()
Listed = SessionRow | RequestRow | NewRow


def ordered(rows: Iterable[SessionRow], most_earlier: int) -> tuple[SessionRow | NewRow, ...]:
    """Return sessions in the order of the list, with the row for a new one and the newest earlier ones."""

    def place(row: SessionRow) -> tuple[int, float, str]:
        wait = row.waits_since if row.heading.oldest_first else -row.since
        return ORDER[row.heading], wait, row.key

    found = sorted(rows, key=place)
    before = next((at for at, row in enumerate(found) if row.heading is ListHeading.EARLIER), len(found))
    return (*found[:before], NEW_ROW, *found[before : before + most_earlier])


@dataclass(frozen=True, slots=True)
class SessionList(FilteredList[Any]):
    """State of the list: sessions as its rows; shown are these, each with its requests."""

    def arranged(self, found: tuple[Any, ...], words: list[str]) -> tuple[Listed, ...]:  # noqa: ARG002
        """Return each session with its requests."""
        shown: list[Listed] = []
        for row in found:
            shown.append(row)
            if isinstance(row, SessionRow):
                shown += row.requests
        return tuple(shown)

    def after(self, action: str, page: int) -> Self | None:
        """Move the cursor as in other lists, to another heading, or from a request to its session."""
        match action:
            case "heading_next" | "heading_before":
                return self._stepped(1 if action == "heading_next" else -1)
            case "to_session":
                return self.on_session(self.session_under)
        return FilteredList.after(self, action, page)

    @property
    def session_under(self) -> SessionRow | None:
        """The session under the cursor, or that of the request there."""
        for row in reversed(self.shown[: self.cursor + 1]):
            if not isinstance(row, RequestRow):
                return row if isinstance(row, SessionRow) else None
        return None

    @property
    def sessions(self) -> Iterator[SessionRow]:
        return (row for row in self.rows if isinstance(row, SessionRow))

    def _stepped(self, by: int) -> Self:
        """Move the cursor to the first row of the next heading, wrapping at either end."""
        firsts: dict[ListHeading, int] = {}
        heading = ListHeading.NEW
        for at, row in enumerate(self.shown):
            if not isinstance(row, RequestRow):
                firsts.setdefault(row.heading, at)
                heading = row.heading if at <= self.cursor else heading
        if not firsts:
            return self
        found = list(firsts)
        return self.put(firsts[found[(found.index(heading) + by) % len(found)]])

    def on_session(self, row: SessionRow | None) -> Self:
        return self if row is None else self.on_key(row.key)

    def on_key(self, key: object) -> Self:
        """Put the cursor on the row with a key, if there is one."""
        at = next((at for at, row in enumerate(self.shown) if row.key == key), None)
        return self if at is None else self.put(at)

    def on_waiting(self, after: object = None) -> Self:
        """Put the cursor on the request that waits longest, or on the next one after a row."""
        waiting = [
            row
            for row in self.shown
            if isinstance(row, RequestRow)
            or (isinstance(row, SessionRow) and row.heading is ListHeading.NEEDS and not row.requests)
        ]
        keys = [row.key for row in waiting]
        if after in keys:
            return self.on_key(keys[(keys.index(after) + 1) % len(keys)])
        return self.on_key(keys[0]) if keys else self

    def on_earlier(self) -> Self:
        """Put the cursor on the first earlier session, or else on the first one that is parked."""
        rows = [row for row in self.sessions if row.heading in (ListHeading.EARLIER, ListHeading.PARKED)]
        return self.on_session(min(rows, key=lambda row: row.heading is ListHeading.PARKED, default=None))

    def on_shown(self) -> Self:
        """Put the cursor on the session on the screen."""
        return self.on_session(next((row for row in self.sessions if row.shown), None))

    def kept(self, after: Self) -> Self:
        """Keep the cursor on its row, or on its session, wherever that went; else on what took its place."""
        under = self.under
        rows = (row for row in after.shown if isinstance(row, SessionRow))
        if isinstance(under, SessionRow | RequestRow) and under.session_id:
            found = next((row for row in rows if row.session_id == under.session_id), None)
            if found is not None and all(row.key != under.key for row in after.shown):
                return after.on_session(found)
        return FilteredList.kept(self, after)


def age(seconds: float) -> str:
    """Write how long something takes or is past in one unit and four cells."""
    seconds = int(max(0.0, seconds))
    for size, unit in ((WEEK, "w"), (DAY, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size * (1 + (unit == "w")):
            return f"{seconds // size}{unit}"
    return f"{seconds}s" if seconds >= 5 else "now"


PROMPT, DIRECTORY, WORKTREE = LABELS = ("Prompt", "Directory", "Worktree")
NO_PROMPT, NO_WORKTREE = "none yet", "none · Space makes a name"
CARET = "▏"


@dataclass(frozen=True, slots=True)
class NewField:
    """A field of a new session: its label, its text, and what is wrong with that."""

    label: str
    text: str
    fault: str = ""


@dataclass
class NewSession:
    """What a person wants of a new session.

    Attributes:
        texts: The texts of the fields, by their labels.
        faults: What is wrong with some of them.
        at: The label of the one that has the keys.
    """

    texts: dict[str, str] = field(default_factory=lambda: dict.fromkeys(LABELS, ""))
    faults: dict[str, str] = field(default_factory=dict)
    at: str = PROMPT

    def step(self, by: int) -> None:
        """Go to another field."""
        self.at = LABELS[(LABELS.index(self.at) + by) % len(LABELS)]

    def put(self, text: str) -> None:
        """Put another text into the field that has the keys."""
        if text != self.texts[self.at]:
            self.texts[self.at] = text
            self.faults.pop(self.at, None)

    def shown(self, here: Path, caret: int) -> Iterator[NewField]:
        """Yield the fields as they are drawn, with the caret at its place."""
        empty = {PROMPT: NO_PROMPT, DIRECTORY: short_path(here), WORKTREE: NO_WORKTREE}
        for label, text in self.texts.items():
            proposed = f" {empty[label]}" if not text and label != PROMPT else ""
            typed = f"{text[:caret]}{CARET}{text[caret:]}{proposed}"
            shown = typed if label == self.at else text or empty[label]
            yield NewField(label, shown, self.faults.get(label, ""))

    def spec(self, here: Path) -> SessionSpec | None:
        """Return the session that is wanted, or None and note what is wrong; call it in a thread."""
        self.faults.clear()
        try:
            return wanted(self.texts[DIRECTORY], self.texts[PROMPT], self.texts[WORKTREE], here)
        except (PlaceError, OSError, WorktreeError) as error:
            self.at = WORKTREE if isinstance(error, WorktreeError) else DIRECTORY
            self.faults[self.at] = str(error)
        return None


BY_LETTER = frozenset({"new", "find", "park", "starts", "done", "copy"})
"""What letters do, by the words of the table of keys: not while letters find."""
AT_WORK = (ListHeading.NEEDS, ListHeading.WORKING, ListHeading.QUEUED)
ENTER = {Place.HERE: "go to it", Place.FOREIGN: "answer", Place.NO_RECORD: "", Place.UNKNOWN: ""}
"""What Enter does with a session by its place, where it does not resume it."""


def enter_words(row: Listed | None, session: SessionRow | None) -> str:
    """Return what Enter does with a row, in so many words."""
    if session is None:
        return "new session" if row is not None else ""
    if session.place is Place.NATIVE:
        return "say where"
    if isinstance(row, RequestRow):
        return "" if session.place.is_lost else "answer"
    return ENTER.get(session.place, "resume")


def words_for(
    row: Listed | None, session: SessionRow | None, *, alone: bool, finds: bool = False, typed: bool = False
) -> frozenset[str]:
    """Return what applies to a row, by the words of the table of keys.

    Args:
        row: The row under the cursor.
        session: Its session.
        alone: Whether no session is open here.
        finds: Whether letters find rows.
        typed: Whether some are typed already.
    """
    if session is None:
        return frozenset({"everywhere"} | ({"moving"} if typed else set()))
    lost, here = session.place.is_lost, session.place is Place.HERE
    if isinstance(row, RequestRow):
        applies = {
            "new": alone,
            "declines": session.place is not Place.NATIVE,
            "parked": session.heading is ListHeading.PARKED,
            "park": session.ours and session.runs and not alone,
            "copy": not alone and (not session.ours or lost),
        }
    elif session.heading is ListHeading.EARLIER and not lost:
        applies = {"earlier": True, "everywhere": True, "titled": True}
    else:
        applies = {
            "new": True,
            "everywhere": session.unused,
            "done": session.ours and not session.unused and (session.done or not session.requests),
            "declines": lost,
            "starts": session.place is Place.RESTS or (here and not session.runs),
        }
    applies |= {"find": "earlier" not in applies, "moving": typed}
    left_out = (BY_LETTER if finds else frozenset()) | ({"titled"} if typed else frozenset())
    return frozenset(word for word, holds in applies.items() if holds) - left_out


def refusal(action: str, row: SessionRow, *, only: bool) -> str:
    """Return why a session cannot have an action, and what can be done, or ""; ``only``: no other is here."""
    waits, works = bool(row.requests), row.heading in AT_WORK
    runs = row.place is Place.ELSEWHERE or (row.place is Place.HERE and row.runs)
    lost, missing = row.place in (Place.NO_RECORD, Place.UNKNOWN), row.place.is_lost
    removable = f"{row.session} is {row.place.value} · {key_of('decline')} removes it"
    earlier = row.heading is ListHeading.EARLIER and not missing
    runs_somewhere = row.runs or row.place in (Place.HERE, Place.ELSEWHERE)
    reasons = (
        ("choose", lost, removable),
        (action, not row.ours and action != "choose", "It belongs to no session"),
        ("fork", not row.session_id or row.unused, "Nothing was said in it yet · there is nothing to fork"),
        ("restart", missing, removable),
        ("restart", runs, "It is working already" if works else "It is running"),
        ("done", not row.known, "The session is empty, so it cannot be marked as done"),
        ("done", waits and not row.done, "A question waits in this session · answer or decline it first"),
        ("done", works and not row.done, "Claude is working in this session · wait, or interrupt it"),
        ("close", row.place is not Place.HERE, "It is not open here · Enter opens it"),
        ("close", only, f"It is the only session here · {key_of('quit')} quits"),
        ("rename", not earlier, "Only an earlier session is renamed here · /rename in the session does it"),
        ("decline", runs_somewhere, "It runs · close or pause it first: x here, p elsewhere"),
        ("decline", waits, "A question waits in it · decline that first"),
    )
    return next((words for name, holds, words in reasons if name == action and holds), "")

"""Sessions as data: their rows drawn to the cell at four sizes, their order, filter and cursor."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.state import Draft, PanelState
from ccq_tui.screens.sessions.details import request_lines
from ccq_tui.screens.sessions.model import (
    NEW_ROW,
    UNSTORED,
    NewField,
    RequestRow,
    SessionList,
    SessionRow,
    enter_words,
    ordered,
    refusal,
    request_row,
    words_for,
)
from ccq_tui.screens.sessions.rows import (
    ALONE,
    EMPTY,
    ListProps,
    beyond,
    head_line,
    head_parts,
    list_lines,
    window_top,
)
from tests.tables import each_row, table
from tests.ui.asked import PLAIN

HERE = Path(__file__).parent / "sessions"
SIZES = ((40, 12), (80, 24), (120, 36), (200, 50))
NOW = 100_000_000.0
MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800


def stored_for(name: str, asked: float) -> StoredRequest:
    request = QuestionRequest("toolu_1", name, QuestionSet("toolu_1", ()))
    return StoredRequest(1, request, "", RequestState.PENDING, datetime.fromtimestamp(asked, UTC))


def session(name: str, ago: float, state: str = "idle", words: str = "", **more: object) -> SessionRow:
    asked = more.pop("asks", ())
    branch, _, line = words.rpartition(" · ")
    place = Place.HERE if more.get("number") else Place.RESTS
    facts = {"place": place, "runs": place is Place.HERE, "directory": "/shop", "last_line": line} | more
    requests = tuple(
        RequestRow(f"{name} {at}", stored_for(name, NOW - ago), sign, text, plus, draft)
        for at, (sign, text, plus, draft) in enumerate(asked)  # type: ignore[call-overload]
    )
    return SessionRow(
        key=name,
        session_id=name,
        session=name,
        state=state,
        since=NOW - ago,
        branch=branch.removeprefix("git "),
        requests=requests,
        **facts,  # type: ignore[arg-type]
    )


LIBRARY = ("?", "Which library should we use for date formatting?", 1, "")
DRAFT = (*LIBRARY[:3], "draft 1/2")
LOGIN = "Fix the login redirect"
WAITS = "git login · I need a decision before I go on."


def login(number: int, asks: tuple[object, ...], words: str = WAITS, **more: object) -> SessionRow:
    return session(LOGIN, 3 * MINUTE, "awaiting", words, number=number, asks=(asks,), **more)


API = session(
    "claude in ~/api", 8 * MINUTE, "awaiting", "native session, by its hook",
    place=Place.FOREIGN, directory="", asks=(("?", "Deploy: deploy release 2.4 to staging now?", 0, ""),),
)  # fmt: skip
SEARCH = session("Search pages return duplicates", 12, "working", "Running the tests of search/…", number=1)
PARKED = session(
    "Drop the legacy tokens", 2 * HOUR, "parked", "The migration is ready but for one question.",
    asks=(("?", "Drop the column users.legacy_token?", 0, ""),),
)  # fmt: skip
README = session(
    "Readme for the plugin", 14 * MINUTE, "idle", "Done: README.md has three examples.", number=3
)
EARLIER = (
    session("Why does CI hang on Tuesdays", 2 * DAY, "ended", "git main · The cron job holds the lock."),
    session("Add health check", 4 * DAY, "ended", "git main · /healthz answers now."),
    session("Dependabot PRs of October", 5 * WEEK, "ended", "git main · Merged nine of eleven."),
)
NINE = (
    API,
    login(2, DRAFT),
    session(
        "Update the API docs", MINUTE, "awaiting", "The table of errors goes into docs/api.md.", number=4,
        asks=(("▸", "Edit docs/api.md · +3 −1", 0, ""),),
    ),
    SEARCH,
    session("Translate the emails", 40, "queued", number=5),
    PARKED,
    README,
    session("Try the new parser", HOUR, "idle", "git parser · It is 40 % faster.", number=6, undelivered=1),
    session("Port to Python 3.13", 3 * HOUR, "working"),
    session("Rename the service", DAY, "ended", "All 31 places are renamed.", done=True),
    *EARLIER,
)  # fmt: skip
TWO = (login(1, LIBRARY), session(SEARCH.session, 12, "working", SEARCH.last_line, number=2))
FOUND = (
    login(2, DRAFT),
    session("Login throttling", 2 * MINUTE, "working", "Reading auth/limits.py", number=8),
    session("Login by passkey", 2 * DAY, "ended", "git main · WebAuthn works in both browsers."),
    session("Login page in German", 6 * DAY, "ended", "git main · 14 texts are translated."),
    session("Log in again after a deploy", 9 * DAY, "ended", "git main · Sessions survive a restart."),
    session("Logs of the importer rotate", 3 * WEEK, "ended", "git main · logrotate.d/importer is there."),
    session("Who logged in last", 4 * WEEK, "ended", "git main · The column is indexed."),
    session("Logout leaves a cookie", 6 * WEEK, "ended", "git main · It is cleared on both domains."),
    *(session(f"Another {number}", DAY, "ended") for number in range(52)),
)
README_HERE = session(README.session, 14 * MINUTE, "idle", README.last_line, number=1, shown=True)
SHELL = (API, login(0, LIBRARY, "I need a decision.", place=Place.ELSEWHERE, runs=True), PARKED, *EARLIER)
FIRST = session("shop", 0, number=1, shown=True, unused=True)
FIELDS = (
    NewField("Prompt", "Fix the flaky test of the importer▏"),
    NewField("Directory", "~/shop"),
    NewField("Worktree", "none · Space makes a name"),
)
Q = f"{LOGIN} 0"
STATES: dict[str, tuple[tuple[SessionRow, ...], str]] = {
    "empty": ((), "new"),
    "first": ((FIRST,), "shop"),
    "two": (TWO, Q),
    "new": (TWO, "new"),
    "resume": ((TWO[1], README_HERE, *EARLIER), EARLIER[0].key),
    "filter": (FOUND, "Login by passkey"),
    "nine": (NINE, SEARCH.key),
    "foreign": (NINE, f"{API.key} 0"),
    "parked": (NINE, f"{PARKED.key} 0"),
    "shell": (SHELL, f"{API.key} 0"),
    "error": (TWO, Q),
}


@each_row(*product(SIZES, STATES))
def test_the_list_is_drawn_to_the_cell(size: tuple[int, int], name: str) -> None:
    (width, height), (rows, key) = size, STATES[name]
    expected = (HERE / f"{name}-{width}x{height}.txt").read_text(encoding="utf-8").splitlines()
    beside, finds = width >= 120, name in ("filter", "resume")
    state = SessionList(ordered(rows, 200))
    state = state.filtered("log" if name == "filter" else "").on_key(key)
    assert head_line(head_parts(state, here=name != "shell", finding=finds), "~/shop", width) == expected[0]
    cells = 2 * width // 5 if beside else width
    note = {"empty": EMPTY, "first": ALONE}.get(name, ())
    details = 0 if beside or height < 18 or note or name == "new" else height // 4 + 1
    notes = (2 if height >= 18 else 1) if name == "error" else 0
    room = height - 2 - finds - details - notes
    look = ListProps(
        cells, room, lambda: NOW, PLAIN, "/shop", fields=FIELDS if name == "new" else (),
        advice=() if beside else tuple(words.replace("{panel}", "F2") for words in note),
    )  # fmt: skip
    lines = list_lines(state, look)
    at = max(index for index, line in enumerate(lines) if line.row == state.cursor)
    top = window_top(at, len(lines), room)
    drawn = [
        (line.late(line.row == state.cursor) if line.late else line.text).plain.rstrip()
        for line in lines[top : top + room]
    ]
    drawn += [""] * (room - len(drawn))
    above, below = beyond(lines, top, room)
    drawn = [above or drawn[0], *drawn[1:-1], below or drawn[-1]]
    wanted = [line[:cells].rstrip() for line in expected[1 + finds : 1 + finds + room]]
    assert drawn == wanted + [""] * (room - len(wanted))
    assert NEW_ROW in state.rows


ROWS = {
    "foreign": API,
    "native": replace(API, place=Place.NATIVE),
    "asks": login(2, DRAFT),
    "works": SEARCH,
    "idle": README,
    "empty": replace(FIRST, known=False),
    "parked": PARKED,
    "done and asks": replace(PARKED, state="idle", done=True),
    "elsewhere": session("in another", 0, "working", place=Place.ELSEWHERE, runs=True),
    "killed": session("Killed", 0, "working"),
    "earlier": EARLIER[0],
    "no record": replace(EARLIER[0], place=Place.NO_RECORD),
    "no directory": replace(EARLIER[0], place=Place.NO_DIRECTORY),
    "unknown": UNSTORED,
}
CASES = table(__file__, "sessions.json")


@each_row(*ROWS)
def test_what_can_be_done_with_a_session_and_why_the_rest_cannot(name: str) -> None:
    row, expected = ROWS[name], CASES[name]
    actions = ("choose", "fork", "park", "restart", "done", "close", "rename", "decline")
    found = {action: words for action in actions if (words := refusal(action, row, only=True))}
    assert found == expected["refused"]
    assert refusal("close", row, only=False) == ("" if row.place is Place.HERE else found["close"])
    assert [enter_words(row, row), *sorted(words_for(row, row, alone=False))] == expected["keys"]
    by_letter = {"new", "find", "park", "starts", "done", "copy", "titled"}
    found_by = words_for(row, row, alone=False, finds=True, typed=True)
    assert found_by == {*expected["keys"][1:], "moving"} - by_letter
    for request in row.requests[:1]:
        keys = [enter_words(request, row), *sorted(words_for(request, row, alone=False))]
        assert [keys, sorted(words_for(request, row, alone=True))] == expected["request"]


def test_what_can_be_done_with_the_row_for_a_new_session() -> None:
    assert enter_words(NEW_ROW, None) == "new session"
    assert words_for(NEW_ROW, None, alone=False) == {"everywhere"}
    assert words_for(None, None, alone=False, typed=True) == {"everywhere", "moving"}


def test_the_cursor_goes_from_an_answered_request_to_its_session() -> None:
    before = SessionList(ordered((PARKED, README), 0)).on_key(f"{PARKED.key} 0")
    resumed = session(PARKED.session, 0, "idle", number=1)
    resumed = replace(resumed, key="mode 1")
    after = before.with_rows(ordered((README, resumed), 0))
    assert (before.under, after.under) == (PARKED.requests[0], resumed)


def test_the_details_of_a_request_show_what_its_draft_selects_and_says() -> None:
    options = (Option("Red"), Option("Blue"))
    asked = (
        Question("Which colour?", "Colour", options),
        Question("Which ones?", "Ones", options, multi_select=True),
        Question("Which else?", "Else", options),
    )
    request = QuestionRequest("toolu_1", "s", QuestionSet("toolu_1", asked))
    first = first_draft(request)
    drafts = (Draft((1,), note="as the sky"), Draft((0, 1)), Draft(other="green", other_on=True))
    pages = tuple(replace(page, draft=one) for page, one in zip(first.pages, drafts, strict=True))
    stored = StoredRequest(1, request, "", RequestState.PENDING, datetime.now(UTC))

    def marked(typed: PanelState | None) -> list[str]:
        lines = request_lines(request_row(stored, typed), 60, PLAIN, answers=False)
        return [words for line in lines if (words := line.plain.strip())[:1] in tuple("○●◻◼✎")]

    assert marked(replace(first, pages=pages)) == [
        *("○ 1  Red", "● 2  Blue", "✎ as the sky"),
        *("◼ 1  Red", "◼ 2  Blue"),
        *("○ 1  Red", "○ 2  Blue", "● ✎ green"),
    ]
    unmarked = ["○ 1  Red", "○ 2  Blue", "◻ 1  Red", "◻ 2  Blue", "○ 1  Red", "○ 2  Blue"]
    assert marked(None) == unmarked

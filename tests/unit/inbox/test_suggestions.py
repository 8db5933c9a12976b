"""What lasting permissions and edits of files mean, in words, and in which group a session is."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox import suggestions
from ccq_tui.inbox.file_changes import MOST_BYTES, change_of, phrases
from ccq_tui.inbox.file_diff import DiffLine, diff_lines, narrowed, patch
from ccq_tui.inbox.format import session_lines
from ccq_tui.inbox.place import Group, group_of, stored_group
from ccq_tui.inbox.records import session_record
from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest
from ccq_tui.inbox.store.rows import SessionState, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Question, QuestionSet
from tests.actors import INBOX
from tests.tables import each_row, table

TABLES = table(__file__, "suggestions.json")


def read(raw: dict[str, Any]) -> suggestions.Suggestion:
    """Read a suggestion as Claude Code writes it."""
    ((suggestion, _),) = suggestions.read_suggestions([raw])
    return suggestion


@each_row(*TABLES["grants"])
def test_what_it_grants(raw: dict[str, Any], words: str) -> None:
    assert suggestions.what(read(raw)) == words


@each_row(*TABLES["refused"])
def test_what_allows_nothing_is_not_offered(raw: dict[str, Any]) -> None:
    assert not suggestions.is_readable(read(raw))


@each_row(*suggestions.PLACES)
def test_how_long_it_lasts_stands_first_and_where_it_is_kept_last(destination: str) -> None:
    always = suggestions.Suggestion("addRules", destination, (suggestions.Rule("Bash", "make *"),), "allow")
    how_long, place = suggestions.PLACES[destination]
    assert suggestions.lasting(always) == f"{how_long}: commands that begin with `make`"
    assert suggestions.kept(always) == place
    mode = suggestions.Suggestion("setMode", destination, mode="acceptEdits")
    assert suggestions.kept(mode) == (f"accept edits mode · {place}" if place else "accept edits mode")


def test_an_unknown_place_is_named() -> None:
    assert suggestions.lasting(suggestions.Suggestion("setMode", "cli\x1bArg", mode="plan")).startswith(
        "In cli␛Arg: plan"
    )


@given(st.text(max_size=50), st.text(max_size=50), st.sampled_from(["addRules", "setMode", "addDirectories"]))
def test_words_are_one_harmless_line(tool: str, content: str, kind: str) -> None:
    text = suggestions.what(
        suggestions.Suggestion(kind, "session", (suggestions.Rule(tool, content),), "allow", tool, (content,))
    )
    assert "\n" not in text
    assert "\x1b" not in text
    assert len(text) < 2_000


MODULE = (
    "LIMIT = 10\n\n\ndef first():\n    if LIMIT:\n        pass\n    return 1\n\n\n"
    "def second():\n    return LIMIT + LIMIT\n"
)


def request(tool: str, directory: Path, **values: Any) -> PermissionRequest:
    return PermissionRequest("t", "s", tool, values, change=change_of(tool, values, str(directory)))


def drawn(asked: PermissionRequest, context: int = 3) -> list[str]:
    rows = narrowed(list(diff_lines(asked.input, asked.change)), context)
    return [f"{row.old if row.new is None else row.new} {row.sign} {row.text}" for row in rows]


def phrase(asked: PermissionRequest) -> str:
    return phrases(asked, "a.py")[0]


def test_a_write_says_what_it_replaces(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    new = request("Write", tmp_path, file_path="a.py", content="print('hello')\nprint('x')\n")
    assert phrase(new) == "create a.py · 2 lines"
    assert drawn(new) == ["1 + print('hello')", "2 + print('x')"]
    file.write_text("x = 1\nx2 = 2\ny = 2\nz = 3\n")
    over = request("Write", tmp_path, file_path=str(file), content="x = 9\ny = 2\nz = 3\n")
    assert drawn(over) == ["1 - x = 1", "2 - x2 = 2", "1 + x = 9", "2   y = 2", "3   z = 3"]
    assert phrase(over) == "overwrite a.py · +1 −2 · 4 lines become 3"
    same = request("Write", tmp_path, file_path=str(file), content=file.read_text())
    assert phrase(same) == "overwrite a.py · no change"
    file.write_text("")
    assert phrase(request("Write", tmp_path, file_path=str(file), content="x")).startswith(
        "overwrite a.py · +1"
    )


def test_every_place_of_an_edit_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(MODULE)
    edit = {"file_path": "a.py", "old_string": "LIMIT", "new_string": "MAXIMUM", "replace_all": True}
    everywhere = request("Edit", tmp_path, **edit)
    assert phrases(everywhere, "a.py")[:2] == (
        "edit a.py · LIMIT → MAXIMUM, 4 places in 3 lines",
        "edit a.py · 4 places in 3 lines",
    )
    changed = ("1 - LIMIT = 10", "5 -     if LIMIT:", "11 -     return LIMIT + LIMIT")
    pairs = ((line, line.replace("-", "+").replace("LIMIT", "MAXIMUM")) for line in changed)
    assert drawn(everywhere, 0) == [line for pair in pairs for line in pair]
    assert [line.partition(" ")[2][0] for line in drawn(everywhere, 1)] == [*"-+ … -+ … -+"]
    once = request("Edit", tmp_path, file_path="a.py", old_string="return 1", new_string="return 42")
    assert phrase(once) == "edit a.py · +1 −1"
    assert drawn(once)[3:5] == ["7 -     return 1", "7 +     return 42"]
    assert len(drawn(once)) == 8, "three lines around it"
    edits = [{"old_string": f"return {old}", "new_string": f"return {old + 1}"} for old in (1, 2)]
    two = request("MultiEdit", tmp_path, file_path="a.py", edits=edits)
    assert drawn(two, 0) == ["7 -     return 1", "7 +     return 3"], "one after the other"
    ended = request("Edit", tmp_path, file_path="a.py", old_string="    return 1", new_string="")
    assert drawn(ended, 0) == ["7 -     return 1"], "with the end of its line, as Claude Code does it"


def test_a_cell_of_a_notebook_is_compared(tmp_path: Path) -> None:
    cells = [{"id": "first", "source": ["a\n", "b"]}, {"source": "c"}]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    values = {"notebook_path": "n.ipynb", "new_source": "a\nB"}
    assert drawn(request("NotebookEdit", tmp_path, **values, cell_id="first"), 0) == ["None - b", "None + B"]
    deleted = request("NotebookEdit", tmp_path, **values, cell_id="cell-1", edit_mode="delete")
    assert drawn(deleted) == ["None - c"]
    missing = request("NotebookEdit", tmp_path, **values, cell_id="third")
    assert missing.change["trouble"] == "does not contain the cell"


def test_a_file_that_cannot_be_compared_is_said_in_words(tmp_path: Path) -> None:
    def trouble(name: str, tool: str = "Write", **values: Any) -> str:
        return str(request(tool, tmp_path, file_path=name, **values).change["trouble"])

    (tmp_path / "binary").write_bytes(b"\0\1")
    (tmp_path / "latin").write_bytes(b"\xe9t\xe9")
    (tmp_path / "large").write_bytes(b"x" * (MOST_BYTES + 1))
    os.mkfifo(tmp_path / "pipe")
    assert trouble("binary", content="") == "is not UTF-8 text"
    assert trouble("latin", content="") == "is not UTF-8 text: invalid continuation byte"
    assert trouble("large", content="") == f"is larger than {MOST_BYTES:,} bytes"
    assert trouble("pipe", content="") == "is not a file"
    assert request("Write", tmp_path, file_path="a\0b", content="").change == {}
    assert trouble("..", content="").startswith("cannot be read: ")
    (tmp_path / "text").write_text("x")
    assert trouble("text", "Edit", old_string="y", new_string="z") == "does not contain the text to replace"
    assert trouble("text", "Edit", old_string="", new_string="z") == "is not empty"
    assert trouble("text", "Edit", old_string=["x"], new_string="z") == "cannot be compared"
    request_ = request("Write", tmp_path, file_path="binary", content="a\nb")
    assert phrase(request_) == "overwrite a.py"
    assert drawn(request_) == ["1 + a", "2 + b"], "what it would hold is shown all the same"
    assert change_of("Bash", {"file_path": "text"}, str(tmp_path)) == {}


LINES = st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=30).map(
    lambda lines: "\n".join([*lines, "d"])
)


@given(LINES, LINES)
def test_a_patch_makes_the_new_text_of_the_old_one(old: str, new: str) -> None:
    rows: list[DiffLine] = list(diff_lines({}, {"structuredPatch": patch(old, new)}))
    before, after = (text.split("\n") if text else [] for text in (old, new))
    for row in rows:
        assert row.old is None or row.text == before[row.old - 1]
        assert row.new is None or row.text == after[row.new - 1]
    ended = {row.old for row in rows if row.sign == "-"}
    come = {row.new for row in rows if row.sign == "+"}
    stays = [line for number, line in enumerate(before, 1) if number not in ended]
    assert stays == [line for number, line in enumerate(after, 1) if number not in come]


STATES = st.sampled_from(SessionState)
DEAD = Owner(2**22 + 1)
NEWEST = datetime(2026, 1, 31, 12, tzinfo=UTC)


@given(STATES, st.integers(0, 3), st.booleans(), st.booleans())
def test_what_waits_or_works_is_never_hidden(state: str, waiting: int, runs: bool, done: bool) -> None:
    group = group_of(state, waiting, runs=runs, done=done)
    if waiting:
        assert group in (Group.NEEDS, Group.PARKED, Group.FAILED)
    if runs and state in ("working", "awaiting"):
        assert group in (Group.NEEDS, Group.WORKING)
    if not runs:
        assert group not in (Group.NEEDS, Group.WORKING)
    if done and not waiting and not runs:
        assert group is Group.DONE
    if not done:
        assert group is not Group.DONE


@each_row(*TABLES["groups"])
def test_groups(state: str, waiting: int, runs: bool, group: str) -> None:
    assert group_of(state, waiting, runs=runs, done=False) == group


def test_the_commands_say_the_same_group() -> None:
    killed = StoredSession("s1", "/work", "Fix it", SessionState.WORKING, DEAD, NEWEST, NEWEST)
    assert stored_group(killed, 0) is Group.FAILED
    assert session_record(killed, 0)["group"] == "failed"
    assert session_record(killed, 0)["state"] == "working"
    assert "failed" in session_lines([killed], {}, {}, str)[1]


def test_a_page_has_every_session_the_newest_first(tmp_path: Path) -> None:
    ticks = iter(range(10_000))
    store = Store(tmp_path / "inbox.db", now=lambda: NEWEST + timedelta(seconds=next(ticks) // 2))
    try:
        for number in range(7):
            store.sessions.upsert(f"s{number}", "/work", name=f"n{number}")
        store.sessions.set_state("s2", SessionState.AWAITING, "asked")
        asked = store.sessions.get("s2")
        for line in ("later", "last"):
            store.sessions.upsert("s2", last_line=line)
        store.requests.add(QuestionRequest("t1", "s2", QuestionSet("t1", (Question("Why?", "Why"),))))
        store.sessions.claim("s2", this_process())
        found = store.sessions.page()
        assert sorted(one.id for one in found) == [f"s{number}" for number in range(7)]
        changed = [one.changed_at for one in found]
        assert changed == sorted(changed, reverse=True)
        mine = next(one for one in found if one.id == "s2")
        assert store.sessions.since(mine) == asked.changed_at < mine.changed_at
        assert store.requests.waiting_counts() == {"s2": 1}
        assert stored_group(mine, 1) is Group.NEEDS
        assert mine.owner == Owner(os.getpid(), this_process().start)
    finally:
        store.close()


def test_done_is_undone_by_hand_and_by_going_on(store: Store) -> None:
    store.sessions.upsert("s1", "/work")
    store.sessions.set_state("s1", SessionState.IDLE, "it ended")
    before = store.sessions.page()[0]
    since = store.sessions.since(before)
    assert not store.sessions.set_done("s9", True, INBOX)
    for done in (True, True, False, True):
        assert store.sessions.set_done("s1", done, INBOX)
    after = store.sessions.page()[0]
    assert (store.sessions.since(after), after.changed_at) == (since, before.changed_at)
    assert after.done
    changes = [(one.was, one.became) for one in store.history.changes()][-3:]
    assert changes == [("idle", "done"), ("done", "idle"), ("idle", "done")]
    store.sessions.set_state("s1", SessionState.STARTING, "resumed")
    assert stored_group(store.sessions.page()[0], 0) is Group.DONE
    store.sessions.set_state("s1", SessionState.WORKING, "a prompt")
    assert not store.sessions.page()[0].done

"""The list above the prompt: its cursor, its window, and what Enter means."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion, completed, wanted_at
from ccq_tui.prompts.completion_list import SEEN_AFTER, Completion, CompletionList
from tests.tables import each_row, table

SEEN = 100.01 + SEEN_AFTER


def listed(query: str, *values: str, kind: CompletionKind = CompletionKind.COMMANDS) -> CompletionList:
    rows = tuple(Completion(value, value) for value in values)
    return CompletionList(WantedCompletion(kind, query), since=100.0).found(rows)


OLDER = listed("mo", "model").typed(WantedCompletion(CompletionKind.COMMANDS, "mox"))
WITHIN = CompletionList(WantedCompletion(CompletionKind.COMMANDS, "mod", 4, 8), since=100.0).found(
    (Completion("model", "model"),)
)


@each_row(
    (listed("mod", "model", "mode"), SEEN, True),
    (listed("mode", "mode", "model"), SEEN, False),
    (listed("mode", "mode", "model").by(1), SEEN, True),
    (WITHIN, SEEN, False),
    (WITHIN.by(1), SEEN, True),
    (listed("xyz"), SEEN, False),
    (listed("mod", "model"), SEEN - 0.02, False),
    (OLDER, SEEN, False),
)
def test_enter_takes_a_row_or_sends_what_is_typed(shown: CompletionList, at: float, takes: bool) -> None:
    assert shown.enter_takes(at) is takes


def test_typing_on_leaves_the_rows_until_others_are_found_and_goes_back_to_the_first() -> None:
    moved = listed("m", "model", "mode").by(1)
    typed = moved.typed(WantedCompletion(CompletionKind.COMMANDS, "mo"))
    assert typed.rows == moved.rows
    assert typed.found(moved.rows).cursor == 0


@given(st.integers(1, 30), st.integers(-40, 40), st.integers(1, 10))
def test_the_window_shows_the_cursor(count: int, steps: int, height: int) -> None:
    choices = listed("", *map(str, range(count))).by(steps)
    window = choices.window(height)
    assert choices.cursor in window
    assert len(window) == min(count, height)


def test_rows_that_come_again_with_more_among_them_leave_the_cursor_on_its_row() -> None:
    shown = listed("mo", "model", "mode").by(1)
    grown = shown.found(tuple(Completion(value, value) for value in ("monitor", "model", "more", "mode")))
    assert (grown.cursor, grown.chosen) == (3, shown.chosen)
    unmoved = listed("mo", "model").found((Completion("monitor", "monitor"), Completion("model", "model")))
    assert unmoved.chosen == Completion("model", "model")


@given(st.integers(1, 30), st.integers(-40, 40))
def test_going_to_a_row_stays_within_the_list(count: int, row: int) -> None:
    moved = listed("", *map(str, range(count))).to(row)
    assert moved.cursor == max(0, min(row, count - 1))
    assert moved.moved


def test_the_keys_say_what_enter_does() -> None:
    assert listed("mod", "model").hints("Ctrl+R")[0] == ("Enter", "run")
    complete = listed("mode", "mode", "model")
    assert complete.hints()[:2] == WITHIN.hints()[:2] == (("Enter", "send"), ("Tab", "complete"))
    assert complete.by(1).hints()[:2] == (("Enter", "run"), ("Tab", "complete"))
    assert WITHIN.by(1).hints()[:2] == (("Enter", "insert"), ("↑ ↓", "choose"))
    needs_more = replace(complete, rows=(Completion("rename", "rename", "TITLE"),), moved=True)
    assert (needs_more.hints()[0], needs_more.runs) == (("Enter", "insert"), False)
    slip = listed("foo", "workflow")
    assert (slip.hints()[0], slip.runs, slip.by(1).runs) == (("Enter", "insert"), False, True)
    search = listed("x", "one", kind=CompletionKind.HISTORY)
    assert ("Ctrl+R", "next") in search.hints("Ctrl+R")
    assert search.found(()).hints("Ctrl+R") == (("Esc", "back"),)


def test_enter_takes_no_row_that_is_only_alike_where_another_begins_with_what_is_typed() -> None:
    # The CLI's commands came while the cursor stood on one that only has the letters.
    late = listed("in", "rewind").found((Completion("init", "init"), Completion("rewind", "rewind")))
    assert late.chosen.value == "rewind"
    assert not late.enter_takes(SEEN)
    assert late.by(-1).enter_takes(SEEN), "chosen by hand"
    assert ("Enter", "send") in late.hints()


def test_an_alias_is_as_complete_as_a_name() -> None:
    rows = (Completion("code-review", "/code-review", aliases=("review",)),)
    assert not listed("review").found(rows).enter_takes(SEEN)
    assert listed("revi").found(rows).enter_takes(SEEN)


@each_row(*CompletionKind)
def test_what_is_taken_early_waits_for_what_is_typed_and_is_no_older_row(kind: CompletionKind) -> None:
    shown = listed("", "newest", "see", kind=kind)
    assert shown.entered_early() is None
    typed = shown.typed(WantedCompletion(kind, "see"))
    early = typed.entered_early()
    found = early.found((Completion("see", "see"),))
    assert (found.awaited, found.chosen) == (True, Completion("see", "see"))
    assert not early.typed(WantedCompletion(kind, "seen")).awaited
    assert typed.by(1).entered_early() is None, "a row was chosen by hand"


@each_row(*table(__file__, "cases.json")["a_piece_that_can_be_completed"])
def test_a_piece_that_can_be_completed(text: str, kind: str, query: str) -> None:
    wanted = wanted_at(text, len(text))
    assert (wanted.kind, wanted.query) == (kind, query)


@each_row("", "a", "see /usr/lib", "and/or", "/model x", "see /model\n", "me@home", "@a b", '@"a" b', "git@")
def test_nothing_to_complete(text: str) -> None:
    assert wanted_at(text, len(text)) is None


@each_row(*table(__file__, "completing.json"))
def test_what_stands_there_afterwards(text: str, value: str, after: str) -> None:
    caret = text.index("|")
    text = text.replace("|", "")
    wanted = wanted_at(text, caret)
    assert wanted is not None
    new, place = completed(text, wanted, value)
    assert new[:place] + "|" + new[place:] == after


@given(st.text('@/" ab\n', max_size=30), st.data())
def test_only_the_piece_is_replaced(text: str, data: st.DataObject) -> None:
    caret = data.draw(st.integers(0, len(text)))
    wanted = wanted_at(text, caret)
    if wanted is not None:
        assert 0 <= wanted.start <= caret <= wanted.end <= len(text)
        new, place = completed(text, wanted, "x")
        assert new.startswith(text[: wanted.start])
        assert new.endswith(text[wanted.end :])
        assert place <= len(new)

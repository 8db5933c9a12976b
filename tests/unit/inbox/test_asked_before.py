"""Earlier answers, looked up in the store."""

from datetime import date, datetime
from pathlib import Path

import pytest

from ccq_tui.inbox.asked_before import asked_before, shown_day
from ccq_tui.inbox.requests import QuestionRequest, RequestOutcome
from ccq_tui.inbox.store.requests import MOST_ANSWERED
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Question, QuestionSet
from tests.actors import PANEL
from tests.unit.inbox.test_inbox import inboxes
from tests.unit.questions.drive import question

SQLITE, DUCKDB = Answer(("SQLite",)), Answer(("DuckDB",))


def asked(name: str, session: str, *questions: Question) -> QuestionRequest:
    return QuestionRequest(name, session, QuestionSet(name, questions or (question(),)))


def answered(
    store: Store, request: QuestionRequest, outcome: RequestOutcome, directory: str = "/here"
) -> None:
    store.sessions.upsert(request.session_id, directory)
    store.requests.add(request)
    store.requests.settle(request.id, outcome, PANEL)


def found(store: Store, *questions: Question) -> list[Answer | None]:
    store.sessions.upsert("now", "/here")
    recalled = asked_before(store, asked("again", "now", *questions))
    return [one.answer if one else None for one in recalled]


def test_the_newest_answer_of_this_directory_comes_first(store: Store) -> None:
    answered(store, asked("a", "one"), Answered((SQLITE,)))
    answered(store, asked("b", "two"), Answered((DUCKDB,)))
    answered(store, asked("c", "elsewhere"), Answered((Answer(("Postgres",)),)), "/there")
    assert found(store) == [DUCKDB]
    store.requests.forget("two")
    assert found(store) == [SQLITE]
    store.requests.forget("one")
    assert found(store) == [Answer(("Postgres",))], "then those of other directories"


def test_what_was_not_answered_says_nothing(store: Store) -> None:
    outcomes = (Declined(), Discussed("why?"), Expired(), Answered((Answer(note="only a note"),)))
    for number, outcome in enumerate(outcomes):
        answered(store, asked(f"q{number}", "one"), outcome)
    store.requests.add(asked("waits", "one"))
    assert found(store) == []


def test_an_answer_that_reached_the_agent_counts_as_before(store: Store) -> None:
    answered(store, asked("a", "one"), Answered((SQLITE,)))
    store.requests.mark_delivered("a@one", "result")
    assert found(store) == [SQLITE]


def test_each_question_of_a_set_is_looked_up_by_itself(store: Store) -> None:
    layout = question("Which layout?", "Grid", "List", "Tree")
    answered(store, asked("a", "one", question(), layout), Answered((SQLITE, Answer(("Tree",), note="n"))))
    other = question("Which shape?", "Tree", "Grid", "List")
    assert found(store, question("Anything else?", "Yes", "No"), other) == [None, Answer(("Tree",), note="n")]


@pytest.mark.parametrize("text", ['"Quoted" \\ back?', "Größe? \u2028 % _ '", "\ud83d?", "x" * 5000])
def test_every_text_is_found(store: Store, text: str) -> None:
    answered(store, asked("a", "one", question(text)), Answered((SQLITE,)))
    assert found(store, question(text, "A", "B")) == [SQLITE]


def test_questions_that_only_begin_the_same_do_not_hide_an_older_one(store: Store) -> None:
    answered(store, asked("old", "one", question("Which one?", "A", "B", "C")), Answered((Answer(("B",)),)))
    for number in range(MOST_ANSWERED - 1):
        text = f"Which one? {number}"
        answered(store, asked(f"q{number}", "one", question(text, "X", "Y")), Answered((Answer(("X",)),)))
    assert found(store, question("Which one?", "A", "B", "C")) == [Answer(("B",))]


def test_what_is_forgotten_is_in_no_table_and_what_waits_stays(store: Store) -> None:
    answered(store, asked("a", "one"), Answered((SQLITE,)))
    store.requests.add(asked("waits", "one"))
    answered(store, asked("b", "two"), Answered((DUCKDB,)))
    assert store.requests.forget("one") == 1
    assert store.requests.get("a@one") is None
    assert [one.request.id for one in store.requests.waiting()] == ["waits@one"]
    assert found(store) == [DUCKDB]


async def test_an_inbox_that_does_not_recall_says_nothing(path: Path) -> None:
    async with inboxes(path) as ((inbox, _),):
        await inbox.run(lambda store: answered(store, asked("a", "one"), Answered((SQLITE,))))
        for recalls in (True, False):
            inbox.recalls = recalls
            async with inbox.asking(asked(f"again {recalls}", "now")) as opened:
                await opened.added()
            assert [one and one.answer for one in opened.recalled] == ([SQLITE] if recalls else [])


async def test_a_question_that_is_taken_over_comes_with_it(path: Path) -> None:
    def keep(store: Store) -> None:
        answered(store, asked("a", "one"), Answered((SQLITE,)))
        store.sessions.upsert("now", "/here")
        store.requests.add(asked("again", "now"))

    async with inboxes(path) as ((inbox, _),):
        await inbox.run(keep)
        ((opened, _),) = await inbox.sessions.left("now")
        (known,) = opened.recalled
        assert known.answer == SQLITE


def test_the_day_is_shown_as_a_person_reads_it() -> None:
    at = datetime(2026, 11, 3, 14, 5).astimezone()
    assert shown_day(at, date(2026, 11, 3)) == "today 14:05"
    assert shown_day(at, date(2026, 11, 24)) == "on 3 Nov"
    assert shown_day(at, date(2027, 1, 1)) == "on 3 Nov 2026"

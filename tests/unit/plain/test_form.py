"""Question sets, forms and decisions, line by line."""

import asyncio
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import (
    Asker,
    FormRequest,
    Origin,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
)
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.plain.answering import End, walk_request
from ccq_tui.questions import Answer, Answered, Condition, FieldRules, Kind, Option, Question, QuestionSet
from ccq_tui.questions.flow import turn_to
from ccq_tui.questions.state import PanelState
from tests.actors import PHONE
from tests.hostile import FORBIDDEN, FORGED, variants
from tests.memory_inbox import MemoryInbox
from tests.steps import until_true
from tests.tables import each_row
from tests.unit.plain.talking import ME, Pipe, talk

OPTIONAL, NEEDED = FieldRules(skippable=True), FieldRules(required=True, skippable=True)
LIBRARY = Question("Which library?", options=(Option("date-fns (Recommended)", "Small"), Option("Day.js")))
FEATURES = Question("Which features?", options=(Option("Auth"), Option("Logs")), multi_select=True)
NAME = Question("Which name?", kind=Kind.TEXT)
RELEASE = (
    Question(
        "What kind?", options=tuple(map(Option, ("Major", "Minor", "d"))), closed=True, field=NEEDED
    ),
    Question("Why is it major?", kind=Kind.TEXT, field=NEEDED, when=Condition(0, "Major")),
    Question("How many?", kind=Kind.NUMBER, minimum=1, maximum=9, field=OPTIONAL),
    Question("Blockers?", options=(Option("AI"), Option("Tools")), multi_select=True, field=OPTIONAL),
)  # fmt: skip
Printed = pytest.CaptureFixture[str]


def asking(*questions: Question) -> QuestionRequest:
    return QuestionRequest("toolu_1", "s1", QuestionSet("toolu_1", questions))


def form(*questions: Question) -> FormRequest:
    made = QuestionSet(
        "f", questions or RELEASE, "Release notes", intro="| a | b |\n|--|--|\n| 1 | 2 |", is_form=True
    )
    return FormRequest("f1", "k", made, context={"branch": "main"}, origin=Origin(Asker.FORM, "release"))


async def test_a_form_reads_as_a_text(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), form(), "major\n\nnew \\\napi\n12\n-\n1\n5\ny\n", capsys)
    assert done.printed == Path(__file__).with_name("form.txt").read_text(encoding="utf-8").splitlines()


async def test_words_that_are_not_sent_are_kept_in_the_draft(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), asking(LIBRARY), "mine\nn\nreply so\nn\n", capsys)
    assert done.printed.count("note: Your words are kept, not sent.") == 2
    draft = done.opened.draft
    assert (draft.page.unselected, draft.discussion, draft.page.as_answer().given) == ("mine", "so", False)


async def test_the_review_tells_own_words_from_several_options(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), asking(FEATURES), "Auth, mine\n1\nAuth, Logs\ny\n", capsys)
    assert {"     “Auth, mine”", "     Auth, Logs"} <= set(done.printed)


async def test_the_recorded_value_of_an_option_names_it(capsys: Printed) -> None:
    kind = replace(RELEASE[0], options=(Option("Major"), Option("Minor")))
    options = ["Major", {"label": "Minor", "value": "small"}]
    asked = replace(form(kind), form={"questions": [{"options": options}]})
    assert (await talk(MemoryInbox(), asked, "small\ny\n", capsys)).outcome == Answered((Answer(("Minor",)),))


async def test_the_end_of_the_input_parks_and_the_draft_goes_on(tmp_path: Path, capsys: Printed) -> None:
    outcome = Answered((Answer(("Major",)), Answer(other="api"), Answer(other="4"), Answer()))
    for typed, end in (("1\n", End.PARKED), ("api\n4", End.PARKED), ("\ny\n", End.HERE)):
        inbox = await Inbox.connect(tmp_path / "inbox.db")
        done = await talk(inbox, form(), typed, capsys)
        await inbox.close()
        assert done.end is end, done.printed
        assert done.printed[-1].startswith(
            "note: The input ended: nothing was sent" if done.outcome is None else "note: A"
        )
    assert "note: A draft is here: 3 of 4 answered, nothing sent." in done.printed
    assert done.outcome == outcome


async def test_one_answered_elsewhere_says_so_and_the_next_line_is_for_the_next_one(capsys: Printed) -> None:
    inbox, pipe = MemoryInbox(), Pipe()
    first, second = asking(LIBRARY), QuestionRequest("toolu_2", "s1", QuestionSet("toolu_2", (LIBRARY,)))
    async with inbox.asking(first) as one, inbox.asking(second) as other:
        await one.added()
        await other.added()
        one.settle(Answered((Answer(("Day.js",)),)), PHONE)
        assert await walk_request(one, pipe.lines, ME) is End.ELSEWHERE
        assert "note: Already answered on phone at " in capsys.readouterr().out
        pipe.write("1\n")
        assert await walk_request(other, pipe.lines, ME) is End.HERE
        assert other.stored.outcome == Answered((Answer(("date-fns (Recommended)",)),))
        assert await walk_request(other, pipe.lines, ME) is End.ELSEWHERE, "it is over"


async def test_an_answer_that_is_late_changes_nothing(tmp_path: Path, capsys: Printed) -> None:
    inbox, given = await Inbox.connect(tmp_path / "inbox.db"), Answered((Answer(("Day.js",)),))

    def settled(opened: OpenRequest) -> None:
        with closing(Store(tmp_path / "inbox.db")) as store:  # as another process, which is not heard yet
            store.requests.settle(opened.request.id, given, PHONE)

    done = await talk(inbox, asking(LIBRARY), "1\n", capsys, settled)
    assert (done.end, done.outcome) == (End.ELSEWHERE, given)
    assert done.printed[-1].startswith("note: Already answered on phone at ")
    await inbox.close()


async def test_a_request_is_left_with_its_draft(capsys: Printed) -> None:
    left = await talk(MemoryInbox(), asking(FEATURES, NAME), "1\nb\nb\nno\nb\ny\n", capsys)
    assert (left.end, left.opened.stored.state) == (End.LEFT, RequestState.PENDING)
    assert isinstance(left.opened.draft, PanelState)
    assert left.opened.draft.answers[0] == Answer(("Auth",))


async def test_a_draft_of_another_surface_is_gone_on_from(tmp_path: Path, capsys: Printed) -> None:
    here, there = await Inbox.connect(tmp_path / "inbox.db"), await Inbox.connect(tmp_path / "inbox.db")
    pipe, text = Pipe(), ""

    async def hears(words: str) -> None:
        nonlocal text
        while words not in text:
            text += capsys.readouterr().out
            await asyncio.sleep(0.01)

    async with here.asking(asking(FEATURES, NAME)) as opened, asyncio.timeout(30):
        await opened.added()
        talking = asyncio.ensure_future(walk_request(opened, pipe.lines, ME))
        other = await there.open(opened.request.id)
        other.type(cast("PanelState", other.shown).with_draft(selected=(0,)), PHONE)
        await hears("note: The draft was changed on phone.")
        pipe.write("\n")
        await hears("question 2 of 2")
        pipe.write("mine\n")
        await hears("Auth\n  2. Which name?\n     mine")
        await until_true(lambda: other.stale)
        other.take_over()
        other.type(turn_to(cast("PanelState", other.shown), 1).with_draft(other="theirs"), PHONE)
        await hears("“take” continues with it, and drops what was typed here.")
        pipe.write("t\nr\n")
        await hears("theirs")
        pipe.write("y\n")
        assert await talking is End.HERE
        assert opened.stored.outcome == Answered((Answer(("Auth",)), Answer(other="theirs")))
    await here.close()
    await there.close()


async def test_a_command_of_a_session_is_no_answer_and_an_answer_is_said_whole(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), asking(LIBRARY), "/quit\n1 and 2\n2, but small\n", capsys)
    assert done.outcome == Answered((Answer(("Day.js",), note="but small"),))
    assert "note: /quit is no answer: “back” goes back, “other /quit” answers so." in done.printed
    assert "note: one option, not several; choose 1 date-fns, 2 Day.js." in done.printed
    assert done.printed[-1] == "note: Answered: Day.js; note: but small."


async def test_own_words_stay_beside_the_options_of_a_list(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), asking(FEATURES), "1,2\n1\no and more\nYES\n", capsys)
    assert done.outcome == Answered((Answer(("Auth", "Logs"), other="and more"),))


async def test_help_names_what_can_be_typed_here(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), asking(FEATURES, NAME), "?\n\n?\nr\n?", capsys)
    line = "\n".join(done.printed)
    choice, text, review = (part.partition("you:")[0] for part in line.split("help: ")[1:])
    assert "Several of a list with commas" in choice
    assert "A line of two characters or more is your answer." in text
    assert "y: confirm these answers." in review
    assert "Nothing is sent before you confirm it." in review
    single = await talk(MemoryInbox(), asking(replace(FEATURES, multi_select=False)), "?", capsys)
    assert "An answer is sent at once." in "\n".join(single.printed)
    assert [part.count("note TEXT or n TEXT") for part in (choice, text, review)] == [1, 0, 0]


@each_row(*variants(Request))
async def test_no_text_of_a_request_begins_a_line(
    request_: Request, *, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ccq_tui.questions.limits.matcher", lambda _: bool)  # no form has a wrong pattern
    made = replace(request_, asker_id="s", origin=Origin())
    done = await talk(MemoryInbox(), made, "?\nwhat\n1\n\nb\nno\nr\n1\nn\nx\ny\ny\n", capsys)
    text = "\n".join(done.printed)
    assert not FORBIDDEN.search(text)
    assert not FORGED.search(text), text


RULES = tuple(
    Suggestion("addRules", "session", (Rule("Bash", f"npm {name} *"),), "allow") for name in "abcdefghijk"
)
COMMAND = "npm test\n" + "x" * 30_000 + "END"
RUN = PermissionRequest(
    "t1", "s1", "Bash", {"command": COMMAND, "timeout": 5}, "Run the tests", suggestions=RULES
)
PLAN = PlanRequest("t2", "s1", "# Move\n\n| Step | Days |\n|--|--|\n| Dump | 2 |")


async def test_all_that_is_allowed_is_printed_before(capsys: Printed) -> None:
    done = await talk(MemoryInbox(), RUN, "?\nb\nno\nb\ny\n", capsys)
    assert done.end is End.LEFT
    assert done.printed[:8] == [
        "permission: Claude wants to use Bash",
        "  Run the tests",
        "  command: npm test",
        "      " + "x" * 30_000 + "END",
        "  timeout: 5",
        "y: Allow once",
        "n: Deny",
        "1: For this session: commands that begin with `npm a`",
    ]
    assert done.printed[17:20] == [
        "11: For this session: commands that begin with `npm k`",
        "a TEXT: Allow once, and say something…",
        "e TEXT: Deny, and say what to do instead…",
    ]
    assert (
        done.printed[20]
        == "y, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, a TEXT, e TEXT, b decides later, ? for help:"
    )


async def test_a_change_of_a_file_and_a_plan_are_read_out(capsys: Printed) -> None:
    hunk = {"oldStart": 3, "newStart": 3, "lines": [" a", "-b", "+c"]}
    change = {"type": "update", "structuredPatch": [hunk], "added": 1, "removed": 1}
    values = {"file_path": "/x.py", "old_string": "b", "new_string": "c"}
    edit = PermissionRequest("t1", "s1", "Edit", values, change=change, agent="reviewer")
    edited = await talk(MemoryInbox(), edit, "", capsys)
    assert edited.end is End.PARKED
    assert edited.printed[-1].endswith("nothing was sent, and it waits only as long as its session runs.")
    assert edited.printed[:4] == [
        "permission: reviewer wants to edit /x.py · +1 −1", "    3: a", "  - 4: b", "  + 4: c",
    ]  # fmt: skip
    proposed = await talk(MemoryInbox(), PLAN, "", capsys)
    assert proposed.printed[:4] == ["plan: Claude proposes a plan", "  # Move", "", "  Step: Dump. Days: 2."]

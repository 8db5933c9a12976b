"""A session file as the real CLI writes it, and the answer to its open question by a message."""

from ccq_tui.agent.events import BlockFinished, PromptAccepted, RequestAsked
from ccq_tui.agent.recorded import open_recording
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.questions.wire import answers_as_message
from ccq_tui.testing import CleanHome, Scenario
from tests.agent.running import Play, Running, until_written
from tests.unit.agent.recordings import events_of

SECRET = "what-stands-in-the-file"
WHICH = Question("Which file, @notes.md?", "File", (Option("@notes.md", "One"), Option("Another", "Two")))
SCENARIO = Scenario("r").says("Before.").asks(WHICH).says("Settled.")


async def it_asks_and_is_killed(home: CleanHome) -> str:
    async with Running(home) as run:
        await run.send("Build it").until(QuestionRequest)
        await until_written(home, run.session.session_id, "toolu_r_1")
        await run.killed()
    return run.session.session_id


async def test_the_question_of_a_killed_session_is_in_its_file(play: Play) -> None:
    model, home = play(SCENARIO)
    (home.project / "notes.md").write_text(SECRET)
    session_id = await it_asks_and_is_killed(home)
    (path,) = (home.config / "projects").glob(f"*/{session_id}.jsonl")
    recording = open_recording(str(path))
    events = events_of(recording)
    assert [event.text for event in events if isinstance(event, PromptAccepted | BlockFinished)] == [
        "Build it",
        "Before.",
    ]
    assert not recording.bad
    assert recording.session_id == session_id
    (asked,) = [event.request.questions for event in events if isinstance(event, RequestAsked)]
    assert asked.questions == (WHICH,)

    answer = Answered((Answer(("@notes.md",)),))
    message = answers_as_message(asked, answer)
    async with Running(home, resume=session_id) as run:
        again = await run.until(RequestAsked, lambda event: event.by_message)
        assert again.request.questions == asked, "it is in no inbox, as that of a dead “claude -p”"
        await run.answer(again.request.id, answer).idle()
        assert [event.text for event in run.all(BlockFinished)] == ["Settled."]
    sent = str(model.requests()[-1].body["messages"])
    assert repr(message)[1:-1] in sent
    assert SECRET not in sent, "what the agent wrote attaches no file"

"""Whatever a person can answer, the real CLI accepts, and the model reads it as it was given."""

from dataclasses import replace

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ccq_tui.agent.events import ToolFinished
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.questions.wire import answer_text
from ccq_tui.testing.model import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests import results
from tests.agent.running import Running
from tests.agent.stage import Stage
from tests.steps import step

SETS = 36

# Characters that quoting, joining, JSON and markup could trip over; blank texts are dealt with elsewhere.
NASTY = st.text(st.sampled_from("ab,\"'=.<>&{}[]\\/ \n\té漢😀\u202e\x1b"), min_size=1, max_size=12).filter(
    str.strip
)
LABELS = st.lists(NASTY, min_size=2, max_size=4, unique=True)


@st.composite
def answered(draw: st.DrawFn, question: Question) -> Answer:
    """Draw an answer that the panel can produce for a question."""
    labels = [option.label for option in question.options]
    note = draw(st.just("") | NASTY)
    if question.multi_select:
        selected = draw(st.lists(st.sampled_from(labels), unique=True))
        answer = Answer(
            tuple(label for label in labels if label in selected), other=draw(st.just("") | NASTY)
        )
        return replace(answer, note=note, empty=not answer.given and draw(st.booleans()))
    if draw(st.booleans()):
        return Answer(other=draw(st.just("") | NASTY), note=note)
    option = draw(st.sampled_from(question.options))
    return Answer((option.label,), note=note, preview=option.preview)


@st.composite
def question_sets(draw: st.DrawFn) -> tuple[tuple[Question, ...], tuple[Answer, ...]]:
    """Draw a set as the CLI lets it pass, and an answer to each of its questions."""
    questions = []
    for text in draw(st.lists(NASTY, min_size=1, max_size=4, unique=True)):
        multi = draw(st.booleans())
        previews = st.none() if multi else st.none() | NASTY
        options = tuple(Option(label, "-", draw(previews)) for label in draw(LABELS))
        questions.append(Question(text, "H", options, multi_select=multi))
    return tuple(questions), tuple(draw(answered(question)) for question in questions)


def expected(questions: tuple[Question, ...], answers: tuple[Answer, ...]) -> str:
    """Give the part of the result between its opening and closing sentences."""
    parts = []
    for question, answer in zip(questions, answers, strict=True):
        if not answer.given and not answer.note:
            continue
        shown = f'"{answer_text(question, answer)}"' if answer.given else "(no option selected)"
        preview = f" selected preview:\n{answer.preview}" if answer.preview else ""
        notes = f" notes: {answer.note}" if answer.note else ""
        parts.append(f'"{question.text}"={shown}{preview}{notes}')
    return ", ".join(parts)


def drawn(count: int) -> list[tuple[tuple[Question, ...], tuple[Answer, ...]]]:
    """Draw so many sets with their answers."""
    sets = []

    @settings(max_examples=count, phases=[Phase.generate], deadline=None)
    @given(one=question_sets())
    def draw(one: tuple[tuple[Question, ...], tuple[Answer, ...]]) -> None:
        sets.append(one)

    draw()
    return sets


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    sets = drawn(SETS)
    scenario = Scenario("w")
    for questions, _ in sets:
        scenario = scenario.asks(*questions)
    async with stage.scene("any answers", scenario.says("Thanks.")) as run:
        stage.model.delta_size = 1_000
        results = await results_of(sets, run, stage.model)
    assert len(results) == len(sets) == SETS
    for (questions, answers), result in zip(sets, results, strict=True):
        with step(f"{questions} answered by {answers}"):
            assert_read_as_given(questions, answers, result)


async def results_of(
    sets: list[tuple[tuple[Question, ...], tuple[Answer, ...]]], run: Running, model: ScriptedModel
) -> list[str]:
    """Answer the sets one after the other, and give what the model received."""
    run.session.send("Ask me")
    for number, (questions, answers) in enumerate(sets, 1):
        asked = await run.until(QuestionRequest, count=number)
        assert asked.request.questions.questions == questions
        run.answer(asked.request.id, Answered(answers))
    await run.idle()
    assert not [event for event in run.all(ToolFinished) if event.is_error]
    return [result.text for result in model.tool_results()]


def assert_read_as_given(questions: tuple[Question, ...], answers: tuple[Answer, ...], result: str) -> None:
    text = expected(questions, answers)
    if not text:
        assert result == "The user did not answer the questions."
        return
    assert result in (results.answered(text), results.replied(text))

"""A transcript as labelled lines, each thing printed once, when it is known."""

from collections.abc import Iterator
from itertools import zip_longest

from ccq_tui.agent.events import AgentEvent, HistoryLoaded
from ccq_tui.agent.problems import ADVICE
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.plain.lines import Lines
from ccq_tui.plain.tables import as_sentences
from ccq_tui.questions import Answered, Discussed, QuestionSet
from ccq_tui.questions.prose import answer_line
from ccq_tui.questions.wire import MESSAGE
from ccq_tui.text import one_line, safe
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript import outcomes
from ccq_tui.transcript.bodies import Checklist, Diff, Excerpt, PlainText, TodoState, plain
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.tools import ToolCard, main_argument, short_argument, tool_title
from ccq_tui.words import plural

ARGUMENT = 300
"""Most characters of a call's argument in its line; the request for its permission has all of it."""
MOST_PAST = 30
"""Most messages printed of a resumed conversation."""
LEFT_OUT = object()
_DOING = {TodoState.PENDING: "to do", TodoState.NOW: "now", TodoState.DONE: "done"}


class PlainTranscript:
    """Prints what happens in a session.

    Args:
        model: The transcript.
        lines: Where it is printed.
        dialogs: Who answers in the dialogs that print the requests that wait, and what becomes of them; None
            where nobody is asked.

    Attributes:
        typed: The ids of prompts that were typed here, which the terminal shows already.
    """

    def __init__(self, model: TranscriptModel, lines: Lines, dialogs: Actor | None = None) -> None:
        self.model = model
        self.typed: set[str] = set()
        self._lines = lines
        self._dialogs = dialogs
        self._printed: dict[bl.Block, object] = {}
        """What was printed of each block."""
        self._last: bl.Block | None = None

    def apply(self, event: AgentEvent) -> None:
        """Take an event, and print what it brings; of a past, its end."""
        past = isinstance(event, HistoryLoaded)
        change = self.model.apply(event)
        if isinstance(event, HistoryLoaded) and event.older:
            return  # it comes above what was printed
        changed = [*bl.with_inner(self.model.blocks[at] for at in change.changed)]
        if past and self._dialogs and len(changed) > MOST_PAST:
            left_out = changed[:-MOST_PAST]
            self._printed |= dict.fromkeys(left_out, LEFT_OUT)
            self._lines.note(f"{plural(len(left_out), 'earlier message')} left out: ccq-tui export has them.")
        for block in changed:
            if self._printed.get(block) is not LEFT_OUT:
                self._show(block, past=past or self._dialogs is None)

    def action_end(self) -> None:
        """Do nothing: the end is what was printed last."""

    def _show(self, block: bl.Block, *, past: bool) -> None:
        match block:
            case bl.ProseBlock() if not (block.depth and block.folded):  # else for the agent that called it
                self._read("claude", block, block.document)
            case bl.ThinkingBlock() if not block.folded:
                self._read("thinking", block, block.document)
            case bl.ToolBlock(card=ToolCard.REQUEST, input={"plan": str(plan)}):
                verdict = "approved" if block.state is bl.ToolState.OK else "not approved"
                self._once(block, "plan", verdict, as_sentences(plan))
            case bl.ToolBlock():
                self._call(block)
            case bl.RequestBlock():
                self._request(block, past=past)
            case bl.PromptBlock(prompt_id=name) if name in self.typed:
                pass
            case bl.PromptBlock(text=text) if self._dialogs and text.startswith(MESSAGE):
                pass  # its request is printed with the answer
            case _:
                self._once(block, *_labelled(block))

    def _once(self, block: bl.Block, label: str, *texts: str, of: object = None) -> None:
        """Print a text, unless it, or what it is ``of``, was printed of this block."""
        of = of or texts
        if texts and self._printed.get(block) != of:
            self._printed[block] = of
            self._last = block
            self._lines.say(label, "\n".join(texts))

    def _read(self, label: str, block: bl.Block, document: Document) -> None:
        """Print the parts of a text that are complete."""
        while document.split():
            pass
        # A text whose stream broke and that came again otherwise is another document.
        known, first = self._printed.get(block), 0
        if isinstance(known, tuple) and known[0] is document:
            first = known[1]
        for part in document.parts[first:]:
            if part.source.strip():
                self._lines.say(label, as_sentences(part.source.strip("\n")))
                self._last = block
        self._printed[block] = (document, len(document.parts))

    def _call(self, block: bl.ToolBlock) -> None:
        """Print a call as it begins, and what came of it."""
        argument = block.entry.text if block.entry else main_argument(block.tool, block.input)
        argument = one_line(short_argument(block.tool, argument, block.directory), ARGUMENT)
        name = f"{one_line(tool_title(block.tool), 80)} {argument}".rstrip()
        name += " (of a subagent)" if block.depth else ""
        result, before = one_line(outcomes.result_line(block), ARGUMENT), self._printed.get(block)
        if block.state is bl.ToolState.RUNNING:
            self._once(block, "tool", f"{name}: {result}" if result else name, of=(block.state, result))
            return
        failed = block.state is bl.ToolState.FAILED and not block.refused
        result = result or ("failed" if failed else "denied" if block.refused else "done")
        if not (isinstance(before, tuple) and before[0] is block.state):
            alone = self._last is block and block.permission is None
            words = result if alone else f"{name}: {result}"
            self._once(
                block, "tool error" if failed else "tool", words, *_body(block.body), of=(block.state, result)
            )

    def _request(self, block: bl.RequestBlock, *, past: bool) -> None:
        """Print a request with its outcome, unless a dialog does."""
        waits = block.outcome is None and self._dialogs is not None
        if waits or (block.actor is not None and block.actor == self._dialogs and not past):
            return
        words, label, shown = (
            outcomes.outcome_words(block),
            block.called,
            [getattr(block.outcome, "text", "")],
        )
        match block:
            case bl.PermissionBlock(request=permission):
                call = f"{tool_title(permission.tool)} {main_argument(permission.tool, permission.input)}"
                words, shown = (
                    f"{one_line(call, ARGUMENT)}: {outcomes.permission_words(block, whole=True)}",
                    [],
                )
            case bl.QuestionBlock(request=request) | bl.FormBlock(request=request):
                shown += [request.questions.intro, *_questions(request.questions, block.outcome)]
            case bl.PlanBlock(request=plan) if past:
                shown += [as_sentences(plan.plan)]
        self._once(block, label, words, *filter(None, shown), of=words)


def _questions(asked: QuestionSet, outcome: RequestOutcome | None) -> Iterator[str]:
    """Yield each question with its answer, or with what can be chosen."""
    answers = outcome.answers if isinstance(outcome, Answered | Discussed) else ()
    for number, (question, answer) in enumerate(zip_longest(asked.questions, answers), 1):
        rows = [f"{place}. {option.title}" for place, option in enumerate(question.options, 1)]
        if answer is not None:
            rows = [answer_line(answer), *([f"Note: {answer.note}"] if answer.note else [])]
        yield "\n".join((f"{number}. {question.text}", *rows)).replace("\n", "\n   ")


def _labelled(block: bl.Block) -> tuple[str, ...]:
    """Return the label and the lines of a block that is complete, or nothing to print yet."""
    match block:
        case bl.PromptBlock(text=text) if block.accepted and not block.queued:
            return "you", safe(text)
        case bl.NoticeBlock(level=level, text=text):
            return "error" if level == "error" else "note", safe(text, limit=outcomes.TEXT_LIMIT)
        case bl.RuleBlock(text=text):
            return "note", one_line(text, outcomes.TEXT_LIMIT)
        case bl.RetryBlock(event=event, over=False):
            return "note", f"Retrying, {outcomes.retry_words(event)}"
        case bl.ErrorBlock(kind=kind, text=text):
            known = ADVICE.get(kind)
            cause = known.cause if known else one_line(kind.replace("_", " "), 60)
            details = safe(text.strip(), limit=outcomes.TEXT_LIMIT)
            return "error", *filter(None, (cause, details, known.remedy if known else ""))
        case bl.ResultBlock(event=event):
            ending = outcomes.ending_words(event)
            facts = outcomes.turn_words(event).replace(" · ", ", ").replace(" → ", " to ")
            return "note", f"The turn {f'ended: {ending}' if ending else 'is over'}, {facts}"
        case _:
            return ("",)


def _body(body: bl.Body | None) -> Iterator[str]:
    """Yield what is shown of a result, indented."""
    match body:
        case Excerpt(lines=lines, hidden=hidden, tail=tail):
            more = [f"{plural(hidden, 'more line')} {'before' if tail else 'after'}"] if hidden else []
            shown = [safe(plain(line), keep_newlines=False) for line in lines]
            yield from [*more, *shown] if tail else [*shown, *more]
        case PlainText():
            yield from (body.part(number) for number in range(len(body)))
        case Diff(hidden=hidden):
            for number in range(len(body)):
                yield from (
                    f"{line.sign} {safe(line.text, keep_newlines=False)}".rstrip()
                    for line in body.part(number)
                )
            if hidden:
                yield plural(hidden, "more line")
        case Checklist(entries=entries, hidden=hidden):
            yield from (f"{_DOING[one.doing]}: {one_line(one.text, ARGUMENT)}" for one in entries)
            if hidden:
                yield plural(hidden, "more line")

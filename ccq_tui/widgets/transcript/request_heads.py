"""Questions, permissions and plans, with what became of them, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.style import Style
from rich.text import Text

from ccq_tui.agent.stored_questions import ROUNDS_USED
from ccq_tui.inbox import Allowed, Cancelled, Denied
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.suggestions import MODES, what, where
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Kind, Option, Question
from ccq_tui.questions.prose import NO_ANSWER, NONE_SELECTED, UNSELECTED, shown_label
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.transcript.blocks import PermissionBlock, PlanBlock, QuestionBlock, RequestBlock
from ccq_tui.widgets.transcript.pen import Pen
from ccq_tui.widgets.transcript.tools import main_argument, tool_title

TEXT_LIMIT = 4_000
"""Characters of a question, label or note that are shown."""
LABEL_LIMIT = 1_000
MARKS = {False: ("○", "●"), True: ("◻", "◼")}
"""(off, on) for single and for multi select."""
SAID = "»"
"""Before prose of the person's; a note has its own sign."""


def clock(moment: datetime | None) -> str:
    """Write the time of day beside an answer."""
    return "" if moment is None else f" · {moment:%H:%M}"


def _by(actor: Actor | None) -> str:
    """Say who answered; not where nobody knows it, nor of the panel of this very session."""
    where = "" if actor is None else actor.where_from_here
    return f" {where}" if actor and where != Actor(Surface.PANEL).where else ""


def _told(block: RequestBlock) -> tuple[str, str, str]:
    """Return sign, words and colour for what became of a request, and who answered if not the panel."""
    by = _by(block.actor)
    match block.outcome:
        case None:
            return "?", "waiting for you", "warning"
        case Answered():
            return "✔", f"answered{by}", "success"
        case Allowed():
            return "✔", f"{_allowed(block, block.outcome)}{by}", "success"
        case Discussed():
            return SAID, f"discussed{by} instead", "muted"
        case Declined():
            return "✘", f"declined{by}", "error"
        case Expired():
            return "■", "no answer: nobody answered in time", "muted"
        case Denied():
            return "✘", f"denied{by}", "error"
        case Cancelled(reason) if reason == ROUNDS_USED:
            return "■", f"not asked: {reason}", "muted"
        case Cancelled(reason):
            return "■", f"cancelled: {one_line(reason, 200)}" if reason else "cancelled", "muted"


def _allowed(block: RequestBlock, outcome: Allowed) -> str:
    if not isinstance(block, PlanBlock):
        return "allowed"
    how = " as edited by you" if outcome.plan else ""
    name = MODES[outcome.mode][0] if outcome.mode in MODES else ""
    return f"approved{how}{f' · {name} mode' if name else ''}"


def _title(pen: Pen, title: str, block: RequestBlock, width: int) -> list[Text]:
    sign, words, colour = _told(block)
    colours = pen.colours
    body = Text.assemble(
        (title, colours["strong"]),
        ("  ", Style.null()),
        (f"{sign} {words}", colours[colour]),
        (clock(block.settled), colours["muted"]),
    )
    return pen.hang(Text("◆ ", colours["accent"]), body, width)


def question_card(pen: Pen, block: QuestionBlock, width: int) -> list[Text]:
    """Draw a question set: its title while it waits, then every question with options and answers."""
    questions = block.request.questions.questions
    title = "Claude asked" if len(questions) == 1 else f"Claude asked {len(questions)} questions"
    lines = _title(pen, title, block, width)
    if block.outcome is None:
        # The panel has the options; what led to the question is what should be in sight above.
        for question in questions:
            said = Text(safe(question.text, limit=LABEL_LIMIT), pen.colours["muted"])
            lines.extend(_barred(pen, pen.hang(Text(), said, width - 3)))
        return lines
    answers = block.outcome.answers if isinstance(block.outcome, Answered | Discussed) else ()
    for number, question in enumerate(questions):
        answer = answers[number] if number < len(answers) else None
        if number:
            lines.append(Text(" │", pen.colours["faint"]))
        lines.extend(_barred(pen, _question(pen, question, answer, width - 3)))
    if isinstance(block.outcome, Discussed):
        said = Text(safe(block.outcome.text, limit=TEXT_LIMIT))
        lines.extend(_barred(pen, pen.hang(Text(f"{SAID} ", pen.colours["accent"]), said, width - 3)))
    return lines


def _barred(pen: Pen, lines: list[Text] | Iterator[Text]) -> list[Text]:
    return [Text.assemble((" │ ", pen.colours["faint"]), line) for line in lines]


def _question(pen: Pen, question: Question, answer: Answer | None, width: int) -> Iterator[Text]:
    header = one_line(question.header, 40)
    prefix = Text(f"{header}  " if header and header != one_line(question.text, 40) else "")
    prefix.stylize(pen.colours["heading"])
    asked = Text(safe(question.text, limit=TEXT_LIMIT))
    if prefix.cell_len > width // 3:
        yield from pen.hang(Text(), prefix, width)
        prefix = Text()
    yield from pen.hang(Text(), prefix + asked, width)
    for option in question.options:
        chosen = answer is not None and option.label in answer.selected
        yield from _option(pen, option, width, chosen=chosen, multi=question.multi_select)
    if answer is not None:
        yield from _answer(pen, question, answer, width)


def _option(pen: Pen, option: Option, width: int, *, chosen: bool, multi: bool) -> list[Text]:
    style = pen.colours["success"] + Style(bold=True) if chosen else pen.colours["muted"]
    label = safe(shown_label(option.title), limit=LABEL_LIMIT)
    return pen.hang(Text(f"  {MARKS[multi][chosen]} ", style), Text(label, style), width)


def _answer(pen: Pen, question: Question, answer: Answer, width: int) -> Iterator[Text]:
    colours = pen.colours
    if answer.other:
        said = safe(answer.other, limit=TEXT_LIMIT)
        if question.kind is Kind.NUMBER and question.unit:
            said = f"{said} {one_line(question.unit, 40)}"
        sign = f"  {MARKS[question.multi_select][True]} Other: " if question.kind is Kind.CHOICE else "  → "
        style = colours["success"] + Style(bold=True)
        yield from pen.hang(Text(sign, style), Text(said, style), width)
    elif not answer.selected:
        yield Text(f"  → {NONE_SELECTED}" if answer.empty else f"  – {NO_ANSWER}", colours["muted"])
    if answer.unselected:
        left = Text(safe(answer.unselected, limit=TEXT_LIMIT), colours["muted"])
        yield from pen.hang(Text(f"  {UNSELECTED}", colours["muted"]), left, width)
    if answer.note:
        note = Text(safe(answer.note, limit=TEXT_LIMIT))
        yield from pen.hang(Text("  ✎ ", colours["muted"]), note, width)


def permission_line(pen: Pen, block: PermissionBlock, width: int) -> list[Text]:
    """Draw a permission and its outcome, under the call that it is for where that is shown."""
    colours = pen.colours
    sign, words, colour = _told(block)
    if block.outcome is None:
        words = "waiting for your permission"
    body = Text.assemble((f"{sign} {words}", colours[colour]), (clock(block.settled), colours["muted"]))
    if isinstance(block.outcome, Allowed) and block.outcome.suggestion is not None:
        granted = block.outcome.suggestion
        body.append(f" · {what(granted)} · {where(granted)}", colours["muted"])
    if isinstance(block.outcome, Allowed | Denied) and block.outcome.text:
        body.append(f": {safe(block.outcome.text, limit=TEXT_LIMIT)}")
    if block.attached:
        return pen.hang(Text("  ⎿ ", colours["faint"]), body, width)
    request = block.request
    called = f"{tool_title(request.tool)} {main_argument(request.tool, request.input)}"
    return pen.hang(Text("◆ ", colours["accent"]), Text(one_line(called, 200) + "  ") + body, width)


def plan_title(pen: Pen, block: PlanBlock, width: int) -> list[Text]:
    """Draw the first line of a plan, and what was said to it."""
    outcome = block.outcome
    lines = _title(pen, "Claude proposed a plan", block, width)
    if isinstance(outcome, Allowed | Denied) and outcome.text:
        said = Text(safe(outcome.text, limit=TEXT_LIMIT))
        lines.extend(pen.hang(Text(f" {SAID} ", pen.colours["accent"]), said, width))
    return lines

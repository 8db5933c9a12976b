"""Heads of blocks as lines: tool calls, thinking, notices, errors, retries, results, requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from rich.style import Style
from rich.text import Text

from ccq_tui.agent.events import Retrying
from ccq_tui.agent.problems import ADVICE, Problem
from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.call_results import ROUNDS_USED
from ccq_tui.inbox.layout import duration
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied
from ccq_tui.inbox.suggestions import MODES, lasting
from ccq_tui.questions import (
    Answer,
    Answered,
    Declined,
    Discussed,
    Dismissed,
    Expired,
    Kind,
    Option,
    Question,
)
from ccq_tui.questions.prose import LEFT_EMPTY, NO_ANSWER, NONE_SELECTED, UNSELECTED, answer_line, shown_label
from ccq_tui.text import one_line, plural, safe
from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.blocks import (
    FormBlock,
    PermissionBlock,
    PlanBlock,
    QuestionBlock,
    RequestBlock,
)
from ccq_tui.widgets.transcript.code import folded
from ccq_tui.widgets.transcript.pen import Pen
from ccq_tui.widgets.transcript.tool_result import told
from ccq_tui.widgets.transcript.tools import (
    LIMIT,
    READING,
    ToolCard,
    main_argument,
    short_argument,
    tool_title,
)

NOT_IN_TIME = "no answer: nobody answered in time"

_STATES = {
    bl.ToolState.RUNNING: ("▸", "warning"),
    bl.ToolState.OK: ("✔", "success"),
    bl.ToolState.FAILED: ("✘", "error"),
    bl.ToolState.STOPPED: ("■", "muted"),
}
_LEVELS = {"warning": ("⚠", "warning"), "error": ("✘", "error"), "done": ("✔", "success")}
_USUAL_ENDS = frozenset({"", "success", "completed", "end_turn", "result"})
_ENDS = {"hook_stopped": "stopped by a hook"}
ERROR_LIMIT = 4_000
LEAST_WAIT = 1.0
"""Fewest seconds of waiting for a person that a turn's line mentions."""


def tool_head(pen: Pen, block: bl.ToolBlock, width: int) -> list[Text]:
    """Draw a tool call: one line, its whole argument while unfolded, and its permission and task below."""
    if block.folded and block.inner and block.card in READING:
        return [_gathered(pen, block, width)]
    lines = _called(pen, block, width)
    if block.permission is not None:
        lines += permission_line(pen, block.permission, width)
    if block.task is not None or block.inner:
        lines += _task_line(pen, block, width)
    return lines


def _gathered(pen: Pen, block: bl.ToolBlock, width: int) -> Text:
    """Draw reads and searches in a row as one line."""
    calls = [block, *(one for one in block.inner if isinstance(one, bl.ToolBlock))]
    files = {str(one.input.get("file_path", one.id)) for one in calls if one.card is ToolCard.FILE}
    searches = sum(one.card is ToolCard.SEARCH for one in calls)
    counts = (f"Read {plural(len(files), 'file')}" if files else "", searches and plural(searches, "search"))
    seconds = max(one.started + one.seconds for one in calls) - block.started
    sign, colour = _STATES[block.state]
    line = Text.assemble(
        (f"{sign} ", pen.colours[colour]),
        (", ".join(str(count) for count in counts if count), pen.colours["strong"]),
        (f" · {duration(seconds)}" if seconds >= 0.05 else "", pen.colours["muted"]),
    )
    line.truncate(width, overflow="ellipsis")
    return line


def _called(pen: Pen, block: bl.ToolBlock, width: int) -> list[Text]:
    colours = pen.colours
    sign, colour = _STATES[block.state]
    title = Text.assemble(
        (f"{sign} ", colours[colour]), (one_line(tool_title(block.tool), 40), colours["strong"])
    )
    argument = block.entry.text if block.entry else main_argument(block.tool, block.input)
    argument = short_argument(block.tool, argument, block.directory)
    if argument:
        title.append(" ")
    failed = block.state is bl.ToolState.FAILED
    said = one_line(told(block), 300)
    after = Text.assemble(
        (f" · {said}" if said else "", colours["error" if failed else "muted"]),
        (_elapsed(block), colours["muted"]),
    )
    if not block.folded:
        whole = Text(safe(argument, limit=LIMIT)) + after
        return pen.hang(title, whole, width, code=True)
    first, *others = argument.strip("\n").split("\n")
    rest = Text(f" … {plural(len(others), 'more line')}" if others else "", colours["muted"])
    room = max(0, width - title.cell_len - rest.cell_len)
    # The argument identifies the call, the outcome its result: neither may push the other out.
    least = min(Text(first[:room]).cell_len, max(12, room // 3))
    after.truncate(max(room - least, 8), overflow="ellipsis")
    shown = Text(one_line(first, max(1, width)))
    shown.truncate(max(0, room - after.cell_len), overflow="ellipsis")
    # The sign that the first line is cut also stands for the others.
    line = Text.assemble(title, shown, rest[2:] if others and shown.plain.endswith("…") else rest, after)
    line.truncate(width, overflow="ellipsis")
    return [line]


def _elapsed(block: bl.ToolBlock) -> str:
    if block.state is bl.ToolState.RUNNING:
        return f" · {duration(block.seconds)}" if block.seconds >= 1 else ""
    return f" · {duration(block.seconds)}" if block.seconds >= 0.05 else ""


def _task_line(pen: Pen, block: bl.ToolBlock, width: int) -> list[Text]:
    """Draw the progress of a subagent, or a summary of its folded work."""
    task = block.task
    facts = []
    if task is not None and block.state is bl.ToolState.RUNNING:
        facts.append(one_line(task.doing, 200))
    tools = task.tools if task is not None else sum(isinstance(b, bl.ToolBlock) for b in block.inner)
    facts.append(plural(tools, "tool") if tools else "")
    facts.append(plural(task.tokens, "token") if task is not None and task.tokens else "")
    facts.append(f"{key_of('unfold')} shows its work" if block.inner else "")
    text = " · ".join(fact for fact in facts if fact)
    if not text:
        return []
    line = Text.assemble(("  ⎿ ", pen.colours["faint"]), (text, pen.colours["muted"]))
    line.truncate(width, overflow="ellipsis")
    return [line]


def thinking_head(pen: Pen, block: bl.ThinkingBlock, width: int) -> list[Text]:
    word = "Thought" if block.document.finished else "Thinking…"
    text = f"✻ {word} · {block.characters:,} characters"
    line = Text(text, pen.colours["muted"] + Style(italic=True))
    line.truncate(width, overflow="ellipsis")
    return [line]


PROMPT_START, PROMPT_END = 5, 3
"""Lines of a folded prompt that are shown at its start and its end."""


def prompt_fold(pen: Pen, block: bl.PromptBlock, width: int) -> list[Text]:
    """Draw the first and last lines of a long prompt, which often stand around a paste; count the rest."""
    first = block.text[: PROMPT_START * 200].split("\n", PROMPT_START)[:PROMPT_START]
    last = block.text[-PROMPT_END * 200 :].rsplit("\n", PROMPT_END)[-PROMPT_END:]
    start, end = (folded(Text(safe("\n".join(some))), max(1, width)) for some in (first, last))
    hidden = block.lines - len(first) - len(last)
    more = f"… {hidden:,} more lines" if hidden > 1 else f"… {len(block.text):,} characters in all"
    return [*start[:PROMPT_START], Text(more, pen.colours["muted"]), *end[-PROMPT_END:]]


def notice(pen: Pen, block: bl.NoticeBlock, width: int) -> list[Text]:
    """Draw a notice of the CLI or the program."""
    sign, colour = _LEVELS.get(block.level, ("·", "muted"))
    style = pen.colours[colour]
    is_diff = block.level == "diff"
    text = Text(safe(block.text, limit=LIMIT if is_diff else ERROR_LIMIT), style)
    if is_diff:
        text = Text("\n").join(_diff_lines(pen, text.split("\n", allow_blank=True)))
    return pen.hang(Text(f"{sign} ", style), text, width)


def _diff_lines(pen: Pen, lines: Iterable[Text]) -> Iterator[Text]:
    """Colour the added and removed lines of a file; the first line names the file."""
    colours = {"+": "success", "-": "error"}
    for number, line in enumerate(lines):
        if number and (colour := colours.get(line.plain[:1])):
            line.stylize(pen.colours[colour])
        yield line


def retry(pen: Pen, block: bl.RetryBlock, width: int) -> list[Text]:
    """Draw the retry of a request to the model, and the seconds until then."""
    event = block.event
    attempts = f"attempt {event.attempt} of {event.max_attempts}"
    what = "Retried" if block.over else f"Retrying in {block.left} s" if block.left else "Retrying now"
    style = pen.colours["muted" if block.over else "warning"]
    text = f"{what}, {attempts} · {_why(event)}"
    return pen.hang(Text("↻ ", style), Text(text, style), width)


_WHY = {
    "rate_limit": "the rate limit is reached",
    "overloaded": "the API is overloaded",
    "server_error": "the API failed",
    "authentication_failed": "the API key or sign-in was refused",
    "timeout": "the API did not answer in time",
}


def _why(event: Retrying) -> str:
    """Return why a request is retried; the CLI has no word for a connection that broke."""
    kind = one_line(event.error.replace("_", " "), 300)
    unnamed = "the API failed" if event.status else "the connection broke"
    why = _WHY.get(event.error) or (unnamed if kind in ("", "unknown") else kind)
    return f"{why} ({event.status})" if event.status else why


def result(pen: Pen, block: bl.ResultBlock, width: int) -> list[Text]:
    """Draw the end of a turn: its time of work, its tokens, its cost; waiting for a person apart."""
    event, colours = block.event, pen.colours
    facts = [duration(event.worked)]
    if event.waited >= LEAST_WAIT:
        facts.append(f"waited {duration(event.waited)} for you")
    if event.input_tokens or event.output_tokens:
        facts.append(f"{event.input_tokens:,} → {event.output_tokens:,} tokens")
    if event.turn_cost is not None:
        facts.append(f"${event.turn_cost:.4f}" if event.turn_cost < 1 else f"${event.turn_cost:.2f}")
    body = Text(" · ".join(facts), colours["muted"])
    if event.is_error or event.reason not in _USUAL_ENDS:
        interrupted = event.reason.startswith("aborted")
        words = _ENDS.get(event.reason) or one_line(event.reason.replace("_", " "), 200) or "failed"
        reason = "interrupted" if interrupted else words
        colour = "error" if event.is_error and not interrupted else "warning"
        body = Text.assemble((reason, colours[colour]), " · ", body)
    return pen.hang(Text("─ ", colours["faint"]), body, width)


def rule(pen: Pen, block: bl.RuleBlock, width: int) -> list[Text]:
    """Draw a line across with words in it."""
    word = f" {one_line(block.text, max(1, width - 8))} "
    line = Text.assemble(("──", pen.colours["faint"]), (word, pen.colours["muted"]))
    line.append("─" * max(0, width - line.cell_len), pen.colours["faint"])
    return [line]


def error(pen: Pen, block: bl.ErrorBlock, width: int) -> list[Text]:
    """Draw an error: its cause, its details, its remedy, and the key for it while that works."""
    colours = pen.colours
    known = ADVICE.get(block.kind)
    title = Text(known.cause if known else _words(block.kind), colours["error"] + Style(bold=True))
    if block.kind == Problem.CUT_OFF:
        offer = f" · {one_line(block.offer, 100)}" if block.offer else ""
        line = Text.assemble(safe(block.text, limit=ERROR_LIMIT), (offer, colours["accent"]))
        return pen.hang(Text("⚠ ", colours["warning"]), line, width)
    if block.times > 1:
        title.append(f" · {block.times} times", colours["muted"])
    lines = pen.hang(Text("✘ ", colours["error"]), title, width)
    if text := safe(block.text.strip(), limit=ERROR_LIMIT):
        lines += pen.hang(Text("  "), Text(text), width)
    if known:
        lines += pen.hang(Text("  → ", colours["accent"]), Text(known.remedy), width)
    if block.offer:
        lines += pen.hang(Text("  "), Text(one_line(block.offer, 100), colours["accent"]), width)
    return lines


def _words(kind: str) -> str:
    words = one_line(kind.replace("_", " "), 60) or "error"
    return words[:1].upper() + words[1:]


LONGEST_SERVER = 60
TEXT_LIMIT = 4_000
"""Most characters shown of a question or a note."""
LABEL_LIMIT = 1_000
MARKS = {False: ("○", "●"), True: ("◻", "◼")}
"""(off, on) for single and for multi select."""
SAID = "»"
"""Sign before the person's prose; a note has its own."""


def clock(moment: datetime | None) -> str:
    """Return the time of day to show beside an answer."""
    return "" if moment is None else f" · {moment:%H:%M}"


def _by(actor: Actor | None) -> str:
    """Return who answered; "" if unknown, and for the panel of this very session."""
    where = "" if actor is None else actor.where_from_here
    return f" {where}" if actor and where != Actor(Surface.PANEL).where else ""


def _told(block: RequestBlock) -> tuple[str, str, str]:
    """Return sign, words and colour of a request's outcome, with who answered unless the panel did."""
    by = _by(block.actor)
    match block.outcome:
        case None:
            return "?", "waiting for you", "warning"
        case Answered():
            done = "accepted" if isinstance(block, FormBlock) else "answered"
            return "✔", f"{done}{by}", "success"
        case Allowed():
            return "✔", f"{_allowed(block, block.outcome)}{by}", "success"
        case Discussed():
            return SAID, f"discussed{by} instead", "muted"
        case Declined() | Denied():
            return "✘", f"{'denied' if isinstance(block.outcome, Denied) else 'declined'}{by}", "error"
        case Dismissed():
            return "■", f"cancelled{by}, without a decision", "muted"
        case Expired():
            return "■", NOT_IN_TIME, "muted"
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
    """Draw a question set: its questions while it waits, later also options and answers."""
    questions = block.request.questions.questions
    title = "Claude asked" if len(questions) == 1 else f"Claude asked {len(questions)} questions"
    lines = _title(pen, title, block, width)
    if block.outcome is None:
        # The panel shows the options; the text that led to the question should stay in sight above.
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


def form_card(pen: Pen, block: FormBlock, width: int) -> list[Text]:
    """Draw a form or a link of an MCP server: its message and, once accepted, the values."""
    request, colours = block.request, pen.colours
    kind = "Link" if request.url else "Form"
    lines = _title(pen, f"{kind} of {one_line(request.server, LONGEST_SERVER)}", block, width)
    form = request.form
    about: list[Text] = []
    for sign, text in (("", request.message), ("", request.url), ("⚠ ", form.problem)):
        if text:
            about += pen.hang(Text(sign, colours["warning"]), Text(safe(text, limit=TEXT_LIMIT)), width - 3)
    answers = block.outcome.answers if isinstance(block.outcome, Answered) else ()
    for question, answer in zip(form.questions.questions, answers, strict=False):
        lead = Text(f"{one_line(question.text, 40)}  " if form.fields else "→ ", colours["heading"])
        value = answer_line(answer) if answer.given else LEFT_EMPTY
        style = colours["success" if answer.given else "muted"]
        about += pen.hang(lead, Text(safe(value, limit=TEXT_LIMIT), style), width - 3)
    return lines + _barred(pen, about)


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
    """Draw a permission and its outcome, under its call if that is shown."""
    colours = pen.colours
    sign, words, colour = _told(block)
    if block.outcome is None:
        words = "waiting for your permission"
    body = Text.assemble((f"{sign} {words}", colours[colour]), (clock(block.settled), colours["muted"]))
    if isinstance(block.outcome, Allowed) and block.outcome.suggestion is not None:
        granted = block.outcome.suggestion
        body.append(f" · {lasting(granted)}", colours["muted"])
    if isinstance(block.outcome, Allowed | Denied) and block.outcome.text:
        body.append(f": {safe(block.outcome.text, limit=TEXT_LIMIT)}")
    if block.attached:
        return pen.hang(Text("  ⎿ ", colours["faint"]), body, width)
    request = block.request
    called = f"{tool_title(request.tool)} {main_argument(request.tool, request.input)}"
    return pen.hang(Text("◆ ", colours["accent"]), Text(one_line(called, 200) + "  ") + body, width)


def plan_title(pen: Pen, block: PlanBlock, width: int) -> list[Text]:
    """Draw the first line of a plan, and the person's words about it."""
    outcome = block.outcome
    lines = _title(pen, "Claude proposed a plan", block, width)
    if isinstance(outcome, Allowed | Denied) and outcome.text:
        said = Text(safe(outcome.text, limit=TEXT_LIMIT))
        lines.extend(pen.hang(Text(f" {SAID} ", pen.colours["accent"]), said, width))
    return lines

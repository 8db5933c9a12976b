"""Heads of blocks as lines: tool calls, thinking, notices, errors, retries, results, requests."""

from collections.abc import Iterable, Iterator

from rich.style import Style
from rich.text import Text

from ccq_tui import signs
from ccq_tui.agent.problems import ADVICE, Problem
from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.requests import Allowed, Denied
from ccq_tui.questions import Answer, Answered, Discussed, Kind, Question
from ccq_tui.questions.prose import LEFT_EMPTY, NO_ANSWER, NONE_SELECTED, UNSELECTED, answer_line, shown_label
from ccq_tui.text import one_line, safe
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.outcomes import (
    TEXT_LIMIT,
    ending_words,
    outcome_words,
    permission_words,
    result_line,
    retry_words,
    turn_words,
)
from ccq_tui.transcript.tools import LIMIT, READING, ToolCard, main_argument, short_argument, tool_title
from ccq_tui.widgets.question.parts import MARKS
from ccq_tui.widgets.transcript.code import folded
from ccq_tui.widgets.transcript.pen import Pen
from ccq_tui.words import duration, plural

_STATES = {
    bl.ToolState.RUNNING: (signs.WORKS, "success"),
    bl.ToolState.OK: (signs.DONE, "success"),
    bl.ToolState.FAILED: (signs.FAILED, "error"),
    bl.ToolState.STOPPED: (signs.STOPPED, "muted"),
}
_LEVELS = {"warning": ("⚠", "warning"), "error": (signs.FAILED, "error"), "done": (signs.DONE, "success")}
ERROR_LIMIT = 4_000


def tool_head(pen: Pen, block: bl.ToolBlock, width: int) -> list[Text]:
    """Draw a tool call: one line, its whole argument while unfolded, and its permission and task below."""
    if block.folded and block.inner and block.card in READING:
        return _gathered(pen, block, width)
    state = bl.ToolState.STOPPED if block.refused else block.state
    lines = _called(pen, block, width, state, one_line(result_line(block), 300))
    if block.task is not None or block.inner:
        lines += _task_line(pen, block, width)
    return lines


def _cut(line: Text, width: int) -> list[Text]:
    line.truncate(width, overflow="ellipsis")
    return [line]


def _gathered(pen: Pen, block: bl.ToolBlock, width: int) -> list[Text]:
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
    return _cut(line, width)


def _called(pen: Pen, block: bl.ToolBlock, width: int, state: bl.ToolState, result: str) -> list[Text]:
    colours = pen.colours
    sign, colour = _STATES[state]
    if block.permission is not None and block.permission.outcome is None:
        sign, colour = signs.REQUESTS["permission"], "warning"
    title = Text.assemble(
        (f"{sign} ", colours[colour]), (one_line(tool_title(block.tool), 40), colours["strong"])
    )
    argument = block.entry.text if block.entry else main_argument(block.tool, block.input)
    argument = short_argument(block.tool, argument, block.directory)
    if argument:
        title.append(" ")
    failed = block.state is bl.ToolState.FAILED
    permitted = f" · {permission_words(block.permission, whole=not block.folded)}" if block.permission else ""
    least = 1 if block.state is bl.ToolState.RUNNING else 0.05
    elapsed = f" · {duration(block.seconds)}" if block.seconds >= least else ""
    after = Text(f" · {result}" if result else "", colours["error" if failed else "muted"])
    after = Text.assemble(after, (elapsed + permitted, colours["muted"]))
    if not block.folded:
        return pen.hang(title, Text(safe(argument, limit=LIMIT)) + after, width, code=True)
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
    return _cut(line, width)


def _task_line(pen: Pen, block: bl.ToolBlock, width: int) -> list[Text]:
    """Draw the progress of a subagent, or a summary of its folded work."""
    task, running = block.task, block.state is bl.ToolState.RUNNING
    tools = task.tools if task is not None else sum(isinstance(b, bl.ToolBlock) for b in block.inner)
    facts = (
        one_line(task.doing, 200) if task is not None and running else "",
        plural(tools, "tool") if tools else "",
        plural(task.tokens, "token") if task is not None and task.tokens else "",
        f"{key_of('unfold')} shows its work" if block.inner else "",
    )
    text = " · ".join(fact for fact in facts if fact)
    if not text:
        return []
    return _cut(Text.assemble(("  ⎿ ", pen.colours["faint"]), (text, pen.colours["muted"])), width)


def thinking_head(pen: Pen, block: bl.ThinkingBlock, width: int) -> list[Text]:
    word = "Thought" if block.document.finished else "Thinking…"
    text = f"{signs.WORKS} {word} · {block.document.length:,} characters"
    return _cut(Text(text, pen.colours["muted"] + Style(italic=True)), width)


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
    if is_diff:  # the first line names the file
        text.highlight_regex(r"\n\+[^\n]*", pen.colours["success"])
        text.highlight_regex(r"\n-[^\n]*", pen.colours["error"])
    return pen.hang(Text(f"{sign} ", style), text, width)


def retry(pen: Pen, block: bl.RetryBlock, width: int) -> list[Text]:
    """Draw the retry of a request to the model, and the seconds until then."""
    event = block.event
    what = "Retried" if block.over else f"Retrying in {block.left} s" if block.left else "Retrying now"
    style = pen.colours["muted" if block.over else "warning"]
    return pen.hang(Text("↻ ", style), Text(f"{what}, {retry_words(event)}", style), width)


def result(pen: Pen, block: bl.ResultBlock, width: int) -> list[Text]:
    """Draw the end of a turn: its time of work, its tokens, its cost; waiting for a person apart."""
    event, colours = block.event, pen.colours
    body = Text(turn_words(event), colours["muted"])
    if ending := ending_words(event):
        colour = "error" if event.is_error and ending != "interrupted" else "warning"
        body = Text.assemble((ending, colours[colour]), " · ", body)
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
    kind = one_line(block.kind.replace("_", " "), 60) or "error"
    title = Text(known.cause if known else kind[:1].upper() + kind[1:], colours["error"] + Style(bold=True))
    if block.kind == Problem.CUT_OFF:
        offer = f" · {one_line(block.offer, 100)}" if block.offer else ""
        line = Text.assemble(safe(block.text, limit=ERROR_LIMIT), (offer, colours["accent"]))
        return pen.hang(Text("⚠ ", colours["warning"]), line, width)
    if block.times > 1:
        title.append(f" · {block.times} times", colours["muted"])
    lines = pen.hang(Text(f"{signs.FAILED} ", colours["error"]), title, width)
    if text := safe(block.text.strip(), limit=ERROR_LIMIT):
        lines += pen.hang(Text("  "), Text(text), width)
    if known:
        lines += pen.hang(Text("  → ", colours["accent"]), Text(known.remedy), width)
    if block.offer:
        lines += pen.hang(Text("  "), Text(one_line(block.offer, 100), colours["accent"]), width)
    return lines


START, END = 1, 2
"""Lines that a folded question keeps at its start and at its end."""
QUOTED = "»"
"""Sign before the person's prose; a note has its own."""


def _title(pen: Pen, block: bl.RequestBlock, width: int, title: str, *words: str) -> list[Text]:
    """Draw the first line of a request; it takes one line while it waits, and its panel has the rest."""
    about = "".join(f" · {part}" for part in words if part)
    body = Text.assemble((title, pen.colours["strong"]), (about, pen.colours["muted"]))
    if block.outcome is None:
        body.truncate(max(1, width - 2), overflow="ellipsis")
    sign, colour = (signs.WAITS, "warning") if block.outcome is None else (signs.STOPPED, "muted")
    if isinstance(block.outcome, Allowed | Answered | Discussed):
        sign, colour = signs.DONE, "success"
    return pen.hang(Text(f"{sign} ", pen.colours[colour]), body, width)


def question_card(pen: Pen, block: bl.QuestionBlock, width: int) -> list[Text]:
    """Draw a question set: one line while it waits, and where nothing was answered until it is unfolded."""
    questions, outcome = block.request.questions.questions, block.outcome
    count = f" {len(questions)} questions" if len(questions) > 1 else ""
    title = f"Claude {'asks' if outcome is None else 'asked'}{count}"
    short = outcome is None or (block.folded and not isinstance(outcome, Answered | Discussed))
    more = key_of("unfold") if short and outcome else ""
    about = "" if count else one_line(questions[0].header, 40)
    lines = _title(pen, block, width, title, about, outcome_words(block), more)
    answers: tuple[Answer | None, ...] = getattr(outcome, "answers", ()) or (None,) * len(questions)
    for question, answer in () if short else zip(questions, answers, strict=False):
        lines += [Text()] * (question is not questions[0])
        lines += _under(_asked(pen, block, question.text, width - 2))
        lines += _under(_answered(pen, block, question, answer, width - 2))
    if isinstance(outcome, Discussed):
        message = Text(safe(outcome.text, limit=TEXT_LIMIT))
        lines += _under(_own(pen, block, Text(f"{QUOTED} ", pen.colours["accent"]), message, width - 2))
    return lines


def form_card(pen: Pen, block: bl.FormBlock, width: int) -> list[Text]:
    """Draw a form or a link of an MCP server: its message and, once accepted, the values."""
    request, colours = block.request, pen.colours
    kind = "Link" if request.url else "Form"
    title = f"{kind} of {one_line(request.server, 60)}"
    lines = _title(pen, block, width, title, outcome_words(block))
    if block.outcome is None:
        return lines
    form = request.form
    about: list[Text] = []
    for sign, text in (("", request.message), ("", request.url), ("⚠ ", form.problem)):
        if text:
            about += pen.hang(Text(sign, colours["warning"]), Text(safe(text, limit=TEXT_LIMIT)), width - 2)
    answers = block.outcome.answers if isinstance(block.outcome, Answered) else ()
    for question, answer in zip(form.questions.questions, answers, strict=False):
        lead = Text(f"{one_line(question.text, 40)}  " if form.names else "→ ", colours["strong"])
        value = answer_line(answer) if answer.given else LEFT_EMPTY
        style = colours["success" if answer.given else "muted"]
        about += pen.hang(lead, Text(safe(value, limit=TEXT_LIMIT), style), width - 2)
    return lines + _under(about)


def _under(lines: Iterable[Text]) -> list[Text]:
    return [Text.assemble("  ", line) for line in lines]


def _asked(pen: Pen, block: bl.QuestionBlock, question: str, width: int) -> list[Text]:
    """Draw a question; where it is long and folded, its start, and its end, which is what is asked."""
    lines = pen.hang(Text(), Text(safe(question, limit=TEXT_LIMIT)), width)
    if not (block.folded and block.foldable) or len(lines) <= START + END + 1:
        return lines
    sign = f" … {len(lines) - START - END} lines · {key_of('unfold')} …"
    first = lines[0].plain[: max(1, width - len(sign))].rpartition(" ")[0]
    return [Text.assemble(first, (sign, pen.colours["muted"])), *lines[-END:]]


def _own(pen: Pen, block: bl.QuestionBlock, sign: Text, body: Text, width: int) -> list[Text]:
    """Draw words of the person; where they are long and folded, their first and last lines."""
    lines = pen.hang(sign, body, width)
    if not (block.folded and block.foldable) or len(lines) <= bl.FOLD_LINES:
        return lines
    more = plural(len(lines) - PROMPT_START - PROMPT_END, "more line")
    rest = Text(f"{' ' * sign.cell_len}… {more} · {key_of('unfold')}", pen.colours["muted"])
    return [*lines[:PROMPT_START], rest, *lines[-PROMPT_END:]]


def _answered(
    pen: Pen, block: bl.QuestionBlock, question: Question, answer: Answer | None, width: int
) -> Iterator[Text]:
    muted = pen.colours["muted"]
    taken = answer.selected if answer is not None else ()
    labels = [(one.label in taken, one_line(shown_label(one.title), 1_000)) for one in question.options]
    chosen, others = ([label for on, label in labels if on is which] for which in (True, False))
    left = f"{MARKS[question.multi_select][False]} {' · '.join(others)}" if others else ""
    rows = [_answer(pen, question, answer, chosen)] if answer is not None else []
    rows += [Text(left, muted)] if left else []
    line = Text("  ").join([Text(), *rows])
    if line.cell_len <= width and "\n" not in line.plain:
        yield from [line] if rows else []
    else:
        for depth, row in enumerate(rows, 1):
            yield from _own(pen, block, Text("  " * depth) + row[:2], row[2:], width)
    if answer is not None and answer.unselected:
        yield from pen.hang(Text(f"  {UNSELECTED}", muted), Text(safe(answer.unselected), muted), width)
    if answer is not None and answer.note:
        yield from _own(pen, block, Text("  ✎ ", muted), Text(safe(answer.note, limit=TEXT_LIMIT)), width)


def _answer(pen: Pen, question: Question, answer: Answer, chosen: list[str]) -> Text:
    own, choice = safe(answer.other, limit=TEXT_LIMIT), question.kind is Kind.CHOICE
    if own and question.kind is Kind.NUMBER and question.unit:
        own += f" {one_line(question.unit, 40)}"
    words = " · ".join([*chosen, *([f"“{own}”" if choice else own] if own else [])])
    if words:
        sign = MARKS[question.multi_select][True] if choice else "→"
        return Text(f"{sign} {words}", pen.colours["accent"] + Style(bold=True))
    return Text(f"→ {NONE_SELECTED}" if answer.empty else f"– {NO_ANSWER}", pen.colours["muted"])


def permission_line(pen: Pen, block: bl.PermissionBlock, width: int) -> list[Text]:
    """Draw a permission whose call is not shown, as its call."""
    ended = bl.ToolState.OK if isinstance(block.outcome, Allowed) else bl.ToolState.STOPPED
    call = bl.ToolBlock("", block.request.tool, block.request.input, 0.0)
    call.permission, call.folded = block, block.folded
    return _called(pen, call, width, bl.ToolState.RUNNING if block.outcome is None else ended, "")


def plan_title(pen: Pen, block: bl.PlanBlock, width: int) -> list[Text]:
    """Draw the first line of a plan, and the person's words about it."""
    outcome = block.outcome
    count = block.document.text.strip().count("\n") + 1
    words = "" if outcome is None and block.place is bl.RequestPlace.OPEN else outcome_words(block)
    lines = _title(pen, block, width, "Plan", plural(count, "line"), words)
    if isinstance(outcome, Allowed | Denied) and outcome.text:
        message = Text(safe(outcome.text, limit=TEXT_LIMIT))
        lines.extend(pen.hang(Text(f" {QUOTED} ", pen.colours["accent"]), message, width))
    return lines

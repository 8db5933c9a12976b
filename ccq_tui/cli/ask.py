"""The command that puts a form or one question to a person."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ccq_tui import DOCS
from ccq_tui.bounded import JSON_BYTES, parse_json, parse_toml
from ccq_tui.cli.exits import ASK_CRASHED, ENDED, INTERRUPTED, Refused, refusing
from ccq_tui.cli.options import seconds_in, switch, with_flags
from ccq_tui.cli.session import before_keys, shown_early
from ccq_tui.config.paths import inbox_path
from ccq_tui.forms.reading import FormFileError, GivenError, find_form, form_of, read_given
from ccq_tui.heights import cap, is_low
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.output import echo
from ccq_tui.preboot_input import EarlyPrompt
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, Declined, Dismissed, Question, QuestionSet
from ccq_tui.questions.limits import allowed_words
from ccq_tui.questions.model import Asked
from ccq_tui.questions.prose import answer_line
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.text import one_line, reason, safe
from ccq_tui.words import spoken

if TYPE_CHECKING:
    from ccq_tui.forms.filling import Filling, FormEnd
    from ccq_tui.plain.answering import End
    from ccq_tui.plain.lines import Lines

Show = Callable[["Filling"], Awaitable[object]]
Write = Callable[[Mapping[str, Any]], None]

T = TypeVar("T")
REFUSED = 1
"""The answer to --confirm is no."""
DECLINED = 4
NAME, SCRIPT = "ccq-tui ask", "A script"
"""Who asks a form, and one question."""
INACTIVE_SECONDS = 1800.0
"""Seconds without a key after which a form at a terminal closes by default."""
ALONE = "A secret is asked at the terminal alone"
_KINDS = {
    "text": ("text", "a text"),
    "lines": ("multiline", "a text of several lines"),
    "number": ("number", "a number"),
    "date": ("date", "a date, such as 2026-01-31"),
    "confirm": ("confirm", "yes or no: exit code 0 or 1"),
    "secret": ("secret", "a text that is drawn as dots and kept nowhere"),
}
"""The flags of one question that has no options: its kind, and what it asks for."""
_FLAGS = "--option, --text, --lines, --number, --date, --confirm and --secret"
_FIELD = re.compile(rf"^{NAME}: question 1, (default|max|min|option|pattern|placeholder)\w*", re.MULTILINE)
"""The field of one question that a flag gives; its name begins with the flag's."""
_LIMITS = {
    "multi": ("min_choices", "max_choices"),
    **dict.fromkeys(("text", "lines", "secret"), ("min_length", "max_length")),
}
MOST_BYTES = 200_000
"""Most bytes of options in standard input."""
NARROW = 60
"""Fewest columns in which what the form is about has a column of names."""
STDOUT = "-"
"""The output, form or answers that are no file."""


class AskCommand(click.Command):
    """A command of which exit code 1 is an answer: a crash has a code of its own."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if not hasattr(error, "exit_code"):
                error.exit_code = ASK_CRASHED  # type: ignore[attr-defined]
            raise


@click.command(
    cls=AskCommand,
    epilog="""\b
  ccq-tui ask release.toml --context version=2.1 --output answers.jsonl
  ccq-tui ask "Deploy to production?" --option Yes --option "Only staging"
  ccq-tui ask --confirm "Deploy?" && make deploy

\b
Exit codes:
    0  answered; --confirm: yes
    1  --confirm: no
    2  a form, an answer or an output that cannot be used
    4  declined
   70  crashed
  124  nobody answered in time; the draft is kept
  130  left; the draft is kept

"""
    f"More: {DOCS}/forms.md",
)
@click.argument("form", metavar="FORM|TEXT")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="LABEL[=VALUE]|-",
    help="Ask TEXT, with this option, or one for each line of standard input. Repeatable.",
)
@click.option("--multi", is_flag=True, help="With --option: any number of them.")
@with_flags(*(switch(f"--{name}", f"Ask TEXT for {words}.") for name, (_, words) in _KINDS.items()))
@click.option("--default", "proposed", multiple=True, metavar="ANSWER", help="Propose this answer to TEXT.")
@click.option("--placeholder", metavar="HINT", help="Say in the empty field what to type.")
@click.option("--pattern", metavar="REGEX", help="The text must match this.")
@click.option(
    "--min", "least", type=float, metavar="N", help="The least number, characters, or options of --multi."
)
@click.option("--max", "most", type=float, metavar="N", help="The most of them.")
@click.option("--json", "as_json", is_flag=True, help="With TEXT: print the whole record.")
@click.option("--context", multiple=True, metavar="KEY=VALUE", help="Say what the form is about. Repeatable.")
@click.option("--answers", "answers_file", metavar="FILE|-", help="Answers by question, in JSON or TOML.")
@click.option("--defaults", is_flag=True, help="Take what is proposed where --answers has nothing.")
@click.option(
    "--no-input", is_flag=True, help="Take all from --answers and --defaults; fail if one is missing."
)
@click.option("--output", metavar="FILE|-", help="The record's file; .jsonl gets one more line. [default: -]")
@click.option("--plain", is_flag=True, help="Ask line by line.")
@click.option(
    "--timeout", metavar="T", help="Close after this long without a key. [default: 30m at a terminal]"
)
@click.option("--detach", is_flag=True, help="Ask in the inbox alone, and wait.")
def ask(
    form: str,
    options: tuple[str, ...],
    multi: bool,
    proposed: tuple[str, ...],
    as_json: bool,
    context: tuple[str, ...],
    answers_file: str | None,
    output: str | None,
    timeout: str | None,
    **flags: Any,
) -> int:
    """Ask a person: one question or a form.

    FORM is a file in TOML or JSON, - for standard input, one of your own, or a
    built-in one. TEXT is one question, with --option or a flag of its kind.
    """
    chosen = [*(["multi" if multi else "choice"] if options else []), *(one for one in _KINDS if flags[one])]
    if len(chosen) > 1 or (multi and not options):
        raise Refused(f"{_FLAGS} exclude each other, and --multi needs --option.")
    fields = {name: flags[name] for name in ("placeholder", "pattern")}
    fields["default"] = proposed[0] if len(proposed) == 1 else [*proposed]
    limits = flags["least"], flags["most"]
    if not chosen and (as_json or any(one not in (None, []) for one in (*fields.values(), *limits))):
        fields |= dict.fromkeys(("json", "min", "max"))
        raise Refused(f"--{', --'.join(fields)} are for one question: add one of {_FLAGS}.")
    try:
        if chosen:
            names = _LIMITS.get(chosen[0], ("min", "max"))
            fields |= {name: _whole(one) for name, one in zip(names, limits, strict=True)}
            fields["options"] = [one for text in options for one in _options(text)]
            wanted = question_form(form, _KINDS.get(chosen[0], chosen)[0], fields)
        else:
            wanted = _read(form, find_form)
    except FormFileError as error:
        is_text = re.search(r"[^\w./~@+-]", form) is not None
        hint = f"\nTo ask it as a question, add one of {_FLAGS}." if is_text and not chosen else ""
        raise Refused(_FIELD.sub(r"--\1", str(error)) + hint) from error
    given = _read(answers_file, partial(_answers, wanted)) if answers_file is not None else ()
    seconds = seconds_in("--timeout", timeout)
    if timeout is None and not flags["detach"] and has_terminal():
        seconds = INACTIVE_SECONDS
    return fill(
        wanted,
        _context(context),
        output if output is not None else "" if chosen else STDOUT,
        timeout=seconds,
        given=given,
        **{name: flags[name] for name in ("plain", "detach", "defaults", "no_input")},
        shown=partial(show, as_json=as_json, confirms="confirm" in chosen) if chosen else None,
    )


def fill(
    form: Asked,
    context: Mapping[str, str],
    output: str,
    *,
    plain: bool = False,
    timeout: float | None = INACTIVE_SECONDS,
    detach: bool = False,
    given: Sequence[Answer | None] = (),
    defaults: bool = False,
    no_input: bool = False,
    shown: Callable[[Mapping[str, Any]], int] | None = None,
    replaces: Sequence[object] = (),
) -> int:
    """Have a person fill in a form, here or on another surface, and write its record.

    Args:
        form: The form.
        context: What the form is about, by name.
        output: The file that gets the record (``.jsonl``: one more line), "-" for standard output, or "".
        plain: Whether to ask line by line.
        timeout: Seconds without a key until the form closes, or None.
        detach: Whether to ask in the inbox alone.
        given: The answers to begin with; None where there is none.
        defaults: Whether what the form proposes is given, too.
        no_input: Whether these are recorded without asking anybody.
        shown: Prints a record, and returns the exit code; None to print nothing.
        replaces: The ids of the records of the file that give way to the new one.

    Returns:
        0 recorded, 4 declined, 124 nobody in time, 130 left: the draft is kept.

    Raises:
        Refused: The output cannot be written, the inbox cannot be opened, or given answers are missing.
    """
    if form.questions.secret and (detach or output not in ("", STDOUT)):
        raise Refused(f"{ALONE}: not with --detach, and its record goes to standard output.")
    show: Show = partial(_in_inbox, detach=detach)
    if not (detach or no_input) and has_terminal():
        draw = partial(first_frame, form.questions, context)
        show = _by_lines if goes_by_lines(plain) else _screen(None if given or defaults else draw)
    from ccq_tui.forms.filling import filled, request_of
    from ccq_tui.forms.output import OutputError, check_output, write_record

    given = given or [None] * len(form.names)
    proposed = [page.as_answer() for page in opened(form.questions).pages]
    if defaults:
        given = [one or (by if by.given else None) for one, by in zip(given, proposed, strict=True)]
    state = filled(form.questions, given)
    if no_input and (missing := [tab for tab in state.asked_tabs if state.pages[tab].lacking]):
        takes = {tab: f" (--defaults takes {answer_line(by)})" for tab, by in enumerate(proposed) if by.given}
        words = ", ".join(form.names[tab] + takes.get(tab, "") for tab in missing)
        instead = "; or give one with --default and --defaults" if shown is not None and not takes else ""
        raise Refused(f"--no-input: --answers lacks {words}{instead}.")
    request = request_of(form, context, output, Path.cwd(), NAME if form.questions.title else SCRIPT)
    code: int | None = None

    def write(record: Mapping[str, Any]) -> None:
        nonlocal code
        write_record(request.output, record, replaces)
        if shown is not None:
            try:
                code = shown(record)
            except OSError as error:
                raise OutputError(f"standard output was not written: {reason(error)}") from error

    with refusing(OutputError, InboxError):
        check_output(output or STDOUT * (shown is not None))
        show = partial(_give, state) if no_input else partial(_begun, given, show)
        alone = no_input or form.questions.secret
        result = asyncio.run(_asked(request, show, write, timeout, alone=alone))
    ended = _ended(result, form.questions.kept)
    return ended if code is None else code


def question_form(text: str, kind: str, fields: Mapping[str, Any]) -> Asked:
    """Return the form of one question; raises `FormFileError`."""
    asked = {name: value for name, value in fields.items() if value not in (None, [])}
    asked |= {"id": "answer", "text": text, "kind": kind}
    key = sha256(json.dumps(asked).encode()).hexdigest()[:8]
    return form_of({"id": f"ask-{key}", "questions": [asked]}, NAME)


def _options(text: str) -> list[str | dict[str, str]]:
    """Return the option that a flag names, or those that standard input has, one a line."""
    if text != STDOUT:
        label, *value = (one.replace("\\=", "=").strip() for one in re.split(r"(?<!\\)=", text, maxsplit=1))
        return [{"label": label, "value": value[0]} if label and any(value) else label if not value else text]
    lines = _read(text, lambda _: sys.stdin.buffer.read(MOST_BYTES).decode("utf-8", "replace").splitlines())
    return [one for line in lines if line.strip() and line != STDOUT for one in _options(line)]


def _whole(number: float | None) -> float | None:
    return int(number) if number is not None and number.is_integer() else number


async def _asked(
    request: FormRequest, show: Show, write: Write, inactive: float | None, *, alone: bool
) -> "FormEnd":
    """Ask until the form is settled, here alone or in the inbox, or a signal ends the program."""
    from ccq_tui.forms.filling import fill
    from ccq_tui.inbox.inbox import Inbox

    loop, asking, ended = asyncio.get_running_loop(), asyncio.current_task(), 0

    def end(number: int) -> None:
        nonlocal ended
        ended = number
        if asking is not None:
            asking.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end, number)
    inbox = None if alone else Inbox.begin(inbox_path())
    try:
        if inbox is not None:
            await inbox.opened()
        return await fill(inbox, request, show, write=write, inactive=inactive)
    except asyncio.CancelledError:
        if ended:
            raise SystemExit(128 + ended) from None
        raise
    finally:
        if inbox is not None:
            await inbox.close()


async def _give(state: PanelState, filling: "Filling") -> None:
    """Answer with what is given, and ask nobody."""
    await filling.opened.settle(Answered(state.answers), Actor.here(Surface.COMMAND, NAME))


async def _begun(given: Sequence[Answer | None], show: Show, filling: "Filling") -> None:
    """Show a form with the answers that are given as its draft."""
    from ccq_tui.answering.interview import Interview

    if any(given):
        state = filling.opened.shown
        begun = Interview.of(state.questions, state).given(given)
        filling.opened.type(begun.state, Actor.here(Surface.COMMAND, NAME))
    await show(filling)


def _screen(draw: Callable[[int, int], str] | None) -> Show:
    """Return what shows a form on the screen, which is loaded behind the first frame, if there is one."""
    return partial(_on_screen, shown_early(draw) if draw is not None else None)


async def _on_screen(early: EarlyPrompt | None, filling: "Filling") -> None:
    """Show the form on the screen, which takes over from its first frame."""
    request, tab = cast("FormRequest", filling.opened.request), filling.opened.shown.tab
    if early is not None and tab:
        early.close()  # a key for the first question is no answer to that at which a draft opens
        draw = partial(first_frame, request.questions, request.context, tab=tab)
        early = shown_early(draw)
    try:
        app = await asyncio.to_thread(import_module, "ccq_tui.screens.form")
        await app.show_form(filling, early)
    finally:
        if early is not None:
            early.close()


def first_frame(
    questions: QuestionSet, context: Mapping[str, str], columns: int, rows: int, tab: int = 0
) -> str:
    """Return the first question, or that of a tab, drawn about where the screen will have it."""
    state = opened(questions)
    low, width = is_low(rows), max((len(name) for name in context), default=0) + 2
    width = width if columns >= NARROW else 0
    about = questions.intro.splitlines()
    for name, value in context.items():
        first, *more = _wrapped(value if width else f"{name} {value}", columns - 2 - width)
        about += [f"{name:{width}}{first}" if width else first, *(" " * width + line for line in more)]
    bodies = [*(_body(page.question, columns, low=low) for page in state.pages), []]
    needed = 2 + max(map(len, bodies))
    top = rows - min(cap(rows, needed), needed + (0 if low else 1))
    lines = [*[""] * (top - len(about)), *(f" {line}" for line in about[:top])]
    lines += [f"─ {questions.title or questions.called} ─", *bodies[tab]]
    shown = (safe(line, keep_newlines=False)[: columns - 1] for line in lines[: rows - 1])
    return "\x1b[2J\x1b[?25l" + "".join(f"\x1b[{y}H{line}" for y, line in enumerate(shown, 1))


def _wrapped(text: str, width: int) -> list[str]:
    return [part for line in text.splitlines() for part in wrap(line, max(width, 8)) or [""]] or [""]


def _body(question: Question, columns: int, *, low: bool) -> list[str]:
    """Return the lines of a question about as its panel has them."""
    texts = filter(None, (question.text, question.description, allowed_words(question)))
    labels = [one.title for one in question.options]
    labels += ["Other…"] if labels and not question.closed else []
    rows = [f"   ○ {number}  {label}" for number, label in enumerate(labels, 1)]
    lines = [f" {line}" for text in texts for line in _wrapped(text, columns - 2)]
    blank = [] if low else [""]
    return [*blank, *lines, *blank, *(rows or [""])]


def _say_how(filling: "Filling") -> None:
    """Say on standard error what waits, for how long, and how it is answered."""
    from ccq_tui.inbox.format import how_to_answer
    from ccq_tui.inbox.kinds import named

    request, left = filling.opened.request, filling.seconds_left
    until = "until it is answered" if left is None else f"for {spoken(max(1, round(left)))}"
    name, questions = request.tool_use_id, cast("FormRequest", request).questions.questions
    how = how_to_answer(request, name)[0]
    how += f" with the flags that ccq-tui show {name} lists" * (len(questions) > 1)
    echo(f"“{named(request)}” waits in the inbox {until}. {how}", err=True)


async def _in_inbox(filling: "Filling", *, detach: bool) -> None:
    """Wait in the inbox; lines of standard input are answers, unless it is detached from that."""
    from ccq_tui.plain.answering import End
    from ccq_tui.plain.lines import Lines

    questions = cast("FormRequest", filling.opened.request).questions
    source = os.open(os.devnull, os.O_RDONLY) if detach else 0
    lines = Lines(source, err=True, bell=False, whole=questions.is_one_text)
    begun, secret = lines.begun(), questions.secret
    if secret and not begun and lines.has_ended:
        raise Refused(f"{ALONE}: run it in one, or pipe the secret in.")
    if not (begun or secret):
        _say_how(filling)
    if begun or not lines.has_ended:
        if await _by_lines(filling, lines) is not End.PARKED:
            return
        if secret:
            raise Refused(f"{ALONE}; standard input ended before it: give it a line.")
        if begun:
            _say_how(filling)
    await filling.opened.outcome()


async def _by_lines(filling: "Filling", lines: "Lines | None" = None) -> "End":
    """Ask on standard error: a result belongs on standard output."""
    from ccq_tui.plain.answering import walk_request
    from ccq_tui.plain.lines import Lines

    lines = lines or Lines(err=True, bell=False)
    loop, asking = asyncio.get_running_loop(), asyncio.current_task()
    filling.input_at = lambda: lines.input_at
    loop.add_signal_handler(signal.SIGINT, lambda: lines.interrupt() or (asking and asking.cancel()))
    warning = asyncio.ensure_future(filling.warn(lines.note))
    try:
        leave = f"Leave? {filling.kept.capitalize()}."
        return await walk_request(filling.opened, lines, Actor.here(Surface.ASKER), leave)
    finally:
        warning.cancel()
        loop.remove_signal_handler(signal.SIGINT)


def goes_by_lines(plain: bool) -> bool:
    """Whether to ask line by line here: standard output is for the result, and need not be a terminal."""
    from ccq_tui.config.load import load_settings
    from ccq_tui.plain.mode import plain_reason

    reason = plain_reason(os.environ, flag=plain, is_terminal=has_terminal())
    return bool(reason) or load_settings(project=False).settings.screen_reader


def has_terminal() -> bool:
    """Whether keys can be read, and a screen drawn beside standard output."""
    streams = (sys.stdin, sys.stderr)  # noqa: TID251 - to ask what they are
    return all(stream is not None and stream.isatty() for stream in streams)


def _ended(end: "FormEnd", kept: str) -> int:
    """Say what became of a form, unless that was decided here; return the exit code."""
    actor = end.stored.actor
    where = f" {actor.where_from_here}" if actor is not None and actor.process != this_process() else ""
    match end.stored.outcome:
        case Answered():
            code, message = ENDED, f"Answered{where}." * bool(where)
            message = "The answers confirmed earlier are recorded now." if end.late else message
        case Declined() | Dismissed():
            code, message = DECLINED, f"Declined{where}."
        case _ if end.in_time:
            code, message = INTERRUPTED, f"Left; {kept}."
        case _:
            code, message = 124, f"Nobody answered in time; {kept}."  # as of the command timeout
    if message:
        echo(message, err=True)
    return code


def show(record: Mapping[str, Any], *, as_json: bool = False, confirms: bool = False) -> int:
    """Print the answer to the one question, each chosen value on a line of its own; return the exit code."""
    answer = record["answers"]["answer"]
    if as_json:
        echo(json.dumps(record))
    elif not confirms:
        echo("\n".join(map(str, answer.get("values", [answer.get("value")]))))
    return REFUSED if confirms and not answer["value"] else ENDED


def _read(name: str, read: Callable[[str], T]) -> T:
    """Read a file; behind one on standard input come the terminal's keys, if there is a terminal."""
    if name == STDOUT and sys.stdin is None:
        raise Refused("standard input is closed: name a file in place of “-”.")
    found = before_keys(partial(read, name)) if name == STDOUT else None
    return read(name) if found is None else found


def _context(words: Sequence[str]) -> dict[str, str]:
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (equals and key.strip()):
            raise Refused(f"--context takes KEY=VALUE, not “{one_line(word, 40)}”.")
        found[key.strip()] = value
    return found


def _answers(form: Asked, name: str) -> tuple[Answer | None, ...]:

    shown = one_line(name, 200)
    try:
        with click.open_file(name, "rb") as file:
            text = file.read(JSON_BYTES + 1).decode("utf-8-sig")
        is_json = name.endswith(".json") or text.lstrip().startswith("{")
        values = (parse_json if is_json else parse_toml)(text, Decimal)
        if len(text) > JSON_BYTES or not isinstance(values, Mapping):
            raise GivenError("must be an object of values by question id, of at most 1 MB")
        return read_given(form, values)
    except OSError as error:
        raise Refused(f"--answers: {shown} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        message = "\n".join(f"--answers: {shown}: {one_line(line, 500)}" for line in str(error).splitlines())
        raise Refused(message) from error

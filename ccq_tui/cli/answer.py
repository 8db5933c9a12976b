"""Commands that answer a request; every other surface then closes it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ccq_tui.cli.exits import ENDED, Refused, Taken
from ccq_tui.cli.store import complete_waiting, find_request, opened_store, print_lines, reach_of
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from ccq_tui.inbox.reach import Reach
    from ccq_tui.inbox.requests import Origin, Request, RequestOutcome
    from ccq_tui.inbox.store.rows import StoredRequest
    from ccq_tui.inbox.store.store import Store

STDIN = "-"


@click.command(
    epilog="""\b
A set of one question:
  ccq-tui answer toolu_01 --choose 2 --note "but keep it small"
A set of several: the question's number and = come first.
  ccq-tui answer toolu_01 --choose 1=2 --choose 2=1,3 --other 3=Redis
"""
)
@click.argument("request", shell_complete=complete_waiting)
@click.option(
    "--choose", multiple=True, metavar="[Q=]N[,N]", help='Options by number; "none" in a multi-select.'
)
@click.option("--other", multiple=True, metavar="[Q=]TEXT", help="An answer in your own words, or a number.")
@click.option("--note", multiple=True, metavar="[Q=]TEXT", help="A note beside the answer.")
@click.option("--discuss", metavar="TEXT", help="Reply to the whole set in prose instead.")
@click.option("--json", "json_file", metavar="FILE|-", help="The answer as JSON: docs/scripts.md.")
def answer(
    request: str,
    choose: tuple[str, ...],
    other: tuple[str, ...],
    note: tuple[str, ...],
    discuss: str | None,
    json_file: str | None,
) -> int:
    """Answer a request: a question set, a form, a permission or a plan.

    REQUEST is an id or any unambiguous prefix. "ccq-tui show REQUEST" has the
    numbers. Every question of a set needs an answer; of a form, what it requires.
    """
    ways = [bool(choose or other or note), discuss is not None, json_file is not None]
    if sum(ways) > 1:
        raise Refused("--json, --discuss and the other flags exclude each other: give one kind.")
    if not any(ways):
        raise Refused(
            "no answer was given: use --choose, --other, --discuss or --json; ccq-tui show lists the numbers."
        )
    text = None if json_file is None else _read(json_file)

    def outcome_for(asked: Request) -> RequestOutcome:
        from ccq_tui.cli.answer_input import discussed, said_in_json
        from ccq_tui.inbox.requests import AnsweredRequest

        if text is not None:
            return said_in_json(asked, text)
        if not isinstance(asked, AnsweredRequest):
            return _decision(asked, choose, other, note, discuss)
        if discuss is not None:
            return discussed(discuss)
        from ccq_tui.cli.answer_input import answered, said_in_flags

        return answered(asked.questions, said_in_flags(asked.questions, choose, other, note))

    return _settle(request, outcome_for, "ccq-tui answer")


@click.command()
@click.argument("request", shell_complete=complete_waiting)
@click.option("--dismiss", is_flag=True, help="Cancel a form: neither accept nor decline it.")
def decline(request: str, dismiss: bool) -> int:
    """Decline a request: nothing is chosen, nothing allowed.

    REQUEST is an id or any unambiguous prefix.
    """

    def outcome_for(asked: Request) -> RequestOutcome:
        from ccq_tui.inbox.kinds import kind_of
        from ccq_tui.questions import Dismissed

        return Dismissed() if dismiss else kind_of(asked).refusal()

    return _settle(request, outcome_for, "ccq-tui decline")


def _decision(
    asked: Request,
    choose: tuple[str, ...],
    other: tuple[str, ...],
    note: tuple[str, ...],
    discuss: str | None,
) -> RequestOutcome:
    from ccq_tui.cli.answer_input import SayingError, decided
    from ccq_tui.inbox.requests import AnsweredRequest

    if isinstance(asked, AnsweredRequest):
        raise TypeError("a question set is answered, not decided")
    if other or discuss is not None:
        raise SayingError("a permission or a plan takes --choose N and, for some, --note TEXT")
    if len(note) > 1:
        raise SayingError("--note was given twice: give it once")
    return decided(asked, choose, note[0] if note else None)


def _settle(name: str, outcome_for: Callable[[Request], RequestOutcome], command: str) -> int:
    from ccq_tui.cli.answer_input import SayingError
    from ccq_tui.inbox.actors import Actor, Surface
    from ccq_tui.inbox.elicitations import link_to_open
    from ccq_tui.inbox.kinds import kind_of
    from ccq_tui.inbox.reach import NO_RECORD_WORDS, NOBODY_DECIDES, TAKES_DECISIONS, Reach
    from ccq_tui.inbox.store.rows import RequestState, state_after
    from ccq_tui.inbox.verdicts import AlreadySettled, InvalidOutcome, Unknown
    from ccq_tui.questions import Declined

    with opened_store() as store:
        store, stored = find_request(store, name)
        key, called = stored.request.id, store.ids.name_of(stored.request)
        if stored.state is not RequestState.PENDING:
            raise _taken(stored, called)
        try:
            outcome = outcome_for(stored.request)
        except SayingError as error:
            raise Refused(f"{error}.") from error
        reach = reach_of(store, stored.request.session_id, stored.request.origin)
        if reach not in TAKES_DECISIONS and not kind_of(stored.request).OUTLIVES:
            raise Taken(f"{one_line(key, 80)} {NOBODY_DECIDES}; nothing was changed.")
        try:
            verdict = store.requests.settle(key, outcome, Actor.here(Surface.COMMAND, command))
        except InvalidOutcome as error:
            raise Refused(f"{error}.") from error
        if isinstance(verdict, AlreadySettled):
            # The request as it is now says more than the verdict.
            raise _taken(store.requests.get(key) or stored, called)
        if isinstance(verdict, Unknown):
            raise Refused(f"the request {one_line(called, 80)} is gone; ccq-tui inbox lists those that wait.")
        if reach is Reach.NO_RECORD and not isinstance(outcome, Declined):
            kept = f"it is kept, and ccq-tui show {one_line(called, 80)} prints it"
            raise Taken(f"{one_line(called, 80)}: not delivered: {NO_RECORD_WORDS}; {kept}.")
        when = _delivery(store, stored.request.session_id, reach, stored.request.origin)
    became = f"{one_line(called, 80)}: {state_after(outcome)}."
    link = link_to_open(stored.request, outcome)
    opened = f"\nOpen it yourself: {one_line(link, len(link))}" if link else ""
    print_lines(f"{became}\n{when}{opened}", done=became)
    return ENDED


def _taken(stored: StoredRequest, called: str) -> Taken:
    from ccq_tui.inbox.layout import local
    from ccq_tui.inbox.requests import Cancelled

    at = f" at {local(stored.settled_at, seconds=True)}" if stored.settled_at else ""
    if isinstance(stored.outcome, Cancelled):
        did = f"withdrawn{at}: {one_line(stored.outcome.reason, 200)}"
    else:
        by = f" {stored.actor.where}" if stored.actor else ""
        did = f"already {'expired' if stored.state == 'expired' else 'answered'}{by}{at}"
    return Taken(f"{one_line(called, 80)} was {did}; nothing was changed.")


def _delivery(store: Store, session_id: str, reach: Reach, origin: Origin) -> str:
    """Say how the agent receives the answer."""
    from ccq_tui.inbox.format import SHORT
    from ccq_tui.inbox.reach import NO_RECORD_WORDS, Reach, taking_words

    resume = f"ccq-tui resume {one_line(session_id[:SHORT], 24)}"
    match reach:
        case Reach.RUNS:
            return "Its session is running and receives it now."
        case Reach.ASKER:
            return f"{taking_words(origin)}."
        case Reach.NO_RECORD:
            return f"{NO_RECORD_WORDS}."
        case Reach.NO_DIRECTORY:
            session = store.sessions.get(session_id)
            where = one_line(session.directory if session else "", 300)
            gone = f"Its session's directory {where} is gone"
            return f"{gone}; to continue in another one, run: {resume} --cwd DIR"
        case Reach.RESTS | Reach.UNKNOWN:
            return f"An open ccq-tui that shows its session delivers it now; otherwise run: {resume}"


def _read(name: str) -> str:
    from ccq_tui.cli.answer_input import MOST_JSON

    shown = one_line(name, 200)
    try:
        if name == STDIN:
            if sys.stdin is None or sys.stdin.isatty():
                raise Refused("standard input is the terminal: pipe the JSON into it, or name a file.")
            # As bytes: in some locales Python passes over what is not UTF-8.
            data = sys.stdin.buffer.read(MOST_JSON + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MOST_JSON + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise Refused(f"{shown} cannot be read: {why}.") from error
    if len(data) > MOST_JSON:
        raise Refused(f"{shown} has more than {MOST_JSON:,} bytes: shorten it.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{shown} is not UTF-8 text: save it as UTF-8.") from error

"""Commands that answer a request; every other surface then closes it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ccq_tui import DOCS
from ccq_tui.answering.grammar import NONE, Names, TypedError, allowed, read_flag
from ccq_tui.answering.record import MOST_JSON
from ccq_tui.cli.exits import Refused, Taken, refusing
from ccq_tui.cli.store import complete_waiting, find_request, opened_store, place_of
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.format import outcome_line
from ccq_tui.inbox.kinds import kind_of, outcome_of, parse_outcome
from ccq_tui.inbox.layout import local
from ccq_tui.inbox.place import NO_RECORD_WORDS, Place, taking_words
from ccq_tui.inbox.requests import AnsweredRequest, Cancelled, Request, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, state_after
from ccq_tui.inbox.verdicts import AlreadySettled, InvalidOutcome, Unknown
from ccq_tui.output import UnprintedError, echo
from ccq_tui.questions import Declined, Dismissed, Kind, Question
from ccq_tui.questions.limits import wanted
from ccq_tui.questions.model import fold
from ccq_tui.text import one_line
from ccq_tui.words import SHORT

if TYPE_CHECKING:
    from ccq_tui.inbox.store.store import Store


@click.command(
    epilog="""\b
A set of one question:
  ccq-tui answer toolu_01 --choose 2 --note "but keep it small"
A set of several: the question's number and = come first.
  ccq-tui answer toolu_01 --choose 1=2 --choose 2=1,3 --other 3=Redis

"""
    f"More: {DOCS}/scripts.md"
)
@click.argument("request", shell_complete=complete_waiting)
@click.option(
    "--choose", multiple=True, metavar="[Q=]N[,N]", help='Options by number or label; "none" of several.'
)
@click.option("--other", multiple=True, metavar="[Q=]TEXT", help="An answer in your own words, or a number.")
@click.option("--note", multiple=True, metavar="[Q=]TEXT", help="A note beside the answer.")
@click.option("--discuss", metavar="TEXT", help="Reply to the whole set in prose instead.")
@click.option("--json", "json_file", metavar="FILE|-", help="Take the answer from JSON.")
def answer(request: str, discuss: str | None, json_file: str | None, **flags: tuple[str, ...]) -> None:
    """Answer a request: a question set, a form, a permission or a plan.

    REQUEST is an id or any unambiguous prefix. "ccq-tui show REQUEST" has the
    numbers. Every question of a set needs an answer; of a form, what it requires.
    """
    ways = [any(flags.values()), discuss is not None, json_file is not None]
    if sum(ways) > 1:
        raise Refused("--json, --discuss and the other flags exclude each other: give one kind.")
    if not any(ways):
        raise Refused(f"no answer was given; ccq-tui show {one_line(request, 80)} names the flags to use.")
    data = None if json_file is None else _read(json_file)

    def outcome_for(asked: Request) -> RequestOutcome:
        questions = asked.questions.questions if isinstance(asked, AnsweredRequest) else ()
        try:
            if data is not None:
                return parse_outcome(asked, data)
            if not questions:
                question = kind_of(asked).asked(asked).question
                return parse_outcome(asked, _decision(question, flags, discuss))
            if discuss is not None:
                return parse_outcome(asked, {"discuss": discuss})
            return parse_outcome(asked, {"answers": _answers(questions, flags)})
        except InvalidOutcome as error:
            message = _in_flags(questions, error) if data is None else f"the JSON is no answer: {error}"
            raise Refused(f"{message}.") from error

    _settle(request, outcome_for, "ccq-tui answer")


@click.command()
@click.argument("request", shell_complete=complete_waiting)
@click.option("--dismiss", is_flag=True, help="Cancel a form: neither accept nor decline it.")
def decline(request: str, dismiss: bool) -> None:
    """Decline a request: nothing is chosen, nothing allowed.

    REQUEST is an id or any unambiguous prefix.
    """

    def outcome_for(asked: Request) -> RequestOutcome:
        return Dismissed() if dismiss else outcome_of(asked, Declined())

    _settle(request, outcome_for, "ccq-tui decline")


Flags = Mapping[str, Sequence[str]]
"""What was given with --choose, --other and --note."""


def _decision(question: Question, flags: Flags, discuss: str | None) -> dict[str, Any]:
    """Return the decision that flags stand for, as public JSON."""
    (answer,) = _answers((question,), flags)
    chosen = answer.pop("selected", [])
    if len(chosen) != 1 or flags["other"] or discuss is not None:
        raise Refused("a permission or a plan takes one --choose, and for some choices --note TEXT.")
    return {"choice": chosen[0], **answer}


def _answers(questions: Sequence[Question], flags: Flags) -> list[dict[str, Any]]:
    """Return the answers that flags stand for, as public JSON.

    Each flag is ``[Q=]VALUE``; in a set of one question a text is taken unchanged.
    """
    count = len(questions)
    answers: list[dict[str, Any]] = [{} for _ in range(count)]
    for value in flags["choose"]:
        at, text = _addressed("--choose", value, count, "N[,N]")
        if fold(text) in NONE and questions[at].multi_select:
            answers[at]["empty"] = True
        else:
            # Where there are none, the request says why.
            names = Names(questions[at])
            places = [0]
            if questions[at].options:
                with refusing(TypedError, begin=f"question {at + 1}: "):
                    places = read_flag(names, text)
            answers[at].setdefault("selected", []).extend(place + 1 for place in places)
    for name in ("other", "note"):
        for value in flags[name]:
            at, text = _addressed(f"--{name}", value, count, "TEXT")
            if name in answers[at]:
                raise Refused(f"--{name} was given twice for question {at + 1}: give it once.")
            answers[at][name] = text
    return answers


def _addressed(flag: str, value: str, count: int, sample: str) -> tuple[int, str]:
    """Split the question's number off a value; return the question's place and the rest."""
    found = re.fullmatch(r"\s*(\d{1,6})\s*=(.*)", value, re.DOTALL)
    if found is None or (count == 1 and flag != "--choose"):
        if count == 1:
            return 0, value
        raise Refused(f"{flag} needs the question's number, 1 to {count}, as in {flag} 1={sample}.")
    number = int(found[1])
    if not 1 <= number <= count:
        there_are = f"they are 1 to {count}" if count > 1 else "there is only question 1"
        raise Refused(f"{flag} names question {number}, which does not exist: {there_are}.")
    return number - 1, found[2]


def _in_flags(questions: Sequence[Question], error: InvalidOutcome) -> str:
    """Say which question or flag an error is about."""
    found = re.fullmatch(r"answers\[(\d+)\](?:\.(\w+))?", error.field)
    if found is None:
        flag = {"discuss": "--discuss: ", "choice": "--choose: ", "note": "--note: "}.get(error.field, "")
        return f"{flag}{error.reason}"
    number = int(found[1])
    if found[2] in ("other", "note"):
        return f"question {number + 1}: {error.reason}"
    question = questions[number]
    ways = f"--other takes {wanted(question)}"
    if question.kind is Kind.CHOICE:
        ways = allowed(question, named=False) + ("" if question.closed else ", or --other TEXT")
    return f"question {number + 1}: {error.reason}: {ways}"


def _settle(name: str, outcome_for: Callable[[Request], RequestOutcome], command: str) -> None:
    with opened_store() as store:
        stored = find_request(store, name)
        key, called = stored.request.id, store.ids.name_of(stored.request)
        if stored.state is not RequestState.PENDING:
            raise _taken(stored, called)
        outcome = outcome_for(stored.request)
        with refusing(InvalidOutcome):
            verdict = store.requests.settle(key, outcome, Actor.here(Surface.COMMAND, command))
        if isinstance(verdict, AlreadySettled):
            # The request as it is now says more than the verdict.
            raise _taken(store.requests.get(key) or stored, called)
        if isinstance(verdict, Unknown):
            raise Refused(f"the request {one_line(called, 80)} is gone; ccq-tui inbox lists those that wait.")
        place = place_of(store, stored.request.session_id, stored.request.origin)
        if place is Place.NO_RECORD and not isinstance(outcome, Declined):
            kept = f"it is kept, and ccq-tui show {one_line(called, 80)} prints it"
            raise Taken(f"{one_line(called, 80)}: not delivered: {NO_RECORD_WORDS}; {kept}.")
        when = delivery_words(store, stored.request, place)
    state = state_after(outcome)
    chosen = f": {one_line(outcome_line(stored.request, outcome), 200)}" if state == "answered" else ""
    became = f"{one_line(called, 80)}: {state}{chosen}."
    link = link_to_open(stored.request, outcome)
    opened = f"\nOpen it yourself: {one_line(link, len(link))}" if link else ""
    try:
        echo(f"{became}\n{when}{opened}")
    except UnprintedError as error:  # it has happened already
        if not error.is_unread:
            echo(f"{became} Only {error.words}", err=True)


def _taken(stored: StoredRequest, called: str) -> Taken:
    at = f" at {local(stored.settled_at, seconds=True)}" if stored.settled_at else ""
    if isinstance(stored.outcome, Cancelled):
        did = f"withdrawn{at}: {one_line(stored.outcome.reason, 200)}"
    else:
        by = f" {stored.actor.where}" if stored.actor else ""
        did = f"already {'expired' if stored.state == 'expired' else 'answered'}{by}{at}"
    return Taken(f"{one_line(called, 80)} was {did}; nothing was changed.")


def delivery_words(store: "Store", request: Request, place: Place) -> str:
    """Say how the agent receives the answer."""
    session_id = request.session_id
    resume = f"ccq-tui resume {one_line(session_id[:SHORT], 24)}"
    match place:
        case Place.HERE | Place.ELSEWHERE:
            return "Its session is running and receives it now."
        case Place.FOREIGN:
            return f"{taking_words(request.origin)}."
        case Place.NO_RECORD:
            return f"{NO_RECORD_WORDS}."
        case Place.NO_DIRECTORY:
            session = store.sessions.get(session_id)
            where = one_line(session.directory if session else "", 300)
            missing = f"Its session's directory {where} is gone"
            return f"{missing}; to continue in another one, run: {resume} --cwd DIR"
        case _:
            return f"An open ccq-tui that shows its session delivers it now; otherwise run: {resume}"


def _read(name: str) -> bytes:
    try:
        with click.open_file(name, "rb") as file:
            data: bytes = file.read(MOST_JSON + 1)
    except OSError as error:
        raise Refused(f"{one_line(name, 200)} cannot be read: {error.strerror}.") from error
    return data

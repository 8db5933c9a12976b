"""Who may do what in which repository: the table of the service's authority."""

from pathlib import Path

import pytest

from ccq_tui.service.people import UNKNOWN, Participant, RunAct, TicketRole
from ccq_tui.service.policy import NoRepositoryError, Policy, Repository
from ccq_tui.service.port import NewTicket
from tests.tables import each_row, table

ADA = Participant("linear:ada", "Ada", "ada@example.org")
BEN = Participant("linear:ben", "Ben", "ben@example.org")
CLEO = Participant("linear:cleo", "Cleo", "Cleo@Example.org")
EVE = Participant("linear:eve", "Eve", "eve@example.org")
CI, LINK = Participant("token:ci", "ci"), Participant("link:run")
PEOPLE = {"Ada": ADA, "Ben": BEN, "Cleo": CLEO, "Eve": EVE, "ci": CI, "link": LINK, "nobody": UNKNOWN}
INVOLVED = {TicketRole.DELEGATOR: ADA, TicketRole.ASSIGNEE: BEN}
POLICY = Policy(
    {
        "shop": Repository(Path(), choose={"team": "SHOP"}),
        "bank": Repository(
            Path(),
            choose={"team": "BANK"},
            start=("leads",),
            answer=("everybody", "delegator"),
            allow=("leads",),
        ),
        "api": Repository(
            Path(), by_name=True, choose={"team": "API"}, prompt=("token:ci",), stop=("leads", "ci")
        ),
    },
    people={"leads": ("cleo@example.org",), "everybody": ("linear:eve", "linear:ben")},
)
TABLES = table(__file__, "policy.json")
ROWS = [
    (name, act, repository, name in may)
    for repository, act, *may in TABLES["who_may_do_what"]
    for name in PEOPLE
]


@each_row(*ROWS)
def test_who_may_do_what(name: str, act: str, repository: str, may: bool) -> None:
    why = POLICY.refusal(PEOPLE[name], RunAct(act), repository, INVOLVED)
    assert (why == "") is may
    assert may or name == "link" or PEOPLE[name].called in why


def test_a_refusal_names_whom_to_ask() -> None:
    assert POLICY.refusal(EVE, RunAct.START, "bank", INVOLVED) == (
        "Eve may not start in bank; cleo@example.org may."
    )
    namesake = Participant("webhook:cleo@example.org", "cleo@example.org")
    assert POLICY.refusal(namesake, RunAct.START, "bank", INVOLVED) == (
        "webhook:cleo@example.org may not start in bank; cleo@example.org may."
    )
    text = "Ada may not allow it here: it is decided in ccq-tui on the run's machine."
    assert POLICY.refusal(ADA, RunAct.ALLOW, "shop", INVOLVED) == text


@each_row(*TABLES["a_text_names_a_repository_only_where_that_fits"])
def test_a_text_names_a_repository_only_where_that_fits(
    team: str, named: str, by_text: bool, chosen: str
) -> None:
    ticket = NewTicket("linear", "T", "A", "B", repository=named, about={"team": team}, by_text=by_text)
    if chosen:
        assert POLICY.choose(ticket) == chosen
    else:
        with pytest.raises(NoRepositoryError):
            POLICY.choose(ticket)

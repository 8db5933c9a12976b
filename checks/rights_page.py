"""Writes the table of who may do what into docs/service.md: ``python -m checks.rights_page``."""

from pathlib import Path

from ccq_tui.service.people import LINK, UNKNOWN, Participant, RunAct, TicketRole
from ccq_tui.service.policy import Policy, Repository

PAGE = Path(__file__).parents[1] / "docs" / "service.md"
BEGIN, END = "<!-- who may, from the code -->\n", "<!-- end -->\n"
NAMED = "lead@example.org"
POLICY = Policy(
    {"as usual": Repository(Path()), "named": Repository(Path(), **dict.fromkeys(RunAct, (NAMED,)))}
)
INVOLVED = {role: Participant(f"linear:{role}") for role in TicketRole}
PEOPLE = {
    **{f"the ticket's {role}": one for role, one in INVOLVED.items()},
    "another person of the workspace": Participant("linear:other", email="other@example.org"),
    "who has a token of a name that no list has": Participant("token:board"),
    "who has the address of a page": Participant(f"{LINK}run"),
    "a message without an author": UNKNOWN,
    "a person whom the list names": Participant(email=NAMED),
}


def table() -> str:
    """Return the table."""
    lines = [f"| | {' | '.join(f'`{act}`' for act in RunAct)} |", f"|---|{'---|' * len(RunAct)}"]
    for who, one in PEOPLE.items():
        repository = "named" if one.email == NAMED else "as usual"
        may = (not POLICY.refusal(one, act, repository, INVOLVED) for act in RunAct)
        lines.append(f"| {who} | {' | '.join('yes' if one else 'no' for one in may)} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with the table as it is now."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.split(END, 1)[1]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

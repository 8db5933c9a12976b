"""Who acts in a run: people by their ids, what they do, and by which right."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum


class RunAct(StrEnum):
    """What a person does to a run."""

    START = "start"
    PROMPT = "prompt"
    ANSWER = "answer"
    ALLOW = "allow"
    """Decide on a permission or a plan."""
    STOP = "stop"


class TicketRole(StrEnum):
    """A right that a ticket gives to a person."""

    CREATOR = "creator"
    ASSIGNEE = "assignee"
    DELEGATOR = "delegator"
    """The person who gave the ticket to the agent."""


INVOLVED = tuple(TicketRole)
LINK = "link:"
"""How the id of a person begins who is known by the address of a run's page alone."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A person, or a program that acts for one.

    Attributes:
        id: The id with its kind, such as "linear:UUID" or "token:NAME"; "" if unknown.
        name: The name for people, or "".
        email: The e-mail address, or "".
    """

    id: str = ""
    name: str = ""
    email: str = ""

    @property
    def called(self) -> str:
        """The name for people."""
        return self.name or self.email or self.id or "Unknown"

    @property
    def known_as(self) -> frozenset[str]:
        """What a configuration may call this person."""
        return frozenset(one.casefold() for one in (self.id, self.email) if one)


UNKNOWN = Participant()
Involved = Mapping[TicketRole, Participant]
"""Whom a ticket names, by their roles."""


def having(
    names: Collection[str], groups: Mapping[str, Collection[str]], involved: Involved
) -> list[Participant]:
    """Return the people that a right names: by a role, a group, an id or an e-mail address."""
    found = []
    for name in names:
        if name in involved:
            found.append(involved[TicketRole(name)])
        elif name in groups:
            found += [_named(one) for one in groups[name]]
        elif name not in INVOLVED:
            found.append(_named(name))
    return found


def _named(name: str) -> Participant:
    return Participant(email=name) if "@" in name else Participant(name)

"""What a service may do: its repositories, its limits, and which repository a ticket is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, ValidationInfo

from ccq_tui.answering.grammar import TypedError, read_line
from ccq_tui.config.paths import expanded
from ccq_tui.config.settings import Command, Duration, Tools
from ccq_tui.config.values import existing_directory, read_duration
from ccq_tui.questions.model import Option, Question, fold
from ccq_tui.service.people import INVOLVED, LINK, Involved, Participant, RunAct, having
from ccq_tui.service.port import NewTicket
from ccq_tui.words import listed


def anchored(path: Path, info: ValidationInfo) -> Path:
    """Let a relative path start at the directory of the configuration's file."""
    base: Path = (info.context or {}).get("base", Path())
    return base / expanded(path)


Seconds = Annotated[float, BeforeValidator(read_duration), Field(gt=0)]
Count = Annotated[int, Strict(), Field(ge=1)]
Flag = Annotated[bool, Strict()]
People = tuple[Annotated[str, Field(min_length=1)], ...]

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]


class NoRepositoryError(Exception):
    """No repository is configured for a ticket; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class ConfigTable:
    """A table of the configuration; others than its fields are refused."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Repository(ConfigTable):
    """A repository in which runs work; its directory is trusted: its hooks and MCP servers run.

    Attributes:
        path: A checkout of it on this machine; each run gets a worktree beside it.
        base: The branch that runs start from; "" for the remote's default branch.
        remote: The remote that is fetched from and pushed to, if there is one by that name.
        allowed_tools: The tools that need no permission, as Claude Code's settings name them.
        permission_mode: The mode of its sessions.
        push: Whether the branch of a run is pushed at its end.
        most_runs: The most segments of it that work at a time on a machine.
        choose: Tickets that are about these values, such as {"team": "ENG"}, belong to it.
        by_name: Whether a ticket may name it in its text although ``choose`` does not fit.
        question: Whether a mention that only asks something is answered by a session that can only read.
        start: Who may start runs of it: roles of a ticket, groups, ids and e-mail addresses.
        prompt: Who may prompt them.
        answer: Who may answer their questions.
        allow: Who may decide on permissions and plans in a ticket or over the API; as usual nobody: they are
            decided in the inbox of the machine, on a paired device or at its terminal.
        stop: Who may stop them.
    """

    path: Annotated[Path, AfterValidator(anchored), AfterValidator(existing_directory)]
    base: str = ""
    remote: str = "origin"
    allowed_tools: Tools = ()
    permission_mode: Literal["default", "acceptEdits", "plan"] = "default"
    push: Flag = False
    most_runs: Count = 2
    choose: Mapping[str, str] = field(default_factory=dict)
    by_name: Flag = False
    question: Flag = False
    start: People = INVOLVED
    prompt: People = INVOLVED
    answer: People = INVOLVED
    allow: People = ()
    stop: People = INVOLVED


@dataclass(frozen=True, slots=True)
class SessionsTable(ConfigTable):
    """The user of the sessions.

    Attributes:
        command: The words before Claude Code and git, which run them as another user; none for the service's.
        home: That user's home directory; None for that of the system's list of users.
    """

    command: Command = ()
    home: Annotated[Path, AfterValidator(anchored)] | None = None


@dataclass(frozen=True, slots=True)
class RunLimits(ConfigTable):
    """The limits of runs, in seconds.

    Attributes:
        work: Most time that a segment works.
        question: How long a request waits before its ticket says that it is parked.
        permission: How long a process is kept for a permission or a plan, which does not outlive it.
        on_timeout: What an unanswered request does to its run: it waits on, or the run ends with an error.
        most_runs: The most segments that work at a time on a machine.
        link: How long the page of a run opens after its end.
        keep: How long a run that has ended is kept, with what happened in it; None for ever.
        keep_audit: How long it is kept who did what; None for ever.
    """

    work: Seconds = 3600.0
    question: Seconds = 1800.0
    permission: Seconds = 1800.0
    on_timeout: Literal["park", "abort"] = "park"
    most_runs: Count = 4
    link: Seconds = 86_400.0
    keep: Duration = None
    keep_audit: Duration = None


@dataclass(frozen=True, slots=True)
class Policy(ConfigTable):
    """All that the configuration says about runs.

    Attributes:
        repositories: The repositories by their names.
        limits: The limits of runs.
        people: Groups of people, by name: ids and e-mail addresses.
        sessions: The user of the sessions.
    """

    repositories: Annotated[Mapping[Name, Repository], Field(min_length=1)]
    limits: RunLimits = RunLimits()
    people: Mapping[Name, People] = field(default_factory=dict)
    sessions: SessionsTable = SessionsTable()

    def refusal(self, person: Participant, act: RunAct, repository: str, involved: Involved) -> str:
        """Return why a person may not do something to a run, and who may; "" if it is allowed.

        Whoever holds the address of a run's page may see it, answer, prompt and stop it, and never more.

        Args:
            person: Who wants to.
            act: What.
            repository: The name of the run's repository.
            involved: The people whom its ticket names.
        """
        if person.id.startswith(LINK):
            by_link = act in (RunAct.ANSWER, RunAct.PROMPT, RunAct.STOP)
            return "" if by_link else f"The address of a page is no right to {act}."
        named: People = getattr(self.repositories.get(repository) or Repository(Path()), act)
        may = having(named, self.people, involved)
        if any(person.known_as & other.known_as for other in may):
            return ""
        if act is RunAct.ALLOW and not named:
            return f"{person.called} may not allow it here: it is decided in ccq-tui on the run's machine."
        names = dict.fromkeys(other.called for other in may)
        who = person.id if person.called in names else person.called
        whom = listed([*names], 5) or "nobody"
        return f"{who} may not {act} in {repository}; {whom} may."

    def allows_anybody(self, repository: str) -> bool:
        """Return whether permissions of a repository's runs may be decided in their tickets."""
        one = self.repositories.get(repository)
        return one is not None and bool(one.allow)

    def fitting(self, about: Mapping[str, Any]) -> list[str]:
        """Return the names of the repositories for tickets about some values, such as a team."""
        words = {name: _words(value) for name, value in about.items()}
        found = [
            name
            for name, one in self.repositories.items()
            if one.choose and all(value.casefold() in words.get(key, ()) for key, value in one.choose.items())
        ]
        return found or [name for name, one in self.repositories.items() if not one.choose]

    def choose(self, ticket: NewTicket) -> str:
        """Return the name of the repository that a ticket is about; raises `NoRepositoryError`."""
        fitting = self.fitting(ticket.about or {})
        known = [*self.repositories]
        if ticket.by_text:
            known = [name for name, one in self.repositories.items() if one.by_name or name in fitting]
        named = ", ".join(known or self.repositories)
        if ticket.repository:
            if ticket.repository in known:
                return ticket.repository
            what = f"No repository {ticket.repository!r} is configured for this ticket; there are: {named}."
            raise NoRepositoryError(what)
        if len(fitting) == 1:
            return fitting[0]
        what = f"No repository is configured for this ticket; there are: {named}."
        if fitting:
            what = f"Several repositories fit this ticket: {', '.join(fitting)}."
        raise NoRepositoryError(f"{what} Name one, or set “choose” in the service's configuration.")

    def named(self, text: str) -> str:
        """Return the name of the repository that a reply to “Name one” names, or ""."""
        options = tuple(map(Option, self.repositories))
        try:
            found = read_line(Question("", options=options, closed=True), text).selected
        except TypedError:
            return ""
        return next((name for name in found if fold(name) in fold(text)), "")  # not by a number


def _words(value: object) -> frozenset[str]:
    values = value if isinstance(value, (list, tuple)) else (value,)
    return frozenset(str(one).casefold() for one in values)

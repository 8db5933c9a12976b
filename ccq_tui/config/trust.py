"""The directories that a person trusts, by Claude Code's record and by answers here."""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from ccq_tui.bounded import json_object, parse_json, read_bytes
from ccq_tui.claude_files import global_config
from ccq_tui.config.carried import CarriedFile, carried_files, mapping
from ccq_tui.config.paths import project_config, project_directories, state_dir
from ccq_tui.stored import locked, write_whole
from ccq_tui.worktrees.model import main_checkout

if TYPE_CHECKING:
    from ccq_tui.config.load import Loaded

STORE = "trust.json"
STORE_BYTES = 10_000_000
"""Most bytes of a file with trusted directories."""


class TrustAnswer(StrEnum):
    """The answers to whether a directory is trusted; the first one changes nothing."""

    LEAVE = "quit"
    WITHOUT = "without"
    TRUST = "trust"


def answer_labels(leave: str = "quit") -> dict[TrustAnswer, str]:
    """Return what each answer does, in words; ``leave`` says what follows from the first one."""
    return {
        TrustAnswer.LEAVE: f"Do not trust it: {leave}",
        TrustAnswer.WITHOUT: "Start without these files, this time",
        TrustAnswer.TRUST: "Trust it, and remember that",
    }


@dataclass(frozen=True, slots=True)
class Carried:
    """The files that a session in a directory would obey, and that await a person's trust.

    Attributes:
        directory: The directory, links resolved.
        root: The directory that trust would cover: the repository's main checkout, or ``directory``.
        files: All its files that have effects.
        loaded: The settings that apply once they are trusted.
        before: Whether only the content of the project's ``.ccq-tui.toml`` awaits trust.
    """

    directory: Path
    root: Path
    files: tuple[CarriedFile, ...]
    loaded: "Loaded"
    before: bool = False


def untrusted(loaded: "Loaded") -> Carried | None:
    """Return what a session with these settings would obey, or None if it is trusted; reads files."""
    directory = loaded.settings.directory.resolve()
    files = carried_files(directory, loaded.project)
    if not files:
        return None
    root, before = trust_root(directory), _is_trusted(directory)
    accepted = loaded.project is None or loaded.project.digest in _answers().get(str(root), ())
    return None if before and accepted else Carried(directory, root, files, loaded, before)


def trusts(directory: Path) -> bool:
    """Whether a directory's programs may run: it is trusted, or it names none. Reads files."""
    directory = directory.resolve()
    return not (carried_files(directory) or project_config(directory)) or _is_trusted(directory)


def has_answer(directory: Path) -> bool:
    """Whether a person has told this program to trust a directory; reads files."""
    return str(trust_root(directory.resolve())) in _answers()


def remember(carried: Carried) -> None:
    """Record that a person trusts a directory with the settings that were shown.

    Raises OSError or ValueError if the record cannot be written, or is damaged.
    """
    with locked(state_dir() / "trust.lock") as alone:
        if not alone:
            raise TimeoutError("another process has been writing there for too long")
        answers = _stored()
        digests = answers.setdefault(str(carried.root), [])
        if (project := carried.loaded.project) is not None:
            # Most accepted contents of one project's ``.ccq-tui.toml``, such as those of its branches.
            digests[:] = [*(one for one in digests if one != project.digest), project.digest][-20:]
        write_whole(state_dir() / STORE, json.dumps(answers, indent=2))


def trust_root(directory: Path) -> Path:
    """Return the directory for which trust is recorded: the repository's main checkout, or itself."""
    top = project_directories(directory)[-1]
    return main_checkout(top) or top


def _is_trusted(directory: Path) -> bool:
    return has_answer(directory) or _claude_trusts(directory)


def _claude_trusts(directory: Path) -> bool:
    """Whether Claude Code has recorded trust in a directory, or in one that covers it.

    Trust covers what is below a directory, but does not reach into a repository from outside.
    """
    projects = mapping(json_object(global_config(), STORE_BYTES).get("projects"))
    covering = project_directories(directory)
    if not (covering[-1] / ".git").exists():
        covering = [directory, *directory.parents]
    records = [projects.get(str(place)) for place in (*covering, trust_root(directory))]
    return any(mapping(record).get("hasTrustDialogAccepted") is True for record in records)


def _answers() -> dict[str, list[str]]:
    """Return the trusted directories with the digests accepted there; an unreadable record has none."""
    try:
        return _stored()
    except (OSError, ValueError):
        return {}


def _stored() -> dict[str, list[str]]:
    try:
        stored = parse_json(read_bytes(state_dir() / STORE, STORE_BYTES))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"the file {state_dir() / STORE} {error}") from error
    # An earlier version recorded each trusted file: not the trust in a directory that the question means now.
    return {name: value for name, value in mapping(stored).items() if isinstance(value, list)}

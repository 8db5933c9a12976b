"""The directories that a person trusts, by Claude Code's record and by answers here, and that question."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from ccq_tui.bounded import json_object, parse_json, read_bytes
from ccq_tui.claude_files import global_config
from ccq_tui.config.carried import CarriedFile, carried_files, mapping
from ccq_tui.config.load import Loaded
from ccq_tui.config.paths import project_config, project_directories, state_dir
from ccq_tui.input.gate import PAUSE, Face, Hand, KeyKind, Sign, Stroke, To, judge
from ccq_tui.stored import locked, write_whole
from ccq_tui.worktrees.model import main_checkout

STORE = "trust.json"
LOCK = "trust.lock"
STORE_BYTES = 10_000_000
"""Most bytes of a file with trusted directories."""
MOST_DIGESTS = 20
"""Most accepted contents of one project's ``.ccq-tui.toml``, such as those of its branches."""


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
    loaded: Loaded
    before: bool = False


def untrusted(loaded: Loaded) -> Carried | None:
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
    with locked(state_dir() / LOCK) as alone:
        if not alone:
            raise TimeoutError("another process has been writing there for too long")
        answers = _stored()
        digests = answers.setdefault(str(carried.root), [])
        if (project := carried.loaded.project) is not None:
            digests[:] = [*(one for one in digests if one != project.digest), project.digest][-MOST_DIGESTS:]
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


ROWS = tuple(TrustAnswer)
_STEPS = {"up": -1, "down": 1}


@dataclass(frozen=True, slots=True)
class TrustKeys:
    """What the keys of the question have come to; only Enter on a row answers, text is kept for the prompt.

    Attributes:
        hand: What the keys before came to.
        shown_at: When it was drawn, or the last character was typed; None before.
        row_at: When the row under the cursor was drawn with it; None before.
        typed: Text typed for the prompt.
        row: TrustAnswer of the cursor.
        answer: The confirmed row, or None.
        due: Seconds until the last key answers, unless it is held down; 0.0 for none.
        sign: Why the last key did not answer, or None.
        escapes: Whether Esc leaves: there is something to go back to.
    """

    hand: Hand = field(default_factory=Hand)
    shown_at: float | None = None
    row_at: float | None = None
    typed: str = ""
    row: TrustAnswer = TrustAnswer.LEAVE
    answer: TrustAnswer | None = None
    due: float = 0.0
    sign: Sign | None = None
    escapes: bool = False

    @property
    def prompt(self) -> str:
        """Text typed for the prompt."""
        return self.typed.rstrip("\n")

    @property
    def enter_is_prompts(self) -> bool:
        """Whether Enter ends a line of what is being typed for the prompt."""
        return bool(self.typed) and self.hand.to is To.PROMPT

    def drawn(self, at: float) -> TrustKeys:
        """Return the question after it was drawn as it is."""
        shown_at = at if self.shown_at is None else self.shown_at
        return replace(self, shown_at=shown_at, row_at=at if self.row_at is None else self.row_at)

    def on(self, row: TrustAnswer) -> TrustKeys:
        """Return the question with the cursor on a row."""
        return replace(self, row=row, row_at=self.row_at if row is self.row else None)

    def confirmed(self) -> TrustKeys:
        """Return the question with the row under the cursor as its answer."""
        return replace(self, answer=self.row, due=0.0)


def pressed(question: TrustKeys, key: Stroke, row: TrustAnswer | None = None) -> TrustKeys:
    """Return the question after a key, a paste, or a click on a row."""
    if question.answer is not None or key.text:
        text = "\n" if key.name == "enter" else key.text
        question = replace(question, hand=question.hand.noted(key), sign=None, due=0.0)
        return _wrote(question, text, key.at)
    decides = key.name == "enter" or row is question.row
    kind = KeyKind.DECIDE if decides else KeyKind.ACT
    draft, seen = bool(question.typed), (question.shown_at, question.row_at)
    face = Face(kind, *seen, lasts=True, takes_words=False, draft=draft, quiet=PAUSE)
    verdict, hand = judge(key, face, question.hand)
    if kind is KeyKind.ACT and key.name not in _STEPS and row is None:
        hand = replace(hand, to=question.hand.to)  # a key that does nothing here does not end the typing
    question = replace(question, hand=hand, sign=verdict.sign, due=0.0)
    if verdict.sign is Sign.NOT_SENT or verdict.to in (To.PROMPT, To.WORDS):
        sign, text = (Sign.NOT_SENT, "\n") if decides else (None, "")
        return _wrote(replace(question, sign=sign), text, key.at)
    if verdict.to is To.NOWHERE:
        return question
    if decides:
        return replace(question, due=verdict.after) if verdict.after else question.confirmed()
    return _moved(question, key) if row is None else question.on(row)


def _moved(question: TrustKeys, key: Stroke) -> TrustKeys:
    if key.name == "backspace":
        question = _wrote(question, "", key.at)
        return replace(question, typed=question.typed[:-1])
    if key.name == "escape" and question.escapes:
        return question.on(TrustAnswer.LEAVE).confirmed()
    at = ROWS.index(question.row) + _STEPS.get(key.name, 0)
    return question.on(ROWS[min(max(at, 0), len(ROWS) - 1)])


def _wrote(question: TrustKeys, text: str, at: float) -> TrustKeys:
    """Return the question after typed text; the cursor returns to the row that changes nothing."""
    shown_at = None if question.shown_at is None else at
    question = replace(question, typed=question.typed + text, shown_at=shown_at)
    return question if question.answer is not None else question.on(TrustAnswer.LEAVE)

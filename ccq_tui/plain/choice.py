"""Choices from a numbered list, and the questions before a session starts."""

from collections.abc import Sequence
from dataclasses import dataclass

from ccq_tui.answering.grammar import Names, TypedError, allowed
from ccq_tui.commands.command import PickRow
from ccq_tui.config.launch import Launch
from ccq_tui.config.trust import Carried, TrustAnswer, answer_labels
from ccq_tui.inbox.actors import Actor
from ccq_tui.plain.lines import InputEnded, Interrupted, Lines
from ccq_tui.questions import Option, Question
from ccq_tui.runtime import person
from ccq_tui.text import one_line, safe

LONGEST = 4_096


async def choose(lines: Lines, title: str, rows: Sequence[PickRow], about: str = "") -> str | None:
    """Print a numbered list, and return the value of the row that is chosen; None if it was left."""
    question = Question(title, options=tuple(Option(row.label) for row in rows), closed=True)
    listed, names = [one_line(title, LONGEST), *filter(None, [safe(about)])], Names(question)
    for mark, row in zip(names.marks, rows, strict=True):
        words = filter(None, (row.label, "now" if row.current else "", row.right, row.description))
        listed.append(f"{mark}. {one_line('; '.join(words), LONGEST)}")
    lines.say("choose", "\n".join(listed))
    how = allowed(question, named=False)
    while True:
        try:
            if not (typed := (await lines.input(f"{how[:1].upper()}{how[1:]}, or Enter to leave:")).strip()):
                return None
            if (place := names.place(typed)) is not None:
                return rows[place].value
            lines.note(f"{one_line(typed, 40)} is not in the list: {how}.")
        except TypedError as error:
            lines.note(f"{error}.")
        except (InputEnded, Interrupted):
            return None


@dataclass(frozen=True, slots=True)
class PersonAtLines:
    """The person who reads the lines; those of a pipe are for the session, and allow nothing before it.

    Attributes:
        lines: Where they are asked.
        actor: Who answers, for the history.
    """

    lines: Lines
    actor: Actor

    async def trusts(self, carried: Carried, _launch: Launch) -> TrustAnswer:
        """Print what the files of a directory would do, and ask whether to trust it."""
        self.lines.note(f"A session in {one_line(str(carried.directory), LONGEST)} obeys its files.")
        if carried.root != carried.directory:
            self.lines.note(f"Trust covers all of {one_line(str(carried.root), LONGEST)}.")
        for file in carried.files:
            effects = (f"  {one_line(effect, LONGEST)}" for effect in file.effects)
            self.lines.say("file", "\n".join([one_line(str(file.path), LONGEST), *effects]))
        rows = [PickRow(one, label) for one, label in answer_labels().items()]
        chosen = await self._choose("Do you trust this directory?", rows)
        return TrustAnswer(chosen or TrustAnswer.LEAVE)

    async def elsewhere(self, asked: person.ElsewhereQuestion) -> person.ElsewhereAnswer:
        """Ask what to do with a session that another process runs."""
        rows = [PickRow(one, *words) for one, words in person.ELSEWHERE_WORDS.items()]
        chosen = await self._choose(person.OPEN_ELSEWHERE, rows, asked.words)
        return person.ElsewhereAnswer(chosen or person.ElsewhereAnswer.LEAVE)

    async def _choose(self, title: str, rows: Sequence[PickRow], about: str = "") -> str | None:
        if self.lines.is_typed:
            return await choose(self.lines, title, rows, about)
        self.lines.say("choose", "\n".join([title, about or "Start ccq-tui at a terminal to answer this."]))
        return None

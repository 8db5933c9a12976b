"""The prompts of a play that wait for Claude, and where each of them is at its end."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ccq_tui.agent.claude.records import taken
from ccq_tui.inbox.store.encoding import prompts_from_json
from ccq_tui.inbox.store.store import Store
from ccq_tui.testing import CleanHome, Exchange
from tests.agent.killed.news import Kill, mentions, spoken, where
from tests.options import launch_of

_SAID = ("user", "attachment")
"""The lines of a record that a conversation has prompts in."""


class Prompts:
    """What was sent while Claude worked, waited or was not there."""

    def __init__(self) -> None:
        self._kept: dict[str, bool] = {}
        self._ids: set[str] = set()
        self._fields: dict[tuple[int, str], str] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def new(self) -> str:
        """Return a prompt that nothing else contains; it counts as given only once it is kept."""
        text = f"queued {len(self._kept) + 1}."
        self._kept[text] = False
        return text

    def keep(self, text: str, prompt_id: str) -> None:
        """Note that prompts are on disk: from now on none of them may be lost."""
        self._ids.add(prompt_id)
        for one in text.split("\n"):
            self._kept[one] = True

    def is_one(self, prompt_id: str) -> bool:
        """Whether a prompt was sent so."""
        return prompt_id in self._ids

    def come_back(self, number: int, key: str, text: str) -> None:
        """Note what stands in the field of a session in a program."""
        self._fields[number, key] = text

    def take(self, number: int, key: str) -> bool:
        """Whether something stands in a field, which is sent now."""
        return bool(self._fields.pop((number, key), ""))

    def forget(self, number: int) -> None:
        """Note that a program has ended."""
        self._fields = {place: text for place, text in self._fields.items() if place[0] != number}

    def found(
        self, home: CleanHome, database: Path, exchanges: Sequence[Exchange], kills: Sequence[Kill]
    ) -> Iterator[tuple[str, str]]:
        """Find each prompt, after the end of all programs.

        Args:
            home: Where the sessions' records are.
            database: The inbox, with the prompts that Claude has not read.
            exchanges: All requests to the model.
            kills: All kills and rewinds.

        Yields:
            For each prompt what to count it as, and what is wrong with it or "".
        """
        waiting, record = _waiting(home, database), _recorded(home)
        for text, kept in self._kept.items():
            log = mentions(text, exchanges, kills)
            places = sum(lines.count(text) for lines in waiting)
            if not places and log.once:
                yield "prompts sent, each news once", ""
            elif not places and not log.news and not kept:
                yield "prompts that a kill kept from being accepted", ""
            elif places == 1 and not log.news:
                yield "prompts that still wait", ""
            elif places == 1 and _is_cut_off(text, exchanges, kills) and text not in record:
                yield "prompts that wait again, their request cut off", ""
            else:
                at = ", ".join(where(text, exchanges, kills))
                line = f"kept {kept}, waiting in {places} places, recorded {text in record}"
                yield "prompts lost or doubled", f"{text!r}: {line}, {log}: {at}"


def _waiting(home: CleanHome, database: Path) -> list[list[str]]:
    """Return the lines of each draft that Claude has not read."""
    options, found = launch_of(home.project, environment=home.env), []
    with closing(Store(database)) as store:
        kept = [prompts_from_json(row[0]) for row in store.database.rows("SELECT body FROM prompts")]
    for draft in kept:
        if draft is None:
            raise AssertionError("a draft is damaged")
        there = taken(options, {one.id: one.session for one in draft.sent})
        texts = [draft.text, *(one.text for one in draft.sent if one.id not in there)]
        found.append([line for text in texts for line in text.split("\n")])
    return found


def _recorded(home: CleanHome) -> str:
    """Return what all records have of conversations."""
    lines = (line for path in home.config.glob("projects/*/*.jsonl") for line in path.open(errors="replace"))
    return "\n".join(line for line in lines if _kind(line) in _SAID)


def _kind(line: str) -> str:
    try:
        return str(json.loads(line).get("type"))
    except ValueError:
        return ""  # its process was killed while it wrote it


def _is_cut_off(text: str, exchanges: Sequence[Exchange], kills: Sequence[Kill]) -> bool:
    """Whether what a kill took away is all that ever had a text."""
    last = max(one.received for one in exchanges if text in spoken(one.body))
    return any(kill.at >= last for kill in kills)

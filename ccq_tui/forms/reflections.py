"""Recorded reflections: listed, and fed back to the agent."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from textwrap import indent
from typing import Any, NamedTuple

from ccq_tui.config.paths import expanded
from ccq_tui.forms.output import read_records
from ccq_tui.inbox.layout import local, table
from ccq_tui.text import one_line
from ccq_tui.words import listed, plural

MOST_NAMED = 10


class Reflection(NamedTuple):
    """One recorded reflection.

    Attributes:
        at: When it was confirmed.
        record: The record of its form.
    """

    at: datetime
    record: Mapping[str, Any]

    def context(self, name: str) -> str:
        """Return a text of the commit, such as its ``hash``, or ""."""
        return str(self.record["context"].get(name, ""))

    @property
    def commit(self) -> str:
        """The beginning of the commit's hash."""
        return self.context("hash")[:7]

    @property
    def notice(self) -> str:
        """The words that say that there is one."""
        return f"{self.commit} has a reflection of {local(self.at)}"

    @property
    def subject(self) -> str:
        """The first line of the commit's message."""
        return self.context("message").partition("\n")[0]

    def answer_to(self, question: str) -> tuple[str, ...]:
        """Return an answer: its labels, or the text typed; () if there is none."""
        answer = self.record["answers"].get(question)
        if not isinstance(answer, Mapping):
            return ()
        labels = answer.get("labels") or [answer.get("label", answer.get("value", ""))]
        return tuple(map(str, labels if isinstance(labels, list) else [labels]))


def read_reflections(path: str, start: datetime | None = None) -> tuple[list[Reflection], str]:
    """Return the reflections of a file since a time, the newest last, and what else it has, in words.

    Raises OSError.
    """
    records, unreadable = read_records(path)
    known = [one for record in records if (one := _reflection(record))]
    found = sorted((one for one in known if start is None or one.at >= start), key=lambda one: one.at)
    lines = listed(list(map(str, unreadable)), MOST_NAMED)
    rest = [f"{plural(len(unreadable), 'line')} that cannot be read ({lines})"] if unreadable else []
    others = len(records) - len(known)
    rest += [f"{plural(others, 'record')} without a commit"] if others else []
    return found, " and ".join(rest)


def of_commit(path: str, context: Mapping[str, str]) -> list[Reflection]:
    """Return the reflections that a file has of a commit, the newest last. Raises OSError."""
    known = read_reflections(path)[0] if expanded(path).is_file() else []
    return [one for one in known if one.context("hash") == context.get("hash")]


def _reflection(record: Mapping[str, Any]) -> Reflection | None:
    context, answers, finished = (record.get(name) for name in ("context", "answers", "finished"))
    if not (isinstance(context, Mapping) and isinstance(answers, Mapping) and isinstance(finished, str)):
        return None
    try:
        at = datetime.fromisoformat(finished).astimezone()
    except (ValueError, OverflowError):
        return None
    return Reflection(at, record) if context.get("hash") else None


# -- lists and counts -----------------------------------------------------------------------------------


def list_lines(reflections: Sequence[Reflection]) -> list[str]:
    """List reflections, one a line."""
    heads = ("DAY", "COMMIT", "TYPE", "DIFFICULTY", "SUBJECT")
    asked = ("work_type", "difficulty")
    rows = [
        (f"{one.at:%Y-%m-%d}", one.commit, *(", ".join(one.answer_to(name)) for name in asked), one.subject)
        for one in reflections
    ]
    return table(heads, rows)


def _item(text: str) -> str:
    """Indent the further lines of a text, so that they stay in its list item."""
    return indent(text.strip(), "  ").lstrip()


def feedback(reflections: Sequence[Reflection], most: int = 10) -> str:
    """Return the last answers for the agent as Markdown, the newest first, or ""."""
    given = [(one, words[0]) for one in reversed(reflections) if (words := one.answer_to("feedback"))][:most]
    if not given:
        return ""
    lines = [
        f"- {one.at:%Y-%m-%d}, {one.commit} {one_line(one.subject, 100)}: {_item(text)}"
        for one, text in given
    ]
    return "\n".join(["## Feedback on recent commits", "", *lines])

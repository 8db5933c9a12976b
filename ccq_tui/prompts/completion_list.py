"""The list above the prompt as data: its rows, its cursor, the meaning of Enter."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion

MOST_ROWS = 50
SEEN_AFTER = 0.3
"""Seconds after which a list that came up counts as seen: before that, Enter was meant for the prompt."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One row.

    Attributes:
        value: The text that is put into the prompt.
        label: The text that is shown.
        hint: The text that follows it in the prompt, such as a command's arguments.
        detail: A description.
        aliases: Other texts that mean the same as the value.
    """

    value: str
    label: str
    hint: str = ""
    detail: str = ""
    aliases: tuple[str, ...] = ()

    def begins(self, query: str) -> bool:
        """Return whether the typed text begins this row's value, or one that means the same."""
        return any(name.startswith(query) for name in (self.value, *self.aliases))


@dataclass(frozen=True, slots=True)
class CompletionList:
    """An open list.

    Attributes:
        wanted: The piece to complete.
        rows: The completions, the likeliest first.
        since: The time at which the list came up, in seconds of a monotonic clock.
        cursor: The index of the chosen row.
        moved: Whether a person moved the cursor.
        ready: Whether the rows are those for the text typed now.
        note: The message if there are no rows.
        top: The row at the top when one was pointed at: rows stay under the pointer.
        awaited: Whether the likeliest row is taken as soon as the rows for the typed text are found.
        more: Number of matches beside the rows.
    """

    wanted: WantedCompletion
    rows: tuple[Completion, ...] = ()
    since: float = 0.0
    cursor: int = 0
    moved: bool = False
    ready: bool = False
    note: str = ""
    top: int | None = None
    awaited: bool = False
    more: int = 0

    @property
    def chosen(self) -> Completion | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def _left_to_prompt(self) -> bool:
        """Whether Enter belongs to the prompt as long as nobody has moved the cursor."""
        query, chosen = self.wanted.query, self.chosen
        if any(query in (row.value, *row.aliases) for row in self.rows):
            return True
        # Within a text, or where the chosen row only contains the typed letters and another begins with them.
        alike = (
            chosen is not None and not chosen.begins(query) and any(row.begins(query) for row in self.rows)
        )
        return self.wanted.kind is CompletionKind.COMMANDS and (alike or self.wanted.start > 0)

    @property
    def runs(self) -> bool:
        """Whether Enter runs the chosen row: a command that begins the prompt and needs no arguments.

        One that only contains the typed letters is put into the prompt first, unless a person moved to it: it
        may be a slip, and a skill costs a turn.
        """
        begins = self.wanted.kind is CompletionKind.COMMANDS and not self.wanted.start
        if not begins or self.chosen is None or not (self.moved or self.chosen.begins(self.wanted.query)):
            return False
        return self.chosen.hint[:1] in ("", "[")

    def by(self, steps: int) -> CompletionList:
        """Move the cursor, from the last row to the first and back."""
        if not self.rows:
            return self
        return replace(self, cursor=(self.cursor + steps) % len(self.rows), moved=True, top=None)

    def to(self, row: int) -> CompletionList:
        """Move the cursor to a row; beyond an end it stays on the last one there."""
        return replace(self, cursor=max(0, min(row, len(self.rows) - 1)), moved=bool(self.rows), top=None)

    def pointed(self, row: int, height: int) -> CompletionList:
        """Move the cursor to a row that is shown in ``height`` lines, and keep every row where it is."""
        return replace(self, cursor=row, moved=True, top=self.window(height).start)

    def typed(self, wanted: WantedCompletion) -> CompletionList:
        """Return the list after more was typed; its rows stay until others are found."""
        if wanted == self.wanted:
            return self
        return replace(self, wanted=wanted, ready=False, moved=False, awaited=False)

    def entered_early(self) -> CompletionList | None:
        """Return the list that waits for its rows before one is taken; None if it need not wait."""
        return None if self.ready or self.moved else replace(self, awaited=True)

    def found(
        self, rows: tuple[Completion, ...], note: str = "", at: float | None = None, more: int = 0
    ) -> CompletionList:
        """Return the list with the rows for the text typed now; one that had none comes up at that time.

        If the same rows come again, with others among them, the cursor stays on its row: a person may be
        about to take it.
        """
        kept = self.cursor if self.moved and self.cursor < len(rows) else 0
        if self.ready and self.chosen is not None:
            values = [row.value for row in rows]
            kept = values.index(self.chosen.value) if self.chosen.value in values else kept
        known = replace(self, rows=rows, note=note, more=more)
        since = self.since if at is None or self.rows else at
        moved = self.moved and kept > 0
        return replace(known, since=since, cursor=kept, ready=True, moved=moved, top=None)

    def enter_takes(self, now: float) -> bool:
        """Return whether Enter puts the chosen row into the prompt; else it sends, as if there were no list.

        It sends a text that is exactly a row, begins another row than the chosen one, matches nothing, or was
        typed faster than anybody can have seen the list.
        """
        if self.chosen is None:
            return False
        if self.wanted.kind is CompletionKind.HISTORY or self.moved:
            return True
        return self.ready and not self._left_to_prompt and now - self.since >= SEEN_AFTER

    def hints(self, again: str = "") -> tuple[tuple[str, str], ...]:
        """Return keys and their effects, the most useful first; ``again`` finds the next earlier prompt."""
        searching = self.wanted.kind is CompletionKind.HISTORY
        if self.chosen is None:
            return (("Esc", "back"),) if searching else ()
        # Not `enter_takes`: what is true again at the next moment would flicker.
        takes = searching or self.moved or not self._left_to_prompt
        return (
            ("Enter", "send" if not takes else "run" if self.runs else "insert"),
            *(() if takes and not self.runs else (("Tab", "complete"),)),
            ("↑ ↓", "choose"),
            *(((again, "next"),) if searching and again else ()),
            ("Esc", "back" if searching else "close"),
        )

    def window(self, height: int) -> range:
        """Return the rows that are shown in ``height`` lines, the cursor's among them."""
        wanted = self.cursor - height // 2
        if self.top is not None and self.top <= self.cursor < self.top + height:
            wanted = self.top
        first = max(0, min(wanted, len(self.rows) - height))
        return range(first, min(len(self.rows), first + height))

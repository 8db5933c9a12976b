"""The name of a session, folded from its events."""

import re
from dataclasses import dataclass, replace

from ccq_tui.agent import events as ev
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.text import one_line

NAMELESS = re.compile(r"/[A-Za-z][\w:-]*(\s|$)|You asked this with AskUserQuestion")
"""A prompt that is a command, not a path, which has another slash, or that delivers an answer."""
LINE = 200
"""Most characters kept of a title or a last line."""


@dataclass(frozen=True, slots=True)
class SessionName:
    """The name of a session, in every list: its title, else its first and its last prompt.

    Attributes:
        title: The person's title for it, or "".
        first: Its first prompt, or "".
        last: Its last prompt, or "".
        queued: The prompts that wait for the end of a turn, by their ids; after ``/clear``, the first of them
            begins the conversation.
    """

    title: str = ""
    first: str = ""
    last: str = ""
    queued: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        if self.title or self.last in ("", self.first):
            return self.title or self.first
        # Most characters of the first prompt in a name with the last one.
        return one_line(f"{one_line(self.first, 40)} · {self.last}", LINE)

    def after(self, event: ev.AgentEvent) -> "SessionName":
        """Return the name after an event."""
        match event:
            case ev.PromptAccepted(text=text, queued=True, prompt_id=name):
                return replace(self, queued=(*self.queued, (name, title_of(text))))
            case ev.PromptAccepted(text=text):
                return self._named(title_of(text))
            case ev.PromptDelivered(prompt_id=name) | ev.PromptReturned(prompt_id=name):
                waited = dict(self.queued)
                titled = waited.pop(name, "")
                named = self._named(titled) if isinstance(event, ev.PromptDelivered) else self
                return replace(named, queued=tuple(waited.items()))
            case ev.HistoryLoaded(events, older=older, title=title, first_prompt=prompt):
                prompts = [title_of(one.text) for one in events if isinstance(one, ev.PromptAccepted)]
                first = next(filter(None, (title_of(prompt), self.first, *prompts)), "")
                last = next(filter(None, (self.last if older else "", *prompts[::-1], self.last)), "")
                return SessionName(one_line(title, LINE) or self.title, first, last, self.queued)
            case ev.TitleChanged(title):
                return replace(self, title=one_line(title, LINE))
            case ev.ConversationReset():  # Claude Code keeps the title, too
                begins = self.queued[0][1] if self.queued else ""
                return SessionName(self.title, begins, begins, self.queued)
            case _:
                return self

    def _named(self, titled: str) -> "SessionName":
        return replace(self, first=self.first or titled, last=titled or self.last)


UNNAMED = SessionName()


def title_of(prompt: str) -> str:
    """Return a conversation's title by a prompt, harmless to draw; "" for what names nothing."""
    return "" if NAMELESS.match(prompt.lstrip()) or run_in(prompt) else one_line(prompt, LINE)


def forked(past: ev.HistoryLoaded, title: str) -> ev.HistoryLoaded:
    """Return a session's past under its fork's title, which begins otherwise unless it was chosen."""
    name = str(UNNAMED.after(past))
    return replace(past, title=one_line(title or (name and f"Fork of {name}"), LINE))

"""The details of the row under the cursor, or what is above the panel of its request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from rich.text import Text
from textual.containers import Vertical

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.requests import PlanRequest
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.model import NewRow, RequestRow, SessionRow
from ccq_tui.screens.sessions.rows import (
    ListLook,
    facts_of,
    head_line,
    request_details,
    row_text,
    session_details,
)
from ccq_tui.text import one_line
from ccq_tui.transcript.blocks import PromptBlock, ProseBlock, ToolBlock
from ccq_tui.widgets.decision.details import flow_lines
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.lines import Flow, TextLines, wrapped
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.sight import SightView, more_line

MOST_LINES = 5_000
"""Most lines of details."""
LAST_BLOCKS = 6
"""Blocks of a transcript of which the end is shown."""
LONGEST_BLOCK = 2_000


class Details(Vertical):
    """A rule, a text and how much more of it there is; a panel docks under them.

    Attributes:
        view: The text, or the plan while it is being decided.
    """

    DEFAULT_CSS = """
    Details {
        & > TextLines { height: 1; }
        & > SightView { margin: 0 0 0 3; }
        & > #more { margin: 0 0 0 3; }
        & > RequestPanel { dock: bottom; }
        & > .-off { display: none; }
        &.-beside > SightView, &.-beside > #more { margin: 0 0 0 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.view = SightView(id="text")
        self._rule, self._more = TextLines(), TextLines(id="more")
        self._made_for: tuple[object, ...] = ()
        self._decides = self._answers = False
        """Whether a plan is being decided, and whether a panel is open."""

    def compose(self) -> Iterator[TextLines | SightView]:
        yield self._rule
        yield self.view
        yield self._more

    def leave(self, lines: int) -> None:
        """Take no more than some lines above a panel, with the one above this."""
        self.view.set_class(lines < 3, "-off")
        self._rule.set_class(lines < 1 or self.has_class("-beside"), "-off")

    def show(
        self,
        row: SessionRow | RequestRow | NewRow | None,
        session: SessionRow | None,
        stored: StoredRequest | None,
        last: tuple[tuple[str, str], ...],
        look: ListLook,
        *,
        beside: bool,
        answers: bool,
    ) -> None:
        """Show what is known of a row, if it is another one, or more is known.

        Args:
            row: The row.
            session: Its session.
            stored: The request of the row as it is stored, if that is known.
            last: The end of the conversation of a session of this terminal.
            look: How the list is drawn.
            beside: Whether it stands beside the list.
            answers: Whether the panel of the request is open.
        """
        screen, palette = self.app.size.width, look.palette
        width = screen - look.width - 3 if beside else screen - 5
        made_for = (row, session, stored, last, look.said, look.now(), width, palette, beside, answers)
        if made_for == self._made_for:
            return
        kept = made_for[:1] == self._made_for[:1] and not answers
        begins = not kept or not self._made_for[3]
        self._made_for, self._answers = made_for, answers
        plan = stored.request if answers and stored is not None else None
        self._decides = isinstance(plan, PlanRequest)
        self.set_class(beside, "-beside")
        facts = facts_of(session, look.now()) if session is not None else [""]
        if session is not None and not beside:
            name = session.session[: screen // 2]
            line = Text(head_line([name], facts[0], screen), palette.muted)
            self._rule.show([row_text(session, 0, replace(look, width=screen), False) if answers else line])
        above, lines = self.view.above, self._lines(row, session, stored, last, width, look)
        if isinstance(plan, PlanRequest):
            # The whole plan, and nothing else that would take its lines.
            lines = flow_lines(plan.plan.rstrip(), palette.plain, max(8, width))
        elif look.said:
            lines = (line for words in look.said for line in wrapped(Text(words, palette.muted), width))
        elif beside and session is not None:
            known = wrapped(Text(" · ".join(facts), palette.muted), width)[: 1 if answers else None]
            lines = iter([Text(session.session, palette.strong), *known, Text(), *lines])
        elif not answers:
            lines = (line for line in lines if line.plain.strip())
        flow = Flow(islice(lines, MOST_LINES))
        talks = answers or (isinstance(row, SessionRow) and begins and not beside)
        ends = talks and not self._decides and flow.reach(MOST_LINES)
        self.view.show_flow(flow)
        if ends:
            after_refresh(self, partial(self.view.scroll_end, animate=False, force=True))
        elif kept and above:
            self.view.scroll_to(y=above, animate=False, force=True)
        after_refresh(self, self.say_more)

    def _lines(
        self,
        row: SessionRow | RequestRow | NewRow | None,
        session: SessionRow | None,
        stored: StoredRequest | None,
        last: tuple[tuple[str, str], ...],
        width: int,
        look: ListLook,
    ) -> Iterator[Text]:
        if isinstance(row, RequestRow):
            asked = not self._answers
            return request_details(stored, width, look.palette, asked=asked) if stored else iter(())
        if session is None or isinstance(row, NewRow):
            return iter(())
        return session_details(replace(session, last=last or session.last), width, look.palette)

    def scroll_by(self, action: str) -> None:
        """Scroll by a line or a page, up or down."""
        by = max(1, self.view.size.height - 1) if action.startswith("page") else 1
        self.view.scroll_relative(y=-by if action.endswith("up") else by, animate=False, force=True)

    def say_more(self) -> None:
        """Say under the text how much more of it there is."""
        view, decides = self.view, self._decides
        shows = bool(view.below or view.goes_on or (decides and view.above))
        shows = shows and (decides or not self._answers)
        if decides and shows and self._more.has_class("-off"):
            # The row takes a line of the plan that nobody can have read yet.
            after_refresh(self, view.look_anew)
        self._more.set_class(not shows, "-off")
        if shows:
            down, up = ("PgDn", "PgUp") if decides else (key_of("line_down"), key_of("line_up"))
            self._more.show([more_line(view, max(8, view.size.width), palette_of(self), down=down, up=up)])


def said_last(screen: SessionScreen) -> tuple[tuple[str, str], ...]:
    """Return the end of a transcript: who said what, tools by their call."""
    found: list[tuple[str, str]] = []
    for block in reversed(screen.transcript.model.blocks):
        match block:
            case PromptBlock(text=text):
                found.append(("user", text))
            case ProseBlock(document=written):
                found.append(("assistant", written.text.strip()[-LONGEST_BLOCK:]))
            case ToolBlock(tool=tool, input=given):
                said = next((value for value in given.values() if isinstance(value, str)), "")
                found.append(("tool", one_line(f"{tool} {said}", 200)))
        if len(found) == LAST_BLOCKS:
            break
    return tuple(reversed(found))

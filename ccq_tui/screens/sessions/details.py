"""The details of the list of sessions: what is known of a row, and the panel of its request."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from rich.text import Text
from textual.containers import Vertical

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.config.keymap import key_of
from ccq_tui.inbox import layout
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.requests import PlanRequest, RequestOutcome
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.questions import Declined
from ccq_tui.questions.state import Page
from ccq_tui.screens.editor import edit_for
from ccq_tui.screens.link_opener import open_url
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.listing import Listing
from ccq_tui.screens.sessions.model import Listed, Messages, RequestRow, SessionList, SessionRow
from ccq_tui.screens.sessions.rows import ListProps, facts_of, head_line, row_text
from ccq_tui.text import one_line, safe
from ccq_tui.transcript.blocks import PromptBlock, ProseBlock, ToolBlock
from ccq_tui.widgets.decision.details import flow_lines
from ccq_tui.widgets.keys import Typed
from ccq_tui.widgets.lifetime import after_refresh, start_work
from ccq_tui.widgets.lines import Flow, SightView, TextLines, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.host import ClosedDrafts, PanelHost, draft_words, left_over
from ccq_tui.widgets.question.parts import MARKS
from ccq_tui.widgets.transcript.pen import markdown_lines

ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""
UNANSWERABLE = "Its session is gone, so nothing can be delivered · c copies it · {decline} declines it"
LONGEST = 20_000
"""Most characters shown of one text."""
MOST_LINES = 5_000
"""Most lines of details."""


def request_lines(row: RequestRow, width: int, palette: Palette, *, answers: bool) -> Iterator[Text]:
    """Yield what the agent wrote before a request and, unless its panel is open, all of that."""
    if context := row.stored.context.strip():
        yield from _message("● ", context, width, palette)
    if not answers:
        for part, drawn in layout.drawn(_with_draft(row), width):
            yield Text(drawn.rstrip(), palette.strong if part is PassageKind.HEAD else palette.plain)


def _with_draft(row: RequestRow) -> Iterator[Passage]:
    """Yield the document of a request with what its draft selects, marked as in its panel, and its texts."""
    request, draft = row.stored.request, row.typed
    state = draft or first_draft(request)
    page, option = None, 0
    for passage in kind_of(request).document(request, None):
        if passage.part is PassageKind.HEAD:
            yield from _typed_texts(page if draft is not None else None)
            # A head without a number is that of the whole request.
            page, option = state.pages[int(passage.mark) - 1] if passage.mark.isdecimal() else None, 0
        if passage.part is PassageKind.OPTION and page is not None:
            selected = draft is not None and option in page.draft.selected
            mark = f"{MARKS[page.question.multi_select][selected]} {passage.mark}"
            passage, option = passage._replace(mark=mark), option + 1
        yield passage
    if draft is not None:
        yield from _typed_texts(draft.page if draft.page.question.acts else page)
        yield Passage(PassageKind.ANSWER, draft.discussion, "✎ ")


def _typed_texts(page: Page | None) -> Iterator[Passage]:
    """Yield the answer and the note that were typed to a question; a text marked as selected is sent."""
    if page is not None:
        selected = MARKS[page.question.multi_select][True] if page.draft.other_on else ""
        typed = page.question.seen(page.draft.other)
        yield Passage(PassageKind.ANSWER, typed, f"{selected} ✎ ".lstrip())
        yield Passage(PassageKind.ANSWER, page.draft.note, "✎ ")


def _conversation(messages: Messages, width: int, palette: Palette) -> Iterator[Text]:
    """Yield the end of a conversation."""
    for at, (who, text) in enumerate(messages):
        if at:
            yield Text("")
        yield from _message({"user": "❯ ", "assistant": "● "}.get(who, "▸ "), text.strip(), width, palette)


def _message(sign: str, markdown: str, width: int, palette: Palette) -> Iterator[Text]:
    """Yield a text behind the sign of who said it, as the transcript draws it."""
    for at, line in enumerate(markdown_lines(safe(markdown, limit=LONGEST), width - 2, palette)):
        yield Text.assemble(("  " if at else sign, palette.muted), line)


def last_messages(screen: SessionScreen) -> Messages:
    """Return the last six messages of a transcript: who wrote what, tools by their call."""
    found: list[tuple[str, str]] = []
    for block in reversed(screen.transcript.model.blocks):
        match block:
            case PromptBlock(text=text):
                found.append(("user", text))
            case ProseBlock(document=written):
                found.append(("assistant", written.text.strip()[-2_000:]))
            case ToolBlock(tool=tool, input=given):
                words = next((value for value in given.values() if isinstance(value, str)), "")
                found.append(("tool", one_line(f"{tool} {words}", 200)))
        if len(found) == 6:
            break
    return tuple(reversed(found))


class Details(Vertical):
    """A rule, a text and how much more of it there is; the panel of a request docks under them.

    Attributes:
        view: The text, or the plan while it is being decided.
        panel: The panel that is open, or None.
        row: The row of the request that was opened last.
        early: Keys and pastes for the panel that is being opened, or None.
        drafts: Drafts of requests that were closed, for copying.
    """

    DEFAULT_CSS = """
    Details {
        & > TextLines { height: 1; }
        & > SightView { margin: 0 0 0 3; }
        & > #more { margin: 0 0 0 3; }
        & > RequestPanel { dock: bottom; }
        &.-beside > SightView, &.-beside > #more { margin: 0 0 0 1; }
    }
    """

    def __init__(self, around: ListScreen[Any, SessionList], listing: Listing) -> None:
        super().__init__()
        self._around, self._listing = around, listing
        self.view = SightView(id="text")
        self._rule, self._more = TextLines(), TextLines(id="more")
        self._made_for: tuple[object, ...] = ()
        self._shown: tuple[Listed | None, Messages] = (None, ())
        self._decides = False
        """Whether a plan is being decided."""
        self.panel: RequestPanel | None = None
        self.row: RequestRow | None = None
        self.early: list[Typed] | None = None
        self.drafts = ClosedDrafts()

    def compose(self) -> Iterator[TextLines | SightView]:
        yield self._rule
        yield self.view
        yield self._more

    # -- drawing --------------------------------------------------------------------------------------------

    def leave(self, lines: int) -> None:
        """Take no more than some lines above a panel, with the one above this."""
        self.view.display = lines >= 3
        self._rule.display = lines >= 1 and not self.has_class("-beside")

    def show(self, props: ListProps, *, beside: bool) -> None:
        """Show what is known of the row under the cursor, or of the one whose panel is open."""
        row, session, last = self._subject()
        answers, screen, palette = self.panel is not None, self.app.size.width, props.palette
        width = screen - props.width - 3 if beside else screen - 5
        made_for = (row, session, last, beside, answers, props.advice, props.now(), width, palette)
        if made_for == self._made_for:
            return
        (row_before, last_before), self._shown = self._shown, (row, last)
        self._made_for = made_for
        kept = row_before == row and not answers
        plan = row.stored.request if answers and isinstance(row, RequestRow) else None
        self._decides = isinstance(plan, PlanRequest)
        self.set_class(beside, "-beside")
        facts = facts_of(session, props.now()) if session is not None else [""]
        if session is None:
            self._rule.show([])
        elif not beside:
            name = session.session[: screen // 2]
            line = Text(head_line([name], facts[0], screen), palette.muted)
            self._rule.show([row_text(session, 0, replace(props, width=screen), False) if answers else line])
        lines = _conversation(last, width, palette)
        if isinstance(row, RequestRow):
            lines = request_lines(row, width, palette, answers=answers)
        if isinstance(plan, PlanRequest):
            # The whole plan, and nothing else that would take its lines.
            lines = flow_lines(plan.plan.rstrip(), palette.plain, max(8, width))
        elif props.advice:
            lines = (line for words in props.advice for line in wrapped(Text(words, palette.muted), width))
        elif beside and session is not None:
            known = wrapped(Text(" · ".join(facts), palette.muted), width)[: 1 if answers else None]
            lines = iter([Text(session.session, palette.strong), *known, Text(), *lines])
        elif not answers:
            lines = (line for line in lines if line.plain.strip())
        begins = isinstance(row, SessionRow) and not beside and not (kept and last_before)
        self._flow(Flow(islice(lines, MOST_LINES)), ends=answers or begins, kept=kept)

    def _subject(self) -> tuple[Listed | None, SessionRow | None, Messages]:
        """Return the row to show, its session, and the end of the conversation of a session."""
        if self.panel is not None:
            return self.row, self.session_of(self.row), ()
        row, session = self._around.state.under, self._around.state.session_under
        last: Messages = ()
        if isinstance(row, RequestRow):
            return self.fresh(row), session, last
        if session is not None:
            words = session.last_line if session.ours else ""
            screen = self._listing.manager.sessions.by_mode(session.key)
            last = last_messages(screen) if screen is not None else last
            last = last or session.last or ((("assistant", words),) if words else ())
        return row, session, last

    def _flow(self, flow: Flow, *, ends: bool, kept: bool) -> None:
        """Show a text from its beginning, at its end, or where another one was ``kept``."""
        above = self.view.above
        ends = ends and not self._decides and flow.reach(MOST_LINES)
        self.view.show_flow(flow)
        if ends:
            after_refresh(self, partial(self.view.scroll_end, animate=False, force=True))
        elif kept and above:
            self.view.scroll_to(y=above, animate=False, force=True)
        after_refresh(self, self.say_more)

    def fresh(self, row: RequestRow) -> RequestRow:
        """Return the row of a request with what is typed by now, as far as this process knows."""
        opened = self._listing.manager.inbox.known(row.key)
        return row if opened is None else replace(row, typed=opened.draft)

    def session_of(self, row: RequestRow | None) -> SessionRow | None:
        """Return the session of a request that waits."""
        key = row.key if row is not None else None
        sessions = self._around.state.sessions
        return next((one for one in sessions if any(each.key == key for each in one.requests)), None)

    def scroll_by(self, action: str) -> None:
        """Scroll by a line or a page, up or down."""
        by = max(1, self.view.size.height - 1) if action.startswith("page") else 1
        self.view.scroll_relative(y=-by if action.endswith("up") else by, animate=False, force=True)

    def say_more(self) -> None:
        """Say under the text how much more of it there is."""
        view, decides = self.view, self._decides
        shows = bool(view.below or view.flow.goes_on or (decides and view.above))
        shows = shows and (decides or self.panel is None)
        if decides and shows and not self._more.display:
            # The row takes a line of the plan that nobody can have read yet.
            after_refresh(self, view.reset_seen)
        self._more.display = shows
        if shows:
            down, up = ("PgDn", "PgUp") if decides else (key_of("line_down"), key_of("line_up"))
            self._more.show([view.more(max(8, view.size.width), down=down, up=up)])

    # -- the panel ------------------------------------------------------------------------------------------

    def open_panel(self, row: RequestRow) -> None:
        """Open the panel of a request with its draft; keys from now on belong to the panel."""
        session = self._around.state.session_under
        if session is not None and session.place.is_lost:
            self._listing.say(UNANSWERABLE.format(decline=key_of("decline")))
        elif self.early is None and session is not None:
            self.row, self.early = row, []
            start_work(self._around, partial(self._open, row, session), name="open panel")

    async def _open(self, row: RequestRow, session: SessionRow) -> None:
        try:
            opened = await self._read(row)
        finally:
            typed, self.early = self.early or [], None
        if opened is not None and opened.is_pending and self.panel is None and self._around.is_current:
            panel = self.panel = RequestPanel(self._host(session), self._around.clock)
            panel.begin(opened, asked_for=True)
            self.mount(panel)
            self._around.draw()
            for one in typed:  # none of it decides anything: the panel is not drawn yet
                panel.post_message(one)
            # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
            after_refresh(panel, self.view.reset_seen)
        elif typed:
            self._around.came_up(letters=True)
            self.type_late(typed)

    async def _read(self, row: RequestRow) -> OpenRequest | None:
        """Return the request of a row with its draft, or None and say why not."""
        try:
            opened = await self._listing.manager.inbox.open(row.key)
        except InboxError as error:
            self._listing.say(f"Its draft cannot be read: {error}")
            return None
        if opened is None:
            self._listing.say("The request no longer exists")
        return opened

    def _host(self, session: SessionRow) -> PanelHost:
        around = self._around
        return PanelHost(
            surface=Surface.INBOX,
            say=lambda text, _: self._listing.say(text),
            run=self.run,
            edit=lambda text, put: edit_for(around, text, put, self._listing.say),
            open_link=lambda url: open_url(around.app, url, self._listing.say),
            keep=self.drafts.offer,
            leave=self._leave,
            ended=partial(self._ended, session),
            type_late=self.type_late,
            folded=self.close,
            typed=self._listing.manager.touch,
            unseen_above=lambda: (self.view.flow.unseen(), self.view.flow.goes_on),
            directory=session.directory,
        )

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run work that an answer needs; the screen may be left meanwhile."""
        start_work(self._around.app, work, name=ANSWERS, group=ANSWERS)

    async def decline(self, row: RequestRow) -> None:
        session = self.session_of(row)
        if session is not None and (opened := await self._read(row)) is not None:
            self._host(session).settle(opened, Declined())

    async def _ended(
        self, session: SessionRow, opened: OpenRequest, outcome: RequestOutcome, error: InboxError | None
    ) -> None:
        """Have the decision delivered to the agent; say what was done, and how it gets there."""
        request = opened.request
        if error is not None:
            self._listing.say(f"Not answered: {error} · your draft is kept")
            return
        draft, lost = opened.shown, session.place.is_lost
        # Keep the whole draft if it cannot be delivered, else what the agent was not sent.
        left = "\n\n".join(filter(None, left_over(draft, outcome)))
        kept = self.drafts.offer(draft_words(draft) if lost else left)
        done = "Declined" if isinstance(outcome, Declined) else "Answered"
        manager = self._listing.manager
        # What says that a session starts for it goes once it has arrived.
        starts = session.place is not Place.FOREIGN and manager.sessions.known(session.session_id) is None
        goes = starts and not kept
        words = await manager.deliver(session, request, done)
        self._listing.say(words + kept, of=request.id if goes else "")

    def close(self) -> None:
        panel, self.panel = self.panel, None
        if panel is not None:
            panel.leave()
            panel.display = False  # at once: its parts are removed one by one
            panel.remove()
            self._around.set_focus(self._around.field, scroll_visible=False)
            self._around.draw()
            if self.row is not None:
                self._listing.read_soon(self.row.session_id)  # its draft

    def _leave(self, opened: OpenRequest, _: RequestOutcome) -> None:
        """Close the panel of a request that was settled in it."""
        if self.panel is not None and self.panel.opened is opened:
            self.close()

    def type_late(self, typed: Sequence[Typed]) -> None:
        """Give the list what was typed right after the key that hid the panel."""
        for late in typed:
            self._around.field.post_message(late)

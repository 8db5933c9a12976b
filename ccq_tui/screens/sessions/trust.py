"""The question before a session in an untrusted directory, and the effects of its answer."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult

from ccq_tui import signs
from ccq_tui.commands.command import PickRow
from ccq_tui.config.launch import Launch
from ccq_tui.config.trust import Carried, TrustAnswer, answer_labels
from ccq_tui.filtered_list import FilteredList
from ccq_tui.heights import is_low
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.input.gate import PAUSE, QUIET, Face, Stroke, To
from ccq_tui.input.keys import KeyPlace, actions_at, key_line
from ccq_tui.runtime.person import ELSEWHERE_WORDS, OPEN_ELSEWHERE, ElsewhereAnswer, ElsewhereQuestion
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.picker import Picker
from ccq_tui.text import one_line
from ccq_tui.widgets.keys import keyboard_of
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.lines import DrawnLine, Flow, SightView, TextLines, indented, row_lines, wrapped
from ccq_tui.widgets.palette import Palette, palette_of

TRUST_QUESTION = "Do you trust this directory?"
SETTINGS_QUESTION = "You trust this directory, but not yet this .ccq-tui.toml. Trust it?"
LINE = 400
LONGEST_PATH = 4_096
OBEYS = "A session here obeys its files. They can run programs and allow tools as soon as it starts:"
ENTER_IS_PROMPTS = (("Enter", "end a line for the prompt"), ("↓", "to the answers"))
QUIT = "quit"
"""Label for not trusting if that ends the program; Esc does not do that."""
QUIET_LIMIT = 2.0
"""Most seconds that the end waits for that."""
FRAME = 3
"""Cells beside the content: the scrollbar, and one on each side."""


class TrustScreen(ListScreen[None, FilteredList[PickRow]]):
    """Shows what a directory's files would do, and asks whether to trust them.

    The question, its rows and the keys are always in view; what the files would do scrolls between them.
    The field of the list is for the prompt: what is typed is kept, and answers nothing. The screen stays
    after the answer, and takes what is typed, until what was answered is done.

    Attributes:
        answer: The answer; cancelled, the program is ending, and typed text is only kept.
    """

    DEFAULT_CSS = """
    TrustScreen {
        background: $surface;
        overflow: hidden;
        padding: 1 0 0 0;
        & > * { margin: 0 1; }
        & > TextLines { height: auto; }
        & > SightView { height: 1fr; min-height: 1; }
        & > #trust-rows { height: 3; margin: 1 1 1 0; }
        & > ListField { height: 0; min-height: 0; max-height: 0; }
        & > HintBar { margin: 0; }
        &.-low { padding: 0; }
        &.-low > #trust-rows { margin: 0 1 0 0; }
    }
    """
    PLACE = KeyPlace.TRUST
    ON_ROW = ("answer",)

    def __init__(self, carried: Carried, *, leave: str = QUIT, draft: str = "") -> None:
        super().__init__(FilteredList(tuple(PickRow(*row) for row in answer_labels(leave).items())))
        self.answer: asyncio.Future[TrustAnswer] = asyncio.get_running_loop().create_future()
        self._carried, self._escapes = carried, leave != QUIT
        self._title, self._files, self._more = TextLines(), SightView(), TextLines()
        self._more.display = False
        self.view.id = "trust-rows"
        self.field.one_line = False
        self._typed = draft
        self._flow = Flow(iter(()))

    @property
    def typed(self) -> str:
        """Text typed for the prompt, before and since the answer."""
        return (self.field.text if self.is_mounted else self._typed).rstrip("\n")

    async def quiet(self) -> None:
        """Wait until nobody types, for `QUIET_LIMIT` seconds at most: typed text must not reach a shell."""
        for _ in range(round(QUIET_LIMIT / QUIET)):
            before = self.hands.hand.at
            await asyncio.sleep(QUIET)
            if self.hands.hand.at == before:
                return

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._files
        yield self._more
        yield self.view
        yield self.field
        yield self.key_line

    def on_mount(self) -> None:
        """Begin; what is typed now was meant for something else. Textual runs the base's handler, too."""
        self.field.put(self._typed)
        self.begin(Face(shown_at=None, lasts=True, takes_words=False, draft=bool(self._typed), quiet=PAUSE))

    def on_resize(self) -> None:
        self.draw()

    # -- keys ---------------------------------------------------------------------------------------------

    def came_up(self, *, letters: bool = False) -> None:  # noqa: ARG002
        """Begin anew: keys under way were meant for what covered the question, such as help."""
        # What was typed for the prompt goes on behind what covered it: its Enter answers nothing.
        self.hands.hand = replace(keyboard_of(self).hand, to=self.hands.hand.to)
        self.begin(replace(self.face, shown_at=None))

    def confirms(self, key: Stroke) -> bool:
        """Keep a line that ends behind the answer."""
        if ends := self.answer.done() and key.name == "enter":
            self.field.type("\n")
        return ends

    def is_late(self, key: Stroke) -> bool:  # noqa: ARG002
        return False

    def edits(self, key: Stroke) -> bool:
        """Whether a key is for the prompt: all are that mean nothing here."""
        means = key.name in actions_at(self.PLACE) and (self._escapes or key.name != "escape")
        return bool(key.text) or self.answer.done() or not means

    def hands_on(self, event: events.Key | events.Paste) -> bool:
        if isinstance(event, events.Paste):
            self.hands.note(Stroke("paste", event.text, self.clock()))
        return super().hands_on(event)

    def take_text(self) -> None:
        """Begin anew with what is typed, on the row that changes nothing."""
        if self.field.text != self._typed:
            self._typed = self.field.text
            self.begin(replace(self.face, shown_at=None, draft=bool(self._typed)))
            self.state = self.state if self.answer.done() else self.state.put(0)
            self.draw()

    def does(self, action: str) -> str:
        return "answers" if action == "answer" else "leaves"

    def act(self, action: str) -> bool:
        if action.startswith("scroll"):
            getattr(self._files, action)(animate=False, force=True)
        elif action == "leave":
            self.act_on(action, self.state.put(0).under)
        else:
            return super().act(action)
        return True

    def act_on(self, action: str, row: PickRow | None) -> None:  # noqa: ARG002
        """Answer with a row."""
        if row is not None and not self.answer.done():
            self.answer.set_result(TrustAnswer(row.value))

    # -- drawing ------------------------------------------------------------------------------------------

    def show(self, state: FilteredList[PickRow]) -> None:
        """Put the cursor on another row, which no key answers with before it is drawn."""
        if state != self.state:
            self.begin(replace(self.face, words_at=None))
        super().show(state)

    @on(SightView.LinesSeen)
    def _say_more(self) -> None:
        """Say under the files how much more of them there is."""
        view = self._files
        scrolls = bool(view.above or view.below or view.flow.goes_on)
        self._more.display = scrolls
        if scrolls:
            self._more.show([view.more(self.app.size.width - FRAME, down="PgDn", up="PgUp")])

    def draw(self) -> None:
        if not self.has_parts:
            return
        palette, width, low = palette_of(self), self.app.size.width - FRAME, is_low(self.app.size.height)
        self.set_class(low, "-low")
        words = SETTINGS_QUESTION if self._carried.before else TRUST_QUESTION
        asked = wrapped(Text.assemble((f"{signs.WAITS} ", palette.warning), (words, palette.strong)), width)
        self._title.show(asked[:3])  # most lines of the question
        if (width, palette, low) != self._made_for:
            self._made_for = width, palette, low
            self._flow = Flow(listing(self._carried, width, palette, short=low))
        self._files.show_flow(self._flow)
        labels = (wrapped(Text(row.label, palette.plain), width - 1) for row in self.state.rows)
        rows = (row_lines(label, at, Text(), 3, palette.accent) for at, label in enumerate(labels))
        lines = [line for row in rows for line in row]
        if typed := self._typed.rstrip("\n"):
            text = Text.assemble(
                (" for the prompt: ", palette.muted), (one_line(typed[-LINE:], LINE), palette.note)
            )
            text.truncate(max(1, width + 1), overflow="ellipsis")
            lines.append(DrawnLine(text))
        self.view.styles.height = len(lines)
        self.view.show(lines, self.state.cursor)
        hints = key_line(self.PLACE, enter="answer", leave="stay here" if self._escapes else "")
        hints = ENTER_IS_PROMPTS if self._typed and self.hands.hand.to is To.PROMPT else hints
        self.key_line.show(self.signed or hints)
        # The rest is known only after the layout.
        after_refresh(self, self._say_more)


def listing(carried: Carried, width: int, palette: Palette, *, short: bool) -> Iterator[Text]:
    """Yield the directory, and its files with what each of them would do, as lines."""
    directory = carried.directory
    for line in wrapped(Text(one_line(str(directory), LONGEST_PATH), palette.note), width - 2):
        yield Text.assemble("  ", line)
    if carried.root != directory:
        covers = f"Trust covers all of {one_line(str(carried.root), LONGEST_PATH)}"
        yield from wrapped(Text(covers, palette.plain), width)
    if not short:
        yield Text()
    yield from wrapped(Text("A session here obeys:" if short else OBEYS, palette.plain), width)
    for file in carried.files:
        if not short:
            yield Text()
        named = file.path.relative_to(directory) if file.path.is_relative_to(directory) else file.path
        yield from wrapped(Text(one_line(str(named), LONGEST_PATH), palette.strong), width)
        for effect in file.effects:
            lines = wrapped(Text(one_line(effect, LINE), palette.plain), width - 4)
            yield from indented(lines, Text("  · ", palette.muted), 4)


@dataclass(eq=False)
class PersonHere:
    """The person at this terminal; a page with a question stays until all that was answered is done.

    Attributes:
        launch: The launch that is asked about.
        keeper: What keeps a later session's first prompt meanwhile, or "".
        page: The page of the last question about trust, or None.
    """

    _app: App[Any]
    launch: Launch
    _leave: str = QUIT
    keeper: str = ""
    page: TrustScreen | None = None
    actor: Actor = field(default_factory=lambda: Actor.here(Surface.PANEL))

    @property
    def typed(self) -> str:
        """What was typed for the prompt, with the draft that was there before."""
        return self.page.typed if self.page else self.launch.draft

    async def trusts(self, carried: Carried, launch: Launch) -> TrustAnswer:
        """Show what the files of a directory would do, and return the answer."""
        self.close()
        self.launch = launch
        self.page = TrustScreen(carried, leave=self._leave, draft=self.typed)
        await self._app.push_screen(self.page)
        return await self.page.answer

    async def elsewhere(self, asked: ElsewhereQuestion) -> ElsewhereAnswer:
        """Let the person choose from a list; closing it leaves the session where it is."""
        rows = [PickRow(one, *words) for one, words in ELSEWHERE_WORDS.items()]
        chosen = await self._app.push_screen_wait(Picker(OPEN_ELSEWHERE, rows, about=asked.words))
        return ElsewhereAnswer(chosen or ElsewhereAnswer.LEAVE)

    def close(self) -> None:
        """Close the page, and help that lies over it."""
        if self.page is not None and self.page.is_attached:
            self.page.pop_until_active()
            self.page.dismiss()

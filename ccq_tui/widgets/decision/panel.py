"""The decision panel: draws a `DecisionState` and sends events to its machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from rich.text import Text
from textual import events, on
from textual.geometry import Region
from textual.widget import Widget

from ccq_tui.config.actions import KeyPlace
from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.inbox.decision import (
    DECISION,
    DECISION_ACTIONS,
    DecisionState,
    decide,
    decision_hints,
    meaning,
    means_something,
    unseen_words,
)
from ccq_tui.inbox.kinds import permission
from ccq_tui.questions.events import Clicked, Event, Pasted, Pressed, Seen, TabClicked
from ccq_tui.questions.input_guard import Meaning
from ccq_tui.text import one_line
from ccq_tui.widgets.decision.details import DETAILS_FRAME, detail_lines, headline
from ccq_tui.widgets.hints import HintBar, HintLines
from ccq_tui.widgets.lines import DrawnLine, Flow, LineView, TextLines, row_lines, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.form import Drawn, Effect
from ccq_tui.widgets.panel.measures import (
    FIELD_LINES,
    PanelLook,
    field_height,
    head_line,
    is_low,
    key_lines,
    most_lines,
    notice_lines,
)
from ccq_tui.widgets.sight import SightView, more_line

LABEL_AT = 6
"""Cells before the words of a choice."""
FIELD_AT = 6
"""Cells before the text typed along with a choice."""
TEXT_SHOWN = 60
FEWEST_CHOICES = 5
"""Fewest lines of the choices that stay where the details need the others; the rest scrolls."""
SCARCE = 7
"""Lines that must be left beside the choices for a blank line above them."""
AROUND = 1
"""The line of the head."""
FEWEST_DETAILS = 2
"""Lines of details that do not fit: one of them, and the row that counts the others."""
SCROLLS = {"scroll_up": -1, "scroll_down": 1}
NOBODY_ASKS = PermissionRequest("", "", "", {})
NOTHING = DecisionState(NOBODY_ASKS, permission.choices(NOBODY_ASKS))
"""State of a panel that asks nothing."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Lines for each part of a panel; ``height`` is their sum with the rule, the head and the keys.

    Attributes:
        more: Whether the last line of the details says how much more there is.
    """

    details: int
    more: bool
    choices: int
    notice: int
    field: int
    height: int


def shares(
    screen_height: int, *, keys: int, details: int, choices: int, fewest_choices: int, notice: int, field: int
) -> Shares:
    """Share out the lines of a panel: the keys always fit, then the text, then the details.

    All arguments are lines: ``details`` as many as could be seen, ``field`` 0 while no text is open.
    """
    room = most_lines(screen_height) - AROUND - keys
    fewest_choices = min(choices, 1 if is_low(screen_height) else fewest_choices)
    fewest_details = min(details, FEWEST_DETAILS)
    typed = bool(field)
    notice = min(notice, max(0, room - fewest_choices - typed - min(1, details)))
    field = min(field, FIELD_LINES, max(typed, room - notice - fewest_choices - fewest_details))
    left = room - notice - field
    wanted, details = details, min(details, max(fewest_details, left - fewest_choices))
    choices = max(min(choices, left - details), min(1, choices))
    details = max(0, min(details, left - choices))
    more = details < wanted and details > 1
    return Shares(details, more, choices, notice, field, AROUND + keys + details + choices + notice + field)


class DecisionForm:
    """The machine of a decision, and the widgets that show it."""

    nothing = NOTHING
    places = (KeyPlace.LIST,)

    def __init__(self) -> None:
        self.unseen_above: Callable[[], tuple[int, bool]] = lambda: (0, False)
        """Returns the number of lines of a plan above never on the screen, and whether there are more."""
        self.directory = ""
        """The session's working directory, or ""; files in it are shown relative to it."""
        self._head = TextLines(id="head")
        self._details = SightView(id="details")
        self._more = TextLines(id="more", classes="-off")
        self._choices = LineView(id="choices")
        self._notice = TextLines(id="field-label", classes="-off")
        self._flow = Flow(iter(()))
        self._flow_for: object = None
        self._cut = False
        """Whether the details have more lines than the panel shows."""
        self._choices_drawn: tuple[list[DrawnLine], list[DrawnLine]] = [], []
        self._choices_for: object = None

    def compose(self) -> Iterable[Widget]:
        return self._head, self._details, self._more, self._choices, self._notice

    def forget(self) -> None:
        self._flow, self._flow_for = Flow(iter(())), None
        self._choices_drawn, self._choices_for = ([], []), None

    def step(self, state: DecisionState, event: Event) -> DecisionState:
        return decide(state, event)

    def meaning(self, state: DecisionState, event: Pressed | Pasted) -> Meaning:
        return meaning(state, event)

    def effect(self, state: DecisionState, event: Pressed) -> Effect | None:
        """Return the effect of a key; a scroll is already done."""
        action = DECISION_ACTIONS.get(event.key, "")
        if action == "edit" and not state.hidden:
            return Effect.EDIT
        if action in SCROLLS and not state.typing:
            self._details.scroll_relative(y=SCROLLS[action], animate=False, force=True)
            return Effect.DONE
        return Effect.STEP if means_something(state, event.key, event.character) else None

    def typing(self, state: DecisionState) -> bool:
        return state.typing

    def text_to_edit(self, state: DecisionState) -> str:
        return state.text if state.typing else state.current_plan

    def hint(self, state: DecisionState) -> str:
        allows = state.choices[state.cursor].allows
        return "what else Claude should know" if allows else "what to do instead"

    def proposed(self, _state: DecisionState) -> bool:
        return False

    def under(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        row = self._choices.row_on_screen(event.screen_offset)
        return None if row is None else (Clicked, row)

    def sight(self, state: DecisionState) -> Seen:
        """Return the choices on the screen, and how much of the details was never seen."""
        plan = isinstance(state.request, PlanRequest)
        above, more = self.unseen_above() if plan else (0, False)
        return Seen(self._choices.rows_in_sight, self._details.unseen + above, self._details.goes_on or more)

    def seek(self) -> None:
        self._choices.keep_cursor_in_sight()

    def draw(self, state: DecisionState, look: PanelLook, hints: HintBar) -> Drawn:
        palette, width, screen = look.palette, look.width, look.screen_height
        details = self._detail_flow(state, palette, width)
        details.reach(most_lines(screen) + 1)
        warned = unseen_words(state, short=True) if state.warned is not None and is_low(screen) else ""
        notice = notice_lines(warned or state.notice, width, palette) if state.notice else []
        keys = decision_hints(state)
        tight, airy = self._choice_lines(state, palette, width)
        text = field_height(state.text, width - FIELD_AT - 1) if state.typing else 0
        for roomy in (True, False):
            choices = airy if roomy and len(tight) < most_lines(screen) - SCARCE else tight
            # Where not everything fits, the details need the lines more than parts that can be read
            # elsewhere.
            most_keys = key_lines(screen) if roomy else 1
            hints_height = HintLines(keys, "", most_keys, look.last_key).height(width)
            share = shares(
                screen,
                keys=hints_height,
                details=len(details.lines),
                choices=len(choices),
                fewest_choices=len(choices) if roomy else min(FEWEST_CHOICES, len(state.choices)),
                notice=len(notice),
                field=text,
            )
            if not share.more:
                break
        # A part that shares the remaining height takes a line even where none is left.
        self._details.set_class(share.details <= share.more, "-off")
        self._more.set_class(not share.more, "-off")
        self._cut = share.details < len(details.lines)
        self._details.show_flow(details)
        self.say_more(state, look)
        self._choices.styles.height = share.choices
        self._choices.show(choices, state.cursor, palette.cursor)
        # The text is typed below the notice.
        self._notice.styles.height = share.notice + share.field
        self._notice.set_class(not (share.notice or share.field), "-off")
        self._notice.show(notice[: share.notice])
        hints.show(keys, "", most_keys)
        y = share.height - hints_height - share.field
        place = Region(FIELD_AT, y, width - FIELD_AT - 1, max(1, share.field))
        return Drawn(share.height, place if state.typing else None)

    def say_more(self, state: DecisionState, look: PanelLook) -> None:
        """Say how much more of the details there is: in a row under them, or else in the head."""
        palette, row = look.palette, not self._more.has_class("-off")
        instead = look.countdown
        if self._cut:
            down = ("Esc, then Shift+↓" if row else "Esc, Shift+↓") if state.typing else "Shift+↓"
            more = more_line(self._details, look.width - DETAILS_FRAME, palette, down=down, up="Shift+↑")
            self._more.show([more])
            instead = instead or ("" if row else more.plain)
        words = headline(state.request, look.width, self.directory, edited=bool(state.plan))
        head = Text.assemble(("◆ ", palette.accent), (words, palette.strong))
        self._head.show([head_line("", [head], 0, replace(look, countdown=instead))])

    def _detail_flow(self, state: DecisionState, palette: Palette, width: int) -> Flow:
        wanted = (width, palette, state.plan, self.directory)
        if self._flow_for != wanted:
            self._flow_for = wanted
            room = width - DETAILS_FRAME
            self._flow = Flow(detail_lines(state.request, room, palette, state.plan, self.directory))
        return self._flow

    def _choice_lines(
        self, state: DecisionState, palette: Palette, width: int
    ) -> tuple[list[DrawnLine], list[DrawnLine]]:
        """Return the choices, without and with a blank line above; cached while only the cursor moves."""
        wanted = (width, palette, state.choices, state.text_row, state.text, state.typing)
        if self._choices_for != wanted:
            self._choices_for = wanted
            lines = self._made_choices(state, palette, width)
            self._choices_drawn = lines, [DrawnLine(Text("")), *lines]
        return self._choices_drawn

    def _made_choices(self, state: DecisionState, palette: Palette, width: int) -> list[DrawnLine]:
        lines: list[DrawnLine] = []
        for index, choice in enumerate(state.choices):
            label = Text(choice.label, palette.plain)
            if choice.where:
                label.append(f" · {choice.where}", palette.muted)
            if index == state.text_row and state.text and not state.typing:
                label.append(f"  “{one_line(state.text, TEXT_SHOWN)}”", palette.note)
            mark = Text(f"{choice.key or ' '}  ", palette.muted)
            lines += row_lines(wrapped(label, width - LABEL_AT - 1), index, mark, LABEL_AT, palette.accent)
        return lines


class DecisionPanel(RequestPanel[DecisionState]):
    """Asks for a permission, or for the approval of a plan."""

    DEFAULT_CSS = """
    DecisionPanel {
        & > #head { height: 1; }
        & > #details { height: 1fr; margin: 0 2 0 3; }
        & > #more { height: 1; margin: 0 2 0 3; }
        & > #choices { width: 100%; }
    }
    """
    FORM = DecisionForm
    form: DecisionForm
    help_place = DECISION

    @on(SightView.Looked)
    def _looked(self, event: SightView.Looked) -> None:
        event.stop()
        self.look()

    def look(self) -> None:
        """Update how much of the details was seen."""
        if self._rests or self._state.outcome is not None or not self.is_mounted:
            return
        before, form = self._state, self.form
        self._state = form.step(before, form.sight(before))
        if self._state.notice != before.notice:
            self._draw()
        else:
            form.say_more(self._state, self._look())

"""A panel that is used for one request after the other.

To make its widgets and to look up their styles takes longer than all else between a request and the screen.
Between two requests a panel rests: it is hidden and takes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from textual import events, on
from textual.containers import Vertical
from textual.message import Message

from ccq_tui.inbox.waiting import Draft
from ccq_tui.widgets.keys import copy_of, text_of

State = TypeVar("State", bound=Draft)


class Turns(Vertical, Generic[State]):
    """Begins with a request and ends with it, and keeps what is typed for one from the next.

    Args:
        state: The state to begin with, fresh or from a draft; None for a panel that rests until `begin`.
        place: Which of how many waiting requests this is.
        asked_for: Whether a person opened the panel: then no key can have been meant for something else.
    """

    class Begun(Message):
        """A request is asked; everything that was in the queue before is done."""

        def __init__(self, turn: int) -> None:
            super().__init__()
            self.turn = turn

    def __init__(
        self,
        state: State | None,
        place: tuple[int, int],
        *,
        asked_for: bool,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._state = self._nothing() if state is None else state
        self._place = place
        self.turn = 0
        """Counts the requests: what was meant for one is not for the next."""
        self.touched: float | None = None
        """When somebody last pressed a key or clicked here, or None."""
        self._rests = state is None
        self._fresh = not (asked_for or self._rests or self._state.hidden)
        self._ready = False
        self._behind = False
        self._late: list[events.Key | events.Paste] = []
        self._typed_at: float | None = None
        self.keys_under_way = 0
        """How many keys and pastes are in the panel's queue."""
        self._ahead = 0
        """How many of these were typed before the panel was drawn."""
        self._came_ahead = False
        """Whether what is handled now was."""
        if self._rests:
            self.display = False

    @property
    def state(self) -> State:
        """The state drawn."""
        return self._state

    @property
    def place(self) -> tuple[int, int]:
        """Which of how many waiting requests this is."""
        return self._place

    @place.setter
    def place(self, place: tuple[int, int]) -> None:
        self._place = place
        self._draw()

    def begin(
        self,
        state: State,
        *,
        place: tuple[int, int] = (1, 1),
        asked_for: bool = False,
        typed_at: float | None = None,
    ) -> None:
        """Ask another request; the panel must rest.

        Args:
            state: The state to begin with, fresh or from a draft.
            place: Which of how many waiting requests this is.
            asked_for: Whether a person opened the panel.
            typed_at: When something was last typed elsewhere, or None.
        """
        self.turn += 1
        self._typed_at = typed_at
        self._state, self._place, self._rests = state, place, False
        self._fresh = not (asked_for or state.hidden)
        self.display = not state.hidden
        if self._ready:
            # Keys that are in the queue already were pressed before anybody could see this request.
            self._behind = True
            self.post_message(self.Begun(self.turn))
            self._open()

    @on(Begun)
    def _begun(self, event: Begun) -> None:
        event.stop()
        self._behind = event.turn != self.turn

    def rest(self) -> list[events.Key | events.Paste]:
        """Ask nothing any more.

        Returns:
            What was typed after the request was settled here, or after what goes back to the prompt.
        """
        self.turn += 1
        self._state, self._rests, self._fresh, self.touched = self._nothing(), True, False, None
        self.display = False
        self._forget()
        late, self._late = self._late, []
        return late

    def on_mount(self) -> None:
        """Ask what is to be asked."""
        if self.is_attached:  # else settled in the same moment in which it was asked
            self._ready = True
            if self._rests:
                self._rehearse()
            else:
                self._open()

    def post_message(self, message: Message) -> bool:
        """Queue a message, and count what is typed: what is not handled yet must not be overtaken."""
        posted = super().post_message(message)
        if posted and isinstance(message, events.Key | events.Paste):
            self.keys_under_way += 1
        return posted

    def type_ahead(self, typed: Iterable[events.Key | events.Paste]) -> None:
        """Take what was typed for the panel before it was drawn; none of it decides anything.

        Args:
            typed: Copies of what came.
        """
        for event in typed:
            self.post_message(event)
        self._ahead = self.keys_under_way

    def _sets_aside(self, event: events.Key | events.Paste) -> bool:
        """Whether something typed is not for the request that is asked: it came too early, or too late."""
        self.keys_under_way -= 1
        # Without a size nothing of it has been laid out yet.
        self._came_ahead, self._ahead = self._ahead > 0 or not self.size, max(0, self._ahead - 1)
        if self._state.outcome is not None or self._state.guard.returned:
            self._late.append(copy_of(event))
            self._give_back()
        elif self._rests or self._behind or (self._state.hidden and _types(event)):
            # A key that types nothing was meant for what is no more.
            if _types(event):
                self._tell_late(copy_of(event))
        else:
            return False
        event.stop()
        return True

    def _give_back(self) -> None:
        """Tell once everything is here that was typed for the prompt."""
        if self._state.guard.returned and not self.keys_under_way:
            self._tell_returned()

    def _draw(self) -> None:
        """Draw the state."""
        raise NotImplementedError

    def _nothing(self) -> State:
        """Return the state of a panel that asks nothing."""
        raise NotImplementedError

    def _open(self) -> None:
        """Begin to ask."""
        raise NotImplementedError

    def _tell_late(self, typed: events.Key | events.Paste) -> None:
        """Tell that something was typed that came when nothing was asked any more."""
        raise NotImplementedError

    def _tell_returned(self) -> None:
        """Tell that keys turned out to be meant for the prompt."""
        raise NotImplementedError

    def _rehearse(self) -> None:
        """Draw once unseen: what takes longer the first time is done before anybody waits for it."""

    def _forget(self) -> None:
        """Forget everything that was kept of a request beside its state."""


def _types(event: events.Key | events.Paste) -> bool:
    return isinstance(event, events.Paste) or bool(text_of(event))

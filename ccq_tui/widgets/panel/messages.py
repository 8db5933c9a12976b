"""What a panel tells the screen: facts, each with the panel it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events
from textual.message import Message

from ccq_tui.inbox import RequestOutcome
from ccq_tui.inbox.waiting import Draft

if TYPE_CHECKING:
    from ccq_tui.widgets.panel.base import RequestPanel


class PanelMessage(Message, namespace="request_panel"):
    """Something happened in a panel."""

    def __init__(self, panel: RequestPanel[Any]) -> None:
        super().__init__()
        self.panel = panel
        self._turn = panel.turn

    @property
    def current(self) -> bool:
        """Whether the panel still asks the request that this is about."""
        return self._turn == self.panel.turn

    @property
    def control(self) -> RequestPanel[Any]:
        """The panel."""
        return self.panel


class Opened(PanelMessage, namespace="request_panel"):
    """The panel asks a request now; posted by the code that opened it."""


class Changed(PanelMessage, namespace="request_panel"):
    """The state is another one: a draft to keep."""

    def __init__(self, panel: RequestPanel[Any], state: Draft) -> None:
        super().__init__(panel)
        self.state = state


class Hidden(Changed, namespace="request_panel"):
    """The person folded the panel away, with a key or without; nothing is discarded."""

    def __init__(self, panel: RequestPanel[Any], state: Draft, key: str = "") -> None:
        super().__init__(panel, state)
        self.key = key


class Ended(PanelMessage, namespace="request_panel"):
    """The person settled the request."""

    def __init__(self, panel: RequestPanel[Any], outcome: RequestOutcome) -> None:
        super().__init__(panel)
        self.outcome = outcome


class Returned(PanelMessage, namespace="request_panel"):
    """Keys turned out to be meant for the prompt; the panel's state and `RequestPanel.rest` have them."""


class Late(PanelMessage, namespace="request_panel"):
    """Something was typed that came when the panel asked nothing any more."""

    def __init__(self, panel: RequestPanel[Any], typed: events.Key | events.Paste) -> None:
        super().__init__(panel)
        self.typed = typed


class EditorWanted(PanelMessage, namespace="request_panel"):
    """The person wants the open text in an editor of their own; `RequestPanel.put_text` brings it back."""

    def __init__(self, panel: RequestPanel[Any], text: str) -> None:
        super().__init__(panel)
        self.text = text

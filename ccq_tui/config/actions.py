"""What keys can be given to: every action by name, with the keys it has and where they work."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
    """Where the keys of an action work."""

    EVERYWHERE = "Everywhere"
    PROMPT = "Prompt"
    TRANSCRIPT = "Transcript"
    LIST = "Lists"
    QUESTION = "Question panel"


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does.

    Attributes:
        name: What it is called in settings; the id of its binding, where a screen has one.
        place: Where its keys work.
        keys: The keys it has by default, as Textual spells them; the first is what panels know it by.
    """

    name: str
    place: Place
    keys: tuple[str, ...]


ACTIONS = (
    Action("help", Place.EVERYWHERE, ("f1",)),
    Action("quit", Place.EVERYWHERE, ("ctrl+q",)),
    Action("copy", Place.EVERYWHERE, ("ctrl+c",)),
    Action("panel", Place.EVERYWHERE, ("f2",)),
    Action("copy_draft", Place.EVERYWHERE, ("f8",)),
    Action("recover", Place.EVERYWHERE, ("f6",)),
    Action("sessions", Place.EVERYWHERE, ("f3",)),
    Action("waiting", Place.EVERYWHERE, ("f4",)),
    Action("overview", Place.EVERYWHERE, ("f5",)),
    Action("session_next", Place.EVERYWHERE, ("ctrl+pagedown",)),
    Action("session_before", Place.EVERYWHERE, ("ctrl+pageup",)),
    Action("interrupt", Place.PROMPT, ("escape",)),
    Action("editor", Place.PROMPT, ("ctrl+g",)),
    Action("history", Place.PROMPT, ("ctrl+r",)),
    Action("new_session", Place.PROMPT, ("ctrl+n",)),
    Action("palette", Place.PROMPT, ("ctrl+p",)),
    Action("mode", Place.PROMPT, ("shift+tab",)),
    Action("page_up", Place.TRANSCRIPT, ("pageup",)),
    Action("page_down", Place.TRANSCRIPT, ("pagedown",)),
    Action("line_up", Place.TRANSCRIPT, ("ctrl+up",)),
    Action("line_down", Place.TRANSCRIPT, ("ctrl+down",)),
    Action("top", Place.TRANSCRIPT, ("ctrl+home",)),
    Action("bottom", Place.TRANSCRIPT, ("ctrl+end",)),
    Action("unfold", Place.TRANSCRIPT, ("ctrl+o",)),
    Action("search", Place.TRANSCRIPT, ("ctrl+f",)),
    Action("block_up", Place.TRANSCRIPT, ("alt+up",)),
    Action("block_down", Place.TRANSCRIPT, ("alt+down",)),
    Action("prompt_up", Place.TRANSCRIPT, ("alt+pageup",)),
    Action("prompt_down", Place.TRANSCRIPT, ("alt+pagedown",)),
    Action("fold_block", Place.TRANSCRIPT, ("alt+u",)),
    Action("copy_block", Place.TRANSCRIPT, ("alt+c",)),
    Action("copy_code", Place.TRANSCRIPT, ("alt+k",)),
    Action("open_link", Place.TRANSCRIPT, ("alt+o",)),
    Action("list_up", Place.LIST, ("up", "k", "ctrl+p")),
    Action("list_down", Place.LIST, ("down", "j", "ctrl+n")),
    Action("list_first", Place.LIST, ("home",)),
    Action("list_last", Place.LIST, ("end",)),
    Action("list_scroll_up", Place.LIST, ("shift+up",)),
    Action("list_scroll_down", Place.LIST, ("shift+down",)),
    Action("list_half_up", Place.LIST, ()),
    Action("list_half_down", Place.LIST, ()),
    Action("select", Place.QUESTION, ("space",)),
    Action("select_all", Place.QUESTION, ("a",)),
    Action("other", Place.QUESTION, ("o",)),
    Action("note", Place.QUESTION, ("n",)),
    Action("filter", Place.QUESTION, ("slash",)),
    Action("preview", Place.QUESTION, ("p",)),
    Action("discuss", Place.QUESTION, ("c",)),
    Action("decline", Place.QUESTION, ("ctrl+d",)),
)
BY_NAME = {action.name: action for action in ACTIONS}
PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "default": {},
    "vim": {
        "list_first": ("home", "g"),
        "list_last": ("end", "G"),
        "list_half_up": ("ctrl+u",),
        "list_half_down": ("ctrl+d",),
        "decline": ("ctrl+x",),  # Ctrl+D is taken
    },
    "emacs": {
        "list_up": ("up", "ctrl+p"),
        "list_down": ("down", "ctrl+n"),
        # Some terminals send Alt+< as Esc and <, which arrives as < alone.
        "list_first": ("home", "alt+less_than_sign", "less_than_sign"),
        "list_last": ("end", "alt+greater_than_sign", "greater_than_sign"),
        "list_half_up": ("alt+v",),
        "list_half_down": ("ctrl+v",),
    },
}
"""Other keys for lists, by name."""
FIXED = frozenset({"enter", "escape", "tab", "shift+tab", "left", "right", "h", "l", *"0123456789"})
"""Keys of panels that always mean the same."""
DECIDING = frozenset("yane")
"""Letters with which a permission or a plan is decided: they move nothing."""

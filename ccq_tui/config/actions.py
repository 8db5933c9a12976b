"""The actions that a key can trigger: name, default keys, and where the keys work."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class KeyPlace(StrEnum):
    """Places where the keys of an action work."""

    EVERYWHERE = "Everywhere"
    PROMPT = "Prompt"
    TRANSCRIPT = "Transcript"
    LIST = "Lists"
    QUESTION = "Question panel"


@dataclass(frozen=True, slots=True)
class Action:
    """An action that a key triggers.

    Attributes:
        name: Name in settings; also the id of its binding, where a screen has one.
        place: Place where its keys work.
        keys: Default keys, as Textual spells them; panels know the action by the first.
        does: Description for a person; "" for actions of panels, whose own tables have one.
        first: Whether the screen takes the key before the field that has the focus.
    """

    name: str
    place: KeyPlace
    keys: tuple[str, ...]
    does: str = ""
    first: bool = False


ACTIONS = (
    Action("help", KeyPlace.EVERYWHERE, ("f1",), "Show all keys", first=True),
    Action(
        "quit", KeyPlace.EVERYWHERE, ("ctrl+q",), "Quit; twice: without waiting for the session", first=True
    ),
    Action(
        "copy",
        KeyPlace.EVERYWHERE,
        ("ctrl+c",),
        "Copy the selection, else interrupt Claude, else clear the prompt; twice: quit",
        first=True,
    ),
    Action(
        "suspend", KeyPlace.EVERYWHERE, ("ctrl+z",), "Suspend ccq-tui; fg in the shell resumes it", first=True
    ),
    Action("panel", KeyPlace.EVERYWHERE, ("f2",), "Show or hide the waiting request"),
    Action(
        "copy_draft", KeyPlace.EVERYWHERE, ("f8",), "Copy the draft of a question that was closed", first=True
    ),
    Action("recover", KeyPlace.EVERYWHERE, ("f6",), "Run the remedy that an error card offers", first=True),
    Action("sessions", KeyPlace.EVERYWHERE, ("f3",), "Show or hide the sessions"),
    Action("waiting", KeyPlace.EVERYWHERE, ("f4",), "Go to the next session that waits for you"),
    Action("overview", KeyPlace.EVERYWHERE, ("f5",), "Show all sessions by what they need"),
    Action("session_next", KeyPlace.EVERYWHERE, ("ctrl+pagedown",), "Next session", first=True),
    Action("session_before", KeyPlace.EVERYWHERE, ("ctrl+pageup",), "Previous session", first=True),
    Action(
        "interrupt",
        KeyPlace.PROMPT,
        ("escape",),
        "Interrupt Claude; twice while Claude is idle: clear the prompt, or rewind from an empty one",
    ),
    Action("leave", KeyPlace.PROMPT, ("ctrl+d",), "Twice in an empty prompt: quit"),
    Action("stash", KeyPlace.PROMPT, ("ctrl+s",), "Put the prompt aside; again: bring it back"),
    Action("paste", KeyPlace.PROMPT, ("ctrl+v",), "Paste an image or a text from the clipboard", first=True),
    Action("model", KeyPlace.PROMPT, ("alt+p",), "Choose the model", first=True),
    Action("thinking", KeyPlace.PROMPT, ("alt+t",), "Turn extended thinking off or on", first=True),
    Action("tasks", KeyPlace.PROMPT, ("ctrl+t",), "See background tasks, and stop them", first=True),
    Action("background", KeyPlace.PROMPT, ("ctrl+b",), "Send the running work to the background", first=True),
    Action("editor", KeyPlace.PROMPT, ("ctrl+g",), "Edit the prompt in $EDITOR"),
    Action("history", KeyPlace.PROMPT, ("ctrl+r",), "Search earlier prompts"),
    Action("new_session", KeyPlace.PROMPT, ("ctrl+n",), "Open another session"),
    Action("palette", KeyPlace.PROMPT, ("ctrl+p",), "Find a command or an action"),
    Action("mode", KeyPlace.PROMPT, ("shift+tab",), "Next permission mode", first=True),
    Action("page_up", KeyPlace.TRANSCRIPT, ("pageup",), "Scroll up a page", first=True),
    Action("page_down", KeyPlace.TRANSCRIPT, ("pagedown",), "Scroll down a page", first=True),
    Action("line_up", KeyPlace.TRANSCRIPT, ("ctrl+up",), "Scroll up a line", first=True),
    Action("line_down", KeyPlace.TRANSCRIPT, ("ctrl+down",), "Scroll down a line", first=True),
    Action("top", KeyPlace.TRANSCRIPT, ("ctrl+home",), "Go to the start", first=True),
    Action("bottom", KeyPlace.TRANSCRIPT, ("ctrl+end",), "Go to the end, and follow it", first=True),
    Action(
        "unfold", KeyPlace.TRANSCRIPT, ("ctrl+o",), "Unfold or fold thinking and long outputs", first=True
    ),
    Action("search", KeyPlace.TRANSCRIPT, ("ctrl+f",), "Find in the transcript", first=True),
    Action("block_up", KeyPlace.TRANSCRIPT, ("alt+up",), "Mark the block above", first=True),
    Action("block_down", KeyPlace.TRANSCRIPT, ("alt+down",), "Mark the block below", first=True),
    Action("prompt_up", KeyPlace.TRANSCRIPT, ("alt+pageup",), "Mark the prompt above", first=True),
    Action("prompt_down", KeyPlace.TRANSCRIPT, ("alt+pagedown",), "Mark the prompt below", first=True),
    Action("fold_block", KeyPlace.TRANSCRIPT, ("alt+u",), "Unfold or fold the marked block", first=True),
    Action("copy_block", KeyPlace.TRANSCRIPT, ("alt+c",), "Copy the marked block", first=True),
    Action(
        "copy_code",
        KeyPlace.TRANSCRIPT,
        ("alt+k",),
        "Copy the code in the marked block; again: the next one",
        first=True,
    ),
    Action(
        "open_link",
        KeyPlace.TRANSCRIPT,
        ("alt+o",),
        "Open the link or path in the marked block; again: the next one",
        first=True,
    ),
    Action("list_up", KeyPlace.LIST, ("up", "k", "ctrl+p")),
    Action("list_down", KeyPlace.LIST, ("down", "j", "ctrl+n")),
    Action("list_first", KeyPlace.LIST, ("home",)),
    Action("list_last", KeyPlace.LIST, ("end",)),
    Action("list_scroll_up", KeyPlace.LIST, ("shift+up",)),
    Action("list_scroll_down", KeyPlace.LIST, ("shift+down",)),
    Action("list_half_up", KeyPlace.LIST, ()),
    Action("list_half_down", KeyPlace.LIST, ()),
    Action("decline", KeyPlace.LIST, ("ctrl+d",)),
    Action("select", KeyPlace.QUESTION, ("space",)),
    Action("select_all", KeyPlace.QUESTION, ("a",)),
    Action("other", KeyPlace.QUESTION, ("o",)),
    Action("note", KeyPlace.QUESTION, ("n",)),
    Action("filter", KeyPlace.QUESTION, ("slash",)),
    Action("preview", KeyPlace.QUESTION, ("p",)),
    Action("discuss", KeyPlace.QUESTION, ("c",)),
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
"""Key presets for lists, by name."""
FIXED = frozenset({"enter", "escape", "tab", "shift+tab", "left", "right", "h", "l", *"0123456789"})
"""Panel keys whose meaning never changes."""
DECIDING = frozenset("yane")
"""Letters that decide a permission or a plan, so they cannot move the cursor."""

"""The actions that a key can trigger: name, default keys, and where the keys work."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial


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
        keys: Default keys, as Textual spells them; panels know the action by the first.
        does: Description for a person; "" for actions of panels, whose own tables have one.
        first: Whether the screen takes the key before the field that has the focus.
        place: Place where its keys work.
    """

    name: str
    keys: tuple[str, ...]
    does: str = ""
    first: bool = False
    place: KeyPlace = field(kw_only=True)


_everywhere = partial(Action, place=KeyPlace.EVERYWHERE)
_prompt = partial(Action, place=KeyPlace.PROMPT)
_transcript = partial(Action, place=KeyPlace.TRANSCRIPT, first=True)
_list = partial(Action, place=KeyPlace.LIST)
_question = partial(Action, place=KeyPlace.QUESTION)

ACTIONS = (
    _everywhere("help", ("f1",), "Show all keys", first=True),
    _everywhere("quit", ("ctrl+q",), "Quit; twice: without waiting for the session", first=True),
    _everywhere(
        "copy",
        ("ctrl+c",),
        "Copy the selection, else interrupt Claude, else clear the prompt; twice: quit",
        first=True,
    ),
    _everywhere("suspend", ("ctrl+z",), "Suspend ccq-tui; fg in the shell resumes it", first=True),
    _everywhere("panel", ("f2",), "Show or hide the waiting request"),
    _everywhere("copy_draft", ("f8",), "Copy the draft of a question that was closed", first=True),
    _everywhere("recover", ("f6",), "Run the remedy that an error card offers", first=True),
    _everywhere("sessions", ("f3",), "Show or hide the sessions"),
    _everywhere("waiting", ("f4",), "Go to the next session that waits for you"),
    _everywhere("overview", ("f5",), "Show all sessions by what they need"),
    _everywhere("session_next", ("ctrl+pagedown",), "Next session", first=True),
    _everywhere("session_before", ("ctrl+pageup",), "Previous session", first=True),
    _prompt(
        "interrupt",
        ("escape",),
        "Interrupt Claude; twice while Claude is idle: clear the prompt, or rewind from an empty one",
    ),
    _prompt("leave", ("ctrl+d",), "Twice in an empty prompt: quit"),
    _prompt("stash", ("ctrl+s",), "Put the prompt aside; again: bring it back"),
    _prompt("paste", ("ctrl+v",), "Paste an image or a text from the clipboard", first=True),
    _prompt("model", ("alt+p",), "Choose the model", first=True),
    _prompt("thinking", ("alt+t",), "Turn extended thinking off or on", first=True),
    _prompt("tasks", ("ctrl+t",), "See background tasks, and stop them", first=True),
    _prompt("background", ("ctrl+b",), "Send the running work to the background", first=True),
    _prompt("editor", ("ctrl+g",), "Edit the prompt in $EDITOR"),
    _prompt("history", ("ctrl+r",), "Search earlier prompts"),
    _prompt("new_session", ("ctrl+n",), "Open another session"),
    _prompt("palette", ("ctrl+p",), "Find a command or an action"),
    _prompt("mode", ("shift+tab",), "Next permission mode", first=True),
    _transcript("page_up", ("pageup",), "Scroll up a page"),
    _transcript("page_down", ("pagedown",), "Scroll down a page"),
    _transcript("line_up", ("ctrl+up",), "Scroll up a line"),
    _transcript("line_down", ("ctrl+down",), "Scroll down a line"),
    _transcript("top", ("ctrl+home",), "Go to the start"),
    _transcript("bottom", ("ctrl+end",), "Go to the end, and follow it"),
    _transcript("unfold", ("ctrl+o",), "Unfold or fold thinking and long outputs"),
    _transcript("search", ("ctrl+f",), "Find in the transcript"),
    _transcript("block_up", ("alt+up",), "Mark the block above"),
    _transcript("block_down", ("alt+down",), "Mark the block below"),
    _transcript("prompt_up", ("alt+pageup",), "Mark the prompt above"),
    _transcript("prompt_down", ("alt+pagedown",), "Mark the prompt below"),
    _transcript("fold_block", ("alt+u",), "Unfold or fold the marked block"),
    _transcript("copy_block", ("alt+c",), "Copy the marked block"),
    _transcript("copy_code", ("alt+k",), "Copy the code in the marked block; again: the next one"),
    _transcript("open_link", ("alt+o",), "Open the link or path in the marked block; again: the next one"),
    _list("list_up", ("up", "k", "ctrl+p")),
    _list("list_down", ("down", "j", "ctrl+n")),
    _list("list_first", ("home",)),
    _list("list_last", ("end",)),
    _list("list_scroll_up", ("shift+up",)),
    _list("list_scroll_down", ("shift+down",)),
    _list("list_half_up", ()),
    _list("list_half_down", ()),
    _list("decline", ("ctrl+d",)),
    _question("select", ("space",)),
    _question("select_all", ("a",)),
    _question("other", ("o",)),
    _question("note", ("n",)),
    _question("filter", ("slash",)),
    _question("preview", ("p",)),
    _question("discuss", ("c",)),
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

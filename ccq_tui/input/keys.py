"""The one table of keys: where each works and what it does there.

Dispatch, the line of keys, F1, the setting `keys` and docs/keys.md read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from ccq_tui.input.gate import KeyKind
from ccq_tui.input.keynames import shown_key, typed_by

Chosen = Mapping[str, tuple[str, ...]]
"""The keys in force, by names in the setting `keys`."""
DEFAULT: Chosen = MappingProxyType({})
Hints = tuple[tuple[str, str], ...]
"""Shown keys, and what they do."""


class Does(str):
    """What a key does, in words that a line of keys can shorten: the verb always stays.

    Attributes:
        verb: The first words.
        about: The object of the verb, cut where there is no room for it.
        link: Words behind it, left out where there is no room for them.
        second: What these are about.
    """

    __slots__ = ("about", "link", "second", "verb")
    verb: str
    about: str
    link: str
    second: str

    def __new__(cls, verb: str, about: str = "", link: str = "", second: str = "") -> "Does":
        """Join the parts."""
        does = super().__new__(cls, f"{verb} {about}".strip() + link + second)
        does.verb, does.about, does.link, does.second = verb, about, link, second
        return does

    @property
    def again(self) -> str:
        """The same in the third person, as of the next press of the key: "sends PostgreSQL"."""
        first, _, rest = self.partition(" ")
        if first == "always":
            return f"always {Does(rest).again}"
        if first in IRREGULAR:
            return f"{IRREGULAR[first]} {rest}".rstrip()
        ends = f"{first[:-1]}ies" if first.endswith("y") and first[-2] not in "aeiou" else f"{first}s"
        return f"{ends} {rest}".rstrip()


IRREGULAR = {"go": "goes", "next": "goes on", "none": "answers none", "back": "goes back"}


class KeyPlace(StrEnum):
    """Where keys work, as people read it."""

    EVERYWHERE = "Everywhere"
    PROMPT = "Prompt"
    VIM = "Vim's keys in the prompt (/vim)"
    TRANSCRIPT = "Transcript"
    SEARCH = "Search in the transcript"
    LIST = "Every list"
    ROWS = "Every list in which letters are keys"
    PICKER = "Lists"
    SESSIONS = "Sessions"
    NEW = "New session"
    TRUST = "Whether to trust a directory"
    QUESTION = "Question panel"
    DECISION = "Permission or plan"
    FORM = "Form in a terminal"


CHAINS: Mapping[KeyPlace, tuple[KeyPlace, ...]] = {
    KeyPlace.PICKER: (KeyPlace.LIST,),
    KeyPlace.SESSIONS: (KeyPlace.ROWS, KeyPlace.PICKER, KeyPlace.LIST),
    KeyPlace.QUESTION: (KeyPlace.ROWS, KeyPlace.LIST),
    KeyPlace.DECISION: (KeyPlace.ROWS, KeyPlace.LIST),
}
"""The places whose keys work in a place too, behind its own and before those of everywhere."""


OPEN, MOVE, ACT, DECIDE = KeyKind.OPEN, KeyKind.MOVE, KeyKind.ACT, KeyKind.DECIDE


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What keys do in one place.

    Attributes:
        place: The place.
        action: Name of what they do, for the surface there.
        keys: Their names, as Textual spells them.
        does: What they do, for people; "" for a row that each place puts into its own words.
        hint: The same in a word for the line of keys, or "".
        rank: Its place in that line, from 1; 0 for none.
        kind: The nature of what they do.
        when: Words that the surface reports while the row applies.
        setting: Its name in the setting `keys`, or "" for fixed keys.
        first: Whether the screen takes the keys before the field that has the focus.
    """

    place: KeyPlace
    action: str
    keys: tuple[str, ...]
    does: str
    hint: str
    rank: int
    kind: KeyKind
    when: frozenset[str]
    setting: str
    first: bool


def _row(
    action: str,
    keys: str,
    does: str,
    kind: KeyKind = ACT,
    when: str = "",
    hint: str = "",
    rank: int = 0,
    setting: str = "",
    *,
    first: bool = False,
) -> KeyRow:
    place, words = KeyPlace.EVERYWHERE, frozenset(when.split())
    return KeyRow(place, action, tuple(keys.split()), does, hint, rank, kind, words, setting, first)


def _own(
    action: str, keys: str, does: str, when: str = "", hint: str = "", rank: int = 0, *, first: bool = False
) -> KeyRow:
    """Return the row of an action whose name in the settings is its own."""
    return _row(action, keys, does, ACT, when, hint, rank, action, first=first)


_1_9 = "1 2 3 4 5 6 7 8 9"
_QUITS = "Copy the selection, else interrupt Claude, else clear the prompt; twice: quit"
# fmt: off
_TABLE: Mapping[KeyPlace, tuple[KeyRow, ...]] = {
    KeyPlace.EVERYWHERE: (
        _own("help", "f1", "Show all keys", first=True),
        _own("quit", "ctrl+q", "Quit; twice: without waiting for the session", "over", "quit", 1, first=True),
        _own("copy", "ctrl+c", _QUITS, first=True),
        _own("suspend", "ctrl+z", "Suspend ccq-tui; fg in the shell resumes it", first=True),
        _own("panel", "f2", "Show or hide the waiting request", "waiting", "answer", 1),
        _own("copy_draft", "f8", "Copy the draft of a question that was closed", first=True),
        _own("recover", "f6", "Run the remedy that an error card offers", first=True),
        _own("sessions", "f3", "Show or hide the line of sessions"),
        _own("waiting", "f4", "Go to the next request that waits for you"),
        _own("overview", "f5", "Show everything that waits, runs or was", "prompt", "sessions", 6),
        _own("session_next", "ctrl+pagedown", "Next session", first=True),
        _own("session_before", "ctrl+pageup", "Previous session", first=True),
        _row("session", "alt+" + _1_9.replace(" ", " alt+"), "Go to session 1 to 9", MOVE, first=True),
    ),
    KeyPlace.PROMPT: (
        _row("send", "enter", "Send; while Claude works, the prompt is queued", DECIDE),
        _row("new_line", "ctrl+j alt+enter", "New line; Shift+Enter too, if the terminal sends it"),
        _row("commands", "slash", "At the start: commands", OPEN, "prompt", "commands", 3),
        _row("files", "at", "Files", OPEN, "prompt", "files", 4),
        _row("keys", "question_mark", "In an empty prompt: these keys"),
        _row("accept", "tab", "Accept the suggestion"),
        _row("earlier", "up down", "On the first and last line: earlier and later prompts"),
        _row("earlier", "up", "", MOVE, "shell", "earlier prompts", 1),
        _row("earlier", "up", "", MOVE, "queued", "withdraw", 2),
        _own("interrupt", "escape",
             "Interrupt Claude; twice while Claude is idle: clear the prompt, or rewind from an empty one"),
        _own("leave", "ctrl+d", "Twice in an empty prompt: quit", first=True),
        _own("stash", "ctrl+s", "Put the prompt aside; again: bring it back"),
        _own("paste", "ctrl+v", "Paste an image or a text from the clipboard", first=True),
        _own("model", "alt+p", "Choose the model", first=True),
        _own("thinking", "alt+t", "Turn extended thinking off or on", first=True),
        _own("tasks", "ctrl+t", "See background tasks, and stop them", first=True),
        _own("background", "ctrl+b", "Send the running work to the background", first=True),
        _own("editor", "ctrl+g", "Edit the prompt in $EDITOR"),
        _own("history", "ctrl+r", "Search earlier prompts"),
        _own("new_session", "ctrl+n", "Open another session"),
        _own("palette", "ctrl+p", "Find a command or an action"),
        _own("mode", "shift+tab", "Next permission mode", "prompt", "mode", 5, first=True),
    ),
    KeyPlace.VIM: (
        _row("normal", "escape",
             "NORMAL mode; there: drop an incomplete command, else as without Vim's keys"),
        _row("insert", "i a I A o O",
             "INSERT mode: before, after, at the line's start or end, on a new line"),
        _row("move", "h j k l w b e 0 ^ $ gg G",
             "Move; j and k beyond the last and first line: other prompts", MOVE),
        _row("find", "f F t T ; ,", "Find a character in the line; again, and backwards", MOVE),
        _row("edit", "d c y", 'Delete, change, yank: with a motion, doubled for lines, or with iw aw'),
        _row("change", "x X s S D C Y r", "Delete, change and replace characters and lines"),
        _row("paste", "p P u", "Paste deleted or yanked text; undo"),
    ),
    KeyPlace.TRANSCRIPT: (
        _own("page_up", "pageup", "Scroll up a page", first=True),
        _own("page_down", "pagedown", "Scroll down a page", first=True),
        _own("line_up", "ctrl+up", "Scroll up a line", first=True),
        _own("line_down", "ctrl+down", "Scroll down a line", first=True),
        _own("top", "ctrl+home", "Go to the start", first=True),
        _own("bottom", "ctrl+end", "Go to the end, and follow it", first=True),
        _own("unfold", "ctrl+o", "Unfold or fold thinking and long outputs", first=True),
        _own("search", "ctrl+f", "Find in the transcript", first=True),
        _own("block_up", "alt+up", "Mark the block above", first=True),
        _own("block_down", "alt+down", "Mark the block below", first=True),
        _own("prompt_up", "alt+pageup", "Mark the prompt above", first=True),
        _own("prompt_down", "alt+pagedown", "Mark the prompt below", first=True),
        _own("fold_block", "alt+u", "Unfold or fold the marked block", first=True),
        _own("copy_block", "alt+c", "Copy the marked block", first=True),
        _own("copy_code", "alt+k", "Copy the code in the marked block; again: the next one", first=True),
        _own("open_link", "alt+o", "Open the link or path in the marked block; again: the next one",
             first=True),
        _row("unmark", "escape", "Unmark the block"),
    ),
    KeyPlace.SEARCH: (
        _row("next", "enter down", "Go to the next match", MOVE),
        _row("previous", "up shift+enter", "Go to the previous match", MOVE, "", "previous", 1),
        _row("close", "escape", "Close the search and stay at the match"),
    ),
    KeyPlace.LIST: (
        _row("up", "up ctrl+p", "Move up", MOVE, "moving", "move", 6, "list_up"),
        _row("down", "down ctrl+n", "Move down", MOVE, "moving", "move", 6, "list_down"),
        _row("first", "home", "Go to the first row", MOVE, "rows", setting="list_first"),
        _row("last", "end", "Go to the last row", MOVE, "rows", setting="list_last"),
        _row("step_up", "shift+up", "Move up, to the first", MOVE, "rows", setting="list_scroll_up"),
        _row("step_down", "shift+down", "Move down, to the last", MOVE, "rows", setting="list_scroll_down"),
        _row("half_up", "", "", MOVE, setting="list_half_up"),
        _row("half_down", "", "", MOVE, setting="list_half_down"),
        _row("decline", "ctrl+d", "", setting="decline"),
    ),
    KeyPlace.ROWS: (
        _row("up", "k", "Move up", MOVE, "rows", setting="list_up"),
        _row("down", "j", "Move down", MOVE, "rows", setting="list_down"),
    ),
    KeyPlace.PICKER: (
        _row("up", "shift+tab", "Move up", MOVE),
        _row("down", "tab", "Move down", MOVE),
        _row("page_up", "pageup", "Move up a page", MOVE),
        _row("page_down", "pagedown", "Move down a page", MOVE),
        _row("first", "ctrl+home", "Go to the first row", MOVE),
        _row("last", "ctrl+end", "Go to the last row", MOVE),
        _row("letters", "letters", "Find rows", MOVE, "letters", "find", 7),
        _row("choose", "enter", "Choose", DECIDE),
        _row("empty", "escape", "Clear the filter, then leave"),
    ),
    KeyPlace.SESSIONS: (
        _row("choose", "enter", "Answer the request; go to the session, or resume it", OPEN),
        _row("choose", "right a l", "Answer the request; go to the session", OPEN),
        _row("to_session", "left h", "From a request to its session", MOVE, "parked", "session", 1),
        _row("heading_next", "tab", "Next group", MOVE),
        _row("heading_before", "shift+tab", "Previous group", MOVE),
        _row("decline", "ctrl+d", "Decline the request, delete the conversation; y confirms", ACT,
             "declines", "decline", 2, "decline"),
        _row("new", "n", "A new session", OPEN, "new", "new", 3),
        _row("find", "slash", "Find", OPEN, "find", "find", 4),
        _row("park", "p", "Pause the session, even one in another ccq-tui", ACT, "pause", "park", 5),
        _row("restart", "r", "Restart a session that has no process, and stay here", ACT, "starts",
             "start", 5),
        _row("copy", "c", "Copy the request and your draft, or the draft of a closed one", ACT, "copy",
             "copy", 6),
        _row("copy", "f8", "Copy the request and your draft", setting="copy_draft"),
        _row("done", "d", "Mark it as done, or as not done", DECIDE, "done", "done", 6),
        _row("close", "x", "Close a session of this terminal", ACT),
        _row("fork", "ctrl+f", "Fork it: the original stays as it is; y confirms", ACT, "earlier", "fork", 7),
        _row("rename", "ctrl+r", "Give an earlier session another title", OPEN, "titled", "rename", 8),
        _row("everywhere", "ctrl+a", "List earlier sessions of all directories, or of this one", ACT,
             "everywhere", "all directories", 9),
        _row("scroll_up", "ctrl+up", "Scroll the details up", MOVE, setting="line_up"),
        _row("scroll_down", "ctrl+down", "Scroll the details down", MOVE, setting="line_down"),
        _row("waiting", "f4", "Go to the next request that waits", MOVE, setting="waiting"),
        _row("leave", "q", "Leave"),
        _row("leave", "f2", "Leave", setting="panel"),
        _row("leave", "f5", "Leave", setting="overview"),
        _row("leave", "ctrl+c", "Leave", setting="copy"),
    ),
    KeyPlace.NEW: (
        _row("open", "enter", "Open the session", DECIDE),
        _row("field_next", "tab down", "Next field", MOVE, "", "next field", 1),
        _row("field_before", "shift+tab up", "Previous field", MOVE),
        _row("new_line", "ctrl+j", "New line in the prompt", ACT),
        _row("editor", "ctrl+g", "Edit the prompt in $EDITOR", OPEN, "", "editor", 2),
        _row("name", "space", "In the empty field of the worktree: make up a name", ACT),
        _row("keep", "escape", "Back to the list; what is typed stays in the row"),
    ),
    KeyPlace.TRUST: (
        _row("step_up", "up", "Move", MOVE, "", "choose", 1),
        _row("step_down", "down", "Move", MOVE, "", "choose", 1),
        _row("answer", "enter", "Answer with the row under the cursor", DECIDE),
        _row("leave", "escape", "Trust nothing and return to the session, if there is one", DECIDE),
        _row("scroll_page_up", "pageup", "Scroll the effects of the files", MOVE, "", "scroll", 2),
        _row("scroll_page_down", "pagedown", "Scroll the effects of the files", MOVE, "", "scroll", 2),
        _row("scroll_home", "home", "Scroll the effects of the files", MOVE),
        _row("scroll_end", "end", "Scroll the effects of the files", MOVE),
        _row("scroll_up", "shift+up", "Scroll it by a line", MOVE),
        _row("scroll_down", "shift+down", "Scroll it by a line", MOVE),
        _row("letters", "letters", "Typed for the prompt, which has it after the answer"),
    ),
    KeyPlace.QUESTION: (
        _row("row", _1_9, "Select that row; in the review, go to that question", MOVE, "numbered"),
        _row("select", "space", "Select, and stay; toggle in a multi-select", MOVE, "choices", "select", 1,
             "select"),
        _row("take", "enter", "Select and continue; on “Submit answers”: confirm", DECIDE, "asking"),
        _row("all", "a", "All or none of a multi-select", ACT, "multi", "all", 3, "select_all"),
        _row("swap", "tab", "", ACT, "doubt"),
        _row("next", "tab", "Next question", MOVE, "several", "next", 4),
        _row("previous", "shift+tab", "Previous question", MOVE, "several"),
        _row("next", "right l", "Next question", MOVE, "rows several"),
        _row("previous", "left h", "Previous question", MOVE, "rows several"),
        _row("swap", "tab", "With two readings of a letter on the screen: take the other one", ACT, "doubt"),
        _row("other", "o", "Answer in your own words", OPEN, "list", "other", 6, "other"),
        _row("note", "n", "Add a note to the answer", OPEN, "list prose", "note", 7, "note"),
        _row("recall", "r", "Reuse your earlier answer", ACT, "recalled"),
        _row("filter", "slash", "Filter a long list", OPEN, "filterable", "filter", 5, "filter"),
        _row("enlarge", "p", "Show the row and its preview whole, or back", ACT, "list", "all", 2,
             "preview"),
        _row("line_up", "shift+up", "Scroll the preview up", MOVE, "rows", setting="list_scroll_up"),
        _row("line_down", "shift+down", "Scroll the preview down", MOVE, "rows", setting="list_scroll_down"),
        _row("page_up", "shift+pageup", "Page the preview up", MOVE, "rows"),
        _row("page_down", "shift+pagedown", "Page the preview down", MOVE, "rows"),
        _row("page_up", "pageup", "Page what is enlarged up", MOVE, "large", "page", 5),
        _row("page_down", "pagedown", "Page what is enlarged down", MOVE, "large", "page", 5),
        _row("discuss", "c", "Discuss in prose instead of answering", OPEN, "rows prose", "discuss", 8,
             "discuss"),
        _row("new_line", "ctrl+j", "", ACT, "lines", "new line", 1),
        _row("back", "escape", "Leave the text, then hide the panel"),
        _row("fold", "f2", "Hide or show the panel", setting="panel"),
        _row("confirm", "ctrl+d", "", DECIDE, "declining"),
        _row("decline", "ctrl+d", "Decline the questions (asks once)", setting="decline"),
        _row("from_prompt", "ctrl+y", "Answer with the words in the prompt under the panel"),
        _row("edit", "ctrl+g", "Edit the text, or your own answer, in $EDITOR", OPEN, "text readable",
             "editor", 2),
        _row("edit", "ctrl+g", "Edit the text, or your own answer, in $EDITOR", OPEN, "readable"),
        _row("confirm", "y", "In the confirmation: decline", DECIDE, "declining", "decline", 1),
        _row("dismiss", "x", "In the confirmation of a form: cancel it without a decision", DECIDE,
             "declining form", "cancel", 2),
    ),
    KeyPlace.DECISION: (
        _row("take", "enter", "Choose the row under the cursor", DECIDE),
        _row("choose", "y", "Allow once; approve the plan", DECIDE, "rows", "allow", 1),
        _row("choose", _1_9, "Allow for longer, as suggested; approve and accept edits", MOVE, "rows"),
        _row("choose", "a", "Allow once, and say something", OPEN, "rows"),
        _row("choose", "n", "Deny; keep planning", DECIDE, "rows", "deny", 2),
        _row("choose", "e", "Deny, and say what to do instead", OPEN, "rows"),
        _row("line_up", "shift+up", "Scroll the details up", MOVE, "rows", "", 0, "list_scroll_up"),
        _row("line_down", "shift+down", "Scroll the details down", MOVE, "rows", "", 0, "list_scroll_down"),
        _row("page_up", "pageup", "", MOVE, "large"),
        _row("page_down", "pagedown", "", MOVE, "large"),
        _row("page_up", "shift+pageup", "Page the details up", MOVE),
        _row("page_down", "space", "Page the details down", MOVE, "rows", "page", 3),
        _row("page_down", "shift+pagedown", "Page the details down", MOVE),
        _row("page_above", "pagedown", "", MOVE, "plan", "page", 3, "page_down"),
        _row("enlarge", "p", "Enlarge the details; small again", ACT, "rows", "all", 4),
        _row("new_line", "ctrl+j", "", ACT, "text", "new line", 1),
        _row("edit", "ctrl+g", "Edit the plan, or the text, in $EDITOR", OPEN, hint="edit", rank=5),
        _row("from_prompt", "ctrl+y", "Answer with the words in the prompt under the panel"),
        _row("decline", "ctrl+d", "Go to “Deny”", setting="decline"),
        _row("swap", "tab shift+tab", "", ACT, "doubt"),
        _row("back", "tab shift+tab", "Leave the text", MOVE, "text"),
        _row("back", "escape", "Leave the text; hide the panel"),
        _row("fold", "f2", "Hide or show the panel", setting="panel"),
    ),
    KeyPlace.FORM: (
        _row("line_up", "ctrl+up", "Scroll what the form is about", MOVE),
        _row("line_down", "ctrl+down", "Scroll what the form is about", MOVE),
        _row("page_up", "pageup", "Scroll what the form is about", MOVE),
        _row("page_down", "pagedown", "Scroll what the form is about", MOVE),
        _row("go_back", "escape", "Back", first=True),
        _row("quit", "ctrl+c", "Leave", first=True),
        _row("quit", "ctrl+q", "Leave", setting="quit"),
        _row("help", "f1", "Show all keys", setting="help"),
    ),
}
# fmt: on
TABLE = tuple(replace(row, place=place) for place, rows in _TABLE.items() for row in rows)


def _settings() -> dict[str, KeyRow]:
    found: dict[str, KeyRow] = {}
    for row in TABLE:
        if row.setting:
            first = found.get(row.setting, row)
            found[row.setting] = replace(first, keys=tuple(dict.fromkeys((*first.keys, *row.keys))))
    return found


SETTINGS = _settings()
"""The first row of each name in the setting `keys`, with the keys of all its rows."""


@cache
def rows_at(place: KeyPlace) -> tuple[KeyRow, ...]:
    """Return the rows of a place and of those whose keys work there too, the nearest first."""
    return tuple(row for one in (place, *CHAINS.get(place, ())) for row in _AT[one])


_AT = {place: tuple(row for row in TABLE if row.place is place) for place in KeyPlace}


def row_for(place: KeyPlace, key: str, words: frozenset[str]) -> KeyRow | None:
    """Return the first row with a key that applies in a place of which ``words`` hold now."""
    return next((row for row in rows_at(place) if key in row.keys and row.when <= words), None)


@cache
def actions_at(place: KeyPlace) -> Mapping[str, str]:
    """Return the action of each key of a place, whatever holds there."""
    return {key: row.action for row in reversed(rows_at(place)) for key in row.keys}


MOST = 4
"""Most keys beside Enter and Esc."""


def key_line(
    place: KeyPlace,
    words: frozenset[str] = frozenset(),
    texts: Mapping[str, str] = MappingProxyType({}),
    chosen: Chosen = DEFAULT,
    *,
    enter: str = "",
    leave: str = "",
    letters: bool = True,
) -> Hints:
    """Return the keys worth showing: Enter, at most four by rank that apply, Esc.

    ``texts`` has other words than the row's for its first key, "" to leave it out; ``chosen`` the keys of a
    person's settings; without ``letters``, those that type are left out.
    """
    rows = (row for row in (*rows_at(place), *_AT[KeyPlace.EVERYWHERE]) if row.rank and row.when <= words)
    found: dict[tuple[int, str], str] = {}
    for row in sorted(rows, key=lambda row: row.rank):
        key = (chosen.get(row.setting) or row.keys)[0]
        does = texts.get(row.keys[0], row.hint)
        if does and (letters or typed_by(key) in ("", " ")):
            found[row.rank, does] = joined(found.get((row.rank, does), ""), shown_key(key))
    middle = [(key, does) for (_, does), key in found.items()][:MOST]
    return tuple(hint for hint in (("Enter", enter), *middle, ("Esc", leave)) if hint[1])


def joined(before: str, key: str) -> str:
    """Put a key behind others that do the same: arrows touch."""
    return f"{before}{'' if len(before) == len(key) == 1 else ' '}{key}" if before else key


def listed_at(place: KeyPlace, remapped: Chosen = DEFAULT) -> dict[str, list[str]]:
    """Return what keys do in a place, each with its keys; for ``remapped`` see `Keymap.remapped`."""
    found: dict[str, list[str]] = {}
    nearer: set[str] = set()
    for one in (place, *CHAINS.get(place, ())):
        here: dict[str, list[str]] = {}
        for row in _AT[one]:
            known = [key for key in row.keys if key not in nearer]
            given = [key for key, becomes in remapped.items() if becomes and becomes[0] in known]
            if row.does and (keys := [key for key in known if key not in remapped] + given):
                here.setdefault(row.does, []).extend(keys)
        for does, keys in here.items():  # those of more places first: arrows before letters
            found[does] = list(dict.fromkeys([*keys, *found.get(does, ())]))
        nearer.update(key for row in _AT[one] for key in row.keys)
    return found

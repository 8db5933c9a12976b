"""What a call that waits for permission would do to its file, in the form of Claude Code's own result.

The file is read when the request is made, so that every surface shows the same change.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ccq_tui.bounded import UnfitFileError, parse_json, read_text
from ccq_tui.inbox.file_diff import length, patch
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.text import one_line
from ccq_tui.words import plural

MOST_BYTES = 1_000_000
"""Largest file that is compared."""
NOTEBOOK = "NotebookEdit"
EDITING = frozenset({"Write", "Edit", "MultiEdit", NOTEBOOK})
"""Tools that change one file."""
CREATE, UPDATE = "create", "update"
QUOTED = 24
"""Most characters quoted of the text that an edit replaces."""


def change_of(tool: str, values: Mapping[str, Any], directory: str) -> dict[str, Any]:
    """Return the change of a call's file: as "structuredPatch", or why it is not known as "trouble"; else {}.

    Reads the file; ``directory`` is the working directory of the session.
    """
    name = values.get("notebook_path" if tool == NOTEBOOK else "file_path")
    if tool not in EDITING or not isinstance(name, str) or "\0" in name:
        return {}
    try:
        before = _read(Path(directory, name))
        kind = {"type": CREATE if before is None else UPDATE}
        if tool == NOTEBOOK:
            return {**kind, **_notebook(values, before or "")}
        if tool != "Write":
            return {**kind, **_edited(values, before or "")}
        # All lines of a new file are new: its content shows it.
        content = str(values.get("content"))
        return {**kind, **({} if before is None else _compared(before, content))}
    except UnfitFileError as error:
        return {"type": UPDATE, "trouble": str(error)}


def _read(path: Path) -> str | None:
    """Return the text of a file, or None if there is none; raises `UnfitFileError`."""
    try:
        text = read_text(path, MOST_BYTES)
    except UnfitFileError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
    if "\0" in text:
        raise UnfitFileError("is not UTF-8 text")
    return text


def _compared(before: str, after: str) -> dict[str, Any]:
    hunks = patch(before, after)
    signs = Counter(line[0] for hunk in hunks for line in hunk["lines"])
    return {"structuredPatch": hunks, "added": signs["+"], "removed": signs["-"], "lines": length(before)}


def _edited(values: Mapping[str, Any], before: str) -> dict[str, Any]:
    # Claude Code keeps the line ends of a file that it edits.
    text = after = before.replace("\r\n", "\n")
    edits, places = values.get("edits", [values]), 0
    for edit in edits if isinstance(edits, list) else ():
        match edit:
            case {"old_string": str(old), "new_string": str(new)}:
                pass
            case _:
                raise UnfitFileError("cannot be compared")
        if old not in after or (not old and after.strip()):
            raise UnfitFileError("does not contain the text to replace" if old else "is not empty")
        if old and not new and not old.endswith("\n") and f"{old}\n" in after:
            old += "\n"  # Claude Code removes the end of a removed line with it
        most = after.count(old) if old and edit.get("replace_all") is True else 1
        places += most
        after = after.replace(old, new, most) if old else new
    return {**_compared(text, after), "places": places}


def _notebook(values: Mapping[str, Any], before: str) -> dict[str, Any]:
    mode, name = values.get("edit_mode") or "replace", values.get("cell_id")
    if mode == "insert":
        return {"edit_mode": mode}
    try:
        cells = parse_json(before)["cells"]
        named = {f"cell-{number}": cell for number, cell in enumerate(cells)}
        source = (named | {cell.get("id"): cell for cell in cells})[name]["source"]
        return {"edit_mode": mode, "old_source": source if isinstance(source, str) else "".join(source)}
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise UnfitFileError("does not contain the cell") from error


def phrases(request: PermissionRequest, name: str) -> tuple[str, ...]:
    """Say what a call does to its file, as a verb and its numbers, from the longest form to the shortest.

    ``name`` is the file's name for people. Nothing for a call whose file was not looked at.
    """
    values, change = request.input, request.change
    if not change:
        return ()
    added, removed, before = (count(change, key) for key in ("added", "removed", "lines"))
    if change.get("type") == CREATE:
        added = added or length(values.get("content"))
        return (f"create {name} · {plural(added, 'line')}", f"create {name}")
    start = f"{'overwrite' if 'content' in values else 'edit'} {name}"
    if "structuredPatch" not in change:
        return (start,)
    if not added + removed:
        return (f"{start} · no change", start)
    short = f"{start} · +{added} −{removed}"
    if "content" in values:
        return (f"{short} · {plural(before, 'line')} become {before + added - removed}", short, start)
    places = count(change, "places")
    if places < 2:
        return (short, start)
    old, new = (str(values.get(key, "")) for key in ("old_string", "new_string"))
    if "\n" in old + new or "edits" in values:
        return (f"{short} · {places} places", short, start)
    where = f"{places} places in {plural(removed, 'line')}"
    return (
        f"{start} · {one_line(old, QUOTED)} → {one_line(new, QUOTED) or '∅'}, {where}",
        f"{start} · {where}",
        start,
    )


def count(change: Mapping[str, Any], name: str) -> int:
    """Return a number of a change, 0 if it has none."""
    found = change.get(name)
    return found if isinstance(found, int) else 0

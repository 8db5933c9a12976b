"""What an edit would do to its file, before it is allowed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.file_changes import MOST_BYTES, change_of, phrases
from ccq_tui.inbox.file_diff import DiffLine, diff_lines, narrowed, patch
from ccq_tui.inbox.requests import PermissionRequest

MODULE = (
    "LIMIT = 10\n\n\ndef first():\n    if LIMIT:\n        pass\n    return 1\n\n\n"
    "def second():\n    return LIMIT + LIMIT\n"
)


def request(tool: str, directory: Path, **values: Any) -> PermissionRequest:
    return PermissionRequest("t", "s", tool, values, change=change_of(tool, values, str(directory)))


def drawn(asked: PermissionRequest, context: int = 3) -> list[str]:
    rows = narrowed(list(diff_lines(asked.input, asked.change)), context)
    return [f"{row.old if row.new is None else row.new} {row.sign} {row.text}" for row in rows]


def said(asked: PermissionRequest) -> str:
    return phrases(asked, "a.py")[0]


def test_a_write_says_what_it_replaces(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    new = request("Write", tmp_path, file_path="a.py", content="print('hello')\nprint('x')\n")
    assert said(new) == "create a.py · 2 lines"
    assert drawn(new) == ["1 + print('hello')", "2 + print('x')"]
    file.write_text("x = 1\nx2 = 2\ny = 2\nz = 3\n")
    over = request("Write", tmp_path, file_path=str(file), content="x = 9\ny = 2\nz = 3\n")
    assert drawn(over) == ["1 - x = 1", "2 - x2 = 2", "1 + x = 9", "2   y = 2", "3   z = 3"]
    assert said(over) == "overwrite a.py · +1 −2 · 4 lines become 3"
    same = request("Write", tmp_path, file_path=str(file), content=file.read_text())
    assert said(same) == "overwrite a.py · no change"
    file.write_text("")
    assert said(request("Write", tmp_path, file_path=str(file), content="x")).startswith(
        "overwrite a.py · +1"
    )


def test_every_place_of_an_edit_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(MODULE)
    edit = {"file_path": "a.py", "old_string": "LIMIT", "new_string": "MAXIMUM", "replace_all": True}
    everywhere = request("Edit", tmp_path, **edit)
    assert phrases(everywhere, "a.py")[:2] == (
        "edit a.py · LIMIT → MAXIMUM, 4 places in 3 lines",
        "edit a.py · 4 places in 3 lines",
    )
    changed = ("1 - LIMIT = 10", "5 -     if LIMIT:", "11 -     return LIMIT + LIMIT")
    pairs = ((line, line.replace("-", "+").replace("LIMIT", "MAXIMUM")) for line in changed)
    assert drawn(everywhere, 0) == [line for pair in pairs for line in pair]
    assert [line.partition(" ")[2][0] for line in drawn(everywhere, 1)] == [*"-+ ⋯ -+ ⋯ -+"]
    once = request("Edit", tmp_path, file_path="a.py", old_string="return 1", new_string="return 42")
    assert said(once) == "edit a.py · +1 −1"
    assert drawn(once)[3:5] == ["7 -     return 1", "7 +     return 42"]
    assert len(drawn(once)) == 8, "three lines around it"
    edits = [{"old_string": f"return {old}", "new_string": f"return {old + 1}"} for old in (1, 2)]
    two = request("MultiEdit", tmp_path, file_path="a.py", edits=edits)
    assert drawn(two, 0) == ["7 -     return 1", "7 +     return 3"], "one after the other"
    gone = request("Edit", tmp_path, file_path="a.py", old_string="    return 1", new_string="")
    assert drawn(gone, 0) == ["7 -     return 1"], "with the end of its line, as Claude Code does it"


def test_a_cell_of_a_notebook_is_compared(tmp_path: Path) -> None:
    cells = [{"id": "first", "source": ["a\n", "b"]}, {"source": "c"}]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    values = {"notebook_path": "n.ipynb", "new_source": "a\nB"}
    assert drawn(request("NotebookEdit", tmp_path, **values, cell_id="first"), 0) == ["None - b", "None + B"]
    deleted = request("NotebookEdit", tmp_path, **values, cell_id="cell-1", edit_mode="delete")
    assert drawn(deleted) == ["None - c"]
    missing = request("NotebookEdit", tmp_path, **values, cell_id="third")
    assert missing.change["trouble"] == "does not contain the cell"


def test_a_file_that_cannot_be_compared_is_said_in_words(tmp_path: Path) -> None:
    def trouble(name: str, tool: str = "Write", **values: Any) -> str:
        return str(request(tool, tmp_path, file_path=name, **values).change["trouble"])

    (tmp_path / "binary").write_bytes(b"\0\1")
    (tmp_path / "latin").write_bytes(b"\xe9t\xe9")
    (tmp_path / "large").write_bytes(b"x" * (MOST_BYTES + 1))
    os.mkfifo(tmp_path / "pipe")
    assert trouble("binary", content="") == trouble("latin", content="") == "is not UTF-8 text"
    assert trouble("large", content="") == f"is larger than {MOST_BYTES:,} bytes"
    assert trouble("pipe", content="") == "is not a file"
    assert trouble("a\0b", content="") == "is not UTF-8 text"
    assert trouble("..", content="").startswith("cannot be read: ")
    (tmp_path / "text").write_text("x")
    assert trouble("text", "Edit", old_string="y", new_string="z") == "does not contain the text to replace"
    assert trouble("text", "Edit", old_string="", new_string="z") == "is not empty"
    assert trouble("text", "Edit", old_string=["x"], new_string="z") == "cannot be compared"
    request_ = request("Write", tmp_path, file_path="binary", content="a\nb")
    assert said(request_) == "overwrite a.py"
    assert drawn(request_) == ["1 + a", "2 + b"], "what it would hold is shown all the same"
    assert change_of("Bash", {"file_path": "text"}, str(tmp_path)) == {}


LINES = st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=30).map(
    lambda lines: "\n".join([*lines, "d"])
)


@given(LINES, LINES)
def test_a_patch_makes_the_new_text_of_the_old_one(old: str, new: str) -> None:
    rows: list[DiffLine] = list(diff_lines({}, {"structuredPatch": patch(old, new)}))
    before, after = (text.split("\n") if text else [] for text in (old, new))
    for row in rows:
        assert row.old is None or row.text == before[row.old - 1]
        assert row.new is None or row.text == after[row.new - 1]
    gone = {row.old for row in rows if row.sign == "-"}
    come = {row.new for row in rows if row.sign == "+"}
    stays = [line for number, line in enumerate(before, 1) if number not in gone]
    assert stays == [line for number, line in enumerate(after, 1) if number not in come]

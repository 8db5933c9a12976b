"""What an edit changed, and how it is drawn."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent import events as ev
from ccq_tui.inbox.file_diff import BREAK, DiffLine, counts
from ccq_tui.transcript.text_bodies import CHANGE_LINES, Diff, edit_diff
from ccq_tui.widgets.transcript.painter import SIDE_BY_SIDE, _differing
from tests.unit.transcript.test_drawing import FORBIDDEN, HOSTILE, model, shown

PATCH = [
    {"oldStart": 9, "newStart": 9, "lines": [" a", "-b", "+B", "+C", " d", "\\ No newline at end of file"]},
    "not a hunk",
    {"oldStart": 30, "newStart": 31, "lines": ["-e", " f"]},
]


def rows(diff: Diff | None) -> list[tuple[str, int | None, int | None, str]]:
    assert diff is not None
    return [tuple(line) for index in range(len(diff)) for line in diff.part(index)]


def test_the_clis_patch_is_numbered() -> None:
    assert rows(edit_diff({}, {"structuredPatch": PATCH})) == [
        (" ", 9, 9, "a"),
        ("-", 10, None, "b"),
        ("+", None, 10, "B"),
        ("+", None, 11, "C"),
        (" ", 11, 12, "d"),
        (BREAK, None, None, ""),
        ("-", 30, None, "e"),
        (" ", 31, 31, "f"),
    ]
    assert counts({}, {"structuredPatch": PATCH}) == (2, 2)


@pytest.mark.parametrize(
    ("tool", "arguments", "structured", "signs"),
    [
        ("Edit", {"old_string": "a\nb", "new_string": "a\nc"}, None, " -+"),
        ("Edit", {"old_string": "", "new_string": "a\nb"}, None, "++"),
        ("Edit", {"old_string": "a", "new_string": ""}, "text", "-"),
        ("Edit", {"old_string": ["a"], "new_string": None}, None, "-"),
        ("MultiEdit", {"edits": [{"old_string": "a", "new_string": "b"}] * 2}, None, f"-+{BREAK}-+"),
        ("MultiEdit", {"edits": "none"}, None, ""),
        ("Write", {"content": "one\ntwo\n"}, {"type": "create", "structuredPatch": []}, "++"),
        ("Write", {"content": "same"}, {"type": "update", "structuredPatch": []}, ""),
        ("Write", {}, None, ""),
        ("NotebookEdit", {"new_source": "x"}, {"old_source": "y", "edit_mode": "replace"}, "-+"),
        ("NotebookEdit", {"new_source": "x", "edit_mode": "insert"}, {}, "+"),
        ("NotebookEdit", {"edit_mode": "delete"}, {"old_source": "y"}, "-"),
        ("Edit", {}, {"structuredPatch": [{"lines": "none"}, 3]}, ""),
    ],
)
def test_changes_without_a_patch(tool: str, arguments: dict[str, Any], structured: Any, signs: str) -> None:
    diff = edit_diff(arguments, structured)
    assert "".join(row[0] for row in rows(diff) if diff) == signs if signs else diff is None


@given(st.lists(st.sampled_from("+- "), max_size=300), st.integers(1, 30))
def test_pieces_keep_every_line_and_a_fold_counts_the_rest(signs: list[str], most: int) -> None:
    lines = [DiffLine(sign, number, number, "x") for number, sign in enumerate(signs)]
    diff = Diff(lines)
    assert [line for index in range(len(diff)) for line in diff.part(index)] == lines
    assert all(len(diff.part(index)) <= 2 * CHANGE_LINES for index in range(len(diff)))
    patch = {"structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": [f"{sign}x" for sign in signs]}]}
    folded = edit_diff({}, patch, most)
    if folded is not None:
        assert len(rows(folded)) + folded.hidden == len(signs)
        assert folded.hidden != 1


def told(width: int, *, folded: bool = True, patch: Any = PATCH) -> str:
    data = model()
    data.set_folds(folded=folded)
    data.apply(ev.ToolStarted("t", "Edit", {"file_path": "a.py"}))
    data.apply(ev.ToolFinished("t", "Edit", "updated", structured={"structuredPatch": patch}))
    return shown(data, width)


def test_an_edit_shows_its_lines() -> None:
    assert told(60).split("\n") == [
        "✔ Edit a.py · +2 −2",
        "   9   a",
        "  10 - b",
        "  10 + B",
        "  11 + C",
        "  12   d",
        "   ⋯",
        "  30 - e",
        "  31   f",
    ]


def test_old_and_new_stand_beside_each_other_where_there_is_room() -> None:
    narrow, wide = told(SIDE_BY_SIDE + 1), told(SIDE_BY_SIDE + 2)
    assert " │ " not in narrow
    lines = [[half.strip() for half in line.split(" │ ")] for line in wide.split("\n")[1:]]
    assert lines[:4] == [["9   a", "9   a"], ["10 - b", "10 + B"], ["", "11 + C"], ["11   d", "12   d"]]


def test_long_edits_fold_and_say_so() -> None:
    patch = [{"oldStart": 1, "newStart": 1, "lines": [f"+line {number}" for number in range(30)]}]
    text = told(60, patch=patch)
    assert text.count("+ line") == 20
    assert text.endswith("… 10 more lines · Ctrl+O")
    assert told(60, patch=patch, folded=False).count("+ line") == 30


@pytest.mark.parametrize("width", [1, 9, 40, 200])
def test_a_hostile_edit_is_only_text(width: int) -> None:
    lines = [f"-{HOSTILE}", f"+{HOSTILE}x", f"+{HOSTILE * 300}"]
    text = told(width, patch=[{"oldStart": 1, "newStart": 1, "lines": lines}])
    assert not FORBIDDEN.search(text.replace("\n", ""))


def test_what_differs_within_a_line_is_marked() -> None:
    def pair(old: str, new: str) -> Any:
        return DiffLine("-", 1, None, old), DiffLine("+", None, 1, new)

    assert _differing(pair("version = 1.3.9", "version = 1.4.0")) == ((12, 15), (12, 15))
    assert _differing(pair("call(tag)", "call((tag,))")) == ((5, 8), (5, 11))
    assert _differing(pair("all", "other words")) == ((0, 0), (0, 0))


def test_a_diff_knows_the_language_of_its_file() -> None:
    for path, language in (
        ("/a/b.PY", "*.py"),
        ("Makefile", ""),
        ("x.we!rd", ""),
        ("a.b/c", ""),
        ("x.*", ""),
    ):
        edit = edit_diff({"file_path": path, "old_string": "a", "new_string": "b"}, None)
        assert edit is not None
        assert edit.language == language

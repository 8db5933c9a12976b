"""What a decision is about: whole, harmless, and at the cost of what is seen."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ccq_tui.inbox import file_diff
from ccq_tui.inbox.file_diff import changed_lines
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.widgets.decision import details
from ccq_tui.widgets.lines import LineView
from tests.ui.asked import PLAIN
from tests.ui.host import DecisionHost
from tests.ui.test_question_panel_cost import Wraps

HUGE = 2_000_000


def asks(tool: str, **values: object) -> PermissionRequest:
    return PermissionRequest("t", "s", tool, values)


def plain(request: PermissionRequest, width: int = 70) -> list[str]:
    return [text.plain for text in details.detail_lines(request, width, PLAIN)]


@pytest.fixture
def wraps(monkeypatch: pytest.MonkeyPatch) -> Wraps:
    return Wraps(monkeypatch)


@pytest.mark.parametrize(
    "request_",
    [
        asks("Bash", command="x" * HUGE),
        asks("Bash", command="echo a\n" * (HUGE // 7)),
        asks("Write", file_path="/a", content="line\n" * (HUGE // 5)),
        asks("Edit", file_path="/a", old_string="a\nb\n" * (HUGE // 4), new_string="a\nc\n" * (HUGE // 4)),
        asks("mcp__x__y", items=[{"name": "n" * 100, "id": n} for n in range(20_000)]),
        asks("mcp__x__y", text="word " * (HUGE // 5)),
        PermissionRequest("t", "s", "Bash", {"command": "x"}, description="d " * HUGE),
    ],
    ids=["line", "lines", "write", "edit", "list", "value", "description"],
)
async def test_a_huge_input_costs_what_is_seen(request_: PermissionRequest, wraps: Wraps) -> None:
    async with DecisionHost(request_).shown() as (app, pilot):
        await pilot.pause()
        assert wraps.characters < 40_000
        wraps.restart()
        await pilot.press("down", "shift+down", "shift+down", "up")
        assert wraps.characters < 5_000
        assert len(app.panel.query_one("#details", LineView).lines) < 300


async def test_the_end_of_a_long_command_can_be_reached() -> None:
    app = DecisionHost(asks("Bash", command="\n".join(f"step {n}" for n in range(20_000))))
    async with app.run_test() as pilot:
        view = app.panel.query_one("#details", LineView)
        for _ in range(250):
            view.scroll_relative(y=100, animate=False, force=True)
        await pilot.pause()
        assert "step 19999" in app.panel_text


def test_nothing_is_left_out() -> None:
    command = "word \t" * 30_000
    drawn = "\n".join(plain(asks("Bash", command=command))).replace("\n↳ ", "")
    assert "".join(drawn.split()) == "$" + "word" * 30_000
    values = {"a": ["x" * 60_000, {"b": None}], "é": 1.5}
    drawn = "\n".join(plain(asks("mcp__x__y", **values))).replace("\n↳ ", "")
    named = drawn.replace("a: ", '{"a": ').replace('\n"é"', ',\n"é"')
    assert json.loads(f"{named}}}") == values


def test_what_is_hidden_is_shown() -> None:
    told = "\n".join(plain(asks("Edit", file_path="/a\u202eb", old_string="x\r\ny", new_string="x\ny")))
    assert "/a‹U+202E›b" in told
    assert "- x␍\n+ x\n  y" in told, "line ends that change are a change"
    assert plain(asks("Bash", command="a\r\nb")) == ["$ a", "  b"]


@pytest.mark.parametrize(
    ("request_", "lines"),
    [
        (
            asks("Bash", command="make", description="Build", timeout=9, dangerouslyDisableSandbox=True),
            ["$ make", "dangerouslyDisableSandbox: true"],
        ),
        (
            asks("Bash", command="make", **{"a\n$ b": {"c": [1]}}),
            ["$ make", r'"a\n$ b": {', '  "c": [', "    1", "  ]", "}"],
        ),
        (asks("Write", file_path="/a", content="x", mode="0777"), ["/a", "+ x", 'mode: "0777"']),
        (
            asks("Edit", file_path="/a", old_string="x", new_string="y", replace_all=True, encoding="z"),
            ["/a", "everywhere in the file", "- x", "+ y", 'encoding: "z"'],
        ),
        (
            asks("Edit", file_path="/a", old_string="x", new_string="y", replace_all="true"),
            ["/a", "- x", "+ y", 'replace_all: "true"'],
        ),
        (
            asks("Edit", file_path="/a", old_string="x", new_string="y", replace_all=False),
            ["/a", "- x", "+ y"],
        ),
        (
            asks("NotebookEdit", notebook_path="/a", new_source="x", cell_id="c", edit_mode="delete", run=1),
            ["/a", "deletes the cell c", "run: 1"],
        ),
        (
            asks("NotebookEdit", notebook_path="/a", new_source="x", cell_id="c", edit_mode="move"),
            ["/a", "the new text of the cell c", "+ x", 'edit_mode: "move"'],
        ),
        (asks("WebFetch", url="https://a", prompt="Read", headers={}), ["https://a", "Read", "headers: {}"]),
        (asks("WebFetch", url="https://a", prompt=["x"]), ["https://a", 'prompt: ["x"]']),
        (asks("WebSearch", query="a", allowed_domains=["b"]), ["a", 'allowed_domains: ["b"]']),
        (asks("Read", file_path="/a", offset=7, limit=2), ["/a", "offset: 7", "limit: 2"]),
    ],
    ids=lambda value: value.tool if isinstance(value, PermissionRequest) else "",
)
def test_every_field_that_changes_what_happens_is_drawn(
    request_: PermissionRequest, lines: list[str]
) -> None:
    assert plain(request_) == lines


def test_many_empty_lines_are_counted_wherever_they_are() -> None:
    far = "x" + "\n" * 41 + "y"
    counted = ["x", "… 40 empty lines …", "y"]
    assert plain(asks("WebFetch", url="https://a", prompt=far)) == ["https://a", *counted]
    request = PermissionRequest("t", "s", "Bash", {"command": "make"}, description=far, reason=far)
    assert plain(request) == ["$ make", *counted, *counted]
    assert plain(asks("Write", file_path=far, content="")) == counted


def test_a_line_break_at_the_end_is_no_line_more() -> None:
    assert plain(asks("Write", file_path="/a", content="x\ny\n")) == ["/a", "+ x", "+ y"]
    assert plain(asks("Write", file_path="/a", content="x\n\n")) == ["/a", "+ x", "+ "]
    assert plain(asks("Write", file_path="/a", content="")) == ["/a"]
    assert plain(asks("Bash", command="make\n")) == ["$ make"]
    changed = asks("Edit", file_path="/a", old_string="x\ny\n", new_string="x\nz\n")
    assert plain(changed) == ["/a", "  x", "- y", "+ z"]
    # Where only one of the texts has it, it is what changes.
    assert plain(asks("Edit", file_path="/a", old_string="x\n", new_string="x")) == ["/a", "  x", "- "]
    assert plain(asks("Edit", file_path="/a", old_string="x\n", new_string="\n")) == ["/a", "- x", "+ "]
    assert plain(asks("Edit", file_path="/a", old_string="", new_string="x\n")) == ["/a", "+ x"]


def test_a_command_that_the_agent_does_not_describe_is_shown_once() -> None:
    request = PermissionRequest("t", "s", "Bash", {"command": "make all\n"}, description="make all")
    assert plain(request) == ["$ make all"]
    assert plain(replace(request, description="Build it")) == ["$ make all", "Build it"]


def test_files_are_named_as_on_their_cards() -> None:
    def drawn(tool: str, **values: str) -> str:
        return next(details.detail_lines(asks(tool, **values), 70, PLAIN, directory="/work/here")).plain

    assert drawn("Write", file_path="/work/here/src/a.py", content="x") == "src/a.py"
    assert (
        drawn("Edit", file_path="/work/hereabouts/a", old_string="", new_string="x") == "/work/hereabouts/a"
    )
    assert drawn("NotebookEdit", notebook_path="/work/here/a.ipynb", new_source="x") == "a.ipynb"
    assert drawn("Read", file_path="/etc/passwd") == "/etc/passwd"
    assert details.headline(asks("mcp__srv__do_it"), 80) == "Claude wants to use do_it of srv"


def test_input_nested_too_deep_is_said() -> None:
    values: object = []
    for _ in range(5_000):
        values = [values]
    assert plain(asks("mcp__x__y", deep=values))[-1] == details.TOO_DEEP


def test_a_change_keeps_what_stays_around_it() -> None:
    old, new = "a\nb\nc\nd\ne", "a\nb\nX\nd\nY\ne"
    assert list(changed_lines(old, new)) == [
        *((" ", "a"), (" ", "b"), ("-", "c"), ("+", "X"), (" ", "d"), ("+", "Y"), (" ", "e"))
    ]


@pytest.mark.parametrize(
    ("old", "new"), [("", "a"), ("a", ""), ("a\na", "a"), ("a", "a\na"), ("a", "a"), ("a\nb\na", "a\na")]
)
def test_both_texts_are_in_a_change(old: str, new: str) -> None:
    lines = list(changed_lines(old, new))
    assert "\n".join(line for sign, line in lines if sign != "+") == old
    assert "\n".join(line for sign, line in lines if sign != "-") == new


def test_lines_are_compared_only_where_that_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Matcher(file_diff.SequenceMatcher[str]):
        def __init__(self, junk: None, a: list[str], b: list[str], autojunk: bool) -> None:
            compared.append(len(a))
            super().__init__(junk, a, b, autojunk)

    monkeypatch.setattr(file_diff, "SequenceMatcher", Matcher)
    old = [f"line {n}" for n in range(300)]
    new = [line if n % 2 else f"{line}!" for n, line in enumerate(old)]
    assert len(list(changed_lines("\n".join(old), "\n".join(new)))) == 450
    assert compared == [299], "the last line stays"
    blank = ["", "x"] * 2_000
    other = ["", "y"] * 2_000
    lines = list(changed_lines("\n".join(blank), "\n".join(other)))
    assert compared == [299], "too many lines are alike"
    assert [sign for sign, _ in lines] == [" "] + ["-"] * 3_999 + ["+"] * 3_999

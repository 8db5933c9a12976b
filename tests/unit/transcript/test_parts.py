"""The parts of a transcript without a screen: the mark, a block's contents, the colours of output."""

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import PlanRequest
from ccq_tui.screens.clipboard import clipboard_commands
from ccq_tui.screens.editor import editor_command
from ccq_tui.screens.link_opener import browser_command, resolved
from ccq_tui.text import safe
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript import bodies
from ccq_tui.transcript.bodies import Excerpt, PlainText
from ccq_tui.widgets.transcript.code import coloured, folded
from ccq_tui.widgets.transcript.reading import (
    BlockMark,
    PlanSight,
    TextSelection,
    code_in,
    targets_in,
    text_of,
)
from tests.tables import each_row, table
from tests.unit.transcript.test_search import prose
from tests.unit.transcript.test_viewport import HEIGHT, Pane, paragraphs


def spoken(count: int = 40) -> Pane:
    """A pane with prompts and answers of a line each."""
    pane = Pane()
    for number in range(count):
        if number % 10 == 0:
            pane.sync(pane.model.add_prompt(f"prompt {number}"))
        pane.say(f"line {number}", number)
    pane.viewport.measure()
    return pane


def test_the_mark_is_gone_with_its_block_and_the_end_is_followed_again() -> None:
    pane = spoken()
    mark = BlockMark(pane)
    pane.apply(ev.BlockGrew(ev.BlockKey("last", 0), ev.BlockKind.TEXT, "to be dropped"))
    pane.viewport.measure()
    mark.move(-1)
    assert not pane.viewport.following
    pane.apply(ev.BlockDropped(ev.BlockKey("last", 0)))
    mark.follow()
    assert mark.block is None
    assert pane.viewport.following


def test_a_selection_has_the_text_of_its_lines_wherever_they_are_by_then() -> None:
    pane = spoken()
    selection = TextSelection(pane)
    lines = pane.lines()
    first, last = lines.index("● line 37"), lines.index("● line 39")
    places = [Offset(2, selection.place(first).code), Offset(5, selection.place(last).code)]
    selected = Selection.from_offsets(*places)
    assert selection.text(selected) == "line 37\n\nline 38\n\nlin"
    pane.viewport.home()
    pane.say("more", 1_000)
    assert selection.text(selected) == "line 37\n\nline 38\n\nlin"
    style = Style(bold=True)
    drawn = selection.drawn(Strip.blank(3), selection.place(0), selected, style)
    assert not any(segment.style and segment.style.bold for segment in drawn), "another line"
    assert selection.block_at(HEIGHT) is not None
    assert Pane().layout.total == 0
    assert TextSelection(Pane()).block_at(0) is None


def test_a_plan_is_seen_line_by_line_and_anew_after_another_width() -> None:
    pane = spoken()
    plan = "\n\n".join(f"{number}. step" for number in range(40))
    request = PlanRequest("r", "s-1", plan)
    pane.apply(ev.RequestAsked(request))
    pane.say(paragraphs(0, 30), 2_000)
    pane.viewport.measure()
    sight = PlanSight(pane)
    assert sight.unseen == 0
    sight.show("another")
    assert (pane.viewport.following, sight.unseen) == (True, 1), "at least: it has not come yet"
    sight.show(request.id)
    assert not pane.viewport.following
    first = sight.unseen
    assert first > 0
    assert pane.reports
    pane.viewport.move(pane.viewport.top + 5)
    sight.update_seen()
    assert sight.unseen == first - 5
    pane.viewport.resize(40, HEIGHT)
    sight.update_seen()
    assert sight.unseen >= first


def test_a_plans_head_stays_in_view_as_the_panel_takes_its_lines_and_no_longer_at_the_end() -> None:
    for goes_to_end in (False, True):
        pane = Pane()
        request = PlanRequest("r", "s-1", "\n\n".join(f"{number}. step" for number in range(HEIGHT // 2 - 2)))
        pane.apply(ev.RequestAsked(request))
        pane.viewport.measure()
        sight = PlanSight(pane)
        sight.show(request.id)
        assert pane.viewport.following, "all of it is in view"
        if goes_to_end:
            sight.leave()
        for _ in range(2):
            pane.viewport.resize(pane.viewport.layout.width, HEIGHT // 3)
            sight.resized()
            assert (pane.viewport.top == 0) is not goes_to_end


def test_a_plan_that_comes_behind_its_panel_is_shown_from_its_head() -> None:
    pane = Pane()
    pane.say("I have a plan.", 0)
    pane.viewport.measure()
    sight = PlanSight(pane)
    request = PlanRequest("r", "s-1", "\n\n".join(f"{number}. step" for number in range(40)))
    sight.show(request.id)
    pane.apply(ev.RequestAsked(request))
    sight.follow()
    pane.viewport.measure()
    assert [line for line in pane.lines() if "Plan" in line]
    assert sight.unseen > 0


NAMES = {"error": "red", "success": "green", "muted": "grey50", "warning": "yellow", "keyword": "blue"}
CODES = st.sampled_from(
    [
        "\x1b[31m",
        "\x1b[0m",
        "\x1b[1;38;5;196m",
        "\x1b[38;2;1;2;3m",
        "\x1b[7m",
        "\x1b[K",
        "\x1b[2J",
        "\x1b[38m",
    ]
)
CONSOLE = Console()
HOSTILE = st.lists(st.one_of(CODES, st.text("ab \t\n\r\x1b[0;m日\u202e\u0301", max_size=9))).map("".join)


def style(name: str) -> Style:
    return Style(color=NAMES.get(name, "magenta"))


def drawn(text: str) -> Text:
    return coloured(text, Style.null(), style)


def colours(text: Text) -> list[tuple[str, str]]:
    return [
        (text.plain[span.start : span.end], span.style.color.name)
        for span in text.spans
        if isinstance(span.style, Style) and span.style.color
    ]


def test_colours_become_those_of_the_theme() -> None:
    text = drawn(
        "\x1b[31mred\x1b[0m plain \x1b[1;92mgreen\x1b[39m \x1b[2mdim\x1b[22m\x1b[K \x1b[38;5;21mblue"
    )
    assert text.plain == "red plain green dim blue"
    assert colours(text) == [("red", "red"), ("green", "green"), ("dim", "grey50"), ("blue", "blue")]


def test_a_colour_goes_on_over_lines_pieces_and_tabs() -> None:
    assert colours(drawn("\x1b[31ma\n\tb\x1b[m\nc")) == [("a\n    b", "red")]
    many = PlainText("\x1b[31m" + "\n".join(f"line {n}" for n in range(120)) + "\n\x1b[0m\n", colours=True)
    assert len(many) == 3
    assert many.part(2).startswith("line 100")
    assert colours(drawn(many.pieces[2])) == [(many.part(2), "red")]
    assert many.part(2).endswith("line 119"), "no line for what only ends the colour"


def test_an_excerpt_knows_the_colours_of_its_lines() -> None:
    text = "\n\n" + "\n".join(f"\x1b[3{1 + n % 2}mline {n}" for n in range(30)) + "\x1b[0m\n"
    for tail in (False, True):
        excerpt = Excerpt(text, 5, tail=tail, colours=True)
        shown = [colours(drawn(line)) for line in excerpt.lines]
        first = 25 if tail else 0
        assert shown == [[(f"line {n}", "green" if n % 2 else "red")] for n in range(first, first + 5)]


@given(HOSTILE)
def test_nothing_but_colours_is_taken_out_and_nothing_reaches_the_terminal(text: str) -> None:
    assert drawn(text).plain == safe(bodies.plain(text))


@given(st.lists(st.one_of(CODES, st.sampled_from("ab\n"))).map("".join))
def test_a_piece_alone_has_the_colours_that_it_has_in_the_whole(text: str) -> None:
    lines = [drawn(line) for line in bodies.continued(text.split("\n"))]
    for line, whole in zip(lines, drawn(text).split("\n", allow_blank=True), strict=True):
        assert [line.get_style_at_offset(CONSOLE, at) for at in range(len(line))] == [
            whole.get_style_at_offset(CONSOLE, at) for at in range(len(whole))
        ]


def test_a_long_line_is_not_cut_within_a_sequence() -> None:
    many = PlainText("\x1b[31mxxx\x1b[0m" * 3_000, colours=True)
    assert "".join(many.part(index) for index in range(len(many))) == "xxx" * 3_000
    assert all(len(piece) < 5_000 for piece in many.pieces)


@given(st.text("ab 日\u0301", max_size=80), st.integers(4, 30))
@example("a aaaá\u0301", 4)
@example("aaaa " + "\u0301" * 40 + "a", 4)
def test_output_breaks_at_words_and_keeps_every_character(text: str, width: int) -> None:
    lines = folded(Text(text), width)
    assert "".join(line.plain for line in lines) == text
    assert all(line.cell_len <= width for line in lines)


def test_a_long_word_does_not_leave_lines_half_empty() -> None:
    lines = [line.plain for line in folded(Text("see the very long path " + "x" * 30), 12)]
    assert lines == ["see the ", "very long ", "path xxxxxxx", "x" * 12, "x" * 11]


def tool(name: str, output: str, **arguments: object) -> bl.ToolBlock:
    block = bl.ToolBlock("t1", name, arguments, 0.0)
    block.output = output
    return block


def test_copying_gives_the_source_of_markdown_and_the_output_of_a_tool() -> None:
    assert text_of(prose("**bold** `x`\n")) == "**bold** `x`"
    assert text_of(tool("Bash", "out\nput\n", command="ls")) == "out\nput"
    assert "ls -la" in text_of(tool("Bash", "", command="ls -la"))
    assert text_of(bl.PromptBlock("say\nit")) == "say\nit"


def test_code_is_what_stands_in_fences_and_what_a_shell_was_told() -> None:
    assert code_in(prose("a\n```py\nx = 1\n\ny = 2\n```\ntext\n\n    indented\n")) == [
        "x = 1\n\ny = 2",
        "indented",
    ]
    assert code_in(tool("Bash", "out", command="make")) == ["make"]
    assert code_in(prose("none")) == []


@each_row(*table(__file__, "parts.json")["links_and_possible_paths_are_found"])
def test_links_and_possible_paths_are_found(text: str, targets: list[str]) -> None:
    found = targets_in(prose(text))
    assert [target for target in found if target not in {"e.g"}] == targets


def test_the_path_that_a_tool_was_given_comes_first() -> None:
    assert targets_in(tool("Read", "see other/file.py", file_path="/work/a b.py"))[0] == "/work/a b.py"


def test_looking_for_targets_in_a_long_text_is_quick_and_bounded() -> None:
    text = ("a" * 50 + "/") * 20_000 + " " + "x.y " * 100_000
    assert len(targets_in(prose(text))) <= 200


def test_what_does_not_exist_is_no_target(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    (tmp_path / "b:3").write_text("")
    found = resolved(["a.py", "a.py:7", "gone.py", "b:3", "\0", "~nobody/x", str(tmp_path)], tmp_path)
    assert [(target.path.name if target.path else "", target.line) for target in found] == [
        ("a.py", 0),
        ("a.py", 7),
        ("b:3", 0),
    ]
    assert resolved([f"file://{tmp_path}/a.py"], tmp_path)[0].path == tmp_path / "a.py"


def executable(directory: Path, name: str) -> None:
    path = directory / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def test_the_clipboard_program_fits_the_system(tmp_path: Path) -> None:
    for name in ("xclip", "xsel", "wl-copy", "clip.exe", "pbcopy", "tmux"):
        executable(tmp_path, name)
    path = {"PATH": str(tmp_path)}
    assert clipboard_commands(path, "linux") == [], "without a display a program would wait or fail"
    assert clipboard_commands({**path, "DISPLAY": ":0"}, "linux") == [["xclip", "-selection", "clipboard"]]
    both = {**path, "DISPLAY": ":0", "WAYLAND_DISPLAY": "w", "TMUX": "t,1,0"}
    assert clipboard_commands(both, "linux") == [["tmux", "load-buffer", "-w", "-"], ["wl-copy"]]
    assert clipboard_commands({**path, "WSL_DISTRO_NAME": "x"}, "linux") == [["clip.exe"]]
    assert clipboard_commands(path, "darwin") == [["pbcopy"]]
    assert clipboard_commands({"PATH": "", "DISPLAY": ":0", "TMUX": "t,1,0"}, "linux") == []


def test_a_browser_is_never_one_that_draws_in_the_terminal(tmp_path: Path) -> None:
    for name in ("xdg-open", "lynx", "www-browser"):
        executable(tmp_path, name)
    path = {"PATH": str(tmp_path)}
    assert browser_command(path, "linux") is None
    assert browser_command({**path, "DISPLAY": ":0"}, "linux") == ["xdg-open"]


def test_an_editor_begins_at_the_line_where_it_can() -> None:
    file = Path("/x/-a.py")
    assert editor_command({"EDITOR": "vim -n"}, file, 12) == ["vim", "-n", "+12", "/x/-a.py"]
    assert editor_command({"EDITOR": "vim", "VISUAL": "code --wait"}, file, 12) == [
        "code",
        "--wait",
        "/x/-a.py",
    ]
    assert editor_command({"PATH": ""}, file, 0) is None

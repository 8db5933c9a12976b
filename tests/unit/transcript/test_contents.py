"""What can be taken out of a block."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.screens.clipboard import clipboard_command
from ccq_tui.screens.editor import editor_command
from ccq_tui.screens.link_opener import browser_command, resolved
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.document import Document
from ccq_tui.widgets.transcript.contents import code_in, targets_in, text_of


def prose(text: str) -> bl.ProseBlock:
    return bl.ProseBlock(Document(text, finished=True))


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


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("see https://a.org/x?y=1.", ["https://a.org/x?y=1"]),
        ("[here](https://a.org/b_(c)) then", ["https://a.org/b_(c)"]),
        ("<http://a.org>", ["http://a.org"]),
        ("javascript://a.org/%0aalert(1)", []),
        ("`src/a.py:12` and ./b, ~/c/d.txt", ["src/a.py:12", "./b", "~/c/d.txt"]),
        ("README.md and Makefile, e.g. this", ["README.md", "Makefile"]),
        ("/etc/hosts", ["/etc/hosts"]),
        ("a plain sentence", []),
        ("twice a/b twice a/b", ["a/b"]),
    ],
)
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
    for name in ("xclip", "xsel", "wl-copy", "clip.exe", "pbcopy"):
        executable(tmp_path, name)
    path = {"PATH": str(tmp_path)}
    assert clipboard_command(path, "linux") is None, "without a display a program would wait or fail"
    assert clipboard_command({**path, "DISPLAY": ":0"}, "linux") == ["xclip", "-selection", "clipboard"]
    both = {**path, "DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}
    assert clipboard_command(both, "linux") == ["wl-copy"]
    assert clipboard_command({**path, "WSL_DISTRO_NAME": "x"}, "linux") == ["clip.exe"]
    assert clipboard_command(path, "darwin") == ["pbcopy"]
    assert clipboard_command({"PATH": "", "DISPLAY": ":0"}, "linux") is None


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

"""The terminal and other programs: its driver, the clipboard, the person's own editor."""

import asyncio
import base64
import itertools
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from ccq_tui.compat.textual.decoder import Decoder
from ccq_tui.questions.state import typable
from ccq_tui.screens import clipboard, terminal
from ccq_tui.screens.clipboard import NoReaderError, read_clipboard, reader
from ccq_tui.screens.editor import KEPT, NOT_UTF8, Edited, edit_text
from ccq_tui.widgets.keys import text_of
from tests.tables import each_row, table
from tests.unit.prompts.pictures import png


def program(directory: Path, name: str, script: str = "exit 1") -> None:
    (directory / name).write_text(f"#!/bin/sh\n{script}\n")
    (directory / name).chmod(stat.S_IRWXU)


def running(pid: Path) -> bool:
    return Path("/proc", pid.read_text().strip()).exists()


TABLES = table(__file__, "clipboard.json")


@pytest.mark.parametrize(("there", "environment", "platform", "first"), TABLES["the_program_is_the_systems"])
def test_the_program_is_the_systems(
    tmp_path: Path, there: list[str], environment: dict[str, str], platform: str, first: str
) -> None:
    for name in there:
        program(tmp_path, name)
    found = reader({"PATH": str(tmp_path), **environment}, platform)
    assert found.image[0][0] == first


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"WAYLAND_DISPLAY": "w"}, clipboard.NO_WL_PASTE),
        ({"DISPLAY": ":0"}, clipboard.NO_XCLIP),
        ({}, clipboard.OUT_OF_REACH),
    ],
)
def test_where_nothing_reads_it_the_way_is_told(
    tmp_path: Path, environment: dict[str, str], words: str
) -> None:
    with pytest.raises(NoReaderError) as refused:
        reader({"PATH": str(tmp_path), **environment}, "linux")
    assert str(refused.value) == words


WAYLAND, X11, WSL = {"WAYLAND_DISPLAY": "w"}, {"DISPLAY": ":0"}, {"WSL_DISTRO_NAME": "U"}
TYPES = 'case "$*" in *-types) echo text/plain image/webp image/jpeg;; *image/jpeg) echo J;; esac'
LINES = 'case "$*" in *list-types) echo text/plain;; *) printf "a\\r\\nb";; esac'


class TestReading:
    @pytest.fixture(autouse=True)
    def on_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    @pytest.mark.parametrize(
        ("name", "script", "environment", "platform", "content"),
        [
            pytest.param("wl-paste", TYPES, WAYLAND, "linux", b"J\n", id="the first kind of image there is"),
            pytest.param("wl-paste", LINES, WAYLAND, "linux", "a\nb", id="a text where no image is"),
            pytest.param("xclip", "echo Error: no STRING; exit 1", X11, "linux", "", id="none of a failure"),
            ("osascript", f"echo '«data PNGf{png().hex().upper()}»'", {}, "darwin", png()),
            ("powershell.exe", f"echo {base64.b64encode(png()).decode()}", WSL, "linux", png()),
        ],
    )
    async def test_what_a_program_prints_is_the_content(
        self,
        name: str,
        script: str,
        environment: dict[str, str],
        platform: str,
        content: object,
        tmp_path: Path,
    ) -> None:
        program(tmp_path, name, script)
        assert await read_clipboard(reader({"PATH": str(tmp_path), **environment}, platform)) == content

    async def test_a_program_that_hangs_is_ended(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(clipboard, "READ_SECONDS", 0.3)
        program(tmp_path, "xclip", f"echo $$ > {tmp_path}/pid; exec /bin/sleep 60")
        with pytest.raises(TimeoutError):
            await read_clipboard(reader({"PATH": str(tmp_path), **X11}, "linux"))
        assert not running(tmp_path / "pid")

    async def test_no_more_is_read_than_an_image_may_have(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(clipboard, "MOST_OUTPUT", 1_000)
        program(tmp_path, "pngpaste", "exec /bin/cat /dev/zero")
        found = await asyncio.wait_for(
            read_clipboard(clipboard.ClipboardReader([("pngpaste",)], ("pngpaste",))), 5
        )
        assert isinstance(found, bytes)
        assert 1_000 <= len(found) <= 1_000 + (1 << 20)


class Lender:
    """An app of which only the terminal is wanted."""

    _driver = None

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    file = tmp_path / "editor"
    monkeypatch.setenv("VISUAL", str(file))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def does(script: str) -> Lender:
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
        return Lender()

    yield does
    assert list(tmp_path.glob("ccq-tui-*")) == [], "no file is left"


@each_row(
    ("one", "echo two >> $1", Edited("one\ntwo")),
    ("one\n", "echo two >> $1", Edited("one\ntwo\n")),
    ("", "printf new > $1", Edited("new")),
    ("one", "mv $1 $1~; printf 'by another\\r\\nfile' > $1", Edited("by another\nfile")),
    ("one", "true", Edited()),
    ("", "true", Edited()),
    ("one", "echo two >> $1; exit 1", Edited("one\ntwo", KEPT)),
    ("one", "echo two >> $1; kill -9 $$", Edited("one\ntwo", KEPT)),
    ("one", "printf 'h\\351' > $1", Edited("h\ufffd", NOT_UTF8)),
    ("one", "printf '\\357\\273\\277two' > $1", Edited("two")),
)
async def test_what_it_saved_is_taken(text: str, script: str, edited: Edited, *, editor: Any) -> None:
    assert await edit_text(editor(script), text) == edited


UNCHANGED = "your text is unchanged"


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (
            None,
            "The editor “no-such-editor” cannot be started (No such file or directory) · set VISUAL or EDITOR"
            f" to one that runs · {UNCHANGED}",
        ),
        ("exit 3", f"The editor failed (exit code 3) · {UNCHANGED}"),
        ("kill -9 $$", f"The editor failed (ended by signal 9) · {UNCHANGED}"),
        ("rm $1", f"The editor left no file that can be read (No such file or directory) · {UNCHANGED}"),
        ("rm $1; mkdir $1", f"The editor left no file that can be read (Is a directory) · {UNCHANGED}"),
    ],
)
async def test_an_editor_that_fails_and_saved_nothing_is_an_error(
    script: str | None, text: str, editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = editor(script or "true")
    if script is None:
        monkeypatch.setenv("VISUAL", "no-such-editor --wait")
    assert await edit_text(app, "one") == Edited(problem=text)


@pytest.mark.parametrize(("script", "size", "text"), TABLES["what_does_not_fit_a_field_stays_in_its_file"])
async def test_what_does_not_fit_a_field_stays_in_its_file(
    script: str, size: int, text: str, editor: Any
) -> None:
    edited = await edit_text(editor(script), "one")
    assert re.search(rf"{text} · it is kept in \S+text\.md$", edited.problem)
    assert edited.text is None
    kept = Path(edited.problem.rpartition(" ")[2])
    assert kept.stat().st_size == size  # noqa: ASYNC240 (of a test)
    shutil.rmtree(kept.parent)


KEYS = table(__file__, "terminal_keys.json")


@each_row(*KEYS)
def test_bytes_are_keys_and_pastes(about: str, goes: list[str], texts: list[str]) -> None:
    decoder = Decoder()
    events = [event for sent in goes for event in decoder.feed(sent)]
    assert names([*events, *decoder.feed("")]) == texts, about


def names(texts: list[Message]) -> list[str]:
    """Keys by their names; the text of a paste in quotation marks, with signs for lines and tabs."""
    return [
        f"«{typable(event.text).translate({10: '↵', 9: '→'})}»"
        if isinstance(event, events.Paste)
        else event.key
        for event in texts
        if isinstance(event, events.Paste | events.Key)
    ]


@each_row(*enumerate("0123456789./*-+", 57399))
def test_a_keypad_types(number: int, character: str) -> None:
    (key,) = Decoder().feed(f"\x1b[{number};129u")
    assert isinstance(key, events.Key)
    assert text_of(key) == character


@given(
    st.text(alphabet="\x1b[201~<Mm;3A\rab", max_size=30).filter(
        lambda text: "\x1b[201~" not in text + "\x1b[201"
    ),
    st.lists(st.integers(1, 9), min_size=1),
)
@example("HEAD\x1b[31m\x1b[A\x1b[<0;3;3M\rTAIL", [100])  # a colour, a key, a click, and Return
@example("ab", [3])
def test_what_is_pasted_is_text_alone_however_it_comes(pasted: str, sizes: list[int]) -> None:
    parser, parts = Decoder(), []
    sent = f"x\x1b[200~{pasted}\x1b[201~y\x1b[A"
    for size in itertools.cycle(sizes):
        piece, sent = sent[:size], sent[size:]
        parts += parser.feed(piece)
        if not piece:
            break
    assert [event.key for event in parts if isinstance(event, events.Key)] == ["x", "y", "up"]
    texts = [event.text for event in parts if isinstance(event, events.Paste)]
    assert "".join(texts) == pasted.replace("\x1b", "")
    assert not [event for event in parts if isinstance(event, events.MouseEvent)]


def test_a_pause_ends_what_may_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder, now = Decoder(), 0.0
    monkeypatch.setattr("ccq_tui.compat.textual.decoder.monotonic", lambda: now)
    for sent, text in (("\x1b", ["escape"]), ("one\rtwo", ["«one↵two»"])):
        assert names([*decoder.feed(sent), *decoder.tick()]) == []
        now += 1
        assert names(list(decoder.tick())) == text
        assert names(list(decoder.feed("n\r"))) == ["n", "enter"]


@each_row(*TABLES["a_sequence_cut_by_a_pause_is_no_key_and_no_text"])
def test_a_sequence_cut_by_a_pause_is_no_key_and_no_text(
    sent: tuple[str, ...], texts: list[str], *, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder, now, events = Decoder(), 0.0, list[Message]()
    monkeypatch.setattr("ccq_tui.compat.textual.decoder.monotonic", lambda: now)
    for piece in sent:
        events += decoder.feed(piece)
        now += 0.2
        events += decoder.tick()
    assert names(events) == texts
    assert names([*decoder.feed("\x1b[")]) == []
    now += 2
    assert names([*decoder.tick(), *decoder.feed("A")]) == ["A"], "after a while it is forgotten"


def test_reports_of_the_terminal_count_however_late_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder, now = Decoder(), 0.0
    monkeypatch.setattr("ccq_tui.compat.textual.decoder.monotonic", lambda: now)
    assert list(decoder.feed("\x1b[")) == []
    now += 0.2
    assert [type(event).__name__ for event in decoder.feed("O\x1b[0")] == ["AppBlur"]
    now += 0.2
    assert [type(event).__name__ for event in decoder.feed("n")] == ["FrameDrawn"]


def test_the_terminal_gets_its_title_back(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(terminal, "write", lambda _app, text: written.append(text))
    app: Any = None
    terminal.keep_title(app)
    terminal.set_title(app, "○ api\x1b[2J · ccq-tui")
    terminal.restore_title(app)
    assert "".join(written) == "\x1b[22;0t\x1b]0;○ api␛[2J · ccq-tui\x07\x1b]0;\x07\x1b[23;0t"

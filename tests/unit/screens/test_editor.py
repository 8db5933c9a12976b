"""A text in the person's own editor, whatever that does with it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.bounded import read_bytes
from ccq_tui.screens.editor import KEPT, NOT_UTF8, Edited, EditorError, edit_text


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


@pytest.mark.parametrize(
    ("text", "script", "edited"),
    [
        ("one", "echo two >> $1", Edited("one\ntwo")),
        ("one\n", "echo two >> $1", Edited("one\ntwo\n")),
        ("", "printf new > $1", Edited("new")),
        ("one", "mv $1 $1~; printf 'by another\\r\\nfile' > $1", Edited("by another\nfile")),
        ("one", "true", None),
        ("", "true", None),
        ("one", "echo two >> $1; exit 1", Edited("one\ntwo", KEPT)),
        ("one", "echo two >> $1; kill -9 $$", Edited("one\ntwo", KEPT)),
        ("one", "printf 'h\\351' > $1", Edited("h\ufffd", NOT_UTF8)),
        ("one", "printf '\\357\\273\\277two' > $1", Edited("two")),
    ],
)
async def test_what_it_saved_is_taken(text: str, script: str, edited: Edited | None, editor: Any) -> None:
    assert await edit_text(editor(script), text) == edited


UNCHANGED = "your text is unchanged"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", f"The editor failed (exit code 3) and saved nothing · {UNCHANGED}"),
        ("kill -9 $$", f"The editor failed (ended by signal 9) and saved nothing · {UNCHANGED}"),
        ("rm $1", f"The editor left no file that can be read (No such file or directory) · {UNCHANGED}"),
        ("rm $1; mkdir $1", f"The editor left no file that can be read (Is a directory) · {UNCHANGED}"),
    ],
)
async def test_an_editor_that_fails_and_saved_nothing_is_an_error(
    script: str, said: str, editor: Any
) -> None:
    with pytest.raises(EditorError) as failed:
        await edit_text(editor(script), "one")
    assert str(failed.value) == said


async def test_an_editor_that_cannot_be_started_is_named(
    editor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = editor("true")
    monkeypatch.setenv("VISUAL", "no-such-editor --wait")
    with pytest.raises(EditorError) as failed:
        await edit_text(app, "one")
    assert str(failed.value) == (
        "The editor “no-such-editor” cannot be started (No such file or directory) · "
        "set VISUAL or EDITOR to one that runs"
    )


async def test_what_is_too_long_for_a_field_stays_in_its_file(editor: Any) -> None:
    with pytest.raises(
        EditorError, match=r"larger than 250,000 bytes · it is kept in \S+text\.md$"
    ) as failed:
        await edit_text(editor("head -c 250001 /dev/zero > $1"), "one")
    kept = Path(str(failed.value).rpartition(" ")[2])
    assert read_bytes(kept, 300_000) == bytes(250_001)
    shutil.rmtree(kept.parent)


async def test_a_file_that_never_ends_is_not_waited_for(editor: Any) -> None:
    with pytest.raises(EditorError, match="is not a file · it is kept in") as failed:
        await edit_text(editor("rm $1; mkfifo $1"), "one")
    shutil.rmtree(Path(str(failed.value).rpartition(" ")[2]).parent)

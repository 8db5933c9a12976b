"""A text in the person's own editor, whatever that does with it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.screens.terminal import KEPT, NOT_UTF8, Edited, EditorError, edit_text


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
    ],
)
async def test_what_it_saved_is_taken(text: str, script: str, edited: Edited | None, editor: Any) -> None:
    assert await edit_text(editor(script), text) == edited


@pytest.mark.parametrize("script", ["exit 1", "rm $1"])
async def test_an_editor_that_fails_and_saved_nothing_is_an_error(script: str, editor: Any) -> None:
    with pytest.raises(EditorError):
        await edit_text(editor(script), "one")

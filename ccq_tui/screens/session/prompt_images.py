"""Images that come into the prompt: from the clipboard, or as paths of files that were dropped."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ccq_tui.prompts.image_paths import existing, file_facts, mentioned, paths_in
from ccq_tui.prompts.image_store import ImageStore
from ccq_tui.prompts.images import MOST_IMAGES, PromptImage, UnfitImageError
from ccq_tui.screens.clipboard import NoReaderError, read_clipboard, reader
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.text import one_line, reason

SECONDS = 10.0
"""Seconds that files may take to read; those of a network may be out of reach."""
EMPTY = "The clipboard holds no image and no text · copy one first"
SLOW = "The clipboard did not answer in time · copy again, or drop the image's file"
SLOW_FILE = "The image was not read in time · its path stays as text"
PASTED_NAME = "pasted"
"""Name of an image from the clipboard, which has none of its own."""


class PromptImages:
    """Attaches images to the prompt."""

    def __init__(self, ui: SessionUi, store: ImageStore) -> None:
        self._ui = ui
        self._store = store
        self._reads = False
        ui.dock.prompt.reads_paths = self.look_at

    def look_at(self, pasted: str) -> None:
        """Replace a paste by images, if it consists of their paths."""
        self._ui.start(partial(self._attach_files, pasted), "images")

    async def _attach_files(self, pasted: str) -> None:
        attached: list[PromptImage] = []
        words = ""
        try:
            async with asyncio.timeout(SECONDS):
                paths = await asyncio.to_thread(existing, paths_in(pasted), self._ui.view.cwd)
                attached = await asyncio.to_thread(self._add, paths[: MOST_IMAGES + 1])
        except UnfitImageError as error:
            attached, words = [], str(error)
        except TimeoutError:
            attached, words = [], SLOW_FILE
        except OSError as error:
            attached, words = [], _not_kept(error)
        finally:
            words = self._ui.dock.prompt.looked(attached, pasted) or words
        if words:
            self._ui.say(words)

    def _add(self, paths: Sequence[Path]) -> list[PromptImage]:
        return [self._store.add_file(path) for path in paths]

    def paste(self) -> None:
        """Paste what the clipboard holds: an image, else a text."""
        if self._reads:
            return  # the key is held down
        self._reads = True
        self._ui.dock.prompt.look()
        self._ui.start(self._paste, "clipboard")

    async def _paste(self) -> None:
        attached: list[PromptImage] = []
        words = ""
        try:
            found = await self._clipboard()
            if isinstance(found, bytes) and not self._ui.dock.prompt.searching:
                attached = [await asyncio.to_thread(self._store.add, found, PASTED_NAME)]
            elif isinstance(found, str) and found:
                self._ui.dock.prompt.field.paste(found)
            else:
                words = EMPTY
        except (UnfitImageError, NoReaderError) as error:
            words = str(error)
        except TimeoutError:
            words = SLOW
        except OSError as error:
            words = _not_kept(error)
        finally:
            self._reads = False
            words = self._ui.dock.prompt.looked(attached) or words
        if words:
            self._ui.say(words)

    async def _clipboard(self) -> bytes | str:
        """Read the system's clipboard; if nothing can or it is empty, return what this program copied."""
        try:
            how = await asyncio.to_thread(reader, os.environ)
        except NoReaderError:
            if self._ui.app.clipboard:
                return self._ui.app.clipboard
            raise
        return await read_clipboard(how) or self._ui.app.clipboard


async def name_mentioned(ui: SessionUi, text: str) -> None:
    """Say in the transcript which images a prompt mentions, and their sizes: Claude Code attaches them."""
    paths = mentioned(text)
    facts = await asyncio.to_thread(lambda: [file_facts(ui.view.cwd / path) for path in paths])
    if named := ", ".join(
        f"{one_line(path, 60)} ({fact})" for path, fact in zip(paths, facts, strict=True) if fact
    ):
        ui.note(f"Attached to the prompt: {named}")


def _not_kept(error: OSError) -> str:
    return f"The image cannot be kept: {one_line(reason(error), 60)}"

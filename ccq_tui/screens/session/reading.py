"""The part of the screen where the transcript is read: scrolling, folding, copying."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType

from ccq_tui.screens.clipboard import copy
from ccq_tui.screens.session.base import AGAIN_SECONDS, SessionBase
from ccq_tui.text import one_line
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.transcript.files import export_json, export_markdown, export_name, write_export

OVERWRITE = "--overwrite"
MOST_TRIES = 100
"""Files of one day and name; then a name has to be given."""


class Reading(SessionBase):
    """Moves through the transcript, whatever has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "pageup",
            "scroll_transcript('page_up')",
            "Scroll up a page",
            priority=True,
            show=False,
            id="page_up",
        ),
        Binding(
            "pagedown",
            "scroll_transcript('page_down')",
            "Scroll down a page",
            priority=True,
            show=False,
            id="page_down",
        ),
        Binding(
            "ctrl+up",
            "scroll_transcript('line_up')",
            "Scroll up a line",
            priority=True,
            show=False,
            id="line_up",
        ),
        Binding(
            "ctrl+down",
            "scroll_transcript('line_down')",
            "Scroll down a line",
            priority=True,
            show=False,
            id="line_down",
        ),
        Binding(
            "ctrl+home",
            "scroll_transcript('home')",
            "Go to the beginning",
            priority=True,
            show=False,
            id="top",
        ),
        Binding(
            "ctrl+end",
            "scroll_transcript('end')",
            "Go to the end, and follow it",
            priority=True,
            show=False,
            id="bottom",
        ),
        Binding(
            "ctrl+o",
            "toggle_folds",
            "Unfold or fold thinking and long outputs",
            priority=True,
            show=False,
            id="unfold",
        ),
        Binding(
            "ctrl+c",
            "copy_or_quit",
            "Copy what is selected; twice: quit",
            priority=True,
            show=False,
            id="copy",
        ),
    ]

    def action_scroll_transcript(self, how: str) -> None:
        """Scroll the transcript, whatever has the focus."""
        getattr(self.transcript, f"action_{how}")()

    def action_toggle_folds(self) -> None:
        """Unfold thinking and long outputs, or fold them."""
        self.transcript.toggle_folds()

    def action_copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, quit when pressed twice."""
        selected = self.get_selected_text() or getattr(self.focused, "selected_text", "")
        if selected:
            start_work(self, partial(copy, self.app, selected), name="copy", group="copy", exclusive=True)
            self.dock.notices.say(f"Copied {len(selected):,} characters")
        elif self.pressed_again("ctrl+c"):
            start_work(self.app, partial(self.app.run_action, "quit"), name="quit", fatal=True)
        else:
            self.dock.notices.say("Ctrl+C again quits", seconds=AGAIN_SECONDS)

    async def export(self, argument: str) -> None:
        """Write the transcript to a file, and say where.

        Args:
            argument: "" or "md" for Markdown, "json", or a path, whose ending decides; a file that
                exists is replaced only with ``--overwrite``.
        """
        words = argument.split()
        overwrite = OVERWRITE in words
        wanted = argument.replace(OVERWRITE, "").strip()
        at = datetime.now().astimezone()
        view = self.view
        session = {"name": view.name, "id": view.session_id, "model": view.model, "cwd": str(view.cwd)}
        # The list may change while a thread writes it; a block's text only grows.
        blocks = list(self.transcript.model.blocks)
        ending = "json" if wanted == "json" or wanted.lower().endswith(".json") else "md"
        make = export_json if ending == "json" else export_markdown

        def write() -> Path:
            text = make(blocks, session=session, at=at)
            if wanted not in {"", "md", "json"}:
                path = view.cwd / Path(wanted).expanduser()
                write_export(path, text, overwrite=overwrite)
                return path
            for number in range(1, MOST_TRIES):
                path = view.cwd / export_name(view.name, ending, at, number)
                try:
                    write_export(path, text)
                except FileExistsError:
                    continue
                return path
            raise FileExistsError(f"there are {MOST_TRIES} of today already; give a name")

        try:
            path = await asyncio.to_thread(write)
        except FileExistsError:
            self.transcript.add_notice(
                f"There is such a file already: /export {one_line(wanted, 500)} {OVERWRITE} replaces it",
                "warning",
            )
        except (OSError, ValueError, RuntimeError) as error:
            self.transcript.add_notice(f"Nothing was exported: {one_line(str(error), 500)}", "error")
        else:
            self.transcript.add_notice(f"Exported to {one_line(str(path), 1_000)}")

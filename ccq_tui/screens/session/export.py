"""Writes the transcript of a session to a file."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

from ccq_tui.config.paths import state_dir
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.text import one_line, reason
from ccq_tui.transcript.export import export_json, export_markdown, export_name, write_export
from ccq_tui.widgets.transcript.painter import plain_text

OVERWRITE = "--overwrite"


async def export_transcript(ui: SessionUi, argument: str) -> None:
    """Write the transcript to a file, and say where.

    ``argument`` is "" or "md" for Markdown, "json", or a path, whose ending decides; a file that exists is
    replaced only with ``--overwrite``. Without a path the file goes to the state directory.
    """
    words = argument.split()
    overwrite = OVERWRITE in words
    wanted = argument.replace(OVERWRITE, "").strip()
    at = datetime.now().astimezone()
    view = ui.view
    session = {"name": view.name, "id": view.session_id, "model": view.model, "cwd": str(view.cwd)}
    # The list may change while a thread writes it; a block's text only grows.
    blocks = list(ui.transcript.model.blocks)
    ending = "json" if wanted == "json" or wanted.lower().endswith(".json") else "md"
    exports = (ui.launch.program.state or state_dir()) / "exports"
    make = export_json if ending == "json" else export_markdown

    def write() -> Path:
        text = make(blocks, session=session, at=at, draw=plain_text)
        if wanted not in {"", "md", "json"}:
            path = view.cwd / Path(wanted).expanduser()
            write_export(path, text, overwrite=overwrite)
            return path
        exports.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = exports / export_name(view.project, ending, at)
        write_export(path, text, overwrite=True)
        return path

    try:
        path = await asyncio.to_thread(write)
    except FileExistsError:
        ui.note(
            f"The file exists already: /export {one_line(wanted, 500)} {OVERWRITE} replaces it", "warning"
        )
    except (OSError, ValueError, RuntimeError) as error:
        ui.note(f"Nothing was exported: {one_line(reason(error), 500)}", "error")
    else:
        ui.note(f"Exported to {one_line(str(path), 1_000)}")

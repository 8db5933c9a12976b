"""The transcript written to a file by the screen."""

from __future__ import annotations

import json
from pathlib import Path

from ccq_tui.config import Launch, Settings
from ccq_tui.screens.session.export import export_transcript
from tests.ui.session import Driven, until


async def test_the_transcript_is_written_beside_the_project_and_never_over_another_file(
    tmp_path: Path,
) -> None:
    run = Driven(Launch(settings=Settings(cwd=tmp_path)))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session is not None)
        run.screen.transcript.add_prompt("hello there")
        await export_transcript(run.screen, "")
        await export_transcript(run.screen, "md")
        await export_transcript(run.screen, "json")
        written = sorted(tmp_path.iterdir())  # noqa: ASYNC240 - a handful of files
        assert [file.suffix for file in written] == [".md", ".json", ".md"]
        assert "> hello there" in written[0].read_text()
        assert json.loads(written[1].read_text())["blocks"][0]["text"] == "hello there"
        assert str(written[1]) in run.screen.transcript.text()

        await export_transcript(run.screen, "own.md")
        await export_transcript(run.screen, "own.md")
        assert "--overwrite replaces it" in run.screen.transcript.text()
        (tmp_path / "own.md").write_text("")
        await export_transcript(run.screen, "own.md --overwrite")
        assert "hello" in (tmp_path / "own.md").read_text()
        await export_transcript(run.screen, "gone/own.md")
        assert "Nothing was exported" in run.screen.transcript.text()

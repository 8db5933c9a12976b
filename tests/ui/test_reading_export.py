"""The transcript written to a file by the screen."""

from __future__ import annotations

import json
from pathlib import Path

from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.screens.session.export import export_transcript
from tests.ui.session import Driven, until


async def test_the_transcript_is_written_where_it_was_said_and_never_over_another_file(
    tmp_path: Path,
) -> None:
    here = tmp_path / "project"
    here.mkdir()
    run = Driven(Launch(settings=Settings(cwd=here), program=ProgramArguments(state=tmp_path / "state")))
    async with run.app.run_test() as pilot:
        await until(pilot, lambda: run.session is not None)
        run.screen.transcript.add_prompt("hello there")
        await export_transcript(run.screen, "")
        await export_transcript(run.screen, "md")
        await export_transcript(run.screen, "json")
        assert not [*here.iterdir()], "a checkout gets no file that nobody named"
        written = sorted((tmp_path / "state" / "exports").iterdir())
        assert [file.suffix for file in written] == [".md", ".json", ".md"]
        assert "> hello there" in written[0].read_text()
        assert json.loads(written[1].read_text())["blocks"][0]["text"] == "hello there"
        assert str(written[1]) in run.screen.transcript.text()

        await export_transcript(run.screen, "own.md")
        await export_transcript(run.screen, "own.md")
        assert "--overwrite replaces it" in run.screen.transcript.text()
        (here / "own.md").write_text("")
        await export_transcript(run.screen, "own.md --overwrite")
        assert "hello" in (here / "own.md").read_text()
        await export_transcript(run.screen, "gone/own.md")
        assert "Nothing was exported: No such file or directory: " in run.screen.transcript.text()

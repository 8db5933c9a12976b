"""Files are completed in every text of a panel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.completion_list import SEEN_AFTER
from ccq_tui.questions import Answer, Answered, Discussed
from ccq_tui.widgets.choices import ChoiceList
from tests.ui.asked import SINGLE
from tests.ui.drawn import terminal_of
from tests.ui.host import Clock
from tests.ui.running import running
from tests.ui.session import Driven, asked, keys_work, until
from tests.ui.test_panels_kept import settled

FILE = "@src/prompt.py"


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (40, 10)])
async def test_a_file_is_completed_in_answers_notes_and_discussions(
    size: tuple[int, int], tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "prompt.py").touch()
    run = Driven(Launch(settings=Settings(cwd=tmp_path)), clock=Clock())
    async with run.app.run_test(size=size) as pilot:
        for number, (opens, outcome) in enumerate(
            (
                ("o", Answered((Answer(other=f"{FILE} too"),))),
                ("n", Answered((Answer(selected=("PostgreSQL",), note=f"{FILE} too"),))),
                ("c", Discussed(f"{FILE} too")),
            )
        ):
            run.told.tell(asked(f"q{number}", SINGLE))
            await keys_work(run, pilot)
            panel = run.screen.dock.panel
            listed = panel.query_one(ChoiceList)
            await pilot.press(opens, "@", *"prom")
            await until(pilot, lambda listed=listed: "src/prompt.py" in str(listed.render()))
            run.clock.skip(2 * SEEN_AFTER)
            lines = terminal_of(run.app).lines
            assert any("@prom" in line for line in lines), "the text stays in sight"
            assert any("❯ src/prompt.py" in line for line in lines)
            await pilot.press("enter")
            await until(pilot, lambda panel=panel: panel.state.text == f"{FILE} ")
            assert listed.has_class("-off")
            await pilot.press(*"too", "enter")
            if opens == "n":
                await pilot.press("enter")
            assert await settled(run, pilot) == outcome


async def test_escape_closes_the_list_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    async with running(Driven(Launch(settings=Settings(cwd=tmp_path)), clock=Clock())) as (run, pilot):
        run.told.tell(asked("q", SINGLE))
        await keys_work(run, pilot)
        panel = run.screen.dock.panel
        await pilot.press("o", "@", "a")
        await until(pilot, lambda: "a.py" in str(panel.query_one(ChoiceList).render()))
        await pilot.press("escape", "b")
        assert panel.query_one(ChoiceList).has_class("-off")
        assert (panel.state.text, panel.state.hidden) == ("@ab", False)

"""The person's own editor, and the end of the program while it has the terminal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.e2e.test_parking import WHICH, session
from tests.steps import step


@pytest.mark.parametrize(("how", "code"), [("SIGTERM", 143), ("window closed", 129)])
def test_an_editor_that_stays_open_does_not_keep_the_program(
    how: str, code: int, start: Start, tmp_path: Path
) -> None:
    editor, opened, never = (tmp_path / name for name in ("editor", "opened", "never"))
    editor.write_text(
        f"""#!/bin/sh
trap "" HUP TERM INT
stty raw -echo
printf "half of it" > "$1"
touch {opened}
while :; do read -r _ < {never} || true; done
"""
    )
    editor.chmod(0o755)
    os.mkfifo(never)  # nobody writes into it: as an editor that nobody closes
    run = start(Scenario("e2e").asks(WHICH).says("Thanks."), variables={"VISUAL": str(editor)})
    with step("the program ends although its editor does not, and leaves nothing behind"):
        run.terminal.wait_panel("Which one?")
        run.terminal.press("ctrl+g")
        run.terminal.wait(lambda _: opened.exists())
        run.end(how, code)
    with step("what the editor had saved by then is in the open text"):
        again = start(Scenario("e2e").says("Thanks."), "--resume", session(run), prompt="", home=run.home)
        again.terminal.wait_panel("▌ half of it")
        again.terminal.press("enter")
        again.terminal.wait("● 4  Other: half of it")
        again.terminal.press("enter")
        assert '"Which one?"="half of it"' in again.result("toolu_e2e_1")
        assert len(json.dumps(again.model.requests()[-1].body).split("half of it")) == 2
        again.end("ctrl+q", 0)

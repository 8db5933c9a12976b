"""The person's own editor, and the end of the program while it has the terminal."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start
from tests.e2e.test_parking import WHICH, session
from tests.steps import step


def test_an_editor_that_stays_open_does_not_keep_the_program(start: Start, tmp_path: Path) -> None:
    editor, opened, never = (tmp_path / name for name in ("editor", "opened", "never"))
    editor.write_text(
        f"""#!/bin/sh
trap "" HUP TERM INT
stty raw -echo
[ -s "$1" ] && text="most of it" || text="half of it"
printf "$text" > "$1"
touch {opened}
while :; do read -r _ < {never} || true; done
"""
    )
    editor.chmod(0o755)
    os.mkfifo(never)  # nobody writes into it: as an editor that nobody closes
    edits = {"VISUAL": str(editor)}
    run = start(Scenario("e2e").asks(WHICH).says("Thanks."), variables=edits)
    with step("the program ends although its editor does not, and leaves nothing behind"):
        run.terminal.wait_panel("Which one?")
        run.terminal.press("ctrl+g")
        run.terminal.wait(lambda _: opened.exists())
        run.end("SIGTERM", 143)
    name = session(run)
    run = start(Scenario("e2e"), "--resume", name, prompt="", home=run.home, variables=edits)
    with step("what the editor had saved by then is in the open text; so it is where its window is closed"):
        run.terminal.wait_panel("● 4  half of it")
        opened.unlink()
        run.terminal.press("ctrl+g")
        run.terminal.wait(lambda _: opened.exists())
        run.end("window closed", 129)
    again = start(Scenario("e2e").says("Thanks."), "--resume", name, prompt="", home=run.home)
    with step("what it had saved then is there as well, and is the answer"):
        again.terminal.wait_panel("● 4  most of it")
        again.terminal.press("enter")
        assert '"Which one?"="most of it"' in again.result("toolu_e2e_1")
        assert len(json.dumps(again.model.requests()[-1].body).split("most of it")) == 2
        again.end("ctrl+q", 0)

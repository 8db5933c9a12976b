"""What a keyboard sends, as a terminal passes it on: joiners, and Esc right before a letter."""

from __future__ import annotations

import json
import time

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Start

JOINED = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"


def test_joiners_are_sent_and_escape_before_a_digit_is_a_key_of_its_own(start: Start) -> None:
    run = start(Scenario("e2e").says("Fine.").ends_turn(), prompt="")
    terminal = run.terminal
    terminal.wait("○ ready")
    terminal.type("and a\x1b")
    since = time.monotonic()
    terminal.wait(lambda _: time.monotonic() - since > 0.03)
    terminal.type("1")  # within the 100 ms in which Textual would make Alt+1 of it
    terminal.wait("and a1")
    terminal.type("\x1b1")  # Alt+1: goes to the first session, which is shown
    for character in f" {JOINED}":
        terminal.type(character)
    terminal.press("enter")
    terminal.wait("Fine.")
    sent = json.dumps(run.model.requests()[-1].body, ensure_ascii=False)
    assert f"and a1 {JOINED}" in sent
    run.end("ctrl+q", 0)

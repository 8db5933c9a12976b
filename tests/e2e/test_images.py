"""Images that are dropped on the terminal, over a kill, up to what the model receives."""

from __future__ import annotations

import base64
import json
import os
import signal
from typing import Any

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start
from tests.steps import step
from tests.unit.prompts.pictures import gif

HANGS = Scenario("q").says("Thinking about it").hangs().says(" still.").ends_turn()
ANSWERS = Scenario("q").says("Skipped: a kill ended it.").ends_turn().says("Both seen.").ends_turn()
FIRST, SECOND = gif(640, 480), gif(5, 6)
ONE, TWO = "[image 1: my shot.gif 640×480, 14 bytes]", "[image 2: b.gif 5×6, 14 bytes]"


def test_dropped_images_are_queued_come_back_after_a_kill_and_reach_the_model(start: Start) -> None:
    run = start(HANGS, size=(100, 30))
    run.terminal.wait("Thinking about it")
    (run.home.project / "my shot.gif").write_bytes(FIRST)
    (run.home.project / "b.gif").write_bytes(SECOND)
    with step("dropped in two ways, and sent while Claude works"):
        run.terminal.type("Compare ")
        run.terminal.paste(f"{run.home.project}/my\\ shot.gif ")
        run.terminal.wait(ONE)
        run.terminal.paste(f"file://{run.home.project}/b.gif")
        run.terminal.wait(TWO)
        run.terminal.press("enter")
        run.terminal.wait(f"❯ Compare {ONE} {TWO}  queued")
    with step("killed before Claude has read it"):
        os.kill(run.terminal.process.pid, signal.SIGKILL)
        run.terminal.process.wait()
        for path in run.home.project.glob("*.gif"):
            path.unlink()
    session = next(run.home.config.glob("projects/*/*.jsonl")).stem
    with step("it is back with its images, whose files are gone"):
        run = start(ANSWERS, "--resume", session, prompt="", home=run.home, size=(100, 30))
        run.terminal.wait("○ ready")
        run.terminal.wait(lambda seen: f"❯ Compare {ONE} {TWO}" in seen.text)
        run.rest()
        run.terminal.press("enter")
        run.model.wait_for_sync(
            lambda model: any("Compare" in json.dumps(one.body) for one in model.requests()), 40.0
        )
        assert sent(run)[-3:] == [
            {"type": "text", "text": f"Compare {ONE} {TWO}"},
            block(FIRST),
            block(SECOND),
        ]
        run.end("ctrl+q", 0)
    with step("a resumed session names them in its card"):
        run = start(ANSWERS, "--resume", session, prompt="", home=run.home, size=(100, 30))
        run.terminal.wait(f"❯ Compare {ONE} {TWO}")
        run.end("ctrl+q", 0)


def block(data: bytes) -> dict[str, Any]:
    encoded = base64.b64encode(data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": encoded}}


def sent(run: Running) -> list[dict[str, Any]]:
    """The blocks of all prompts in the newest request, without what the CLI adds of its own."""
    messages = [one["content"] for one in run.model.requests()[-1].body["messages"] if one["role"] == "user"]
    listed = [[{"type": "text", "text": one}] if isinstance(one, str) else one for one in messages]
    return [
        {name: value for name, value in one.items() if name != "cache_control"}
        for content in listed
        for one in content
        if not one.get("text", "").startswith(("<system-reminder>", "[Image: source: "))
    ]

"""What a person answers about a directory, Claude Code knows as well."""

import json

from ccq_tui.config.launch import launch_with, trusting
from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Play, Running


async def test_a_trusted_directory_needs_no_second_answer_to_claude_code(play: Play) -> None:
    scenario = Scenario("t")
    for number in (1, 2):
        scenario = scenario.runs("Bash", command=f"touch {number}").says("Done.").ends_turn()
    _model, home = play(scenario)
    place = home.root / "another"
    (place / ".claude").mkdir(parents=True)
    rules = {"permissions": {"allow": ["Bash(touch *)"]}}
    (place / ".claude/settings.json").write_text(json.dumps(rules), encoding="utf-8")
    config = home.config / ".claude.json"

    async with Running(home, cwd=place) as run:
        await run.send("Build it").until(PermissionRequest)
    assert str(place) not in json.loads(config.read_text(encoding="utf-8"))["projects"]
    trusting(launch_with({"cwd": place}))
    async with Running(home, cwd=place) as run:
        await run.send("Build it").idle()
        assert run.all(PermissionRequest) == []
        assert list(place.glob("[12]"))
    known = json.loads(config.read_text(encoding="utf-8"))["projects"][str(place)]
    assert known["hasTrustDialogAccepted"]

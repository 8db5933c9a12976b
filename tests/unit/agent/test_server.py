"""What the CLI tells of itself as it starts."""

from __future__ import annotations

import pytest

from ccq_tui.agent.listings import slash_commands


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "__remote-workflow", "description": "Run the workflow script"},
        {"name": "workflow-launch-exec", "description": "Hand over (workflow_launch event sessions only)"},
        {"name": "agents", "description": "(removed) Ask Claude to manage subagents"},
        {"description": "no name"},
        "no entry",
    ],
)
def test_what_is_no_command_for_a_person_is_left_out(entry: object) -> None:
    known = {"name": "/compact", "description": "Free up context (sessions only for you)", "aliases": ["c"]}
    (command,) = slash_commands({"commands": [entry, known]})
    assert (command.name, command.aliases) == ("compact", ("c",))


def test_an_answer_of_another_shape_has_no_commands() -> None:
    assert slash_commands({"commands": "all"}) == slash_commands({}) == ()

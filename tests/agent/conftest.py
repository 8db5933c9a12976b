"""Sessions against a scripted model."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.testing.environment import CleanHome
from ccq_tui.testing.model import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.row import Row
from tests.agent.running import Play

pytest.register_assert_rewrite("tests.agent.scenes")  # a failure shows both sides


@pytest.fixture
def play(scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]) -> Play:
    """A factory: a started model for a scenario, and a clean home to reach it from."""

    def start(
        scenario: Scenario, env: dict[str, str] | None = None, **options: Any
    ) -> tuple[ScriptedModel, CleanHome]:
        model = scripted_model(scenario, **options)
        return model, claude_env(model, **(env or {}))

    return start


@pytest.fixture
async def row(play: Play) -> AsyncIterator[Row]:
    """Processes one after another; the last one ends with the test, and all of the inbox is written."""
    model, home = play(Scenario())
    row = Row(model, home, await Inbox.connect(home.root / "inbox.db"))
    yield row
    await row.close()
    assert await row.inbox.close()

"""The pytest plugin: fixtures ``scripted_model`` and ``claude_env``, which load no server until used."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.testing.environment import CleanHome, clean_environment
from ccq_tui.testing.model import ScriptedModel
from ccq_tui.testing.scenario import Scenario


@pytest.fixture
def scripted_model() -> Iterator[Callable[..., ScriptedModel]]:
    """A factory ``scripted_model(scenario, **options)`` of started models.

    Each is stopped at the end of the test, which fails if a callable of the script raised.
    """
    with ExitStack() as ending:

        def start(scenario: Scenario, **options: Any) -> ScriptedModel:
            model = ending.enter_context(ScriptedModel(scenario, **options))
            ending.callback(model.check)
            return model

        yield start


@pytest.fixture
def claude_env(tmp_path: Path) -> Callable[..., CleanHome]:
    """A factory ``claude_env(model, **variables)`` of clean homes for a real CLI, with its environment."""

    def make(model: ScriptedModel, **variables: str) -> CleanHome:
        return clean_environment(model.url, root=tmp_path, extra=variables)

    return make

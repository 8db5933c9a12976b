"""A transcript whose time a test moves."""

import pytest

from ccq_tui.transcript.model import TranscriptModel
from tests.ui.host import Clock
from tests.unit.transcript.test_drawing import NOON


@pytest.fixture
def clock() -> Clock:
    return Clock(0.0)


@pytest.fixture
def model(clock: Clock) -> TranscriptModel:
    return TranscriptModel(clock, lambda: NOON)


@pytest.fixture(name="data")
def _data(model: TranscriptModel) -> TranscriptModel:
    """The same, in a module that makes others as well by a `model` of its own."""
    return model

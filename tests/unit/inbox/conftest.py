"""Fixtures of these tests."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from ccq_tui.inbox.store.store import Store
from tests.unit.inbox.made import START


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where an inbox is to be made, with its directory."""
    return tmp_path / "state" / "inbox.db"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store whose clock goes on by a second at each look, from `START`."""
    seconds = count(1)
    made = Store(tmp_path / "inbox.db", now=lambda: START + timedelta(seconds=next(seconds)))
    yield made
    made.close()

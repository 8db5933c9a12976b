"""Fixtures of these tests."""

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where an inbox is to be made, with its directory."""
    return tmp_path / "state" / "inbox.db"

"""What tests of the screen share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.ui.pictures import Pictures


@pytest.fixture
def pictures(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Iterator[Pictures]:
    """Keep pictures of one program; the test fails at its end when some differ."""
    kept = Pictures(snapshot, request.node)
    yield kept
    if kept.differ:
        pytest.fail(f"These pictures differ: {', '.join(kept.differ)}", pytrace=False)

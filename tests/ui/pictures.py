"""Pictures of several states of one program: starting it costs more than all it does for a picture."""

import inspect
import pickle
from typing import Any

import pytest
from pytest_textual_snapshot import PseudoApp, PseudoConsole, node_to_report_path
from rich.console import Console
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from ccq_tui.widgets.transcript import Transcript
from tests.conftest import TopLevelSnapshots
from tests.ui.session import until

LOOKS = 40
POLL_SECONDS = 0.06
"""Longer than two frames of the screen."""


def rests(pane: Transcript) -> bool:
    """Tell whether a transcript has nothing more to draw, and waits for no highlighter."""
    return pane._pace._timer is None and not pane._lexers.loading


class Pictures:
    """Compares the screen with its stored pictures, and tells of all that differ at the end.

    Args:
        snapshot: The pictures that are stored.
        node: The test.
    """

    def __init__(self, snapshot: SnapshotAssertion, node: pytest.Function) -> None:
        self._snapshot = snapshot
        self._node = node
        self.differ: list[str] = []

    async def keep(self, pilot: Pilot[Any], name: str) -> None:
        """Take a picture once everything is drawn.

        Args:
            pilot: The program's pilot.
            name: Names the picture among those of the test.
        """
        await pilot.pause()
        await pilot.wait_for_scheduled_animations()
        self.compare(await self._still(pilot), name)

    def compare(self, taken: str, name: str) -> None:
        """Compare a picture that was taken with the stored one.

        Args:
            taken: The picture.
            name: Names it among those of the test.
        """
        stored = self._snapshot(name=name, extension_class=TopLevelSnapshots)
        if stored != taken:
            self.differ.append(name)
            self._report(name, str(stored), taken)

    async def _still(self, pilot: Pilot[Any]) -> str:
        """Take the screen once it no longer changes: the transcript draws when it has time for it."""
        panes = [pane for screen in pilot.app.screen_stack for pane in screen.query(Transcript)]
        await until(pilot, lambda: all(rests(pane) for pane in panes))
        taken = pilot.app.export_screenshot(simplify=True)
        for _ in range(LOOKS):
            await pilot.pause(POLL_SECONDS)
            await until(pilot, lambda: all(rests(pane) for pane in panes))
            now = pilot.app.export_screenshot(simplify=True)
            if now == taken:
                break
            taken = now
        return taken

    def _report(self, name: str, expected: str, taken: str) -> None:
        """Show both side by side in the report that single pictures are shown in."""
        path, line, test = self._node.reportinfo()
        console = Console(legacy_windows=False, force_terminal=True)
        app = PseudoApp(PseudoConsole(console.legacy_windows, console.size))  # type: ignore[arg-type]
        words = inspect.getdoc(self._node.function) or ""
        shown = (False, expected, taken, app, path, line, f"{test}[{name}]", words, "", True)
        place = node_to_report_path(self._node)  # type: ignore[arg-type]
        place.with_name(f"{place.name}_{name}").write_bytes(pickle.dumps(shown))

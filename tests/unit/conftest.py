"""What tests of the command line share."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccq_tui.logs import stop_logging
from tests.unit.starting import Cli, FakeApp

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def restored() -> Iterator[None]:
    """Put back what the program changes in its process."""
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)
    stop_logging()


@pytest.fixture
def ccq(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs commands in this process."""
    return Cli(capsys)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the command line is used; a test file may say another place."""
    return tmp_path


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, place: Path, restored: None) -> FakeApp:
    """A terminal in a directory, with a screen that ends at once."""
    fake = FakeApp()
    monkeypatch.setitem(sys.modules, "ccq_tui.app", fake)
    for module in ("ccq_tui.cli.inbox", "ccq_tui.cli.session", "ccq_tui.plain.mode"):
        monkeypatch.setattr(f"{module}.not_terminals", list)
    monkeypatch.setattr("ccq_tui.agent.loader._prestarted", fake.start_nothing)
    monkeypatch.chdir(place)
    return fake

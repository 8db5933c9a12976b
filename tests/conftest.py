"""What holds for every test: no path of the user's is touched, and pictures come out the same everywhere."""

import gc
import itertools
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_textual_snapshot
import textual.constants
from hypothesis import settings as hypothesis_settings
from textual.widgets import Input, TextArea

from ccq_tui.compat.sdk.light_import import import_sdk
from ccq_tui.config import keymap
from ccq_tui.logs import stop_logging
from tests.memory_inbox import end_inboxes
from tests.unit.worktrees.repositories import repository

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A run in the background ignores it, and so would all that the tests start: a shell cannot trap it then.
    signal.signal(signal.SIGINT, signal.default_int_handler)

if "PYTEST_XDIST_WORKER" in os.environ:
    gc.disable()  # until all is imported and collected: none of it is garbage
import_sdk()  # as the program does it: without the packages of MCP, which cost as much as all the rest

MEMORY = Path("/dev/shm")  # noqa: S108 (pytest makes a directory of its own there)
if "TMPDIR" not in os.environ and MEMORY.is_dir():
    found = os.statvfs(MEMORY)
    if found.f_bavail * found.f_frsize > 2**32 and not found.f_flag & (os.ST_NOEXEC | os.ST_RDONLY):
        # Each answer is synced, for which a disk that others use takes a tenth of a second.
        os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None

TESTS = Path(__file__).parent
SNAPSHOTS = TESTS.parent / "snapshots"
SLOW = {TESTS / "agent", TESTS / "e2e"}
DROPPED = ("CCQ_", "ANTHROPIC_", "CLAUDE", "TEXTUAL")
KEPT = ("TEXTUAL_SNAPSHOT_TEMPDIR",)  # how the snapshot plugin finds its own reports
DROPPED_NAMES = (
    *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "VISUAL", "EDITOR"),
    "PYTHONUNBUFFERED",  # a person's programs have buffers, which are written at their end
)
PINNED = {
    "TZ": "UTC",
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "LC_ALL": "C.UTF-8",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
    # A CLI lives for seconds here: to compile its code for speed costs an eighth more than it saves, and to
    # collect its garbage a sixth of its start and a quarter of eight turns, for 60 MB.
    "BUN_JSC_useDFGJIT": "0",
    "BUN_JSC_useGC": "0",
}

# A deadline measures the machine, not the code: two cores shared by all workers miss any honest one.
hypothesis_settings.register_profile("fast", deadline=None, max_examples=40)
hypothesis_settings.register_profile("thorough", deadline=None, max_examples=600)
hypothesis_settings.load_profile(os.environ.get("CCQ_TUI_PROPERTIES", "fast"))


def pytest_collection_finish() -> None:
    """Leave what was imported out of every collection of garbage, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Collect what the tests left once; pytest does so five times at its end, for warnings."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Let each worker have its share of the tests that start programs, in the random order there is.

    They mostly wait, so that half of the others lie between them and keep the processors busy. They take
    up to a minute: what comes last is to be short, or one worker ends long after the others. The first worker
    has all that show pages: they share a browser.
    """
    yield
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    slow_files = {path for path in {item.path for item in items} if not SLOW.isdisjoint(path.parents)}
    slow = [item for item in items if item.path in slow_files]
    pages = [item for item in slow if "browser" in getattr(item, "fixturenames", ())]
    others = [item for item in slow if item not in pages]
    first = max(0, len(slow) // workers - len(pages))
    shares = [pages + others[:first], *(others[first:][n :: workers - 1] for n in range(workers - 1))]
    quick = iter([item for item in items if item.path not in slow_files])
    spread: list[pytest.Item] = []
    for worker, mine in enumerate(shares):
        end = len(spread) + (len(items) - len(spread)) // (workers - worker)  # as pytest-xdist hands them out
        files = [list(file) for _, file in itertools.groupby(mine, lambda item: item.path)]
        between = max(0, end - len(spread) - len(mine)) // (2 * len(files) or 1)
        for file in files:
            spread += [*file, *itertools.islice(quick, between)]
        spread += itertools.islice(quick, max(0, end - len(spread)))
    items[:] = spread


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Keep megabytes of input out of the names of tests, which workers send, sort and compare."""
    return f"{argname}-{len(val)}" if isinstance(val, str | bytes) and len(val) > 200 else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run two tests a core with ``-n auto``, since most wait for a process, a frame or a key; else one."""
    return (2 if config.option.numprocesses == "auto" else 1) * (os.cpu_count() or 1)


class TopLevelSnapshots(pytest_textual_snapshot.SVGImageExtension):
    """Keeps ``tests/ui/test_panel.py``'s pictures in ``snapshots/ui/test_panel/``."""

    @classmethod
    def dirname(cls, *, test_location: Any) -> str:
        """Say where the pictures of a test file are.

        Args:
            test_location: The test, as syrupy knows it.

        Returns:
            The directory as an absolute path.
        """
        return str(SNAPSHOTS / Path(test_location.filepath).relative_to(TESTS).with_suffix(""))


# snap_compare reads the name from its own module; there is no option for the directory.
pytest_textual_snapshot.SVGImageExtension = TopLevelSnapshots  # type: ignore[misc]


@pytest.fixture(scope="session", autouse=True)
def _pinned_environment() -> Iterator[None]:
    """Take the person's settings, keys and terminal out of the environment, also for session fixtures.

    What moves by the clock stands still: the cursor's blinking and animations.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name in DROPPED_NAMES or (name.startswith(DROPPED) and name not in KEPT):
                patch.delenv(name)
        for name, value in PINNED.items():
            patch.setenv(name, value)
        time.tzset()
        patch.setattr(Input, "cursor_blink", False)
        patch.setattr(TextArea, "cursor_blink", False)
        patch.setattr(textual.constants, "TEXTUAL_ANIMATIONS", "none")
        yield
    time.tzset()


_homes = itertools.count()


@pytest.fixture(autouse=True)
def home(
    _pinned_environment: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give each test an empty home directory of its own.

    Returns:
        The directory that HOME names during the test.
    """
    # mktemp looks through all that were made before.
    home = tmp_path_factory.getbasetemp() / f"home{next(_homes)}"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name, folder in {
        "XDG_CONFIG_HOME": ".config",
        "XDG_STATE_HOME": ".local/state",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
        "XDG_RUNTIME_DIR": ".run",
        "CLAUDE_CONFIG_DIR": ".claude",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    return home


@pytest.fixture(scope="session")
def _first_repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository(tmp_path_factory.mktemp("first") / "repo")


@pytest.fixture
def repo(_first_repo: Path, tmp_path: Path) -> Path:
    """A repository with one commit."""
    return shutil.copytree(_first_repo, tmp_path / "repo")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close the log that a program in this process has opened, and the inboxes that the test has left."""
    yield
    stop_logging()
    end_inboxes()


@pytest.fixture(autouse=True)
def _usual_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with the usual keys, whichever a test before chose for its program."""
    monkeypatch.setattr(keymap, "_in_use", keymap.DEFAULT_KEYS)

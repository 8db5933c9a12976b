"""Starts the installed program in a pseudo-terminal, with the real CLI and the scripted model."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from ccq_tui.input.gate import PAUSE, SEEN
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.e2e import paging
from tests.e2e.paging import CHROMIUM, FLAGS, Pages
from tests.e2e.terminal import LIMIT, NotShownError, Terminal
from tests.processes import command, with_variable
from tests.unit.remote.relays import RunningRelay, running

if TYPE_CHECKING:
    from playwright.async_api import Browser


@dataclass
class Running:
    """A running program, and the model it talks to."""

    terminal: Terminal
    model: ScriptedModel
    home: CleanHome

    def result(self, tool_use_id: str) -> str:
        """Wait for the exact tool result that the model received."""
        try:
            return self.model.wait_for_result_sync(tool_use_id, limit=LIMIT).text
        except TimeoutError as error:
            raise NotShownError(f"no result of {tool_use_id}; the screen:\n{self.terminal.text}") from error

    def ccq(self, *words: str) -> str:
        """Run a command of ccq-tui in another process, which succeeds; return what it prints."""
        command = [program(), *words]
        done = subprocess.run(
            command, env=self.home.env, cwd=self.home.project, capture_output=True, text=True, timeout=60,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rest(self, seconds: float = PAUSE) -> None:
        """Let the pause go by in which a prompt that took a closed panel's place sends nothing."""
        since = time.monotonic()
        self.terminal.wait(lambda _: time.monotonic() - since > seconds)

    def decide(self, letter: str) -> None:
        """Press a letter that decides, in a panel that is seen."""
        self.rest(SEEN)
        self.terminal.press(letter)

    def press_again(self, key: str, shows: str) -> None:
        """Press a key a second time, and twice more where a busy machine read the second one too late."""
        self.rest()
        self.terminal.press(key)
        for _ in range(5):
            with suppress(NotShownError):
                self.terminal.wait(shows, 15.0)
                return
            self.terminal.press(key)
            self.rest()
            self.terminal.press(key)
        self.terminal.wait(shows)

    def wait_recorded(self, text: str) -> None:
        """Wait until the CLI has written a text into the record of a session."""
        records = self.home.config / "projects"
        self.terminal.wait(
            lambda _: any(text in path.read_text(encoding="utf-8") for path in records.glob("*/*.jsonl"))
        )

    def end(self, how: str, code: int) -> None:
        """End the program by keys, a signal or by closing its window; it must leave nothing behind."""
        if how.startswith("SIG"):
            self.terminal.process.send_signal(getattr(signal, how))
        elif how == "window closed":
            self.terminal.hang_up()
        else:
            self.terminal.press(how)
        assert self.terminal.wait_end() == code, self.terminal.text
        if how != "window closed":
            assert self.terminal.restored
            # The alternate screen is left; the last of what was written may not be read yet.
            self.terminal.wait(lambda terminal: b"\x1b[?1049l" in terminal.raw)
        assert not [pid for pid in self.processes() if "stream-json" in command(pid)]
        # What the CLI was just asking, such as git, is not its program's to wait for: it ends by itself.
        self.terminal.wait(lambda _: self.processes() == [])

    def processes(self) -> list[int]:
        """Return the processes of the program and its children, found by the home they were started with."""
        return with_variable(str(self.home.home))


Start = Callable[..., Running]


def program() -> str:
    """Return the installed ccq-tui."""
    beside = Path(sys.executable).with_name("ccq-tui")
    found = str(beside) if beside.exists() else shutil.which("ccq-tui")
    assert found, "ccq-tui is not installed"
    return found


@pytest.fixture
def start(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> Iterator[Start]:
    """A factory ``start(scenario, *arguments, size=(80, 24), prompt="go")`` of running programs."""
    with ExitStack() as ending:

        def make(
            scenario: Scenario,
            *arguments: str,
            size: tuple[int, int] = (80, 24),
            prompt: str = "go",
            wrapper: tuple[str, ...] = (),
            home: CleanHome | None = None,
            variables: dict[str, str] | None = None,
            **options: Any,
        ) -> Running:
            model = scripted_model(scenario, **options)
            home = home or claude_env(model, **(variables or {}))
            fixed = {"ANTHROPIC_BASE_URL": model.url, "CCQ_PERMISSION_MODE": "default"}
            env = home.env | fixed | (variables or {})
            command = [*wrapper, program(), *arguments, *([prompt] if prompt else [])]
            terminal = ending.enter_context(Terminal(command, env, home.project, size))
            return Running(terminal, model, home)

        yield make


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> "AsyncIterator[Browser]":
    """Start a browser: one serves all tests with pages, which `tests/conftest.py` gives to one worker."""
    api = pytest.importorskip(
        "playwright.async_api", reason="the page is tested with the extra e2e: pip install -e '.[e2e]'"
    )
    if not CHROMIUM.exists():
        pytest.skip(f"the page is tested in Chromium, which is not at {CHROMIUM}: apt install chromium")
    async with api.async_playwright() as playwright:
        options = {"executable_path": str(CHROMIUM), "args": FLAGS, "timeout": LIMIT * 1000}
        started = await playwright.chromium.launch(**options)
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def relay(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningRelay]:
    """Serve a relay."""
    async with running(tmp_path_factory.mktemp("relay")) as served:
        yield served


@pytest_asyncio.fixture(loop_scope="session")
async def terminal(relay: RunningRelay) -> AsyncIterator[paging.Terminal]:
    """Make a sealed pairing at the relay."""
    async with paging.paired(relay) as made:
        yield made


@pytest.fixture(scope="session")
def _pages(browser: "Browser") -> Pages:
    return Pages(browser)


@pytest_asyncio.fixture(loop_scope="session")
async def pages(_pages: Pages) -> AsyncIterator[Pages]:
    """Open pages as several devices; none may have logged an error at the end."""
    yield _pages
    await _pages.close()

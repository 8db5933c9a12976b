"""``--forks N`` runs the tests in N forks of the process that collected them: none imports anything anew."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.processes import this_process

NUMBER = 4
"""Bytes of a number in the pipe from which the forks take what is next."""
ROOM = 60_000
"""Bytes that such a pipe holds before anybody reads it."""
SLOW = {Path(__file__).with_name(name) for name in ("agent", "e2e")}
Share = list[pytest.Item]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--forks", type=int, default=0, help="run the tests in so many processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Hand out what was collected, and report what the forks tell of it."""
    count, is_listing = session.config.option.forks, session.config.option.collectonly
    if not count or is_listing or session.testsfailed:
        return None
    shares = in_order(session.items)
    os.environ["PYTEST_XDIST_WORKER_COUNT"] = str(count)  # syrupy then looks for no picture that nobody used
    running = Running(session)
    try:
        tasks = _numbers_up_to(len(shares))
        for number in range(count):
            running.fork(number, shares, tasks)
        while running.tests:
            running.report()
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
    finally:
        running.kill()
    return True


def _numbers_up_to(count: int) -> int:
    """Return the end of a pipe that holds the numbers from which the forks take."""
    tasks, fill = os.pipe()
    assert count * NUMBER < ROOM
    os.write(fill, b"".join(number.to_bytes(NUMBER) for number in range(count)))
    os.close(fill)
    return tasks


class Running:
    """The forks that run.

    Attributes:
        tests: What each began last, by the pipe on which it tells.
    """

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._pids: dict[Any, int] = {}
        self.tests: dict[Any, str] = {}

    def fork(self, number: int, shares: list[Share], tasks: int) -> None:
        ours, theirs = Pipe(duplex=False)
        parent = this_process()
        if not (pid := os.fork()):
            for name in ("pid", "start"):  # what was imported names this process from here on
                object.__setattr__(parent, name, getattr(this_process(), name))
            _Fork(self._session, number, theirs).work(shares, tasks)
        theirs.close()
        self._pids[ours], self.tests[ours] = pid, ""

    def report(self) -> None:
        """Report what is told next; a fork that ends otherwise than in order ends all."""
        hook, config = self._session.config.hook, self._session.config
        for told in wait(list(self.tests)):
            try:
                news = told.recv()
            except EOFError:
                test, pid = self.tests.pop(told), self._pids.pop(told)
                if status := os.waitpid(pid, 0)[1]:
                    raise self._session.Interrupted(f"a fork ended with {status} in {test}") from None
            else:
                if isinstance(news, str):
                    self.tests[told] = news
                else:
                    report = hook.pytest_report_from_serializable(config=config, data=news)
                    hook.pytest_runtest_logreport(report=report)

    def kill(self) -> None:
        for pid in self._pids.values():
            os.kill(pid, signal.SIGKILL)


def in_order(items: list[pytest.Item]) -> list[Share]:
    """Return shares in the order of their start: those of a browser and tests with a longer limit first.

    Those that start programs mostly wait: half of the quick ones lie between them and keep the processors
    busy. What comes last is to be short, or one process ends long after the others.
    """
    shares: list[Share] = []
    for _, grouped in groupby(items, lambda item: item.path if _in_browser(item) else item):
        shares.append(list(grouped))
    slow = [share for share in shares if not SLOW.isdisjoint(share[0].path.parents)]
    slow.sort(key=lambda share: not (_in_browser(share[0]) or share[0].get_closest_marker("timeout")))
    quick = [share for share in shares if SLOW.isdisjoint(share[0].path.parents)]
    between = len(quick) // (2 * len(slow) or 1)
    order: list[Share] = []
    for number, share in enumerate(slow):
        order += [share, *quick[number * between : (number + 1) * between]]
    return order + quick[len(slow) * between :]


def _in_browser(item: pytest.Item) -> bool:
    return "browser" in getattr(item, "fixturenames", ())


class _Fork:
    """One of the processes that run tests."""

    def __init__(self, session: pytest.Session, number: int, reports: Connection) -> None:
        self._session, self._config, self._reports = session, session.config, reports
        os.environ["PYTEST_XDIST_WORKER"] = name = f"gw{number}"
        plugins = session.config.pluginmanager
        plugins.getplugin("terminalreporter")._tw._file = Path(os.devnull).open("w")  # noqa: SIM115 (to the end)
        plugins.register(self)
        capture = plugins.getplugin("capturemanager")
        capture._global_capturing = None  # its files stay open: a default of what was imported may be one
        capture.start_global_capturing()  # into files of its own
        factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp = factory.getbasetemp() / name
        factory._basetemp.mkdir()

    def work(self, shares: list[Share], tasks: int) -> None:
        """Take shares until none is left, and end."""
        status = 1
        try:
            for share in map(shares.__getitem__, _taken(tasks)):
                # Between two shares what is the session's alone stays set up.
                for item, after in zip(share, [*share[1:], self._session], strict=True):
                    self._reports.send(item.nodeid)
                    self._config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            self._session._setupstate.teardown_exact(None)
            status = 0
        finally:
            os._exit(status)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._reports.send(data)


def _taken(tasks: int) -> Iterator[int]:
    while number := os.read(tasks, NUMBER):
        yield int.from_bytes(number)

"""The log: private, bounded, and silent about what people and models say."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from ccq_tui import logs
from ccq_tui.config.paths import log_dir
from ccq_tui.logs import current_log, log_path, start_logging, stop_logging


@pytest.fixture(autouse=True)
def _stopped() -> Iterator[None]:
    yield
    stop_logging()


def written() -> str:
    return log_path().read_text(encoding="utf-8")


def test_the_log_is_the_owners_alone() -> None:
    assert start_logging() == log_path() == current_log()
    logging.getLogger("ccq_tui.agent").info("connected")
    assert "INFO ccq_tui.agent: connected" in written()
    assert log_path().stat().st_mode & 0o777 == 0o600
    assert log_dir().stat().st_mode & 0o077 == 0


def test_contents_need_debug() -> None:
    start_logging("info")
    logging.getLogger("ccq_tui").debug("a message")
    logging.getLogger("claude_agent_sdk").warning("a message quoted by another library")
    assert written() == ""
    start_logging("debug")
    logging.getLogger("ccq_tui").debug("a message")
    logging.getLogger("claude_agent_sdk").warning("a message quoted by another library")
    assert written().count("a message") == 2


def test_python_warnings_are_written() -> None:
    start_logging()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=True)
        warnings.warn("old ways", DeprecationWarning, stacklevel=1)
    assert "old ways" in written()


def test_old_logs_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LIMIT", 1000)
    start_logging()
    for number in range(100):
        logging.getLogger("ccq_tui").info("line %d of a hundred", number)
    files = sorted(log_dir().iterdir())
    assert len(files) == 1 + logs.BACKUPS
    assert all(file.stat().st_size <= 1000 and file.stat().st_mode & 0o777 == 0o600 for file in files)
    assert "line 99 of" in written()


def test_without_a_place_to_write_the_program_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    log_dir().parent.mkdir(parents=True)
    log_dir().write_text("in the way", encoding="utf-8")
    assert start_logging() is None
    assert current_log() is None
    logging.getLogger("ccq_tui").warning("nobody hears this")
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
def test_a_full_disk_puts_nothing_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    log_dir().mkdir(parents=True)
    log_path().symlink_to("/dev/full")
    assert start_logging() is not None
    logging.getLogger("ccq_tui").warning("a record with %s", "arguments")
    stop_logging()
    assert capsys.readouterr() == ("", "")


def test_starting_twice_writes_once() -> None:
    start_logging()
    start_logging()
    logging.getLogger("ccq_tui").info("once")
    assert written().count("once") == 1


def fail(text: str) -> None:
    try:
        {}[text]
    except KeyError as cause:
        group = ExceptionGroup(text, [ValueError(text), TypeError(text)])
        raise RuntimeError(text) from (group if text == "in a group" else cause)


@pytest.mark.parametrize("text", ["what the model said", "in a group"])
@pytest.mark.parametrize("level", ["info", "warning", "error"])
def test_an_exception_is_logged_without_its_text(level: str, text: str) -> None:
    start_logging(level)
    try:
        fail(text)
    except RuntimeError as error:
        logging.getLogger("ccq_tui").exception("failed")
        logging.getLogger("ccq_tui").critical("crashed", exc_info=error)
    log = written()
    assert text not in log
    assert "ERROR ccq_tui: failed\nbuiltins.RuntimeError\n" in log
    assert f"  {__file__}:" in log
    assert " fail\n" in log
    causes = ("ValueError", "TypeError") if text == "in a group" else ("KeyError",)
    assert all(f"builtins.{cause}" in log for cause in causes)


async def test_a_task_that_failed_is_logged_without_its_text() -> None:
    start_logging()
    loop = asyncio.get_running_loop()
    failed = loop.create_future()
    failed.set_exception(ValueError("a message"))
    context = {"message": "Never retrieved", "exception": failed.exception(), "future": failed}
    loop.call_exception_handler(context)
    assert "ERROR asyncio: Never retrieved\nbuiltins.ValueError" in written()
    assert "a message" not in written()


def test_debug_has_the_whole_exception_whoever_formatted_it_before() -> None:
    start_logging("debug")
    try:
        fail("a message")
    except RuntimeError:
        logging.getLogger("ccq_tui").exception("failed")
    assert "RuntimeError: a message" in written()

"""What is printed and logged: harmless whoever wrote it; and stalls of the loop."""

import asyncio
import io
import json
import logging
import re
import sys
import threading
import time
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stalls import StallWatch
from ccq_tui import logs
from ccq_tui.config.paths import log_dir
from ccq_tui.logs import current_log, log_path, start_logging, stop_logging
from ccq_tui.output import HarmlessStream, Styled, UnprintedError, colourless, echo, harmless_streams
from ccq_tui.text import MAX_MARKS, last_sentence, masked, one_line, safe
from tests.tables import each_row, table

TABLES = table(__file__, "output.json")
BAD = "a\x1b]0;x\x07b\x9bc\u202ed\u2066e\u200bf\U000e0041g"
GOOD = safe(BAD)


class Terminal(io.StringIO):
    """A terminal that keeps what it is sent."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard output and standard error one terminal; a fixture would be too early for it."""
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_what_is_echoed_has_no_control_sequence_but_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    echo(BAD, Styled(BAD, "red", bold=True), Styled(BAD, dim=True))
    style = "\x1b[31m\x1b[1m", "\x1b[2m", "\x1b[0m"
    assert terminal.getvalue() == f"{GOOD}{style[0]}{GOOD}{style[2]}{style[1]}{GOOD}{style[2]}\n"
    echo(Styled("█", "bright_white", background="black"))
    assert terminal.getvalue().endswith("\n\x1b[97m\x1b[40m█\x1b[0m\n")


def test_colours_are_left_out_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    echo(Styled("x", "red"))
    assert terminal.getvalue() == "x\n"
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.delenv("NO_COLOR")
    echo(Styled("x", "red"))
    assert out.getvalue() == "x\n"


def test_what_others_print_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)

    class OtherError(Exception):
        pass

    def fail() -> None:
        raise OtherError(BAD)

    with harmless_streams():
        print(BAD, file=sys.stderr)  # noqa: T201
        click.echo(BAD)
        click.echo(BAD.encode())
        handler = logging.lastResort
        handler.handle(logging.LogRecord("ccq_tui", logging.WARNING, BAD, 1, "%s", (BAD,), None))
        thread = threading.Thread(target=fail, name=BAD)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threading, "excepthook", threading.__excepthook__)
            thread.start()
            thread.join()
        echo(BAD, err=True)
    printed = terminal.getvalue()
    assert safe(printed) == printed
    assert printed.count(GOOD) >= 7
    assert sys.stdout is terminal


def test_a_stream_that_is_put_in_place_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    other = Terminal()
    with harmless_streams():
        sys.stdout = other
    assert sys.stdout is other
    assert sys.stderr is terminal


def test_without_streams_nothing_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    with harmless_streams():
        assert sys.stdout is None
        with pytest.raises(UnprintedError):
            echo("x")


@given(st.text(), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_every_text_can_be_printed_in_every_encoding(text: str, encoding: str) -> None:
    raw = io.BytesIO()
    stream = HarmlessStream(io.TextIOWrapper(raw, encoding, newline="\n"))
    assert stream.write(text) == len(text)
    stream.flush()
    printed = raw.getvalue().decode(encoding)
    assert printed == safe(text).encode(encoding, "backslashreplace").decode(encoding)


@pytest.mark.parametrize(("term", "more", "none"), TABLES["a_terminal_without_colours_gets_none"])
def test_a_terminal_without_colours_gets_none(
    monkeypatch: pytest.MonkeyPatch, term: str, more: dict[str, str], none: bool
) -> None:
    for name in ("COLORTERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", term)
    for name, value in more.items():
        monkeypatch.setenv(name, value)
    assert colourless() == none


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


NASTY = (
    "\x1b[31m\x07\x00\x7f\x9b\t\r\n\r\n\u202a\u202e\u2066\u2069\u200e\u061c\u200b\ufeff\u00ad\u2060\u2061\u2028"
    "\u2029\U000e0041\ud800\udfff\u200d\u200c\ufe0f\ufe00\u0301\u0489\u3164\u115f👩💻🏴\U000e0067\U000e007f"
    "نहिक्a 1中"
)
texts = st.one_of(st.text(), st.text(alphabet=NASTY, max_size=40))
ALWAYS_HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ud800-\udfff]"
)
VISIBLE_FORMATS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")


@given(texts)
def test_no_hidden_character_is_left(text: str) -> None:
    shown = safe(text)
    assert not ALWAYS_HIDDEN.search(shown)
    for index, character in enumerate(shown):
        if unicodedata.category(character) == "Cf" and not VISIBLE_FORMATS.match(character):
            assert character in "\u200c\u200d" or "\U000e0020" <= character <= "\U000e007f"
            assert index > 0


@given(texts)
def test_applying_it_twice_changes_nothing(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(texts)
def test_marks_are_bounded(text: str) -> None:
    run = 0
    for character in safe(text + "\u0301" * 9 + "\u0e49" * 9):
        run = run + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        assert run <= MAX_MARKS + 2  # a variation selector or a hidden joiner may stand among them


@given(
    st.text(
        alphabet=st.characters(
            categories=("L", "N", "P", "Zs"), exclude_characters="\u3164\u115f\u1160\uffa0"
        )
    )
)
def test_harmless_text_is_unchanged(text: str) -> None:
    assert safe(text) == text


@each_row(*TABLES["living_text_is_unchanged"])
def test_living_text_is_unchanged(text: str) -> None:
    assert safe(text) == text


@each_row(*TABLES["what_is_shown_instead"])
def test_what_is_shown_instead(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_limit_says_how_much_is_missing() -> None:
    assert safe("x" * 100_000, limit=10) == "xxxxxxxxxx… 99,990 more characters"
    assert safe("short", limit=10) == "short"


def test_newlines_can_become_spaces() -> None:
    assert safe("a\r\nb\nc", keep_newlines=False) == "a b c"


@given(texts, st.integers(1, 50))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    assert line == line.strip()


def test_one_line_collapses_white_space() -> None:
    assert one_line("  a\n\n b\tc ", 20) == "a b c"
    assert one_line("abcdef", 4) == "abc…"


@each_row(*TABLES["a_text_that_is_edited_keeps_its_length_with_a_sign_for_what_is_hidden"])
def test_a_text_that_is_edited_keeps_its_length_with_a_sign_for_what_is_hidden(line: str, drawn: str) -> None:
    assert masked(line) == drawn


@each_row(*TABLES["last_words_are_prose"])
def test_last_words_are_prose(markdown: str, sentence: str) -> None:
    assert last_sentence(markdown) == sentence


def stumble() -> None:
    time.sleep(0.05)


def stand_still(seen: Counter[tuple[str, ...]]) -> None:
    """Stand still until the thread has looked, which may not get the processor for a while."""
    until = time.monotonic() + 20
    time.sleep(0.4)
    while "stand_still" not in str(seen.copy().most_common(1)) and time.monotonic() < until:
        time.sleep(0.05)


async def test_a_stall_is_noted_with_the_place_that_took_longest(tmp_path: Path) -> None:
    file = tmp_path / "stalls"
    watch = StallWatch(file)
    await asyncio.sleep(0.01)
    stumble()  # no beat between the two: one stall
    stand_still(watch._seen)
    await asyncio.sleep(0.02)  # the watch's own timer comes first
    watch.stop()
    watch._thread.join(20)
    noted = [json.loads(line) for line in file.read_text().splitlines()]
    # The machine may have stood still itself before or after, and longer.
    (ours,) = (stall for stall in noted if "stand_still" in str(stall["where"]))
    assert ours["ms"] > 400
    assert ours["cpu"] < ours["ms"]  # it slept
    assert any("test_output.py" in call for call in ours["where"])

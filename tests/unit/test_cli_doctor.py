"""The doctor: what it finds, what it says to do, and that it reads no secret."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from ccq_tui.claude_files import find_cli
from ccq_tui.cli import main
from ccq_tui.config.paths import state_dir, user_config
from ccq_tui.doctor import examine as doctor
from ccq_tui.doctor.examine import Check, Level, examine, report
from ccq_tui.output import Styled
from tests.tables import each_row
from tests.unit.starting import write_settings


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A CLI that answers at once."""
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\necho '2.1.330 (Claude Code)'\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("CCQ_CLI_PATH", str(path))
    return path


def found(name: str) -> Check:
    (check,) = [check for check in examine() if check.name == name]
    return check


def test_a_good_machine_is_exit_0(
    cli: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 1, "nobody is signed in: no session can work"
    assert "/login" in capsys.readouterr().out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert "ok   Version        2.1.330" in text
    assert "Sign-in" in text
    assert "failure" not in text


def test_advice_is_as_wide_as_the_terminal_and_one_line_in_a_pipe(
    cli: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check = Check("Claude Code", "Sign-in", "none", Level.FAILURE, "word " * 30)

    def advice(width: int) -> list[int]:
        styled = (line[0] for line in report([check], width) if len(line) == 1)
        return [len(one.text) for one in styled if isinstance(one, Styled) and "word" in one.text]

    assert advice(120) == [116, 76]
    assert advice(60) == [56, 56, 56, 56, 31]
    main(["doctor"])
    (sign_in,) = (one for one in capsys.readouterr().out.splitlines() if "/login" in one)
    assert sign_in.strip() == found("Sign-in").advice


def test_the_bundled_cli_is_found_without_the_sdk() -> None:
    path, source = find_cli()
    assert source == "bundled"
    assert path is not None
    assert os.access(path, os.X_OK)


@each_row(
    (b"#!/bin/sh\necho oops >&2; exit 3", "exit code 3: oops"),
    (b"#!/bin/sh\ntrue", "exit code 0: no output"),
    (b"#!/bin/sh\necho 1.9.9", "1.9.9"),
    (b"#!/bin/sh\nsleep 60", "no answer within 0.2 s"),
    (b"\x7fELF nonsense", "Exec format error"),
)
def test_a_cli_that_is_no_good_is_a_failure(
    script: bytes,
    text: str,
    *,
    cli: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cli.write_bytes(script)
    if b"sleep" in script:
        monkeypatch.setattr(doctor, "TIME_LIMIT", 0.2)
    check = found("Version")
    assert check.failed
    assert check.found.endswith(text)
    assert check.advice
    assert main(["doctor"]) == 1
    assert "2 failures" in capsys.readouterr().out


def test_no_cli_at_all_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_cli", lambda: (None, ""))
    assert found("CLI").failed


def test_signs_of_an_account_are_seen_but_never_read(
    cli: Path, monkeypatch: pytest.MonkeyPatch, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert found("Sign-in").level is Level.FAILURE
    credentials = home / ".claude" / ".credentials.json"
    credentials.parent.mkdir()
    os.mkfifo(credentials)
    assert found("Sign-in").level is Level.FAILURE
    credentials.unlink()
    credentials.write_text("hush", encoding="utf-8")
    credentials.chmod(0)
    assert found("Sign-in").level is Level.OK
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hush-hush")
    assert found("Sign-in").found == "ANTHROPIC_API_KEY is set"
    assert main(["doctor"]) == 0
    assert "hush" not in capsys.readouterr().out


def test_bad_settings_are_a_failure_with_their_line(cli: Path, tmp_path: Path) -> None:
    write_settings("max_turns = 0\n")
    check = found("Settings")
    assert check.failed
    assert check.found == f"{user_config()}:1: max_turns: must be 1 or more, not 0"


def test_a_misspelt_variable_is_a_warning(cli: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCQ_MODLE", "opus")
    monkeypatch.setenv("CCQ_WRAPPED", "/dev/pts/7")
    assert found("Environment").advice == "Did you mean CCQ_MODEL?"
    assert found("Environment").level is Level.WARNING


def test_a_directory_that_is_none_is_a_failure(cli: Path) -> None:
    state_dir().parent.mkdir(parents=True)
    state_dir().write_text("in the way", encoding="utf-8")
    check = found("State")
    assert check.failed
    assert "is not a directory" in check.found


def test_a_directory_that_cannot_be_written(cli: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.chmod(stat.S_IRUSR | stat.S_IXUSR)
    allowed = os.access
    if os.geteuid() == 0:  # who may write everywhere, whatever the permissions say

        def access(path: str | Path, mode: int) -> bool:
            return allowed(path, mode) and not (mode & os.W_OK and not Path(path).stat().st_mode & 0o222)

        monkeypatch.setattr(os, "access", access)
    check = found("State")
    home.chmod(0o700)
    assert check.failed
    assert f"{home} cannot be written" in check.found


def test_a_directory_below_one_that_cannot_be_entered(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.chmod(0)
    stat_of, allowed = os.stat, os.access
    if os.geteuid() == 0:  # who may enter everything, whatever the permissions say

        def read(path: str | Path, **how: bool) -> os.stat_result:
            if home in Path(path).parents:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return stat_of(path, **how)

        monkeypatch.setattr(os, "stat", read)
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != home and allowed(path, mode))
    # As a whole: every check looks somewhere below it.
    checks = examine()
    monkeypatch.setattr(os, "stat", stat_of)
    home.chmod(0o700)
    by_name = {check.name: check for check in checks}
    assert by_name["State"].failed
    assert by_name["State"].found == f"{state_dir()}: {home} cannot be written"
    assert by_name["Configuration"].level is Level.WARNING


def test_a_working_directory_that_cannot_be_entered(
    cli: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat_of = os.stat

    def read(path: str | Path, **how: bool) -> os.stat_result:
        if str(path).endswith(".git"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return stat_of(path, **how)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "stat", read)
    (check,) = [one for one in examine() if one.name == "Settings"]
    assert (check.failed, check.found) == (True, f"{tmp_path}: cannot be entered: permission denied")


def test_looking_leaves_nothing_behind(cli: Path, home: Path) -> None:
    examine()
    assert list(home.rglob("*")) == []


@pytest.mark.parametrize(
    ("variables", "name", "level"),
    [({"COLORTERM": ""}, "Colours", Level.WARNING), ({"COLORTERM": "truecolor"}, "Colours", Level.OK)],
)
def test_the_terminal(
    cli: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], name: str, level: Level
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    check = found(name)
    assert check.level is level
    assert bool(check.advice) == (level is not Level.OK)


def test_another_encoding_is_a_failure_written_in_that_encoding(
    cli: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "out").open("w", encoding="latin-1") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["doctor"]) == 1
    text = (tmp_path / "out").read_text(encoding="latin-1")
    assert "FAIL Encoding" in text
    assert "ok   Python" in text

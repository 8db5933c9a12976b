"""What docs/scripts.md shows is what happens."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ccq_tui.cli.main import cli
from ccq_tui.inbox.records import change_record, request_record, session_record, whole_record
from tests.unit.stocked import CACHE, FEATURES, FULL, PERMISSION, PLAN, asked, id_of, stock

PAGE = Path(__file__).parents[2].joinpath("docs/scripts.md").read_text(encoding="utf-8")
AT = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
CLOCK = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def run(line: str) -> tuple[str, int]:
    """Run a line of a console as a shell would: one command, perhaps with the output of echo before it."""
    before, _, command = line.rpartition(" | ")
    text = shlex.split(before)[1] if before else None
    program, *words = shlex.split(command)
    assert program == "ccq-tui"
    done = CliRunner().invoke(cli, words, input=text, standalone_mode=True)
    return CLOCK.sub("TIME", done.output), done.exit_code


def test_the_examples_run_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    # The session's directory is one that a reader would have.
    monkeypatch.setattr("ccq_tui.worktrees.model.can_be_there", lambda _directory: True)
    stock(AT)
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    code = 0
    for block in blocks:
        for step in block.removeprefix("$ ").split("\n$ "):
            line, _, wanted = step.partition("\n")
            if line == "echo $?":
                assert wanted.strip() == str(code)
                continue
            told, code = run(line)
            assert told.rstrip("\n") == wanted.rstrip("\n")


def fields(record: Any) -> Iterator[str]:
    """Return the names of all fields, those of a tool's own input left out."""
    if isinstance(record, dict):
        for name, value in record.items():
            yield name
            yield from () if name == "input" else fields(value)
    elif isinstance(record, list):
        for item in record:
            yield from fields(item)


def test_every_field_is_named() -> None:
    stock()
    assert CliRunner().invoke(cli, ["answer", PLAN, "--choose", "2"]).exit_code == 0
    assert CliRunner().invoke(cli, ["answer", FEATURES, *FULL]).exit_code == 0
    with asked() as store:
        requests = [store.requests.get(id_of(name)) for name in (CACHE, FEATURES, PERMISSION, PLAN)]
        records = [record(item) for item in requests if item for record in (request_record, whole_record)]
        records += [session_record(item, 1) for item in store.sessions.page()]
        records += [change_record(item) for item in store.history.changes()]
    names = set(fields(records))
    assert len(names) > 50
    assert {name for name in names if f"`{name}`" not in PAGE} == set()

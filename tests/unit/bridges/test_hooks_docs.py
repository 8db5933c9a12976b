"""What docs/bridges.md shows of `ccq-tui hooks` is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ccq_tui.bridges.claude_code.hook_program import hook_command
from ccq_tui.cli import main

PAGE = Path(__file__).parents[3].joinpath("docs/bridges.md").read_text(encoding="utf-8")


def test_the_examples_run_in_their_order(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [
        step
        for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
        for step in block.removeprefix("$ ").split("\n$ ")
        if step.startswith("ccq-tui hooks")
    ]
    assert len(steps) == 3
    for step in steps:
        line, _, wanted = step.partition("\n")
        assert main(shlex.split(line)[1:]) == 0
        said = capsys.readouterr().out.replace(str(home), "/home/you")
        assert said.replace(hook_command(), "/home/you/.local/bin/ccq-tui hook") == wanted.rstrip("\n") + "\n"

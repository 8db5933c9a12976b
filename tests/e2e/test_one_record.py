"""However a form is filled in, it gives the same record."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.asking import Desk
from tests.e2e.conftest import program
from tests.e2e.filling import fill_in_by_keys
from tests.e2e.terminal import Terminal
from tests.ten import FORM, VALUES, check_record, records, write_ten

ASK = ["ask", "./ten.toml", "--context", "commit=1a2b3c", "--output", "out.jsonl"]
WRONG = "no option “Huge”"


def on_the_screen(desk: Desk) -> None:
    with Terminal([program(), *ASK], desk.env, desk.project) as terminal:
        terminal.wait("About the last change.")
        assert "1a2b3c" in terminal.text, "what it is about is in sight"
        fill_in_by_keys(terminal, FORM, VALUES)
        assert terminal.wait_end() == 0
        assert terminal.restored


def line_by_line(desk: Desk) -> None:
    typed = [", ".join(one) if isinstance(one, list) else str(one or "n/A") for one in VALUES.values()]
    lines = ["Huge", "1", "b", *(one.replace("\n", "\\\n").lower() for one in typed), "y"]
    done = subprocess.run(
        [program(), *ASK, "--plain"],
        env=desk.env, cwd=desk.project, input="\n".join(lines), capture_output=True, text=True, timeout=60,
        check=True,
    )  # fmt: skip
    assert f"note: {WRONG}; choose 1 Feature" in done.stderr


def in_the_inbox(desk: Desk) -> None:
    asking = subprocess.Popen([program(), *ASK, "--detach"], env=desk.env, cwd=desk.project)
    (request,) = asyncio.run(desk.waiting())
    for first, code in (("Huge", 2), ("Fix", 0)):
        given = VALUES | {"kind": first}
        answers = [
            (value := given.get(name))
            and (
                {"selected": [value] if isinstance(value, str) else value}
                if question.options
                else {"other": str(value)}
            )
            for name, question in zip(FORM.names, FORM.questions.questions, strict=True)
        ]
        (desk.project / "given.json").write_text(json.dumps({"answers": answers}), "utf-8")
        said = desk.run("answer", request, "--json", "given.json", code=code)
        assert ("Huge" in said) == bool(code)
    assert asking.wait(timeout=60) == 0


@pytest.mark.parametrize("fill_in", [on_the_screen, line_by_line, in_the_inbox])
def test_the_record_is_the_same(fill_in: Callable[[Desk], None], tmp_path: Path) -> None:
    desk = Desk.make(tmp_path)
    write_ten(desk.project)
    fill_in(desk)
    (record,) = records(desk.project / "out.jsonl")
    check_record(record)

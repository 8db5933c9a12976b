"""What docs/inbox.md says is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ccq_tui.inbox.requests import PermissionRequest
from ccq_tui.inbox.store.rows import RequestState, StoredSessionState
from ccq_tui.inbox.store.store import Store

PAGE = Path(__file__).parents[3].joinpath("docs/inbox.md").read_text(encoding="utf-8")


def test_the_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(Path("inbox.db"))
    store.requests.add(PermissionRequest("toolu_1", "s", "Bash", {}))
    store.close()
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})  # noqa: S102 - our own page
    assert capsys.readouterr().out.startswith("toolu_1@s pending 20")


def test_every_table_and_state_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "inbox.db")
    tables = {row[0] for row in store.database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    store.close()
    words = (tables - {"sqlite_sequence"}) | set(RequestState) | set(StoredSessionState)
    assert {word for word in words if f"`{word}`" not in PAGE} == set()

"""With what a session is started that had not begun when its program ended."""

from pathlib import Path

import pytest

from ccq_tui.service.stretch import begun_or_new
from tests.options import launch_of

NAME = "11111111-2222-3333-4444-555555555555"
WAITED = '{"type":"queue-operation","operation":"enqueue","content":"say \\"type\\":\\"user\\""}\n'
READ = WAITED + '{"parentUuid":null,"type":"user","message":{"role":"user","content":"go"}}\n'


@pytest.mark.parametrize(
    ("record", "resume", "same_id"), [(None, "", True), (WAITED, "", False), (READ, NAME, None)]
)
async def test_it_is_resumed_where_claude_has_read_something_and_else_begun(
    tmp_path: Path, record: str | None, resume: str, same_id: bool | None
) -> None:
    options = launch_of(tmp_path, environment={"CLAUDE_CONFIG_DIR": str(tmp_path)})
    if record is not None:
        path = tmp_path / "projects" / "here" / f"{NAME}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(record)
    found = await begun_or_new(options, NAME)
    assert found.resume == resume
    assert (found.chosen_id == NAME if found.chosen_id else None) == same_id

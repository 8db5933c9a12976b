"""A session as Claude Code keeps it, as long as one likes, to be resumed."""

import json
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from ccq_tui.testing import CleanHome

SESSION = "5e551044-0000-4000-8000-000000000001"
RARE = "quokka"
"""A word that the first prompt alone has."""
BEGAN = datetime(2026, 1, 31, 12, tzinfo=UTC)
PROSE = """\
The rows of *section {turn}* are read in **one pass**, so that nothing is kept that is not needed:

- `read_{turn}` takes them in slices, as [the plan](docs/plan.md) says,
- each slice is checked before the next one is read.

```python
def read_{turn}(rows: list[Row]) -> int:
    return sum(row.size for row in rows if row.alive)
```
"""


def write(home: CleanHome, blocks: int) -> None:
    """Write a session into a home.

    Args:
        home: The home; the session belongs to its project.
        blocks: Prompts, texts and tool calls, all counted.
    """
    folder = home.config / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(home.project))
    folder.mkdir(parents=True, exist_ok=True)
    above = None
    with (folder / f"{SESSION}.jsonl").open("w", encoding="utf-8") as file:
        for number, line in enumerate(_lines(blocks // 4)):
            name = str(uuid.UUID(int=number + 1))
            at = (BEGAN + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            about = {"uuid": name, "parentUuid": above, "timestamp": at, "isSidechain": False}
            place = {
                "sessionId": SESSION,
                "cwd": str(home.project),
                "version": "2.1.330",
                "gitBranch": "HEAD",
            }
            whole = line | about | place | {"userType": "external", "entrypoint": "cli"}
            file.write(json.dumps(whole) + "\n")
            above = name


def last(blocks: int) -> str:
    """Return a part of the last block's text."""
    return f"Section {blocks // 4 - 1} reads"


def _lines(turns: int) -> Iterator[dict[str, Any]]:
    """Give each turn a prompt, a text, a command with its output, and a last text: four blocks."""
    for turn in range(turns):
        call = f"toolu_record_{turn}"
        rare = f" Mind the {RARE}." if turn == 0 else ""
        yield _user(f"Look at section {turn} and say what it reads.{rare}")
        yield _assistant(turn, 0, {"type": "text", "text": PROSE.format(turn=turn)})
        command = {"command": f"wc -l section-{turn}.md", "description": "Count the lines"}
        yield _assistant(turn, 0, {"type": "tool_use", "id": call, "name": "Bash", "input": command})
        output = f"{turn % 97 + 3} section-{turn}.md"
        result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": False}
        yield _user([result]) | {"toolUseResult": {"stdout": output, "stderr": "", "interrupted": False}}
        yield _assistant(turn, 1, {"type": "text", "text": f"Section {turn} reads what it says.\n"})


def _user(content: str | list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}


def _assistant(turn: int, number: int, block: dict[str, Any]) -> dict[str, Any]:
    message = {
        "id": f"msg_record_{turn}_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [block],
        "stop_reason": "tool_use" if number == 0 else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1_000, "output_tokens": 100},
    }
    return {"type": "assistant", "message": message, "requestId": f"req_record_{turn}_{number}"}

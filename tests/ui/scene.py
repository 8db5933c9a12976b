"""A piece of work as a session tells it: prose, code, a change, a failure, and a question at its end."""

from ccq_tui.agent import events as ev
from ccq_tui.questions import Option, Question
from tests.tables import table

SAID = """I read the store. **Two things** are wrong, see `store.py`:

1. a value stands in the query
2. nothing [sorts](https://example.org) what is found

```python
@cache
def listed(tag: str, most: int = 20) -> list[str]:
    return find("tag", tag)[:most]  # newest first
```

> Only what is read often should be kept."""
PATCH = table(__file__, "scene_patch.json")
QUESTION = Question(
    "What should happen to bookmarks without a tag?",
    "No tag",
    (
        Option("Show them first (Recommended)", "They want to be sorted"),
        Option("Show them last", "They are of least use"),
        Option("Leave them out", "Until somebody tags them"),
    ),
    multi_select=True,
)
WORK: tuple[ev.AgentEvent, ...] = (
    ev.PromptAccepted("Make the list of bookmarks safe and sorted"),
    ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.THINKING, "The query first."),
    ev.BlockFinished(ev.BlockKey("m", 1), ev.BlockKind.TEXT, SAID),
    ev.ToolStarted("e", "Edit", {"file_path": "/srv/api/store.py"}),
    ev.ToolFinished("e", "Edit", "updated", structured={"structuredPatch": PATCH}),
    ev.ToolStarted("t", "Bash", {"command": "make al"}),
    ev.ToolFinished("t", "Bash", "Exit code 2\nmake: *** no rule to make 'al'.", is_error=True),
    ev.ToolStarted("u", "Bash", {"command": "make all"}),
    ev.ToolFinished("u", "Bash", "80 passed"),
)

"""Places among the blocks: the next one, the next prompt."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ccq_tui.widgets.transcript import blocks as bl


class Step(Enum):
    """What a move goes by."""

    BLOCK = "block"
    PROMPT = "prompt"


def neighbour(blocks: Sequence[bl.Block], start: int, direction: int, step: Step) -> int | None:
    """Find the next block of a kind.

    Args:
        blocks: All blocks.
        start: The first index looked at.
        direction: 1 for further down, -1 for further up.
        step: Whether any block counts or prompts alone.

    Returns:
        Its index, or None when there is none that way.
    """
    index = start
    while 0 <= index < len(blocks):
        if step is Step.BLOCK or isinstance(blocks[index], bl.PromptBlock):
            return index
        index += direction
    return None


def name(block: bl.Block) -> str:
    """Say in a word or two what a block is; the text may be a model's."""
    match block:
        case bl.ToolBlock(tool=tool):
            return tool
        case bl.PromptBlock():
            return "your prompt"
        case bl.ProseBlock():
            return "text"
        case bl.ThinkingBlock():
            return "thinking"
        case bl.QuestionBlock():
            return "questions"
        case bl.PermissionBlock():
            return "permission"
        case bl.PlanBlock():
            return "plan"
        case bl.ErrorBlock():
            return "error"
        case bl.ResultBlock():
            return "end of a turn"
        case _:
            return "notice"

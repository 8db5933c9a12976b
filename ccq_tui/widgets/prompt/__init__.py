"""The prompt: several lines, completed, remembered, sent by Enter, never lost."""

from ccq_tui.widgets.prompt.field import PromptField
from ccq_tui.widgets.prompt.prompt import Prompt

__all__ = ["Prompt", "PromptField"]

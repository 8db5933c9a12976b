"""A scripted model for tests and the demo: a Messages API on loopback that plays scenarios.

The real Claude Code CLI, pointed at ``ScriptedModel.url``, behaves as with a real model, without an account
and without a network. ``docs/scripted-model.md`` in the repository shows how to write a scenario.
"""

from ccq_tui.testing.environment import CleanHome, clean_environment
from ccq_tui.testing.log import Exchange
from ccq_tui.testing.model import ScriptedModel
from ccq_tui.testing.replies import Replies, ToolResult
from ccq_tui.testing.scenario import Scenario, ask, delegate, question_set_input, run

__all__ = [
    "CleanHome",
    "Exchange",
    "Replies",
    "Scenario",
    "ScriptedModel",
    "ToolResult",
    "ask",
    "clean_environment",
    "delegate",
    "question_set_input",
    "run",
]

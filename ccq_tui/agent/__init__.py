"""Sessions over claude-agent-sdk: commands in, typed events out. Nothing else of the program uses the SDK.

Importing this loads no SDK; the first session that runs does.
"""

from ccq_tui.agent.options import QuestionPolicy, SessionOptions
from ccq_tui.agent.session import AgentSession

__all__ = ["AgentSession", "QuestionPolicy", "SessionOptions"]

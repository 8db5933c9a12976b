"""Sessions over claude-agent-sdk: commands in, typed events out. Only this package and `compat` use the SDK.

Importing this loads no SDK; the first session that runs does.
"""

from typing import TYPE_CHECKING

from ccq_tui.lazy import loaded_later

if TYPE_CHECKING:
    from ccq_tui.agent.options import QuestionPolicy, SessionOptions
    from ccq_tui.agent.session import AgentSession

__all__ = ["AgentSession", "QuestionPolicy", "SessionOptions"]

# Lazy: starting a CLI ahead of its session needs only the options.
__getattr__ = loaded_later(__name__, "options", "session")

"""Sessions over claude-agent-sdk: commands in, typed events out. Nothing else of the program uses the SDK.

Importing this loads no SDK; the first session that runs does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ccq_tui.agent.options import QuestionPolicy, SessionOptions
    from ccq_tui.agent.session import AgentSession

__all__ = ["AgentSession", "QuestionPolicy", "SessionOptions"]

_LATER = {"AgentSession": "session", "QuestionPolicy": "options", "SessionOptions": "options"}


def __getattr__(name: str) -> Any:
    """Load the session when it is first used: what is started ahead of it needs its options alone."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value

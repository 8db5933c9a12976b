"""Messages to the agent for everything but an answer or a permission."""

DECLINED = (
    "The user read these questions and declined to answer them. Nothing was chosen. "
    "Go on without the answers where that is possible, and say what you assumed."
)
EXPIRED = (
    "Nobody answered these questions in the time that the user allows for it. Nothing was chosen: take no "
    "option for their choice. Go on without the answers where that is possible, and say what you assumed."
)
POSTPONED = (
    "The user was shown these questions and has not answered them yet. Nothing was chosen. Their answers "
    "will come as a message: wait for it, and assume none of them."
)
PROCEED = "Proceed on your best judgment and say what you assumed."
UNREADABLE = (
    "The questions could not be shown to the user: {problem}. "
    "Call AskUserQuestion again with the input corrected, or go on and say what you assumed."
)

# Claude Code's own words, which its models know. The first two sentences are those of every rejection.
_REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected "
    "(eg. if it was a file edit, the new_string was NOT written to the file). "
)
INTERRUPTED = _REJECTED + "STOP what you are doing"
ABANDONED = "The user doesn't want to take this action right now. STOP what you are doing"
"""The CLI's result for a call whose program was killed; nobody refused anything."""
LOST = "[Tool call interrupted: the session ended before"
UNASKED = "Tool permission request failed: "
"""The CLI's result for a call whose program was killed before the CLI could ask it."""
NO_RESPONSE = "No response after "
"""Start of the result of Claude Code's own screen when it continued without the person after a while."""
MISSING = "[Tool result missing due to internal error]"
REJECTED_WITH_TEXT = _REJECTED + "To tell you how to proceed, the user said:\n{text}"
REJECTED = _REJECTED + "Ask the user how to proceed, or go on with what does not need it."
# Sent through a hook: the first words say whose words follow.
REMARKED = "The user allowed this call and told you:\n{text}"


def rejection(text: str) -> str:
    """Return the message to the model when a person refuses a tool call; ``text`` says what to do instead."""
    return REJECTED_WITH_TEXT.format(text=text) if text.strip() else REJECTED


def rejection_text(output: str) -> str:
    """Return the text that a person added when refusing a call, or ""; ``output`` is the call's result."""
    lead = REJECTED_WITH_TEXT.format(text="")
    return output.removeprefix(lead) if output.startswith(lead) else ""

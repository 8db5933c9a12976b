"""What Claude Code puts around answers and refusals in the results that the model gets."""

CAREFULLY = (
    " Read the answers carefully — they may request clarification, changes, or that you not proceed — "
    "and follow what they actually say."
)
CONTINUE = " You can now continue with these answers in mind."
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected "
    "(eg. if it was a file edit, the new_string was NOT written to the file)."
)
REMARK = "PostToolUse:{} hook additional context: The user allowed this call and told you:\n{}"
"""What the model is told after a call that was allowed with words: the tool, and the words."""


def answered(answers: str) -> str:
    """Return the result of a set all of whose answers are options."""
    return f"Your questions have been answered: {answers}.{CONTINUE}"


def replied(answers: str) -> str:
    """Return the result of a set in whose answers there are words of the person's own."""
    return f"The user answered: {answers}.{CAREFULLY}"

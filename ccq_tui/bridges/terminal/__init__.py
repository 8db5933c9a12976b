"""Programs in a terminal: passed through as they are, and their prompts asked in the inbox beside that."""

WRAPPED = "CCQ_WRAPPED"
"""The variable that names the terminal of what is wrapped: a wrap in a wrap would ask everything twice."""

"""Programs in a terminal: passed through as they are, while their prompts are also asked in the inbox."""

WRAPPED = "CCQ_WRAPPED"
"""The variable that names the wrapped program's terminal: a wrap in a wrap would ask everything twice."""

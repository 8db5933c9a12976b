"""ccq-tui: interactive Claude sessions whose questions are answered from the keyboard."""

__version__ = "0.1.0"

DOCS = "https://github.com/ccq-tui/ccq-tui/blob/main/docs"

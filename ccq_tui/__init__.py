"""ccq-tui: interactive Claude sessions whose questions are answered from the keyboard."""

__version__ = "0.1.0"

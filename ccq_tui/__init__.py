"""ccq-tui: interactive Claude sessions whose questions are answered from the keyboard."""

import os

__version__ = "0.1.0"

# Textual reads it when it is loaded: how many pictures a second it draws at most. A key right after a picture
# waits for the next one; with 60 of them, one key in twenty takes 5 ms longer.
os.environ.setdefault("TEXTUAL_FPS", "120")

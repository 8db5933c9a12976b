"""The bench: ccq-tui and the native screen of Claude Code side by side, ``python -m bench``."""

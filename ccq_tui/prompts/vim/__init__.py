"""Vim's keys in a text, as Claude Code has them."""

from ccq_tui.prompts.vim.commands import ESCAPE, VimMode, VimOutcome, VimState, on_character, pressed

__all__ = ["ESCAPE", "VimMode", "VimOutcome", "VimState", "on_character", "pressed"]

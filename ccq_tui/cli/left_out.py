"""The flags of Claude Code that ccq-tui does not take, each with the reason."""

from __future__ import annotations

from types import MappingProxyType

_PRINTING = "it is for output without a screen, which “claude -p” has."
_OURS = "ccq-tui always sets it."
_CLOUD = "a session in the cloud cannot be run from here."
_DRAWN = "it is about Claude Code's own screen."

LEFT_OUT = MappingProxyType(
    {
        "--print": _PRINTING,
        "-p": _PRINTING,
        "--input-format": _PRINTING,
        "--output-format": _PRINTING,
        "--json-schema": _PRINTING,
        "--no-session-persistence": "a session that is not recorded could be neither parked nor resumed.",
        "--permission-prompts": "every question comes to you here.",
        "--include-partial-messages": _OURS,
        "--include-hook-events": _PRINTING,
        "--forward-subagent-text": _OURS,
        "--replay-user-messages": _OURS,
        "--prompt-suggestions": "prompts are not suggested here.",
        "--ax-screen-reader": _DRAWN,
        "--background": "sessions run side by side here: Ctrl+N opens another one.",
        "--bg": "sessions run side by side here: Ctrl+N opens another one.",
        "--brief": "what Claude says is shown here without a tool for it.",
        "--chrome": "Claude Code starts its browser from its own screen alone.",
        "--no-chrome": "the browser is never started here.",
        "--cloud": _CLOUD,
        "--environment": _CLOUD,
        "--teleport": _CLOUD,
        "--file": "it is for sessions in the cloud, whose files are elsewhere.",
        "--desktop": "it opens another program; run “claude --desktop”.",
        "--ide": "Claude Code connects to an editor from its own screen alone.",
        "--remote-control": "Claude Code offers it from its own screen alone.",
        "--remote-control-session-name-prefix": "Claude Code offers it from its own screen alone.",
        "--tmux": "--worktree works without it; start ccq-tui in tmux.",
    }
)
"""Why each is left out, as the end of a sentence."""

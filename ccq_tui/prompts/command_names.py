"""The slash command that a prompt names, and the commands whose names read like one."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

MOST = 3

ALTERNATIVES = {
    "agents": "ask Claude to write a subagent, or edit .claude/agents",
    "bashes": "/tasks shows what runs in the background",
    "branch": "/rewind goes back; ccq-tui --resume ID --fork-session makes a copy",
    "bug": "report it with claude in a terminal",
    "cd": "/new opens a session in another directory; /add-dir adds one to this session",
    "chrome": "claude --chrome in a terminal",
    "desktop": "claude in a terminal has it",
    "export": "ccq-tui export ID prints the transcript; /status has the ID",
    "feedback": "send it with claude in a terminal",
    "fork": "ccq-tui --resume ID --fork-session makes a copy",
    "hooks": "edit hooks in a settings file; /permissions opens one",
    "ide": "claude in a terminal connects to an editor",
    "keybindings": "keys are set in the configuration of ccq-tui; /help lists them",
    "mobile": "claude in a terminal has it",
    "plugin": "run: claude plugin",
    "privacy-settings": "claude in a terminal has it",
    "release-notes": "claude in a terminal shows them",
    "sandbox": "edit sandbox in .claude/settings.json",
    "skills": "/ lists them in an empty prompt; one is a file .claude/skills/NAME/SKILL.md",
    "statusline": "set statusLine in .claude/settings.json",
    "terminal-setup": "Ctrl+J makes a new line in every terminal",
    "upgrade": "claude in a terminal has it",
}
"""The alternatives to commands that Claude Code refuses in sessions of the SDK."""


def named(text: str) -> str:
    """Return the name of the command that a prompt begins with, or ""."""
    # A second slash makes it a path.
    found = re.match(r"/([^\W\d][\w:.-]{0,59})(?:\s|$)", text.strip())
    return found[1] if found else ""


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a mistyped one was most likely meant for, the likeliest first."""
    known = {one.lower(): one for one in names}
    typed = name.lower()
    begun = [one for one in sorted(known, key=len) if one.startswith(typed)]
    alike = get_close_matches(typed, known, MOST, 0.6)
    return tuple(known[one] for one in dict.fromkeys((*begun, *alike)))[:MOST]

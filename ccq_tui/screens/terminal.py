"""Output to the terminal beside the screen, and input typed ahead.

Each terminal has its own sequence of a notification: OSC 9 (iTerm2), OSC 777 (rxvt, foot, WezTerm, Ghostty,
VTE), OSC 99 (kitty), and OSC 9;4 for the progress in the task bar (ConEmu, Windows Terminal, Ghostty,
WezTerm).
"""

import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from textual.app import App

from ccq_tui.choices import Notify, Progress
from ccq_tui.compat.textual.driver import write
from ccq_tui.text import one_line

END = "\x1b\\"
TITLE_LENGTH = 60
TERMINALS: tuple[tuple[str, str, Notify, bool], ...] = (
    ("TERM_PROGRAM", "iTerm.app", "osc9", False),
    ("TERM_PROGRAM", "ghostty", "osc777", True),
    ("TERM_PROGRAM", "WezTerm", "osc777", True),
    ("TERM_PROGRAM", "WarpTerminal", "osc777", False),
    ("TERM_PROGRAM", "rio", "osc777", False),
    ("TERM", "xterm-kitty", "osc99", False),
    ("TERM", "xterm-ghostty", "osc777", False),
    ("TERM", "foot", "osc777", False),
    ("TERM", "foot-extra", "osc777", False),
    ("TERM", "wezterm", "osc777", False),
    ("TERM", "rxvt-unicode", "osc777", False),
    ("TERM", "rxvt-unicode-256color", "osc777", False),
    ("KITTY_WINDOW_ID", "", "osc99", False),
    ("GHOSTTY_RESOURCES_DIR", "", "osc777", True),
    ("WEZTERM_PANE", "", "osc777", True),
    ("ITERM_SESSION_ID", "", "osc9", False),
    ("VTE_VERSION", "", "osc777", False),
    ("WT_SESSION", "", "off", True),
    ("ConEmuPID", "", "off", True),
)
"""A variable and its value, or "" for any, which programs inside tmux see too; how the terminal that sets it
notifies, and whether it shows progress. The first that notifies counts."""


def _known(environment: Mapping[str, str]) -> list[tuple[Notify, bool]]:
    values = ((environment.get(name, ""), value, how, bar) for name, value, how, bar in TERMINALS)
    return [(how, bar) for has, value, how, bar in values if has and has == (value or has)]


class Bar(IntEnum):
    """States of the task bar, by their numbers in OSC 9;4."""

    NONE = 0
    FAILED = 2
    WORKING = 3
    WAITING = 4


def wanted_protocol(setting: Notify, environment: Mapping[str, str]) -> Notify:
    """Choose how to notify, never "auto"; "off" for an unknown terminal, which might print the sequence."""
    if setting != "auto":
        return setting
    return next((how for how, _ in _known(environment) if how != "off"), "off")


def has_progress(setting: Progress, environment: Mapping[str, str]) -> bool:
    """Whether the terminal shows progress; with "auto" not where it takes OSC 9;4 for a notification."""
    if setting != "auto":
        return setting == "on"
    return any(bar for _, bar in _known(environment))


def notification(protocol: Notify, title: str, body: str, environment: Mapping[str, str]) -> str:
    """Return the sequence of a desktop notification, or "" for "off"; its texts need not be trusted."""
    title, body = one_line(title, TITLE_LENGTH), one_line(body, 160)
    match protocol:
        case "osc9":
            sequences = [f"9;{title}: {body}"]
        case "osc777":
            # The first semicolon ends the title.
            sequences = [f"777;notify;{title.replace(';', ',')};{body}"]
        case "osc99":
            sequences = [f"99;i=ccq-tui:d=0:p=title;{title}", f"99;i=ccq-tui:d=1:p=body;{body}"]
        case _:
            sequences = []
    return "".join(_wrapped(sequence, environment) for sequence in sequences)


def progress(bar: Bar, environment: Mapping[str, str]) -> str:
    """Return the sequence that shows a progress in the task bar; `Bar.NONE` clears it."""
    amount = 100 if bar in (Bar.WAITING, Bar.FAILED) else 0
    return _wrapped(f"9;4;{int(bar)};{amount}", environment)


def _wrapped(sequence: str, environment: Mapping[str, str]) -> str:
    """Wrap the sequence as an OSC, which tmux passes on if its option allow-passthrough is set."""
    plain = f"\x1b]{sequence}{END}"
    if not environment.get("TMUX"):
        return plain
    doubled = plain.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}{END}"


def set_title(app: App[Any], title: str) -> None:
    """Set the terminal's title; control characters in it are made harmless."""
    write(app, f"\x1b]0;{one_line(title, 120)}\x07")


def keep_title(app: App[Any]) -> None:
    """Make the terminal keep its present title, for `restore_title`."""
    write(app, "\x1b[22;0t")


def restore_title(app: App[Any]) -> None:
    """Restore the terminal's title; one that keeps none gets an empty title, which shells replace."""
    set_title(app, "")
    write(app, "\x1b[23;0t")


def forget_typed() -> None:
    """Discard unread input: no shell must get what was meant for this program."""
    try:
        import termios

        termios.tcflush(sys.__stdin__, termios.TCIFLUSH)  # type: ignore[arg-type]
    except (ImportError, TypeError, ValueError, OSError, termios.error):
        return  # there is no terminal, or it is gone with what was typed

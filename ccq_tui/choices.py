"""The values of settings with a fixed set of them.

They stand apart from the settings so that the command line can list them without loading pydantic.
"""

from __future__ import annotations

from typing import Literal

PermissionMode = Literal["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
"""What the agent may do unasked, in Claude Code's words."""

Effort = Literal["low", "medium", "high", "xhigh", "max"]
"""How much the model thinks, in Claude Code's words."""

QuestionMode = Literal["ask", "assume", "adaptive"]
"""Whether the agent asks, assumes, or asks a limited number of rounds."""

PreviewFormat = Literal["off", "markdown"]
"""How the agent is told to write previews of options."""

LogLevel = Literal["debug", "info", "warning", "error"]
"""The least severe record that is written to the log."""

Notify = Literal["auto", "osc9", "osc777", "osc99", "off"]
"""Which sequence makes the terminal show a desktop notification."""

TimeoutOutcome = Literal["park", "no_answer"]
"""What becomes of a question that nobody answers in the time allowed."""

Progress = Literal["auto", "on", "off"]
"""Whether the terminal is told what its entry in the task bar shows."""

"""Settings that take one of a fixed set of values.

They are separate from the other settings so that the command line can list them without loading pydantic.
"""

from typing import Literal

PermissionMode = Literal["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
"""Actions that the agent may take unasked, in Claude Code's words."""

Effort = Literal["low", "medium", "high", "xhigh", "max"]
"""Amount of thinking by the model, in Claude Code's words."""

QuestionMode = Literal["ask", "assume", "adaptive"]
"""Whether the agent asks, assumes, or asks a limited number of rounds."""

PreviewFormat = Literal["off", "markdown"]
"""Format in which the agent is asked to write previews of options."""

LogLevel = Literal["debug", "info", "warning", "error"]
"""Least severe level of records in the log."""

Notify = Literal["auto", "osc9", "osc777", "osc99", "off"]
"""Escape sequence that makes the terminal show a desktop notification."""

TimeoutOutcome = Literal["park", "no_answer"]
"""Outcome of a question that nobody answers in the time allowed."""

Progress = Literal["auto", "on", "off"]
"""Whether to report progress to the terminal, for its entry in the task bar."""

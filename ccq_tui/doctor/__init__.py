"""Checks what the program needs on this machine."""

from ccq_tui.doctor.check import Check, Level
from ccq_tui.doctor.examine import examine
from ccq_tui.doctor.report import report

__all__ = ["Check", "Level", "examine", "report"]

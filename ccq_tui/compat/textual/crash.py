"""Uncaught exceptions: Textual prints a traceback, and has no public hook for them."""

import logging
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App

from ccq_tui.compat.private import require

require(App, "_handle_exception", "_fatal_error")

_logger = logging.getLogger(__name__)


class CrashLogged(App[Any]):
    """An app that logs a crash, and prints only a line about it: a traceback contains values."""

    CRASHED: ClassVar[str]
    """The line."""

    def _handle_exception(self, error: Exception) -> None:
        _logger.critical("crashed", exc_info=error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self.panic(Text(self.CRASHED))

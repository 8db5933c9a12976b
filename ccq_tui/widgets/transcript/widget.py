"""The transcript as one widget, made of its parts."""

from __future__ import annotations

from ccq_tui.widgets.transcript.palette import CSS
from ccq_tui.widgets.transcript.sight import Sight


class Transcript(Sight):
    """The transcript of one session: drawn where it is seen, marked, searched and copied as data."""

    DEFAULT_CSS = CSS

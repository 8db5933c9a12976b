"""All of the program's own commands."""

from __future__ import annotations

from ccq_tui.screens.session.accounting import Accounting
from ccq_tui.screens.session.delegating import Delegating
from ccq_tui.screens.session.managing import Managing
from ccq_tui.screens.session.resuming import Resuming
from ccq_tui.screens.session.rewinding import Rewinding
from ccq_tui.screens.session.selecting import Selecting
from ccq_tui.screens.session.summoning import Summoning


class Obeying(Selecting, Accounting, Rewinding, Resuming, Managing, Delegating, Summoning):
    """Does each command that `OWN_COMMANDS` lists, in the part that it belongs to."""

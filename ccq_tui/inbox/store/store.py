"""The store as one thing."""

from __future__ import annotations

from ccq_tui.inbox.store.drafts_table import Drafts
from ccq_tui.inbox.store.history import Histories
from ccq_tui.inbox.store.id_prefix import Names
from ccq_tui.inbox.store.park_requests import Wishes
from ccq_tui.inbox.store.requests import Requests
from ccq_tui.inbox.store.sessions import Sessions


class Store(Requests, Drafts, Sessions, Wishes, Histories, Names):
    """The inbox on disk, through one connection, for the thread that made it.

    Several threads and processes may each have one on the same file. A method that writes does all of it or
    nothing.
    """

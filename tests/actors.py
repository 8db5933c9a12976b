"""Those who answer in tests."""

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.processes import Owner

PANEL = Actor.here(Surface.PANEL)
INBOX = Actor.here(Surface.INBOX)
COMMAND = Actor(Surface.COMMAND, "ccq-tui answer")
PHONE = Actor(Surface.DEVICE, "phone")
SCRIPT = Actor(Surface.COMMAND, "script")
LIMIT = Actor.here(Surface.LIMIT)
ELSEWHERE = Actor(Surface.PANEL, process=Owner(1, "another"))

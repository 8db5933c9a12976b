"""Who may call the relay: tokens, and how often each calls."""

import time
from collections.abc import Collection
from dataclasses import dataclass

from starlette.requests import Request

from ccq_tui.remote.relay.members import TOKENS, Grant, devices_of, note
from ccq_tui.remote.relay.records import utc
from ccq_tui.remote.relay.store import RelayStore
from ccq_tui.web.guards import Allowances, CallLimits, Guesses, token_digest
from ccq_tui.web.problems import ProblemError, not_found, too_many


@dataclass(frozen=True, slots=True)
class RelayLimits(CallLimits):
    """How much the relay takes.

    Attributes:
        pending: Most pending records of a pairing.
        devices: Most devices and terminals of a pairing.
        burst: Calls of one token that may come at once.
        rate: Calls of one token a second, in the long run.
    """

    body: int = 300_000
    pending: int = 1_000
    devices: int = 100
    burst: float = 1_000.0
    rate: float = 50.0


class Access:
    """Checks tokens, and counts calls; the counts are this process's own.

    Args:
        store: The relay's store.
        limits: How much is allowed.
    """

    def __init__(self, store: RelayStore, limits: RelayLimits) -> None:
        self._store = store
        self._calls = Allowances(limits.burst, limits.rate, limits.remembered)
        self.guessing = Guesses(limits).guessing
        # Seconds after which a member's last call is noted again.
        self._notes = Allowances(1.0, 1.0 / 60.0, limits.remembered)

    async def grant(self, request: Request, roles: Collection[str], pairing: str | None) -> Grant:
        """Return what the token of a call is for; raises `ProblemError`.

        A right token is never slowed by wrong ones from its address: nobody guesses 256 bits, and a device
        that was revoked may share the address.

        Args:
            request: The call.
            roles: The roles that may call.
            pairing: The pairing that is called, if its address names one.
        """
        key = token_digest(request)
        entry = await self._store.get(TOKENS, key)
        if entry is None:
            with self.guessing(request):
                raise _unknown()
        if seconds := self._calls.missing(key):
            raise too_many("This token calls too often.", seconds)
        self._calls.spend(key)
        grant = Grant.model_validate_json(entry.text)
        if pairing not in (None, grant.pairing):
            raise not_found()
        if grant.role not in roles:
            raise ProblemError(403, f"A {grant.role} may not do this.")
        if not self._notes.missing(key):
            self._notes.spend(key)
            await note(self._store, devices_of(grant.pairing), grant.device, "seenAt", utc(time.time()))
        return grant

    async def check_again(self, request: Request) -> None:
        """Raise `ProblemError` if the token of a call that waits was revoked."""
        if await self._store.get(TOKENS, token_digest(request)) is None:
            raise _unknown()


def _unknown() -> ProblemError:
    why = "The token is missing, unknown or revoked: pair this device again."
    return ProblemError(401, why, headers={"WWW-Authenticate": "Bearer"})

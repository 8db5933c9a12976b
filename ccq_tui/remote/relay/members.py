"""Who takes part in a pairing: invitations, devices, and their tokens."""

import hmac
import json
import secrets
import time
import uuid
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ccq_tui.remote.relay.records import utc
from ccq_tui.remote.relay.store import RelayStore, Swap
from ccq_tui.remote.seal import Code, digest
from ccq_tui.web.problems import ProblemError, not_found

TOKENS, INVITATIONS = "tokens", "invitations"

INVITATION_SECONDS = 300.0
DIGEST = "digest"
"""Where a member has the digest of its token, which is never shown."""


class Grant(BaseModel):
    """What a token is for.

    Attributes:
        pairing: The pairing.
        role: The role in it.
        device: The device or terminal that has the token.
        name: Its name.
        sealed: Whether the pairing is sealed.
    """

    model_config = ConfigDict(frozen=True)

    pairing: str
    role: Literal["terminal", "device"]
    device: str
    name: str
    sealed: bool


class Invitation(BaseModel):
    """What a new device or terminal redeems.

    Attributes:
        role: The role it gives.
        pairing: The pairing; "" for a new one.
        sealed: Whether the pairing is sealed.
        proof_hash: The digest of the proof.
        wrapped: What the new device gets beside its token.
        expires: When it expires, in seconds since 1970.
        wrong: How many wrong proofs there were.
    """

    model_config = ConfigDict(frozen=True)

    role: Literal["terminal", "device"]
    pairing: str = ""
    sealed: bool = False
    proof_hash: str = ""
    wrapped: str = ""
    expires: float = 0.0
    wrong: int = 0


def devices_of(pairing: str) -> str:
    """Return the group of a pairing's devices and terminals."""
    return f"devices/{pairing}"


def pushes_of(pairing: str) -> str:
    """Return the group of a pairing's push subscriptions."""
    return f"push/{pairing}"


async def new_pairing(store: RelayStore, sealed: bool, name: str, invitation: str = "") -> tuple[str, str]:
    """Make a pairing.

    Args:
        store: The relay's store.
        sealed: Whether the relay is to see sealed texts alone.
        name: The terminal's name; the relay can read it.
        invitation: The invitation for it, or "".

    Returns:
        The pairing's id and the terminal's token.
    """
    invited = Invitation(role="terminal", pairing=str(uuid.uuid4()), sealed=sealed)
    _, token = await join(store, invited, name, invitation)
    return invited.pairing, token


async def new_invitation(store: RelayStore) -> tuple[Code, float]:
    """Invite a terminal to a new pairing.

    Args:
        store: The relay's store.

    Returns:
        The code for ``ccq-tui pair``, and when it expires, in seconds since 1970.
    """
    while True:
        code, expires = Code.new(), time.time() + INVITATION_SECONDS
        invited = Invitation(role="terminal", proof_hash=digest(code.secret), expires=expires)
        if await invite(store, code.invitation, invited):
            return code, expires


async def invite(store: RelayStore, id_: str, invited: Invitation) -> bool:
    """Keep an invitation; return whether its id was free."""
    return await store.swap(Swap(INVITATIONS, id_, None, invited.model_dump_json(), invited.expires))


async def redeem(store: RelayStore, id_: str, proof: str, role: str) -> Invitation:
    """Use an invitation for a role up; raises `ProblemError` for a wrong proof, and counts it."""
    while entry := await store.get(INVITATIONS, id_):
        invited = Invitation.model_validate_json(entry.text)
        if invited.role != role:
            break
        is_right = hmac.compare_digest(invited.proof_hash, digest(proof))
        counted = invited.model_copy(update={"wrong": invited.wrong + 1})
        is_over = is_right or counted.wrong == 5  # the fifth wrong proof ends an invitation
        text = None if is_over else counted.model_dump_json()
        if not await store.swap(Swap(INVITATIONS, id_, entry, text, invited.expires)):
            continue
        if is_right:
            return invited
        raise ProblemError(403, "The proof is wrong: type the code again.", field="proof")
    raise not_found()


async def join(store: RelayStore, invited: Invitation, name: str, invitation: str) -> tuple[str, str]:
    """Add a member to a pairing; return its id and its token, which the relay does not keep."""
    pairing, role = invited.pairing, invited.role
    token, device, now = secrets.token_urlsafe(32), str(uuid.uuid4()), utc(time.time())
    grant = Grant(pairing=pairing, role=role, device=device, name=name, sealed=invited.sealed)
    shown = {"id": device, "name": name, "role": role, "invitation": invitation}
    member = json.dumps({**shown, "pairedAt": now, "seenAt": now, DIGEST: digest(token)})
    await store.swap(Swap(devices_of(pairing), device, None, member))
    await store.swap(Swap(TOKENS, digest(token), None, grant.model_dump_json()))
    return device, token


async def members_of(store: RelayStore, pairing: str) -> list[dict[str, str]]:
    """Return the devices and terminals of a pairing as the protocol shows them, oldest first."""
    found = [json.loads(entry.text) for entry in (await store.entries(devices_of(pairing))).values()]
    shown = [{name: text for name, text in one.items() if name != DIGEST} for one in found]
    return sorted(shown, key=lambda one: (one["pairedAt"], one["id"]))


async def revoke(store: RelayStore, pairing: str, device: str) -> None:
    """Take a member's token from it; raises `ProblemError` if there is no such member."""
    entry = await store.get(devices_of(pairing), device)
    if entry is None:
        raise not_found()
    # The token first: a relay that ends in between leaves a device in the list, not a token in use.
    await put(store, TOKENS, json.loads(entry.text)[DIGEST], None)
    await put(store, pushes_of(pairing), device, None)
    await put(store, devices_of(pairing), device, None)


async def note(store: RelayStore, group: str, key: str, name: str, value: str) -> None:
    """Set a field of an entry, if it is there."""
    while entry := await store.get(group, key):
        new = json.dumps(json.loads(entry.text) | {name: value})
        if await store.swap(Swap(group, key, entry, new)):
            return


async def put(store: RelayStore, group: str, key: str, text: str | None) -> None:
    """Set an entry, or drop it, whatever it is by then."""
    while not await store.swap(Swap(group, key, await store.get(group, key), text)):
        pass

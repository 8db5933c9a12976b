"""Web Push: wakes the installed pages of a pairing, with nothing in it."""

import asyncio
import ipaddress
import json
import logging
import re
import socket
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

from ccq_tui.remote.relay.members import pushes_of
from ccq_tui.remote.relay.store import Entry, RelayStore, Swap
from ccq_tui.remote.seal import to_base64
from ccq_tui.web.problems import wrong

LIFETIME, TOKEN_SECONDS = 86_400, 12 * 3_600
"""Seconds that a push service keeps a push, and takes its token: it refuses one for 24 h."""
WAIT_SECONDS = 20.0
OWN, KEY = "relay", "push-key"
TAKEN, UNSUBSCRIBED = range(200, 300), (404, 410)
TOPIC = re.compile("[A-Za-z0-9_-]{1,32}")

_logger = logging.getLogger(__name__)


class Pusher:
    """Notifies the devices of a pairing.

    Args:
        store: The relay's store, which has the key and the subscriptions.
        url: The relay's public URL, by which a push service finds its owner, or "".
        anywhere: Whether push services may be on this machine and in its network.

    Attributes:
        is_named: Whether the relay has an https name, without which Apple refuses its pushes.
    """

    def __init__(self, store: RelayStore, url: str, *, anywhere: bool = False) -> None:
        self._store, self._anywhere = store, anywhere
        self.is_named = url.startswith("https:")
        self._contact = url if self.is_named else "mailto:relay@ccq-tui.invalid"

    async def public_key(self) -> str:
        """Return the VAPID public key, or "" without the extra "push"."""
        if (vapid := await self._vapid()) is None:
            return ""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return to_base64(vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    def check(self, subscription: Mapping[str, Any]) -> None:
        """Raise `ProblemError` for a subscription that no public push service can have made."""
        if not self._anywhere and not subscription["endpoint"].startswith("https://"):
            raise wrong("subscription.endpoint", "it takes the https URL of a push service")

    async def notify(self, pairing: str, topic: str = "") -> dict[str, Any]:
        """Push to every subscribed device; return how many took it, and which did not and why."""
        vapid = await self._vapid()
        entries = await self._store.entries(pushes_of(pairing)) if vapid else {}
        headers = {"TTL": str(LIFETIME), "Urgency": "high"}
        headers |= {"Topic": topic} if TOPIC.fullmatch(topic) else {}  # it goes for one that still waits
        async with httpx2.AsyncClient(timeout=WAIT_SECONDS, trust_env=False, headers=headers) as client:
            pushes = (self._push(client, vapid, pairing, *item) for item in entries.items())
            reasons = dict(zip(entries, await asyncio.gather(*pushes), strict=True))
        failed = [{"device": device, "reason": reason} for device, reason in reasons.items() if reason]
        return {"sent": len(reasons) - len(failed), "failed": failed}

    async def _push(
        self, client: httpx2.AsyncClient, vapid: Any, pairing: str, device: str, entry: Entry
    ) -> str:
        """Push to a device; return why it failed, or ""."""
        endpoint, status = json.loads(entry.text)["endpoint"], 0
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                # The name may lead elsewhere a moment later, but only to who has a certificate for it.
                if self._anywhere or await _is_public(urlsplit(endpoint).hostname or ""):
                    status = await self._status(client, vapid, endpoint)
                reason = (
                    f"the push service answered {status}"
                    if status
                    else "its push service is in a private network"
                )
        except TimeoutError:
            reason = "the push service did not answer"
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            reason = f"the push service cannot be reached ({type(error).__name__})"
        if status in TAKEN:
            return ""
        if status in UNSUBSCRIBED:
            await self._store.swap(Swap(pushes_of(pairing), device, entry, None))
        _logger.info("a push to device %s failed: %s", device, reason)
        return reason

    async def _status(self, client: httpx2.AsyncClient, vapid: Any, endpoint: str) -> int:
        """Call a push service without a body, which needs no keys of the subscription; return its status."""
        place = urlsplit(endpoint)
        claims = {"sub": self._contact, "aud": f"{place.scheme}://{place.netloc}"}
        token = vapid.sign({**claims, "exp": int(time.time()) + TOKEN_SECONDS})
        # Whatever else the service says is not read, however long it is.
        async with client.stream("POST", endpoint, headers=token) as response:
            return int(response.status_code)

    async def _vapid(self) -> Any:
        """Return the relay's own key, made at the first use; None without the extra."""
        try:
            from py_vapid import Vapid  # type: ignore[import-untyped]
        except ImportError:
            return None
        while (kept := await self._store.get(OWN, KEY)) is None:
            made = Vapid()
            made.generate_keys()
            await self._store.swap(Swap(OWN, KEY, None, made.private_pem().decode()))
        vapid = Vapid.from_pem(kept.text.encode())
        vapid.conf["no-strict"] = True  # its check refuses contacts with a port
        return vapid


async def _is_public(host: str) -> bool:
    found = await asyncio.get_running_loop().getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    return all(ipaddress.ip_address(str(one[4][0]).partition("%")[0]).is_global for one in found)

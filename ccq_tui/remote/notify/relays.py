"""What relays do for notifications: Web Push, and secrets for buttons."""

from __future__ import annotations

import asyncio
import logging

from ccq_tui.inbox.choices import ALLOW, DENY, permission_asked
from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest, Request
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.questions import Kind
from ccq_tui.questions.prose import shown_label
from ccq_tui.remote.client import Record, RelayClient, RelayError
from ccq_tui.remote.notify.notification import Receipt
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publication import relay_id
from ccq_tui.text import one_line

_logger = logging.getLogger(__name__)

MOST_SECONDS, PAUSE_SECONDS = 5.0, 0.5
"""Most seconds that a notification waits for its buttons, and those between two looks for its request."""
MOST_BUTTONS, MOST_LABEL = 3, 40
"""Most buttons of a notification of ntfy, and characters of each."""


async def push(pairing: Pairing) -> Receipt:
    """Have a relay send an empty Web Push to every subscribed device."""
    channel = f"Web Push by {pairing.relay}"
    try:
        async with await asyncio.to_thread(RelayClient, pairing) as client:  # it reads certificates
            sent, reasons = await client.notify()
    except RelayError as error:
        return Receipt(channel, one_line(str(error), 300))
    return Receipt(channel, one_line("; ".join(dict.fromkeys(reasons)), 300), sent)


async def buttons(pairing: Pairing, stored: StoredRequest) -> list[tuple[str, str]]:
    """Return the labels and secrets of buttons for a request of a plain pairing; none if there can be none.

    The request may have been asked just now, and is published soon.
    """
    answers = answers_of(stored.request)
    if not 0 < len(answers) <= MOST_BUTTONS:
        return []
    name, bodies = relay_id(pairing, stored), [{"answer": answer} for answer in answers.values()]
    try:
        client = await asyncio.to_thread(RelayClient, pairing)
        async with client, asyncio.timeout(MOST_SECONDS):
            while await client.request(name) is None:  # noqa: ASYNC110 (nothing here sets an event)
                await asyncio.sleep(PAUSE_SECONDS)
            taps = await client.taps(name, bodies)
    except (RelayError, TimeoutError) as error:
        problem = str(error) or "the relay does not have the request in time"
        _logger.warning("A notification has no buttons: %s", problem)
        return []
    return list(zip(answers, taps, strict=False))


def answers_of(request: Request) -> dict[str, Record]:
    """Return the answers in public JSON by their labels; none where labels cannot say it all."""
    found: list[tuple[str, Record]] = []
    match request:
        case QuestionRequest() if len(request.questions.questions) == 1:
            question = request.questions.questions[0]
            if question.kind is Kind.CHOICE and not question.multi_select:
                numbered = enumerate(question.options, 1)
                found = [(shown_label(one.label), {"answers": [{"selected": [n]}]}) for n, one in numbered]
        case PermissionRequest():
            numbered = enumerate(permission_asked(request).question.options, 1)
            once = (ALLOW[0], DENY[0])
            found = [(one.label, {"choice": number}) for number, one in numbered if one in once]
    shown = {one_line(label, MOST_LABEL): answer for label, answer in found}
    return shown if len(shown) == len(found) else {}

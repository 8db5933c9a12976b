"""Linear: its agent sessions are tickets, and their activities what happens in a run."""

import hmac
import json
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any
from uuid import UUID

import httpx2

from ccq_tui.bounded import parse_json
from ccq_tui.claude_lines import text
from ccq_tui.config.carried import mapping
from ccq_tui.inbox.actors import Surface
from ccq_tui.service import port
from ccq_tui.service.adapters.http import SECRET_SECONDS, HttpAdapter
from ccq_tui.service.people import Involved, Participant, TicketRole
from ccq_tui.service.run import QUESTION, Happened, Run, RunEvent
from ccq_tui.text import one_line, safe
from ccq_tui.web.problems import ProblemError

WINDOW_SECONDS = 60.0
"""Most seconds between the sending of a webhook and now."""
MOST_BODY = 20_000
MOST_PROMPT = 200_000
MOST_LINE = 300
FINAL = frozenset({"INVALID_INPUT", "INPUT_ERROR", "NOT_FOUND", "ENTITY_NOT_FOUND", "FORBIDDEN"})
"""The codes of errors of what was sent, which would be the same again; any other passes by itself."""

ACTIVITY = "mutation Create($in: AgentActivityCreateInput!) { agentActivityCreate(input: $in) { success } }"
SESSION = """mutation Update($id: String!, $input: AgentSessionUpdateInput!) {
  agentSessionUpdate(id: $id, input: $input) { success } }"""
PEOPLE = """query People($id: String!) { agentSession(id: $id) {
  creator { id name email } issue { creator { id name email } assignee { id name email } } } }"""
NOW = """query Now($id: String!, $after: String) { agentSession(id: $id) {
  dismissedAt appUser { id } issue { completedAt canceledAt archivedAt delegate { id } }
  activities(first: 250, after: $after) { pageInfo { hasNextPage endCursor } nodes {
    id createdAt signal user { id name email }
    content { ... on AgentActivityPromptContent { body } } } } } }"""
KNOWN = "query Known($id: String!) { agentActivity(id: $id) { id } }"

CLOSED = {
    "completedAt": "The issue is completed",
    "canceledAt": "The issue is canceled",
    "archivedAt": "The issue is archived",
    "dismissedAt": "The issue is no longer the agent's",
}
"""What a time says that an agent session or its issue has."""
LEFT = "{}, so its run is stopped, and what it asked is withdrawn. A message here continues it."
CHANGES = ("issueUnassignedFromYou", "issueStatusChanged")

_QUOTED = re.compile(r"^\s*>.*?$|^(```|~~~).*?^\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_OWN_TEXT = re.compile(r"<(title|description|comment)\b.*</\1>", re.DOTALL)
_ASKS = re.compile(r"[?？؟][\s*_~)\]\"'”’»]*\Z")
_LABEL = re.compile(r"<label>([^<]{1,80})</label>")
_PROJECT = re.compile(r'<project name="([^"<]{1,200})"')


class TokenRefusedError(port.RetryLaterError):
    """Linear does not take the token."""


class LinearAdapter(HttpAdapter):
    """Verifies and reads Linear's webhooks, and writes activities.

    Args:
        secret: Returns the signing secret of the webhook; raises `ValueError` without one.
        token: Returns the access token of the app (``actor=app``), read anew for each call; as ``secret``.
        url: The address of the GraphQL API.
    """

    name = "linear"

    def __init__(self, secret: Callable[[], str], token: Callable[[], str], *, url: str) -> None:
        super().__init__(url)
        self._secret = secret
        self._token = token
        self._delegated: set[str] = set()
        """The tickets whose issues were seen to be the agent's."""

    # -- what Linear says -----------------------------------------------------------------------------------

    def read(self, headers: Mapping[str, str], body: bytes) -> port.Incoming | None:
        """Verify and read a webhook; raises `ProblemError`."""
        try:
            secret = self._secret()
        except ValueError as error:
            raise ProblemError(503, f"The webhook of Linear has no secret here: {error}.") from error
        signed = hmac.digest(secret.encode(), body, "sha256").hex()
        given = headers.get("linear-signature", "")
        if not hmac.compare_digest(signed.encode(), given.encode("utf-8", "replace")):
            raise ProblemError(401, "The signature is not that of the webhook's secret.")
        try:
            payload = mapping(parse_json(body))
        except ValueError as error:
            raise ProblemError(400, "The body is no JSON.") from error
        try:
            age = abs(time.time() - float(str(payload.get("webhookTimestamp"))) / 1000)
        except ValueError:
            age = WINDOW_SECONDS * 2
        if not age <= WINDOW_SECONDS:
            raise ProblemError(401, "The webhook was not sent within the last minute.")
        return self._incoming(payload)

    def _incoming(self, payload: Mapping[str, Any]) -> port.Incoming | None:
        action = payload.get("action")
        if payload.get("type") == "AppUserNotification" and action in CHANGES:
            return port.TicketsChanged()
        if payload.get("type") != "AgentSessionEvent" or action not in ("created", "prompted"):
            return None
        session, activity = mapping(payload.get("agentSession")), mapping(payload.get("agentActivity"))
        ticket = text(session, "id")
        if not ticket:
            raise ProblemError(400, "“agentSession.id” is missing.")
        new = self._ticket(ticket, session, text(payload, "promptContext"))
        if action == "created":
            return new
        if not text(activity, "id"):
            raise ProblemError(400, "“agentActivity.id” is missing.")
        return self._message(ticket, activity, new)

    def _message(
        self, ticket: str, activity: Mapping[str, Any], new: port.NewTicket | None = None
    ) -> port.TicketMessage:
        person = _person(activity.get("user") or {"id": activity.get("userId")})
        body = text(mapping(activity.get("content")), "body") or text(activity, "body")
        stop, message = text(activity, "signal") == "stop", text(activity, "id")
        return port.TicketMessage(self.name, ticket, message, body[:MOST_PROMPT], person, stop, new)

    def _ticket(self, ticket: str, session: Mapping[str, Any], context: str) -> port.NewTicket:
        issue, comment = mapping(session.get("issue")), mapping(session.get("comment"))
        team = mapping(issue.get("team"))
        title = one_line(" ".join((text(issue, "identifier"), text(issue, "title"))).strip(), MOST_LINE)
        own = [text(issue, "title"), text(issue, "description"), text(comment, "body")]
        asker = text(mapping(session.get("creator")), "id")
        theirs = own if text(comment, "userId") in ("", asker) else own[:2]
        named = re.search(r"\[repo=([\w.-]{1,64})\]", _QUOTED.sub("", "\n".join(theirs)), re.ASCII)
        about = _OWN_TEXT.sub("", context)  # what people wrote there chooses nothing
        found = {"project": _PROJECT.findall(about), "label": _LABEL.findall(about)}
        found["team"] = [text(team, "key"), text(team, "name")]
        prompt = (context or "\n\n".join(filter(None, own)))[:MOST_PROMPT]
        url, repository = text(issue, "url") or text(session, "url"), named[1] if named else ""
        person = _person(session.get("creator"))
        involved = {TicketRole.DELEGATOR: person} if person.id else {}
        fields = (title or "Linear", prompt, url, repository, found)
        # A ticket that is delegated has a comment of Linear's own, which asks nothing.
        kind = QUESTION if _ASKS.search(_QUOTED.sub("", text(comment, "body"))) else ""
        new = partial(port.NewTicket, self.name, ticket, *fields, by_text=True, kind=kind)
        return new(people=involved, person=person)

    # -- what Linear is sent --------------------------------------------------------------------------------

    async def send(self, run: Run, event: RunEvent, page: str) -> None:
        """Report what happened as an activity of the ticket's session."""
        body, text = event.body, _body(str(event.body.get("text", "")))
        match event.kind:
            case Happened.STARTED:
                await self._create(run, event, {"type": "thought", "body": "I am on it."})
                if page:
                    changes = {"externalUrls": [{"label": "ccq-tui", "url": page}]}
                    await self._call(SESSION, {"id": run.ticket, "input": changes})
            case Happened.REPORTED if body["kind"] == "action":
                # Linear takes no empty parameter.
                parameter = safe(str(body["parameter"]), limit=MOST_BODY) or "–"
                what = {"action": one_line(str(body["text"]), MOST_LINE), "parameter": parameter}
                await self._create(run, event, {"type": "action", **what})
            case Happened.ASKED:
                options = [{"label": one_line(one, MOST_LINE), "value": one} for one in body["options"]]
                select = {"signal": "select", "signalMetadata": {"options": options[:50]}}
                more = select if options else {}
                await self._create(run, event, {"type": "elicitation", "body": text}, **more)
            case Happened.PARKED | Happened.ENDED:
                kind = body.get("end", "elicitation")  # which leaves the ticket waiting for its person
                await self._create(run, event, {"type": kind, "body": text})
            case _:
                await self._create(run, event, {"type": "thought", "body": text})

    async def involved(self, run: Run) -> Involved:
        """Return the issue's creator and assignee, and who gave it to the agent."""
        session = mapping((await self._call(PEOPLE, {"id": run.ticket})).get("agentSession"))
        issue = mapping(session.get("issue"))
        found = {
            TicketRole.CREATOR: issue.get("creator"),
            TicketRole.ASSIGNEE: issue.get("assignee"),
            TicketRole.DELEGATOR: session.get("creator"),
        }
        return {role: _person(one) for role, one in found.items() if one}

    async def missed(self, run: Run) -> list[port.TicketMessage]:
        """Return what people said since the run was created, and what closed its issue since."""
        nodes: list[Mapping[str, Any]] = []
        page: Mapping[str, Any] = {"hasNextPage": True}
        while page.get("hasNextPage"):
            values = {"id": run.ticket, "after": page.get("endCursor")}
            session = mapping((await self._call(NOW, values)).get("agentSession"))
            activities = mapping(session.get("activities"))
            page = mapping(activities.get("pageInfo"))
            nodes += map(mapping, activities.get("nodes") or ())
        comments = [
            one for one in nodes if "body" in mapping(one.get("content")) and _is_since(run, one["createdAt"])
        ]
        messages = [self._message(run.ticket, one) for one in sorted(comments, key=itemgetter("createdAt"))]
        issue = mapping(session.get("issue"))
        times = {name: str(one) for name, one in {**issue, **session}.items() if name in CLOSED and one}
        closed = {f"{name} {at}": CLOSED[name] for name, at in times.items() if _is_since(run, at)}
        if issue.get("delegate") == session.get("appUser"):
            self._delegated.add(run.ticket)
        elif run.ticket in self._delegated:
            self._delegated.remove(run.ticket)
            closed[f"left {run.segment}"] = CLOSED["dismissedAt"]
        for name, why in [*closed.items()][:1]:
            place = (self.name, run.ticket, f"{run.ticket} {name}", LEFT.format(why))
            person, surface = Participant(name="Linear"), Surface.LIMIT
            messages.append(port.TicketMessage(*place, person, stop=True, surface=surface))
        return messages

    async def check(self) -> None:
        """Raise `TokenRefusedError` if Linear does not take the token."""
        with suppress(port.RefusedError):
            await self._call(KNOWN, {"id": str(UUID(int=0))})

    async def _create(self, run: Run, event: RunEvent, content: Mapping[str, Any], **more: object) -> None:
        """Create an activity, unless the session has it already."""
        activity = str(UUID(bytes=UUID(event.id).bytes, version=4))  # Linear takes no other version
        data = {"id": activity, "agentSessionId": run.ticket, "content": content, **more}
        try:
            await self._call(ACTIVITY, {"in": data})
        except (port.RefusedError, port.RetryLaterError):
            known: Mapping[str, Any] = {}
            # A call whose response was lost may have created it.
            with suppress(port.RefusedError, port.RetryLaterError):
                known = await self._call(KNOWN, {"id": activity})
            if not known.get("agentActivity"):
                raise

    async def _call(self, document: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        """Call the API, and return the data of its response."""
        try:
            token = self._token()
        except ValueError as error:
            raise port.RetryLaterError(f"there is no token for Linear: {error}", SECRET_SECONDS) from error
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        response, body = await self._post(json.dumps({"query": document, "variables": variables}), headers)
        try:
            found = mapping(parse_json(body))
        except ValueError:
            found = {}
        problem, code = _problem(found)
        if code == "RATELIMITED":
            raise self._paused(response)
        if response.headers.get("x-ratelimit-requests-remaining") == "0":
            self._paused(response)
        if response.status_code == httpx2.codes.UNAUTHORIZED or code == "AUTHENTICATION_ERROR":
            words = "Linear does not take its token, which may have expired: renew it where it is configured"
            raise TokenRefusedError(words, SECRET_SECONDS)
        if problem and code in FINAL:
            raise port.RefusedError(problem)
        if problem:
            raise port.RetryLaterError(f"Linear answered: {problem}")
        if not (data := mapping(found.get("data"))):
            raise port.RetryLaterError(f"Linear answered with HTTP {response.status_code}")
        return data


def _person(user: object) -> Participant:
    found = mapping(user)
    user_id = text(found, "id")
    return Participant(f"linear:{user_id}" if user_id else "", text(found, "name"), text(found, "email"))


def _is_since(run: Run, at: str) -> bool:
    return datetime.fromisoformat(at) > run.created


def _problem(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return what the first error of a response says, and its code; "" without one."""
    errors = found.get("errors")
    first = mapping(errors[0]) if isinstance(errors, list) and errors else {}
    more = mapping(first.get("extensions"))
    problem = text(more, "userPresentableMessage") or text(first, "message") or "an error without a message"
    code = text(more, "code") or text(more, "type")
    return (one_line(problem, MOST_LINE), code.replace(" ", "_").upper()) if first else ("", "")


def _body(text: str) -> str:
    return safe(text, limit=MOST_BODY).strip() or "Done."

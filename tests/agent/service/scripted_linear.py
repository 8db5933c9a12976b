"""A Linear on loopback: it has what agent sessions need, and refuses what Linear refuses."""

import dataclasses
import hmac
import html
import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
from graphql import GraphQLError, build_schema, graphql
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ccq_tui.config.carried import mapping
from ccq_tui.testing.server import ServerThread

_logger = logging.getLogger(__name__)

SCHEMA = Path(__file__).with_name("scripted_linear.graphql")
CONTENT = {kind: {"body"} for kind in ("thought", "elicitation", "response", "error")}
CONTENT["action"] = {"action", "parameter", "result"}
"""The fields of each type of activity that an agent may create, besides its type."""
AFTER = {"elicitation": "awaitingInput", "response": "complete", "error": "error"}
"""The status of a session after its last activity; any other leaves it active."""
TRIES = 30
ROLES = ("assignee", "delegate")
PAGE = 10
"""Most activities of a page; Linear has more."""
PERSON, AGENT = "Robin", "Agent"


def user(name: str) -> dict[str, str]:
    """Return a person as Linear names one."""
    return {"id": name.casefold(), "name": name, "email": f"{name.casefold()}@example.org"}


@dataclass
class LinearSession:
    """A session of the agent, and the issue that it is about.

    Attributes:
        id: Its id.
        number: The number of the issue.
        title: The issue's title.
        description: The issue's description.
        label: The issue's label, or "".
        comment: The comment that mentions the agent, or "" for an issue that is delegated to it.
        assignee: The person to whom the issue is assigned, or "".
        delegate: Whom the issue is delegated to, or "".
        times: When the issue was closed, or the session dismissed, by the names of Linear's fields.
        activities: What was said, as Linear has it: id, type, the fields of its content, signal.
        urls: The external URLs.
    """

    id: str
    number: int
    title: str
    description: str
    label: str = ""
    comment: str = ""
    assignee: str = ""
    delegate: str = AGENT
    times: dict[str, str] = dataclasses.field(default_factory=dict)
    activities: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    urls: list[dict[str, str]] = dataclasses.field(default_factory=list)

    @property
    def status(self) -> str:
        """Its status, as Linear derives it."""
        return AFTER.get(self.activities[-1]["type"], "active") if self.activities else "pending"


class ScriptedLinear:
    """Serves itself at `url` until `close`; its calls may come from any thread, and do not wait.

    Args:
        webhook: The address to which webhooks are sent.
        secret: The secret that signs them.
        token: The token with which an agent may call.

    Attributes:
        url: Its address.
        sessions: Its agent sessions by their ids, oldest first.
    """

    def __init__(self, webhook: str, *, secret: str, token: str) -> None:
        self.webhook = webhook
        self.token = token
        self.sessions: dict[str, LinearSession] = {}
        self._secret = secret
        self._schema = build_schema(SCHEMA.read_text("utf-8"))
        self._root = {
            "agentActivityCreate": lambda _info, input: self._create_activity(input),  # noqa: A006
            "agentSessionUpdate": lambda _info, id, input: self._update_session(id, input),  # noqa: A006
            "agentActivity": lambda _info, id: self._activity(id),  # noqa: A006
            "agentSession": lambda _info, id: self._known(id),  # noqa: A006
        }
        self._sending = ThreadPoolExecutor(1, "scripted-linear")
        self._http = httpx2.Client(timeout=5.0, trust_env=False, verify=False)  # loopback
        app = Starlette(routes=[Route("/graphql", self._graphql, methods=["POST"])])
        self._server = ServerThread(app)
        self.url = f"http://127.0.0.1:{self._server.port}"

    def close(self) -> None:
        """End the server; webhooks on their way are not tried again."""
        self._sending.shutdown(wait=True, cancel_futures=True)
        self._server.stop()
        self._http.close()

    # -- what people do -------------------------------------------------------------------------------------

    def assign(
        self, title: str, description: str = "", label: str = "", comment: str = "", *, send: bool = True
    ) -> LinearSession:
        """Make an issue and assign it to the agent, or mention it there; return the session.

        Args:
            title: The title of the issue.
            description: Its description.
            label: Its label, or "".
            comment: The comment that mentions the agent, or "".
            send: Whether the webhook is sent.
        """
        session = LinearSession(str(uuid4()), len(self.sessions) + 1, title, description, label, comment)
        self.sessions[session.id] = session
        if send:
            self.send({"action": "created", **self._about(session)})
        return session

    def reply(
        self, session_id: str, text: str, *, stop: bool = False, send: bool = True, person: str = PERSON
    ) -> dict[str, Any]:
        """Write a message into a session; return the body of its webhook.

        Args:
            session_id: The session.
            text: The message.
            person: Who writes it.
            stop: Whether the person says stop.
            send: Whether the webhook is sent.
        """
        session, signal = self.sessions[session_id], "stop" if stop else None
        activity = {"id": str(uuid4()), "type": "prompt", "body": text, "signal": signal}
        session.activities.append({**activity, "at": _now(), "user": user(person)})
        content = {"type": "prompt", "body": text}
        body = {"id": activity["id"], "content": content, "signal": signal, "user": user(person)}
        payload = {"action": "prompted", **self._about(session), "agentActivity": body}
        if send:
            self.send(payload)
        return payload

    def _about(self, session: LinearSession) -> dict[str, Any]:
        quoted = {name: html.escape(getattr(session, name)) for name in ("title", "description", "label")}
        label = f"\n<label>{quoted['label']}</label>" if session.label else ""
        issue: dict[str, Any] = {name: getattr(session, name) for name in ("title", "description")}
        issue |= {"id": str(session.number), "identifier": f"DEMO-{session.number}"}
        issue |= {"url": f"{self.url}/{session.id}", "team": {"id": "1", "key": "DEMO", "name": "Demo"}}
        comment = {"comment": {"body": session.comment}} if session.comment else {}
        return {
            "type": "AgentSessionEvent",
            "agentSession": {"id": session.id, "issue": issue, "creator": user(PERSON), **comment},
            "promptContext": f'<issue identifier="DEMO-{session.number}">\n<title>{quoted["title"]}</title>\n'
            f'<description>{quoted["description"]}</description>\n<team name="Demo"/>{label}\n</issue>',
        }

    def send(self, payload: dict[str, Any], delivery: str = "") -> None:
        """Send a webhook, again until it is taken.

        Args:
            payload: Its body, without the time.
            delivery: Its id; "" for one of its own.
        """
        self._sending.submit(self._send, payload, delivery or str(uuid4()))

    def signed(self, payload: dict[str, Any], delivery: str) -> tuple[bytes, dict[str, str]]:
        """Return the body and the headers of a webhook that is sent now.

        Args:
            payload: Its body, without the time.
            delivery: Its id.
        """
        body = json.dumps({**payload, "webhookTimestamp": round(time.time() * 1000)}).encode()
        signature = hmac.digest(self._secret.encode(), body, "sha256").hex()
        names = {"signature": signature, "delivery": delivery, "event": "AgentSessionEvent"}
        return body, {f"linear-{name}": value for name, value in names.items()}

    def _send(self, payload: dict[str, Any], delivery: str) -> None:
        for number in range(TRIES):
            body, headers = self.signed(payload, delivery)
            try:
                if not self._http.post(self.webhook, content=body, headers=headers).is_server_error:
                    return
            except httpx2.HTTPError as error:
                _logger.info("The webhook is sent again: %s", error)
            time.sleep(min(0.2 * 2**number, 1.0))

    # -- what the agent does --------------------------------------------------------------------------------

    async def _graphql(self, request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get("authorization", ""), f"Bearer {self.token}"):
            error = {"message": "Authentication required", "extensions": {"code": "AUTHENTICATION_ERROR"}}
            return JSONResponse({"errors": [error]}, 401)
        call = mapping(await request.json())
        document, values = str(call.get("query")), call.get("variables")
        done = await graphql(self._schema, document, self._root, variable_values=values)
        return JSONResponse(done.formatted, 400 if done.data is None else 200)

    def _create_activity(self, data: dict[str, Any]) -> dict[str, Any]:
        """Add an activity as an agent sends it; raises `GraphQLError` for what Linear refuses."""
        session = self._session(data["agentSessionId"])
        content, signal = data["content"], data.get("signal")
        if self._activity(key := _uuid4(data.get("id") or str(uuid4()))):
            raise _refused("Entity already exists")
        kind = content.get("type") if isinstance(content, dict) else None
        if kind not in CONTENT or not set(content) <= {"type", *CONTENT[kind]}:
            raise _refused("content is not that of an activity")
        if not all(str(content.get(name, "")).strip() for name in CONTENT[kind] - {"result"}):
            raise _refused(f"content of type {kind} lacks a field")
        if data.get("ephemeral") and kind not in ("thought", "action"):
            raise _refused("only thoughts and actions can be ephemeral")
        if signal is not None and (kind != "elicitation" or signal not in ("select", "auth")):
            raise _refused("the signal does not fit the activity")
        options = mapping(data.get("signalMetadata")).get("options")
        if signal == "select" and not (options and all(mapping(one).get("value") for one in options)):
            raise _refused("signalMetadata.options is not a list of values")
        own = {"id": key, "signal": signal, "options": options or [], "at": _now(), "user": user(AGENT)}
        session.activities.append({**own, **content})
        return {"success": True, "lastSyncId": 1.0, "agentActivity": {"id": key}}

    def _update_session(self, session_id: str, changes: dict[str, Any]) -> dict[str, Any]:
        """Change a session as an agent wants it; raises `GraphQLError` for what Linear refuses."""
        session = self._session(session_id)
        session.urls = changes.get("externalUrls", session.urls)
        return {"success": True, "lastSyncId": 1.0, "agentSession": {"id": session.id}}

    def _activity(self, key: str) -> dict[str, Any] | None:
        """Return an activity of any session."""
        found = (one for session in self.sessions.values() for one in session.activities)
        return next((one for one in found if one["id"] == key), None)

    def _known(self, session_id: str) -> dict[str, Any]:
        """Return what is known of a session and its issue."""
        session = self._session(session_id)
        issue: dict[str, Any] = {
            name: user(one) if (one := getattr(session, name)) else None for name in ROLES
        }
        issue |= {"creator": user(PERSON), **session.times}
        return {
            "id": session.id,
            "creator": user(PERSON),
            "issue": issue,
            "appUser": user(AGENT),
            "activities": lambda _info, after=None, first=PAGE: _page_of(session, int(after or 0), first),
            **session.times,
        }

    def _session(self, session_id: str) -> LinearSession:
        if (session := self.sessions.get(session_id)) is None:
            raise _refused("Entity not found: AgentSession")
        return session


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _page_of(session: LinearSession, after: int, first: int) -> dict[str, Any]:
    """Return a page of the activities of a session; the cursor is a number."""
    nodes, end = [], min(after + min(first, PAGE), len(session.activities))
    for one in session.activities[after:end]:
        kind = "Prompt" if one["type"] == "prompt" else "Thought"
        content = {"__typename": f"AgentActivity{kind}Content", "body": one.get("body", "")}
        nodes.append({**one, "createdAt": one["at"], "content": content})
    page = {"endCursor": str(end), "hasNextPage": end < len(session.activities)}
    return {"nodes": nodes, "pageInfo": page}


def _refused(why: str) -> GraphQLError:
    return GraphQLError(why, extensions={"code": "INVALID_INPUT"})


def _uuid4(text: str) -> str:
    with suppress(ValueError):
        if UUID(text).version == 4:
            return str(UUID(text))
    raise _refused("id must be a UUID v4")

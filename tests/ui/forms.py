"""Forms of MCP servers that tests ask."""

from typing import Any

from ccq_tui.inbox.elicitations import read_elicitation
from ccq_tui.inbox.requests import ElicitationRequest
from tests.tables import table

DEPLOY: dict[str, Any] = table(__file__, "deploy.json")
TURNED = {"properties": {"name": {"type": "string", "minLength": 3, "maxLength": 2}}}


def asked(schema: dict[str, Any] | None = None, **wanted: Any) -> ElicitationRequest:
    """Return what a server called deploy asks for: the form `DEPLOY` unless told."""
    body = {"mcp_server_name": "deploy", "message": "Please give deployment details"}
    schema = DEPLOY if schema is None else schema
    return read_elicitation(body | {"requested_schema": schema} | wanted, "elicitation_1", "s")


LINK = asked(
    mode="url", message="Sign in to deploy", url="https://login.example.com/start?client=7f3a&then=deploy"
)
BROKEN = asked(TURNED)

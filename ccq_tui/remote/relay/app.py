"""The relay as an ASGI application."""

from __future__ import annotations

import logging
import mimetypes
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ccq_tui.remote.relay.access import read_body
from ccq_tui.remote.relay.endpoints import ENDPOINTS, Call, Endpoint, RelayParts
from ccq_tui.remote.relay.members import Grant
from ccq_tui.remote.relay.openapi import document
from ccq_tui.remote.relay.problems import ProblemError, not_found, wrong
from ccq_tui.remote.relay.shapes import checked
from ccq_tui.remote.relay.store import StoreError

PAGE = Path(__file__).parent.parent / "page"
mimetypes.add_type("application/manifest+json", ".webmanifest")
NOBODY = Grant(pairing="", role="device", device="", name="", sealed=False)
_logger = logging.getLogger(__name__)

Handler = Callable[[Request], Awaitable[Response]]


def relay_app(relay: RelayParts) -> Starlette:
    """Return the application.

    Args:
        relay: What its endpoints work with.
    """
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in ENDPOINTS:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    routes = [Route(path, _called(relay, methods), methods=[*methods]) for path, methods in by_path.items()]
    description = document(ENDPOINTS)

    async def openapi(_request: Request) -> Response:
        return JSONResponse(description)

    routes.append(Route("/openapi.json", openapi))
    page = [Mount("/", StaticFiles(directory=PAGE, html=True))] if PAGE.is_dir() else []
    failures = (ProblemError, StoreError, TimeoutError, ClientDisconnect, HTTPException, Exception)
    return Starlette(routes=[*routes, *page], exception_handlers=dict.fromkeys(failures, _failed))


def _called(relay: RelayParts, methods: Mapping[str, Endpoint]) -> Handler:
    async def called(request: Request) -> Response:
        endpoint = methods["GET" if request.method == "HEAD" else request.method]
        result = await endpoint.handle(await _call(relay, endpoint, request))
        return result if isinstance(result, Response) else JSONResponse(result)

    return called


async def _call(relay: RelayParts, endpoint: Endpoint, request: Request) -> Call:
    grant, pairing = NOBODY, request.path_params.get("pairingId")
    if endpoint.roles:
        grant = await relay.access.grant(request, endpoint.roles, pairing)
    for name in request.query_params:
        if name not in endpoint.query:
            raise wrong(name, "the call takes no such parameter")
    content: dict[str, Any] = {}
    if endpoint.body is not None:
        content = checked(endpoint.body, await read_body(request, relay.limits.body))
        if content.get("pairingId", grant.pairing) != grant.pairing:
            raise not_found()
    return Call(relay, request, grant, content)


async def _failed(_request: Request, error: Exception) -> Response:
    """Say why a call failed."""
    match error:
        case ProblemError():
            problem = error
        case StoreError():
            _logger.warning("the store failed: %s", error)
            why = "The relay cannot reach its store; try again."
            problem = ProblemError(503, why, headers={"Retry-After": "2"})
        case TimeoutError() | ClientDisconnect():
            problem = ProblemError(408, "The body did not arrive in time; send it again.")
        case HTTPException(status_code=HTTPStatus.NOT_FOUND):
            problem = not_found()
        case HTTPException(status_code=status, detail=detail, headers=headers):
            problem = ProblemError(status, f"{detail}: see /openapi.json.", headers=headers)
        case _:
            _logger.error("a call crashed", exc_info=error)
            problem = ProblemError(500, "The relay made a mistake; its log says which.")
    return problem.response()

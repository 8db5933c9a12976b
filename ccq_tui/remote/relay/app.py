"""The relay as an ASGI application."""

from __future__ import annotations

import logging
import mimetypes
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import ccq_tui
from ccq_tui.remote.relay.access import read_body
from ccq_tui.remote.relay.endpoints import ENDPOINTS, LONGEST_WAIT, Endpoint, RelayCall, RelayParts
from ccq_tui.remote.relay.members import Grant
from ccq_tui.remote.relay.problems import MEDIA_TYPE, ProblemError, not_found, wrong
from ccq_tui.remote.relay.shapes import UUID, Body, ProblemDocument, checked
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
    page = [Mount("/", StaticFiles(directory=PAGE, html=True))] if PAGE.is_dir() else []
    return Starlette(
        routes=[*api_routes(ENDPOINTS, "ccq-tui relay", partial(_call, relay)), *page],
        exception_handlers=failure_handlers(),
    )


def api_routes(
    endpoints: Iterable[Endpoint], title: str, call: Callable[[Endpoint, Request], Awaitable[Any]]
) -> list[Route]:
    """Return the routes of endpoints, and that of their OpenAPI document.

    Args:
        endpoints: The endpoints.
        title: What they belong to.
        call: Returns the call that an endpoint handles, checked.
    """
    found = tuple(endpoints)
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in found:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    description = document(found, title)

    def called(methods: Mapping[str, Endpoint]) -> Handler:
        async def handle(request: Request) -> Response:
            endpoint = methods["GET" if request.method == "HEAD" else request.method]
            result = await endpoint.handle(await call(endpoint, request))
            return result if isinstance(result, Response) else JSONResponse(result)

        return handle

    async def openapi(_request: Request) -> Response:
        return JSONResponse(description)

    routes = [Route(path, called(methods), methods=[*methods]) for path, methods in by_path.items()]
    return [*routes, Route("/openapi.json", openapi)]


def failure_handlers() -> dict[Any, Any]:
    """Return what answers a call that failed: a problem document."""
    failures = (ProblemError, StoreError, TimeoutError, ClientDisconnect, HTTPException, Exception)
    return dict.fromkeys(failures, _failed)


async def _call(relay: RelayParts, endpoint: Endpoint, request: Request) -> RelayCall:
    grant, pairing = NOBODY, request.path_params.get("pairingId")
    if endpoint.roles:
        grant = await relay.access.grant(request, endpoint.roles, pairing)
    check_query(endpoint, request)
    content: dict[str, Any] = {}
    if endpoint.body is not None:
        content = checked(endpoint.body, await read_body(request, relay.limits.body))
        if content.get("pairingId", grant.pairing) != grant.pairing:
            raise not_found()
    return RelayCall(relay, request, grant, content)


def check_query(endpoint: Endpoint, request: Request) -> None:
    """Raise `ProblemError` for a parameter that an endpoint does not take."""
    for name in request.query_params:
        if name not in endpoint.query:
            raise wrong(name, "the call takes no such parameter")


async def _failed(_request: Request, error: Exception) -> Response:
    """Say why a call failed."""
    match error:
        case ProblemError():
            problem = error
        case StoreError():
            _logger.warning("the store failed: %s", error)
            why = "The store cannot be reached; try again."
            problem = ProblemError(503, why, headers={"Retry-After": "2"})
        case TimeoutError() | ClientDisconnect():
            problem = ProblemError(408, "The body did not arrive in time; send it again.")
        case HTTPException(status_code=HTTPStatus.NOT_FOUND):
            problem = not_found()
        case HTTPException(status_code=status, detail=detail, headers=headers):
            problem = ProblemError(status, f"{detail}: see /openapi.json.", headers=headers)
        case _:
            _logger.error("a call crashed", exc_info=error)
            problem = ProblemError(500, "The server made a mistake; its log says which.")
    return problem.response()


SCHEMAS = "#/components/schemas/"
_ID = {"type": "string", "pattern": f"^{UUID}$"}
PARAMETERS: dict[str, dict[str, Any]] = {
    "id": _ID,
    "pairingId": _ID,
    "wait": {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT},
    "after": {"type": "integer", "minimum": 0},
    "limit": {"type": "integer", "minimum": 0, "maximum": 1_000},
}
"""The parameters that are no texts of any kind."""


def document(endpoints: Iterable[Endpoint], title: str) -> dict[str, Any]:
    """Return the document.

    Args:
        endpoints: The endpoints.
        title: What they belong to.
    """
    found = tuple(endpoints)
    bodies = [ProblemDocument, *(one.body for one in found), *(one.returns for one in found)]
    _, schemas = models_json_schema(
        [(one, "validation") for one in dict.fromkeys(bodies) if one], ref_template=f"{SCHEMAS}{{model}}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for one in found:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": ccq_tui.__version__},
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    media = {endpoint.media: {"schema": {"type": "string"}}}
    if endpoint.returns is not None:
        media = {"application/json": {"schema": _reference(endpoint.returns)}}
    problem = {MEDIA_TYPE: {"schema": _reference(ProblemDocument)}}
    responses = {
        "200": {"description": "Done", "content": media},
        "default": {"description": "Why the call is refused", "content": problem},
    }
    name = re.sub(r"\W+", "_", f"{endpoint.method.lower()}{endpoint.path}").strip("_")
    made: dict[str, Any] = {"operationId": name, "summary": endpoint.handle.__doc__, "responses": responses}
    places = [("path", one) for one in re.findall(r"{(\w+)}", endpoint.path)]
    made["parameters"] = [
        {
            "name": one,
            "in": where,
            "required": where == "path",
            "schema": PARAMETERS.get(one, {"type": "string"}),
        }
        for where, one in [*places, *(("query", one) for one in endpoint.query)]
    ]
    if endpoint.body:
        content = {"application/json": {"schema": _reference(endpoint.body)}}
        made["requestBody"] = {"required": True, "content": content}
    if endpoint.roles:
        made["security"] = [{"token": []}]
        made["description"] = f"For a {' or a '.join(endpoint.roles)}."
    return made


def _reference(shape: type[Body]) -> dict[str, str]:
    return {"$ref": f"{SCHEMAS}{shape.__name__}"}

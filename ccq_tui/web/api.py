"""An API on FastAPI: who calls is known before a body is read, and what is refused is a problem document."""

import logging
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from enum import Enum
from http import HTTPStatus
from typing import Annotated, Any, get_origin, get_type_hints

from fastapi import APIRouter, Body, Depends, FastAPI
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import Field, PlainValidator, TypeAdapter, ValidationError
from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, request_response

import ccq_tui
from ccq_tui.web.bodies import JsonBody, ProblemDocument, checked
from ccq_tui.web.guards import read_body
from ccq_tui.web.problems import MEDIA_TYPE, ProblemError, not_found, wrong

SEND_SECONDS = 20.0
"""Seconds after which a client that reads nothing is given up."""
_logger = logging.getLogger(__name__)
_BEARER = HTTPBearer(scheme_name="token", auto_error=False)
_REFUSED: Any = {
    "default": {
        "description": "Why the call is refused",
        "content": {MEDIA_TYPE: {"schema": ProblemDocument.model_json_schema()}},
    }
}

Count = Annotated[int | None, Field(ge=0, lt=10**15)]
"""A number of a query."""
Roles = list[str | Enum]
"""Who may make a call; in the document, its tags."""
Answer = Mapping[str, Any] | Response | None
"""What a call gives: JSON, a response, or that it is done."""
Sent = Annotated[dict[str, Any], Body()]
"""The content of a body as it was sent; `shaped` says what it must be."""


def shaped(shape: type[JsonBody], *, exact: bool = False) -> PlainValidator:
    """Return what checks a body and gives its content; raises `ProblemError`.

    Args:
        shape: What the body must be.
        exact: Whether numbers keep the digits that were sent.
    """
    return PlainValidator(lambda body: checked(shape, body, exact=exact), json_schema_input_type=shape)


async def entered(request: Request) -> Any:
    """Mark the parameter of an endpoint that is the call as `enter` made it."""


class ApiRoute(APIRoute):
    """A route that checks who calls, by its tags, and the names of parameters, before it reads a body.

    FastAPI makes the document of it. What FastAPI does with each call takes half a millisecond, so a call
    is read here: ``given`` is its body, other parameters are those of its query.
    """

    def __init__(self, path: str, endpoint: Callable[..., Awaitable[Answer]], **options: Any) -> None:
        places = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in re.findall(r"{(\w+)}", path)
        ]
        options["openapi_extra"] = {"parameters": places}
        options["dependencies"] = [Depends(_BEARER)] if options["tags"] else []
        super().__init__(path, endpoint, **options)
        self.app = request_response(self._answered)
        hints = get_type_hints(endpoint, include_extras=True)
        marks = getattr(hints.get("given"), "__metadata__", ())
        self._shape: Any = next((one.func for one in marks if isinstance(one, PlainValidator)), None)
        self._query = {one.alias: TypeAdapter[Any](hints[one.name]) for one in self.dependant.query_params}
        kinds = get_type_hints(endpoint)
        self._repeated = {one for one in self._query if get_origin(kinds[one]) is tuple}

    async def _answered(self, request: Request) -> Response:
        state = request.app.state
        given = {"call": await state.enter(request, self.tags)}
        for name in request.query_params:
            if name not in self._query:
                raise wrong(name, "the call takes no such parameter")
        if self._shape is not None:
            given["given"] = self._shape(await read_body(request, state.body))
        for name in request.query_params:
            texts = request.query_params.getlist(name)
            try:
                wanted = texts if name in self._repeated else texts[-1]
                given[name] = self._query[name].validate_python(wanted)
            except ValidationError as error:
                raise wrong(name, error.errors()[0]["msg"]) from error
        result = await self.endpoint(**given)
        return result if isinstance(result, Response) else JSONResponse(result or {"success": True})


def api_app(
    router: APIRouter,
    title: str,
    enter: Callable[[Request, list[Any]], Awaitable[Any]],
    most: int,
    more: Collection[BaseRoute] = (),
    refusals: Mapping[Any, Any] = {},
) -> FastAPI:
    """Return an application.

    Args:
        router: The routes of its API.
        title: What it is.
        enter: Returns the call that an endpoint gets, of a request and the roles that may make it.
        most: Most bytes of a body.
        more: Its other routes.
        refusals: What answers errors of its own.
    """
    failures = (ProblemError, HTTPException, Exception)
    app = FastAPI(
        title=title,
        version=ccq_tui.__version__,
        routes=router.routes,
        docs_url=None,
        redoc_url=None,
        separate_input_output_schemas=False,
        exception_handlers={**dict.fromkeys(failures, _failed), **refusals},
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.router.routes.extend(more)
    app.state.enter, app.state.body = enter, most
    return app


class EventStream(EventSourceResponse):
    """Server-sent events, for the document too."""

    media_type = "text/event-stream"


def last_event(request: Request, after: int | None) -> int | None:
    """Return the number after which a call wants events, as a browser or its query gives it."""
    last = request.headers.get("last-event-id", "")
    return int(last) if last.isascii() and last.isdigit() and len(last) < 16 else after


def new_router() -> APIRouter:
    """Return a router for the calls of an API."""
    return APIRouter(route_class=ApiRoute, responses=_REFUSED)


async def _failed(request: Request, error: Exception) -> Response:
    """Say why a call failed."""
    match error:
        case ProblemError():
            problem = error
        case HTTPException(status_code=HTTPStatus.NOT_FOUND):
            problem = not_found()
        case HTTPException(status_code=status, detail=detail, headers=headers):
            if status == HTTPStatus.METHOD_NOT_ALLOWED and (methods := _methods(request)):
                headers = {"Allow": ", ".join(sorted(methods))}
            problem = ProblemError(status, f"{detail}: see /openapi.json.", headers=headers)
        case _:
            _logger.error("a call crashed", exc_info=error)
            problem = ProblemError(500, "The server made a mistake; its log says which.")
    return problem.response()


def _methods(request: Request) -> set[str]:
    """Return the methods of an API that a call's path has, of whichever route."""
    found = [one for one in request.app.routes if isinstance(one, ApiRoute)]
    ways = {way for one in found if one.path_regex.match(request.url.path) for way in one.methods or ()}
    return ways | {"HEAD"} if "GET" in ways else ways

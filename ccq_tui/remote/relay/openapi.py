"""An OpenAPI document, made of endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic.json_schema import models_json_schema

import ccq_tui
from ccq_tui.remote.relay.endpoints import LONGEST_WAIT, Endpoint
from ccq_tui.remote.relay.problems import MEDIA_TYPE
from ccq_tui.remote.relay.shapes import UUID, Body, ProblemDocument

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

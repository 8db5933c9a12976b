"""Bodies in JSON, checked strictly; the OpenAPI document is made of them."""

import json
from decimal import Decimal
from typing import Any, Literal

import pydantic_core
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ccq_tui.web.problems import ProblemError, wrong


class JsonBody(BaseModel):
    """An object in JSON: no unknown fields, no other types."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


def shape(name: str, base: type[JsonBody] = JsonBody, /, **fields: Any) -> type[JsonBody]:
    """Make a shape of more fields by their types, or by pairs of a type and a default."""
    given: Any = {one: kind if isinstance(kind, tuple) else (kind, ...) for one, kind in fields.items()}
    return create_model(name, __base__=base, **given)


_PROBLEM: Any = {"type": str, "title": str, "status": int, "detail": str, "field": (str, "")}
ProblemDocument: Any = shape("ProblemDocument", **_PROBLEM, winner=(dict[str, Any] | None, None))
Done = shape("Done", success=Literal[True])


def checked(shape: type[JsonBody], body: bytes, *, exact: bool = False) -> dict[str, Any]:
    """Return the content of a body as it was sent; raises `ProblemError`, which names the field.

    Args:
        shape: What it should be.
        body: JSON.
        exact: Whether numbers keep the digits that were sent.
    """
    try:
        content: dict[str, Any] = pydantic_core.from_json(body)
        json.dumps(content, allow_nan=False)  # NaN and 1e999 could be kept, but never be sent again
    except ValueError as error:
        raise ProblemError(400, f"The body is not JSON: {error}.") from error
    try:
        shape.model_validate_json(body, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise wrong(
            _field(first["loc"], content, missing=first["type"] == "missing"), first["msg"]
        ) from error
    return json.loads(body, parse_float=Decimal) if exact else content


def _field(place: tuple[int | str, ...], content: Any, *, missing: bool) -> str:
    """Write a place; names of alternatives, which pydantic puts between, are in no content."""
    text = ""
    for number, part in enumerate(place):
        if isinstance(part, int):
            text += f"[{part}]"
            content = content[part] if isinstance(content, list) and part < len(content) else None
        elif isinstance(content, dict) and part in content:
            text += f".{part}" if text else part
            content = content[part]
        elif missing and number == len(place) - 1:
            text += f".{part}" if text else part
    return text

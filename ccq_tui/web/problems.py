"""What is refused, as problem documents of RFC 9457."""

import dataclasses
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


@dataclasses.dataclass(eq=False)
class ProblemError(Exception):
    """A call is refused.

    Attributes:
        status: The HTTP status.
        detail: Why, for a person.
        field: The field that is wrong, or "".
        more: Other members of the document.
        headers: Headers of the response.
    """

    status: int
    detail: str
    field: str = ""
    more: dict[str, Any] = dataclasses.field(default_factory=dict)
    headers: Mapping[str, str] | None = None

    def response(self) -> Response:
        """Return it as the response to the call."""
        document = {"type": "about:blank", "title": HTTPStatus(self.status).phrase, "status": self.status}
        document |= {"detail": self.detail} | ({"field": self.field} if self.field else {}) | self.more
        return Response(json.dumps(document), self.status, self.headers, MEDIA_TYPE)


def not_found() -> ProblemError:
    """Return the problem of whatever is not there, has expired, or belongs to another pairing."""
    return ProblemError(404, "Nothing is here: it was removed, has expired, or belongs to another pairing.")


def too_many(detail: str, seconds: float) -> ProblemError:
    """Return the problem of too many calls.

    Args:
        detail: Of what there were too many.
        seconds: When to try again.
    """
    return ProblemError(429, detail, headers={"Retry-After": str(max(1, round(seconds + 0.5)))})


def wrong(field: str, why: str) -> ProblemError:
    """Return the problem of a field.

    Args:
        field: Its place, such as ``answer.selectedIndices[1]``, or "" for the whole body.
        why: What is wrong.
    """
    return ProblemError(400, f"{field or 'The body'} is wrong: {why}.", field=field)

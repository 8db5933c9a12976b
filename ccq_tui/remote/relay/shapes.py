"""The bodies of the protocol, checked strictly; the OpenAPI document is made of them."""

from typing import Annotated, Any, Literal, Union

from pydantic import ConfigDict, Discriminator, Field, Tag

from ccq_tui.inbox.schema import GIVEN, RequestRecord
from ccq_tui.web.bodies import JsonBody, shape

UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_SECOND = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"


Id = Annotated[str, Field(pattern=f"^{UUID}$", description="A UUID")]
_ZONE = r"(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
Time = Annotated[str, Field(pattern=f"^{_SECOND}{_ZONE}$", description="As in RFC 3339")]
Envelope = Annotated[str, Field(pattern="^[A-Za-z0-9_-]+$", description="Sealed text")]
Name = Annotated[str, Field(max_length=500, description="Sealed in a sealed pairing")]
InvitationId = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{4,64}$")]
Secret = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{8,100}$")]
Mode = Literal["plain", "sealed"]
Role = Literal["terminal", "device"]
Status = Literal["pending", "answered", "ended"]


_OPTION: Any = shape("PlainOption", label=Annotated[str, Field(min_length=1)], description=(str, ""))


class PlainQuestion(JsonBody):
    """A question, as any device can show it."""

    id: Id
    prompt: Annotated[str, Field(min_length=1)]
    header: str
    options: Annotated[list[_OPTION], Field(max_length=100)]
    multi_select: bool = Field(alias="multiSelect")
    timestamp: Time


class QuestionAnswer(JsonBody):
    """An answer to a question; the indices count from 0."""

    selected_indices: list[Annotated[int, Field(ge=0)]] = Field([], alias="selectedIndices", max_length=100)
    skipped: Annotated[bool, Field(description="I answer at the terminal")] = False
    other: str = ""
    note: str = ""
    pairing_id: Id = Field("", alias="pairingId")
    question_id: Annotated[str, Field(alias="questionId", description="As in the address")] = ""
    header: str = ""
    timestamp: str = ""


_SESSION: Any = shape("SessionOfRequest", id=str, name=str, directory=str, parked=bool)


class RequestBody(JsonBody):
    """What a person sees of a request."""

    version: Literal[1]
    machine: str
    session: _SESSION
    context: Annotated[str, Field(description="The text before the request")]
    cut: Annotated[bool, Field(description="Long texts were shortened")]
    request: RequestRecord


def _one_of(*names: str) -> Any:
    return {"oneOf": [{"required": [name]} for name in names]}


class PostedRequest(JsonBody):
    """A request: with a body in a plain pairing, with an envelope of it in a sealed one."""

    model_config = ConfigDict(json_schema_extra=_one_of("body", "sealed"))

    id: Id
    expires: Annotated[str, Field(pattern=f"^{_SECOND}Z$", description="At most 7 days ahead")]
    body: RequestBody = None  # type: ignore[assignment]
    sealed: Envelope = ""


def _answer_by(given: Any) -> str:
    """Name the shape of an answer, with a sign that is in no field."""
    return "=" + next((name for name in GIVEN if isinstance(given, dict) and name in given), "answers")


_RequestAnswer: Any = Annotated[
    Union[tuple(Annotated[kind, Tag(f"={name}")] for name, kind in GIVEN.items())],  # noqa: UP007
    Discriminator(_answer_by),
]


class AnswerPost(JsonBody):
    """An answer to a request: plain, sealed, or that it is answered at the terminal."""

    model_config = ConfigDict(json_schema_extra=_one_of("answer", "sealed", "skipped"))

    answer: _RequestAnswer = None
    sealed: Envelope = ""
    skipped: Literal[True] = True


class Statement(JsonBody):
    """What the terminal says of a request."""

    end: Literal["", "answered", "declined", "parked", "withdrawn", "expired"] = ""
    by: Annotated[str, Field(description="As in “on Anna's phone”")] = ""
    device: Annotated[str, Field(description="The id of the device whose answer it is, or empty")] = ""
    taken: Annotated[bool, Field(description="The session was seen to have the outcome")] = False
    refused: Annotated[str, Field(description="Why the inbox did not take the answer")] = ""
    text: str = ""
    at: Time


class StatusPut(JsonBody):
    """A request's new status."""

    model_config = ConfigDict(json_schema_extra=_one_of("statement", "sealed"))

    status: Status
    statement: Statement = None  # type: ignore[assignment]
    sealed: Envelope = ""
    unanswered: Annotated[bool, Field(description="Only while it has no answer")] = False


class PushSubscription(JsonBody):
    """What ``PushSubscription.toJSON()`` gives."""

    endpoint: Annotated[str, Field(pattern=r"^https?://[\w.-]+(:[0-9]{1,5})?/[!-~]*$", max_length=2000)]
    expiration_time: float | None = Field(None, alias="expirationTime")
    keys: Annotated[dict[str, Annotated[str, Field(max_length=200)]], Field(max_length=5)]


_FAILURE: Any = shape("PushFailure", device=str, reason=str)


class PushResult(JsonBody):
    """How many devices were notified, and which were not."""

    sent: int
    failed: list[_FAILURE]


_PROOF: Any = {"invitation": InvitationId, "proof": Secret, "name": Name}
RequestPost = shape("RequestPost", pairingId=Id, request=PostedRequest)
PairingPost = shape("PairingPost", mode=Mode, **_PROOF)
PairPost = shape("PairPost", **_PROOF)
DevicePut = shape("DevicePut", name=Name)
PushPost = shape("PushPost", subscription=PushSubscription)
_DIGEST = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_WRAPPED = Annotated[str, Field(pattern="^[A-Za-z0-9_-]*$", max_length=1000)]
InvitationPost = shape(
    "InvitationPost", pairingId=Id, invitation=InvitationId, proofHash=_DIGEST, wrapped=(_WRAPPED, "")
)

_GIVEN: Any = {"device": shape("Giver", id=str, name=Name), "at": Time}
_OF_REQUEST: Any = shape("GivenRequestAnswer", AnswerPost, **_GIVEN)
_SEALED: Any = shape("SealedStatement", sealed=Envelope)
_HEAD: Any = {"id": Id, "timestamp": Time, "expires": Time, "status": Status, "seq": int}
_CONTENT: Any = {"body": (RequestBody, None), "sealed": (Envelope, None)}
_OUTCOME: Any = {"answer": _OF_REQUEST | None, "statement": Statement | _SEALED | None}
RequestEntry: Any = shape("RequestEntry", **_HEAD, **_CONTENT, **_OUTCOME)
_DEVICE: Any = shape("DeviceEntry", id=Id, name=Name, role=Role, invitation=str, pairedAt=Time, seenAt=Time)
Health = shape("Health", status=Literal["ok"], time=Time, version=str)
PlainQuestions = shape("PlainQuestions", questions=list[PlainQuestion])
RequestEntries = shape("RequestEntries", requests=list[RequestEntry], seq=int)
NewPairing = shape("NewPairing", pairingId=Id, token=str)
Invited = shape("Invited", expires=Time)
Paired = shape("Paired", pairingId=Id, deviceId=Id, token=str, mode=Mode, wrapped=str)
DeviceEntries = shape("DeviceEntries", devices=list[_DEVICE])
PushKey = shape("PushKey", key=str, named=bool)

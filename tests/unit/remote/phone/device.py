"""Devices of tests, in Python: they do what the page does in a browser."""

import hashlib
import re
import ssl
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.seal import NONCE_BYTES, About, Code, Sealed, Sealer, from_base64, to_base64


def link_in(text: str) -> str:
    """The newest link in what was printed."""
    return re.findall(r"https?://\S+/#\S+", text)[-1]


def code_in(text: str) -> str:
    """The newest code in what was printed, or nothing."""
    return (re.findall(r"\b(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}\b", text) or [""])[-1]


def fingerprint_in(text: str) -> str:
    return " ".join(re.findall(r"(?:[0-9A-F]{2} ){7}[0-9A-F]{2}", text)[-4:])


class Reader:
    """Who reads records as the page does, and says answers: sealed, or as they are."""

    pairing: Pairing
    name = "Anna's phone"

    @property
    def sealer(self) -> Sealer | None:
        return Sealer(from_base64(self.pairing.key), self.pairing.id) if self.pairing.is_sealed else None

    def body(self, record: dict[str, Any]) -> dict[str, Any]:
        if self.sealer is None:
            return dict(record["body"])
        return self.sealer.open(record["sealed"], About(Sealed.REQUEST, record["id"], record["expires"]))

    def statement(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return what the terminal said last about a request, or nothing."""
        body = dict(record["statement"] or {})
        if self.sealer is None or not body:
            return body
        about = About(Sealed.STATEMENT, record["id"], record["expires"], record["sealed"])
        return self.sealer.open(body["sealed"], about)

    def answer_body(self, record: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        """Return the body of a call that answers."""
        if self.sealer is None:
            return {"answer": answer}
        about = About(Sealed.ANSWER, record["id"], record["expires"], record["sealed"])
        body = {"answer": answer, "name": self.name, "at": "2026-11-27T12:00:00Z"}
        return {"sealed": self.sealer.seal(body, about)}


class Device(Reader, AbstractContextManager["Device"]):
    """A phone that has opened a relay's page.

    Args:
        page: The URL of the page, or a link to it.
        fingerprint: The fingerprint of the one certificate that it trusts, or "" for those it knows.
    """

    def __init__(self, page: str, fingerprint: str = "") -> None:
        trust: ssl.SSLContext | bool = True
        if fingerprint:
            parts = urlsplit(page)
            served = ssl.get_server_certificate((str(parts.hostname), parts.port or 443), timeout=10)
            digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(served)).hexdigest()
            assert digest == fingerprint.replace(" ", "").lower()
            trust = ssl.create_default_context(cadata=served)
        self._http = httpx2.Client(base_url=page.partition("#")[0], verify=trust, timeout=10, trust_env=False)
        self._page = page
        self.id = ""

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def open_link(self, link: str, name: str) -> None:
        """Pair by a link."""
        body = dict(parse_qsl(urlsplit(link).fragment, strict_parsing=True))
        self._pair(body["i"], body["s"], name, body.get("k", ""))

    def type_code(self, typed: str, name: str) -> None:
        """Pair by a code."""
        code = Code.read(typed)
        proof, wrapping = code.stretched()
        self._pair(code.invitation, proof, name, wrapping=wrapping)

    def _pair(self, invitation: str, proof: str, name: str, key: str = "", wrapping: bytes = b"") -> None:
        given = self.call("POST", "/pair", {"invitation": invitation, "proof": proof, "name": ""})
        self._http.headers["Authorization"] = f"Bearer {given['token']}"
        if given["mode"] == "sealed" and not key:
            data = from_base64(given["wrapped"])
            nonce, wrapped = data[1 : 1 + NONCE_BYTES], data[1 + NONCE_BYTES :]
            about = f"ccq-tui wrapped {invitation}".encode()
            key = to_base64(AESGCM(wrapping).decrypt(nonce, wrapped, about))
        self.id, self.name = given["deviceId"], name
        self.pairing = Pairing(given["pairingId"], self._page, self._page, given["token"], key)
        shown = self.sealer.seal({"name": name}, About(Sealed.NAME, invitation)) if self.sealer else name
        self.call("PUT", f"/devices/{self.pairing.id}/{self.id}", {"name": shown})

    def requests(self) -> list[dict[str, Any]]:
        """Return the records of all requests, their bodies opened."""
        records = self.call("GET", f"/requests/{self.pairing.id}")["requests"]
        return [one | {"body": self.body(one)} for one in records]

    def answer(self, record: dict[str, Any], answer: dict[str, Any]) -> None:
        """Answer a request."""
        path = f"/request/{self.pairing.id}/{record['id']}"
        self.call("POST", path + "/answer", self.answer_body(record, answer))

    def statement_now(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return what the terminal has said by now about a request, or nothing."""
        return self.statement(self.call("GET", f"/request/{self.pairing.id}/{record['id']}"))

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Make a call, which succeeds."""
        response = self._http.request(method, path, json=body)
        assert response.is_success, response.text
        return dict(response.json())

    def status(self, method: str, path: str) -> int:
        """Make a call, and return its status."""
        return self._http.request(method, path).status_code

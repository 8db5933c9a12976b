"""The certificate that this machine makes: kept while it is good, and taken by a strict client."""

from __future__ import annotations

import hashlib
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from ccq_tui.remote.phone import certificate
from ccq_tui.remote.phone.certificate import fingerprint_of, keep_certificate
from tests.unit.remote.phone.threads import home_relay_running


def test_a_strict_client_takes_it_for_its_address_alone() -> None:
    with home_relay_running() as pairing:
        host, port = "127.0.0.1", int(pairing.relay.rpartition(":")[2])
        strict = ssl.create_default_context(cafile=pairing.certificate)
        strict.verify_flags |= ssl.VERIFY_X509_STRICT
        with socket.create_connection((host, port), 10) as one:
            seen = strict.wrap_socket(one, server_hostname=host).getpeercert(binary_form=True) or b""
        with socket.create_connection((host, port), 10) as one, pytest.raises(ssl.SSLCertVerificationError):
            strict.wrap_socket(one, server_hostname="localhost")
    shown = fingerprint_of(Path(pairing.certificate))
    assert shown.replace(" ", "").lower() == hashlib.sha256(seen).hexdigest()
    assert len(shown.split()) == 32


def test_it_is_kept_while_it_is_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.pem"
    keep_certificate(file, "127.0.0.1")
    seen = [fingerprint_of(file)]
    keep_certificate(file, "127.0.0.1")
    assert fingerprint_of(file) == seen[0]
    left = x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc - datetime.now(UTC)
    assert timedelta(days=396) < left < timedelta(days=397)
    assert file.stat().st_mode & 0o777 == 0o600
    keep_certificate(file, "::1")
    seen.append(fingerprint_of(file))
    file.write_bytes(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    keep_certificate(file, "::1")
    seen.append(fingerprint_of(file))
    monkeypatch.setattr(certificate, "RENEWAL", timedelta(days=397))
    keep_certificate(file, "::1")
    assert len({*seen, fingerprint_of(file)}) == 4

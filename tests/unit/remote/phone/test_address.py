"""The address that devices reach this machine by, and the certificate that it makes for it."""

from __future__ import annotations

import hashlib
import json
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from ccq_tui.remote.phone import address
from ccq_tui.remote.phone.address import AddressError, find_address, fingerprint_of, keep_certificate
from tests.unit.remote.phone.threads import home_relay_running

STATE = {"BackendState": "Running", "CertDomains": ["localhost"]}
PORT = 8765
LAN = "192.168.1.23"


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that alone is on PATH, beside what a script needs; and a local network."""
    monkeypatch.setattr(address, "lan_address", lambda: LAN)
    directory = tmp_path / "bin"
    directory.mkdir()
    monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
    return directory


def tailscale(programs: Path, state: object, cert: str = 'echo "$@"') -> None:
    """Put a program in place that reports a state, and prints a certificate."""
    said, program = programs / "state.json", programs / "tailscale"
    said.write_text(state if isinstance(state, str) else json.dumps(state), encoding="utf-8")
    script = f'#!/bin/sh\nif [ "$1" = status ]; then cat "{said}"; exit; fi\n{cert}\n'
    program.write_text(script, encoding="utf-8")
    program.chmod(0o755)


def test_the_name_in_a_tailnet_comes_first(programs: Path, tmp_path: Path) -> None:
    tailscale(programs, STATE)
    lines: list[str] = []
    found = find_address(PORT, tmp_path / "relay", lines.append)
    assert (found.host, found.public) == ("127.0.0.1", "https://localhost:8765")
    assert (found.relay, found.is_self_signed) == (found.public, False)
    assert found.certificate is not None
    assert found.certificate.read_text() == "cert --cert-file - --key-file - localhost\n"
    assert found.certificate.stat().st_mode & 0o777 == 0o600
    assert lines == ["Tailscale gets a certificate; the first one can take a minute."]


FAILURES = [
    ({"BackendState": "NeedsLogin"}, "", "it is not connected; run: tailscale up"),
    ({"BackendState": "Running", "CertDomains": None}, "", "HTTPS is off in this tailnet; turn on"),
    (STATE | {"CertDomains": ["laptop.invalid"]}, "", "laptop.invalid is not found from this machine;"),
    (STATE, "echo 'Access denied' >&2; exit 1", "tailscale cert failed: Access denied"),
    (STATE, "exec sleep 60", "no answer within 0.2 s; run: tailscale cert"),
    ("no JSON", "", "its state cannot be read; run: tailscale status"),
]


@pytest.mark.parametrize(("state", "cert", "why"), FAILURES)
def test_without_it_a_line_says_why_and_the_local_network_serves(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: object, cert: str, why: str
) -> None:
    tailscale(programs, state, cert)
    monkeypatch.setattr(address, "CERTIFICATE_SECONDS", 0.2)
    lines: list[str] = []
    found = find_address(PORT, tmp_path / "relay", lines.append)
    assert lines[-1].startswith(f"Not by Tailscale: {why}")
    assert found.is_self_signed
    assert found.public == f"https://{LAN}:8765"
    (programs / "tailscale").write_text("#!/missing/interpreter\n", encoding="utf-8")
    find_address(PORT, tmp_path / "relay", lines.append)
    assert lines[-1] == "Not by Tailscale: it does not start: No such file or directory"


def test_a_given_address_asks_no_tailscale(programs: Path, tmp_path: Path) -> None:
    tailscale(programs, STATE)
    found = find_address(PORT, tmp_path, print, host="127.0.0.1")
    assert (found.host, found.public, found.is_self_signed) == ("127.0.0.1", "https://127.0.0.1:8765", True)
    plain = find_address(PORT, tmp_path, print, host="::1", plain=True)
    assert (plain.public, plain.relay, plain.certificate) == ("http://[::1]:8765", "http://[::1]:8765", None)
    everywhere = find_address(PORT, tmp_path, print, host="::", plain=True)
    assert (everywhere.host, everywhere.public) == ("::", f"http://{LAN}:8765")
    behind = find_address(PORT, tmp_path, print, public="https://relay.example.org/")
    assert (behind.host, behind.relay) == ("127.0.0.1", "http://127.0.0.1:8765")
    assert (behind.public, behind.certificate) == ("https://relay.example.org", None)


ORIGINS = ("relay.example.org", "ftp://a", "https://a/b", "https://u@a", "https://a:65536", "https://[a")


WRONG = [
    ("", "http://relay.example.org", "browsers encrypt only over https"),
    *((host, "", "takes an IP address") for host in ("laptop", "192.168.1.256")),
    *(("", url, "takes an origin") for url in ORIGINS),
]


@pytest.mark.parametrize(("host", "public", "why"), WRONG)
def test_what_is_no_address_is_refused(tmp_path: Path, host: str, public: str, why: str) -> None:
    with pytest.raises(AddressError, match=why):
        find_address(PORT, tmp_path, print, host=host, public=public)


def test_where_no_certificate_can_be_kept_it_says_so(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.touch()
    with pytest.raises(AddressError, match=r"no certificate can be kept in .*file"):
        find_address(PORT, taken, print, host="127.0.0.1")


# -- a certificate of its own --------------------------------------------------------------------------------


def test_a_strict_client_takes_the_certificate_for_its_address_alone() -> None:
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


def test_the_certificate_is_kept_while_it_is_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setattr(address, "RENEWAL", timedelta(days=397))
    keep_certificate(file, "::1")
    assert len({*seen, fingerprint_of(file)}) == 4

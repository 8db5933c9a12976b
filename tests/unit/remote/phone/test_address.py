"""The address that devices reach this machine by, and the certificate that it makes for it."""

import hashlib
import json
import re
import socket
import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import segno
from cryptography import x509

from ccq_tui.output import Styled
from ccq_tui.remote.phone import address
from ccq_tui.remote.phone.address import AddressError, find_address, fingerprint_of, keep_certificate
from ccq_tui.remote.phone.card import HALVES, InvitationCard, qr_lines
from tests.tables import each_row
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
    kept, program = programs / "state.json", programs / "tailscale"
    kept.write_text(state if isinstance(state, str) else json.dumps(state), encoding="utf-8")
    script = f'#!/bin/sh\nif [ "$1" = status ]; then cat "{kept}"; exit; fi\n{cert}\n'
    program.write_text(script, encoding="utf-8")
    program.chmod(0o755)


def test_the_name_in_a_tailnet_comes_first(programs: Path, tmp_path: Path) -> None:
    tailscale(programs, STATE)
    lines: list[str] = []
    found = find_address(PORT, tmp_path / "relay", lines.append)
    assert (found.host, found.public) == ("127.0.0.1", "https://localhost:8765")
    assert (found.relay, found.is_self_signed) == (found.public, False)
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


@each_row(*WRONG)
def test_what_is_no_address_is_refused(host: str, public: str, why: str, *, tmp_path: Path) -> None:
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


# -- what the terminal shows of an invitation, in windows of every size --------------------------------------


KEYS = ("Enter   a new code", "Ctrl+C  end")
PUBLIC = "https://192.168.178.23:8765"
FRAGMENT = f"v=1&i=7K2M&s={'x' * 22}&k={'y' * 43}"
LINK = f"{PUBLIC}/#{FRAGMENT}"
SELF_SIGNED = InvitationCard(PUBLIC, True, LINK, "7K2M-9QXD-4TBV-H8RW", "14:35", " ".join(["A0"] * 32), KEYS)
TAILSCALE = replace(SELF_SIGNED, public="https://a-rather-long-name.tail12ab3.ts.net:8765", fingerprint="")
PLAIN = replace(SELF_SIGNED, is_sealed=False, fingerprint="")
DRAWN = [(80, 24), (160, 50), (60, 40)]
SIZES = [*DRAWN, (40, 12), (100, 20)]


def texts(card: InvitationCard, columns: int, rows: int, *, draws: bool = True) -> list[str]:
    """The lines below the link, which may scroll away."""
    shown = card.lines(columns, rows, draws=draws)
    first, *lines = ("".join(getattr(one, "text", one) for one in line) for line in shown)
    assert first == f"Link, for one device: {card.link}"
    return lines


@pytest.mark.parametrize("card", [SELF_SIGNED, TAILSCALE, PLAIN])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_all_of_it_is_in_sight(card: InvitationCard, columns: int, rows: int) -> None:
    lines = texts(card, columns, rows)
    assert max(map(len, lines)) <= columns
    if (columns, rows) != (40, 12):
        assert len(lines) < rows, "the cursor has a line, too"
    prose = " ".join(" ".join(lines).split())
    pieces = [piece for line in card.lines(columns, rows, draws=True) for piece in line]
    drawn = [piece for piece in pieces if isinstance(piece, Styled) and "█" in piece.text]
    assert [piece.text for piece in drawn] in [qr_lines(LINK, most) for most in (0, 23, rows)]
    assert all((piece.color, piece.background) == ("bright_white", "black") for piece in drawn)
    assert bool(drawn) is ((columns, rows) in DRAWN)
    once = "Both work once, until 14:35." if drawn else "It works once, until 14:35."
    for words in (card.code, once, *(" ".join(key.split()) for key in KEYS)):
        assert (words in prose) or (words in "".join(lines)), prose
    assert ("Not encrypted" in prose) is not card.is_sealed
    assert ("SHA-256:" in prose) is bool(card.fingerprint)


@each_row((60, 4), (23, 2), (22, 1))
def test_the_qr_code_is_that_of_the_link(rows: int, border: int) -> None:
    lines = qr_lines(LINK, rows)
    assert 0 < len(lines) <= rows
    code = segno.make(LINK, error="l", micro=False)
    expected = [[bool(one) for one in row] for row in code.matrix_iter(border=border)]
    halves = {sign: pair for pair, sign in HALVES.items()}
    pairs = [[halves[sign] for sign in line] for line in lines]
    found = [[pair[half] for pair in row] for row in pairs for half in (0, 1)]
    assert found[: len(expected)] == expected
    assert not any(any(row) for row in found[len(expected) :]), "what fills the last line is light"
    longest = f"https://a-rather-long-name.tail12ab3.ts.net:8765/#{FRAGMENT}"
    assert len(qr_lines(longest, 23)) == 23
    assert qr_lines(longest, 21) == []


@each_row((40, 12), (44, 24))
def test_in_a_small_window_words_do(columns: int, rows: int) -> None:
    lines = texts(SELF_SIGNED, columns, rows)
    prose = " ".join(" ".join(lines).split())
    assert "█" not in prose
    assert "No QR code: the window is too small. Make it larger, and press Enter." in prose
    assert f"On the phone, open this page and type the code: {PUBLIC} 7K2M-9QXD-4TBV-H8RW" in prose
    assert "7K2M-9QXD-4TBV-H8RW" in " ".join(lines[-9:]), "it is in sight even in twelve lines"


def test_a_page_that_no_phone_reaches_is_opened_here() -> None:
    local = replace(PLAIN, public="http://127.0.0.1:8765")
    for columns, rows in SIZES:
        prose = re.sub("[█▀▄ ]+", " ", " ".join(texts(local, columns, rows)))
        assert "Open this page on this machine and type the code: http://127.0.0.1:8765 " in prose
        assert "camera" not in prose


def test_where_no_blocks_can_be_drawn_words_do() -> None:
    prose = " ".join(texts(SELF_SIGNED, 160, 50, draws=False))
    assert prose.isascii()
    assert "too small" not in prose


def test_secrets_stay_out_of_logs() -> None:
    assert LINK not in repr(SELF_SIGNED)
    assert SELF_SIGNED.code not in repr(SELF_SIGNED)

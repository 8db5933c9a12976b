"""The address at which devices reach this machine, and the certificate with which browsers seal and open."""

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ccq_tui.stored import write_whole
from ccq_tui.text import one_line

STATUS_SECONDS, CERTIFICATE_SECONDS = 5.0, 60.0
"""Seconds for Tailscale to report its state, and to get a certificate, for which it asks an authority."""
LOOPBACK, MOST_PORT = "127.0.0.1", 65_535
ORIGIN = re.compile(r"(https?://(?:[\w.-]+|\[[\da-f:]+\])(?::(\d+))?)/?")


class AddressError(Exception):
    """An address cannot be used; the message says why and what to do, for a person."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a relay of this machine listens, and how devices reach it.

    Attributes:
        host: The address to listen on.
        port: The port to listen on.
        public: The URL for devices, without a slash at its end.
        certificate: The file of the certificate to serve with, and of its key, or None.
        is_self_signed: Whether the certificate is this machine's own, so that a device warns of it.
    """

    host: str
    port: int
    public: str
    certificate: Path | None = None
    is_self_signed: bool = False

    @property
    def relay(self) -> str:
        """The URL for this machine, without a slash at its end."""
        behind_proxy = self.public.startswith("https:") and self.certificate is None
        return f"http://{_in_url(self.host)}:{self.port}" if behind_proxy else self.public


def find_address(
    port: int,
    directory: Path,
    say: Callable[[str], None],
    *,
    host: str = "",
    public: str = "",
    plain: bool = False,
) -> Address:
    """Return the best address there is: Tailscale's name, else the one in the local network.

    Args:
        port: The port.
        directory: Where certificates are kept.
        say: Gets a line for the person, such as why there is no better address.
        host: The address to listen on, or "" for the best there is.
        public: The URL of a proxy that devices use, or "".
        plain: Whether to do without encryption.

    Raises:
        AddressError: There is none, or the one given cannot be used.
    """
    if host:
        try:
            ip_address(host)
        except ValueError as error:
            raise AddressError("--host takes an IP address of this machine, as in 192.168.1.23") from error
    if public:
        if public.startswith("http:") and not plain:
            raise AddressError("browsers encrypt only over https: give such a --public-url, or --plain")
        return Address(host or LOOPBACK, port, origin_of(public, "--public-url"))
    try:
        if not (host or plain) and shutil.which("tailscale"):
            try:
                return _tailscale_address(port, directory / "tailscale.pem", say)
            except AddressError as error:
                say(f"Not by Tailscale: {error}")
        host = host or lan_address()
        shown = lan_address() if host in ("0.0.0.0", "::") else host  # noqa: S104 (asked for)
        place = f"{_in_url(shown)}:{port}"
        if plain:
            return Address(host, port, f"http://{place}")
        file = directory / "own.pem"
        keep_certificate(file, shown)
    except OSError as error:
        raise AddressError(f"no certificate can be kept in {directory}: {error.strerror}") from error
    return Address(host, port, f"https://{place}", file, is_self_signed=True)


def lan_address() -> str:
    """Return this machine's address in its local network, found without sending; raises `AddressError`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of documentation, which nobody has
        except OSError as error:
            advice = "connect it, or give an address with --host"
            raise AddressError(f"this machine is in no network: {advice}") from error
        return str(probe.getsockname()[0])


def origin_of(url: str, name: str) -> str:
    """Return an origin without a slash at its end; raises `AddressError` for any other URL.

    Args:
        url: The URL.
        name: What the person gave it as.
    """
    found = ORIGIN.fullmatch(url.lower())
    if found is None or int(found[2] or 0) > MOST_PORT:
        raise AddressError(f"{name} takes an origin, as in https://relay.example.org")
    return found[1]


def _tailscale_address(port: int, file: Path, say: Callable[[str], None]) -> Address:
    try:
        state = json.loads(_tailscale("status", "--json", seconds=STATUS_SECONDS))
        is_running, names = state["BackendState"] == "Running", state.get("CertDomains") or [""]
        name = str(names[0])
    except (ValueError, LookupError, TypeError) as error:
        raise AddressError("its state cannot be read; run: tailscale status") from error
    if not is_running:
        raise AddressError("it is not connected; run: tailscale up")
    if not name:
        raise AddressError("HTTPS is off in this tailnet; turn on MagicDNS and HTTPS in its DNS settings")
    try:
        host = socket.gethostbyname(name)
    except OSError as error:
        advice = "run: tailscale set --accept-dns=true"
        raise AddressError(f"{name} is not found from this machine; {advice}") from error
    if not file.exists():
        say("Tailscale gets a certificate; the first one can take a minute.")
    # By its output: on macOS, Tailscale may write files in a directory of its own alone.
    words = ("cert", "--cert-file", "-", "--key-file", "-", name)
    write_whole(file, _tailscale(*words, seconds=CERTIFICATE_SECONDS))
    return Address(host, port, f"https://{name}:{port}", file)


def _tailscale(*words: str, seconds: float) -> str:
    try:
        done = subprocess.run(  # noqa: S603 (the person's own program)
            ["tailscale", *words],  # noqa: S607 (wherever it is installed)
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise AddressError(f"no answer within {seconds:g} s; run: tailscale {words[0]}") from error
    except OSError as error:
        raise AddressError(f"it does not start: {error.strerror}") from error
    if done.returncode:
        output = one_line(done.stderr or done.stdout, 200) or f"exit code {done.returncode}"
        raise AddressError(f"tailscale {words[0]} failed: {output}")
    return done.stdout


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


LASTS = timedelta(days=397)
"""How long a certificate lasts; Apple's systems take none that lasts longer."""
RENEWAL = timedelta(days=30)
"""How long before its end it is replaced."""


def keep_certificate(file: Path, address: str) -> None:
    """Make a certificate, with its key in the same file, unless the file has one that is good.

    Args:
        file: The file.
        address: The IP address that it is for.

    Raises:
        OSError: It cannot be written.
    """
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"ccq-tui {address}")])
    now = datetime.now(UTC)
    with suppress(OSError, ValueError):  # none yet, or a damaged one
        found = _read(file)
        if found.subject == name and found.not_valid_after_utc - now > RENEWAL:
            return
    key = ec.generate_private_key(ec.SECP256R1())
    begins = now - timedelta(hours=1)  # for a phone whose clock is behind
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + LASTS)
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_whole(file, made.public_bytes(Encoding.PEM) + private)


def fingerprint_of(file: Path) -> str:
    """Return the SHA-256 fingerprint of a file's certificate as browsers show it."""
    return _read(file).fingerprint(SHA256()).hex(" ").upper()


def _read(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())

"""The certificate that this machine makes for itself, where no authority gives it one."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ccq_tui.stored import write_whole

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

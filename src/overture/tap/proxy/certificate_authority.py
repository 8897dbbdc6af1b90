"""A certificate authority for one run. Its key is made in memory, is never written, and dies with the process."""

import os
import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from ...errors import ConfigError

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
except ImportError as missing:
    raise ConfigError(
        f"`overture tap --forward` makes a certificate, and that {missing.name}:",
        message=f"`overture tap --forward` needs a package that is not installed: {missing.name}",
        hint="pip install 'overture[tap]'",
    ) from None

VALIDITY = timedelta(days=7)
MAX_COMMON_NAME = 64
"""Characters of a common name, at the most."""


class Authority:
    """Signs for hosts, as long as this process lives."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"overture tap, one run, {os.getpid()}")])
        self._certificate = self._make_certificate()
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def pem(self) -> bytes:
        """The certificate that the program is to trust; there is no key in it."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def get_context(self, host: str) -> ssl.SSLContext:
        """TLS as this host, in HTTP/1.1."""
        if host not in self._contexts:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.set_alpn_protocols(["http/1.1"])
            _load_certificate(context, self._sign_certificate(host) + self.pem + self._export_leaf_key())
            self._contexts[host] = context
        return self._contexts[host]

    def _make_certificate(self) -> x509.Certificate:
        builder = _make_builder(self._name, self._name, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        builder = builder.add_extension(_make_usage(signs=True), critical=True)
        known = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        return builder.add_extension(known, critical=False).sign(self._key, hashes.SHA256())

    def _sign_certificate(self, host: str) -> bytes:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:MAX_COMMON_NAME])])
        builder = _make_builder(subject, self._name, self._leaf_key.public_key())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        for extension, critical in (
            (x509.SubjectAlternativeName([_make_general_name(host)]), False),
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (_make_usage(signs=False), True),
            (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
            (issuer, False),
        ):
            builder = builder.add_extension(extension, critical)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def _export_leaf_key(self) -> bytes:
        return self._leaf_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def _make_builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    builder = builder.serial_number(x509.random_serial_number())
    return builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + VALIDITY)


def _make_usage(signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=signs, crl_sign=signs, encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _make_general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _load_certificate(context: ssl.SSLContext, pem: bytes) -> None:
    """Load a certificate and its key, which Python takes from files alone: from memory where the system lets us."""
    if hasattr(os, "memfd_create"):
        number = os.memfd_create("overture-tap")
        try:
            os.write(number, pem)
            context.load_cert_chain(f"/proc/self/fd/{number}")
        finally:
            os.close(number)
        return
    number, name = tempfile.mkstemp(prefix="overture-tap-", suffix=".pem")  # 0600
    try:
        os.write(number, pem)
        context.load_cert_chain(name)
    finally:
        os.close(number)
        Path(name).unlink(missing_ok=True)

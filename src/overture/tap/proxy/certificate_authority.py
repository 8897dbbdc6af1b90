"""A certificate authority for one run, and the files by which one process trusts it. They are deleted at the end.

Its key is made in memory, is never written, and dies with the process. The files hold certificates and no key: what a
killed process leaves behind opens nothing.
"""

import os
import shutil
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from ...errors import ConfigError
from .connect_upstream import ADDING_VARIABLES, REPLACING_VARIABLES

VALIDITY = timedelta(days=7)
MAX_COMMON_NAME = 64
"""Characters of a common name, at the most."""
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem", "/usr/local/share/certs/ca-root-nss.crt", "/opt/homebrew/etc/ca-certificates/cert.pem",
)  # fmt: skip

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


class Authority:
    """Signs for hosts, as long as this process lives."""

    def __init__(self) -> None:
        """Make the keys and the certificate of an authority for this run."""
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
        """The authority's own certificate, which the program is to trust."""
        return self._sign(
            self._name, self._key.public_key(),
            (x509.BasicConstraints(ca=True, path_length=0), True),
            (_make_usage(signs=True), True),
            (x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), False),
        )  # fmt: skip

    def _sign_certificate(self, host: str) -> bytes:
        """A certificate for a host, signed by this authority."""
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:MAX_COMMON_NAME])])
        certificate = self._sign(
            subject, self._leaf_key.public_key(),
            (x509.SubjectAlternativeName([_make_general_name(host)]), False),
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (_make_usage(signs=False), True),
            (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), False),
        )  # fmt: skip
        return certificate.public_bytes(serialization.Encoding.PEM)

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, *extensions: tuple[x509.ExtensionType, bool]
    ) -> x509.Certificate:
        """A certificate of this authority, with the time that it is valid; each extension is critical or not."""
        now = datetime.now(UTC)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key)
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + VALIDITY)
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self._key, hashes.SHA256())

    def _export_leaf_key(self) -> bytes:
        """The private key of the hosts' certificates, as PEM."""
        return self._leaf_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def _make_usage(signs: bool) -> x509.KeyUsage:
    """What the key of a certificate may be used for."""
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=signs, crl_sign=signs, encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _make_general_name(host: str) -> x509.GeneralName:
    """A host in a certificate: an address or a name."""
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _load_certificate(context: ssl.SSLContext, pem: bytes) -> None:
    """Load a certificate and its key, which Python takes from files alone: from memory where the system lets us."""
    in_memory = hasattr(os, "memfd_create")
    if in_memory:
        number = os.memfd_create("overture-tap")
        name = f"/proc/self/fd/{number}"
    else:
        number, name = tempfile.mkstemp(prefix="overture-tap-", suffix=".pem")  # 0600
    try:
        os.write(number, pem)
        context.load_cert_chain(name)
    finally:
        os.close(number)
        if not in_memory:
            Path(name).unlink(missing_ok=True)


@contextmanager
def write_trust_files(authority: Authority, environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The variables for the program's environment, whose files are there as long as the block lasts."""
    folder = Path(tempfile.mkdtemp(prefix="overture-tap-"))  # 0700
    try:
        known = {name: _read_own(environ, name) for name in ADDING_VARIABLES}
        known |= {name: _read_bundle(environ, name) for name in REPLACING_VARIABLES}
        yield {name: _write(folder, name, trusted + authority.pem) for name, trusted in known.items()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(folder: Path, name: str, pem: bytes) -> str:
    """Write certificates to a file that only the user can read."""
    path = folder / f"{name.lower()}.pem"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
        file.write(pem)
    return str(path)


def _read_own(environ: Mapping[str, str], name: str) -> bytes:
    """What the user has set himself stays trusted."""
    with suppress(OSError, ValueError, KeyError):
        return _end_line(Path(environ[name]).read_bytes())
    return b""


def _read_bundle(environ: Mapping[str, str], name: str) -> bytes:
    """The certificates that a variable of the program names, or those of the system."""
    return _read_own(environ, name) or _read_own(environ, "SSL_CERT_FILE") or read_system_bundle()


def read_system_bundle() -> bytes:
    """The certificates that the system trusts."""
    for path in (ssl.get_default_verify_paths().cafile, *BUNDLES):
        with suppress(OSError):
            if path and (data := Path(path).read_bytes()):
                return _end_line(data)
    with suppress(ImportError, OSError):
        import certifi

        return _end_line(Path(certifi.where()).read_bytes())
    known = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, known)).encode("ascii")


def _end_line(pem: bytes) -> bytes:
    """Certificates with a line end, so that more can follow."""
    return pem if pem.endswith(b"\n") else pem + b"\n"

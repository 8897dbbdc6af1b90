"""The files by which one process trusts an authority, and the variables that name them. They are deleted at the end.

They hold certificates and no key: what a killed process leaves behind opens nothing, and the next run removes it.
"""

import os
import re
import shutil
import ssl
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ...discover.disk.file_lock import hold_lock, is_lock_held, is_process_alive
from .certificate_authority import Authority

ADDING_VARIABLES = ("NODE_EXTRA_CA_CERTS",)
"""Variables that name certificates beside the system's."""
REPLACING_VARIABLES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "CODEX_CA_CERTIFICATE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "DENO_CERT", "GIT_SSL_CAINFO", "PIP_CERT", "HTTPLIB2_CA_CERTS",
)  # fmt: skip
"""Variables that name all certificates that count."""
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem", "/usr/local/share/certs/ca-root-nss.crt", "/opt/homebrew/etc/ca-certificates/cert.pem",
)  # fmt: skip
STALE_NAME = re.compile(r"overture-tap-(\d+)-\w+")
LOCK = "lock"
FRESH_SECONDS = 60.0
"""Seconds."""


@contextmanager
def write_trust_files(authority: Authority, environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The variables for the program's environment, whose files are there as long as the block lasts."""
    remove_stale()
    folder = Path(tempfile.mkdtemp(prefix=f"overture-tap-{os.getpid()}-"))  # 0700
    try:
        with _hold_lock(folder):
            yield {
                **{name: _write(folder, name, _read_own(environ, name) + authority.pem) for name in ADDING_VARIABLES},
                **{
                    name: _write(folder, name, _read_bundle(environ, name) + authority.pem)
                    for name in REPLACING_VARIABLES
                },
            }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _hold_lock(folder: Path) -> Iterator[None]:
    """Held as long as the tap lives: in a container it may have a number by which nobody outside knows it."""
    with open(os.open(folder / LOCK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
        with suppress(OSError):
            hold_lock(file.fileno())
        yield


def _is_locked(folder: Path) -> bool:
    """Whether somebody holds the lock of a folder; in one that was made just now, it may not be there yet."""
    try:
        with (folder / LOCK).open("rb") as file:
            return is_lock_held(file.fileno())
    except OSError:
        return time.time() - folder.stat().st_mtime < FRESH_SECONDS


def remove_stale() -> None:
    """Remove what taps left behind that were killed."""
    if not hasattr(os, "getuid"):
        return  # there, asking whether a process lives may end it
    for path in Path(tempfile.gettempdir()).glob("overture-tap-*"):
        found = STALE_NAME.fullmatch(path.name)
        with suppress(OSError):
            mine = found and path.stat().st_uid == os.getuid() and not path.is_symlink()
            if found and mine and not is_process_alive(int(found[1])) and not _is_locked(path):
                shutil.rmtree(path, ignore_errors=True)


def _write(folder: Path, name: str, pem: bytes) -> str:
    path = folder / f"{name.lower()}.pem"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
        file.write(pem)
    return str(path)


def _read_own(environ: Mapping[str, str], name: str) -> bytes:
    """What the user has set himself stays trusted."""
    with suppress(OSError, ValueError):
        return _end_line(Path(environ[name]).read_bytes()) if environ.get(name) else b""
    return b""


def _read_bundle(environ: Mapping[str, str], name: str) -> bytes:
    return _read_own(environ, name) or _read_own(environ, "SSL_CERT_FILE") or read_system_bundle()


def read_system_bundle() -> bytes:
    """The certificates that the system trusts."""
    for path in (ssl.get_default_verify_paths().cafile, *BUNDLES):
        with suppress(OSError):
            if path and (found := Path(path).read_bytes()):
                return _end_line(found)
    with suppress(ImportError, OSError):
        import certifi

        return _end_line(Path(certifi.where()).read_bytes())
    known = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, known)).encode("ascii")


def _end_line(pem: bytes) -> bytes:
    return pem if pem.endswith(b"\n") else pem + b"\n"

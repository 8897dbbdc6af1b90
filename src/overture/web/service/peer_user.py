"""Finds which user of this machine a connection comes from: the recordings that the page shows are private files.

Linux lists the owner of each socket; where nothing is listed, nobody is refused.
"""

import os
from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address
from sys import byteorder

OTHER_USER = "other_user"
"""The key of a request's state: a function, whether its connection is another user's."""
ROOT, NOBODY = 0, -1
"""Root reads every file anyway. Nobody has a socket that its process has closed; it is listed as root's."""
SOCKETS = ("/proc/net/tcp", "/proc/net/tcp6")
LOCAL, REMOTE, OWNER, INODE = 1, 2, 7, 9
"""The columns of these files."""


def is_other_user(client: tuple[str, int], port: int) -> bool:
    """Whether another user of this machine has opened the connection from `client` to this port."""
    if not ip_address(client[0]).is_loopback:
        return False
    owner = find_socket_owner(client, port, _read_sockets())
    return owner not in (None, ROOT, os.geteuid(), _find_calling_user())


def find_socket_owner(client: tuple[str, int], port: int, rows: Iterator[str]) -> int | None:
    """The number of the user who has the client's end of a connection on loopback; None if it is not listed."""
    addresses, numbers = _write_addresses(client[0]), (f":{client[1]:04X}", f":{port:04X}")
    for row in rows:
        if numbers[0] not in row or numbers[1] not in row:
            continue
        fields = row.split()
        if len(fields) > INODE and fields[REMOTE].endswith(numbers[1]):
            address, _, local_port = fields[LOCAL].partition(":")
            if address in addresses and f":{local_port}" == numbers[0] and fields[OWNER].isdecimal():
                return NOBODY if fields[INODE] == "0" else int(fields[OWNER])
    return None


def _write_addresses(host: str) -> tuple[str, ...]:
    """An address as it is listed: a program may also reach 127.0.0.1 from a socket of IPv6."""
    address = ip_address(host)
    if isinstance(address, IPv6Address):
        return (_write_words(address.packed),)
    return _write_words(address.packed), _write_words(IPv6Address(f"::ffff:{host}").packed)


def _write_words(packed: bytes) -> str:
    """An address in words of four bytes, each as this machine holds numbers."""
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, byteorder):08X}" for word in words)


def _read_sockets() -> Iterator[str]:
    """The lines about this machine's sockets; none where the system has no such list."""
    for path in SOCKETS:
        try:
            with open(path, encoding="ascii") as file:  # noqa: PTH123
                yield from file
        except OSError:
            continue


def _find_calling_user() -> int | None:
    """Who called `sudo`, if anybody did."""
    user = os.environ.get("SUDO_UID", "")
    return int(user) if os.geteuid() == ROOT and user.isascii() and user.isdecimal() else None

"""What only the user may read is not served to other users of the same machine."""

import os
import shutil
import socket
import subprocess
import sys
from itertools import chain

import pytest

from overture.web.service.peer_user import NOBODY, find_socket_owner

from .running import running

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
LITTLE = sys.byteorder == "little"


def row(local: str, remote: str, user: int, inode: int = 34) -> str:
    """A line of /proc/net/tcp."""
    return f"   1: {local} {remote} 01 0:0 00:00000000 00000000 {user:5}        0 {inode} 1 0 20 4 30 10 -1\n"


LOOPBACK = "0100007F" if LITTLE else "7F000001"
MAPPED = f"0000000000000000{'FFFF0000' if LITTLE else '0000FFFF'}{LOOPBACK}"
SIX = f"000000000000000000000000{'01000000' if LITTLE else '00000001'}"


@pytest.mark.parametrize(("host", "listed"), [("127.0.0.1", LOOPBACK), ("127.0.0.1", MAPPED), ("::1", SIX)])
def test_the_owner_of_the_other_end_is_found(host: str, listed: str) -> None:
    """By address and both ports, in a list that also has the service's own end and other connections."""
    rows = [HEAD, row(f"{listed}:1E6C", f"{listed}:C350", 1), row(f"{listed}:C351", f"{listed}:1E6C", 2),
            row("0A000001:C350", "0A000002:1E6C", 3), row(f"{listed}:C350", f"{listed}:1E6C", 4)]  # fmt: skip
    assert find_socket_owner((host, 0xC350), 0x1E6C, chain(rows)) == 4
    assert find_socket_owner((host, 0xC350), 0x1E6D, chain(rows)) is None
    assert find_socket_owner((host, 0xC350), 0x1E6C, iter(["", "nonsense :C350 :1E6C"])) is None
    closed = row(f"{listed}:C350", f"{listed}:1E6C", 0, inode=0)
    assert find_socket_owner((host, 0xC350), 0x1E6C, iter([closed])) == NOBODY, "it is not root's"


ASK = """
import os, socket, sys
os.setuid(65534)
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as there:
    head = f"GET /health HTTP/1.1\\r\\nHost: 127.0.0.1:{sys.argv[1]}\\r\\nConnection: close"
    there.sendall(f"{head}\\r\\n\\r\\n".encode())
    print(b"".join(iter(lambda: there.recv(65536), b"")).decode())
"""


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can be another user")
@pytest.mark.parametrize(("token", "status"), [(None, "403"), ("correct-horse-battery-staple", "200")])
def test_another_user_is_refused(token: str | None, status: str) -> None:
    """Whoever has the token may ask; without one, only the user who started the service."""
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
    with running(token=token) as service:
        done = subprocess.run([python, "-c", ASK, str(service.door.port)], capture_output=True, text=True, check=False)
        assert done.stdout.startswith(f"HTTP/1.1 {status} "), done.stderr
        assert ("Another user of this machine" in done.stdout) is (token is None)
        with socket.create_connection(("127.0.0.1", service.door.port)):
            assert service.client.get("/health").status_code == 200

"""The head of a request, as it goes on: the same bytes, but for where it is asked and of whom."""

import re

HOST = re.compile(rb"(?im)^(host[ \t]*:[ \t]*)([^\r\n]*?)([ \t]*\r?)$")
LINE = re.compile(rb"^(\S+ )(\S+)( [^\r\n]*)")


def readdressed(head: bytes, target: bytes, host: bytes | None) -> bytes:
    """The head with another target in its first line, and another value of `Host`; everything else as it came."""
    line, newline, rest = head.partition(b"\n")
    line = LINE.sub(lambda m: m[1] + target + m[3], line, count=1)
    if host is not None:
        rest = HOST.sub(lambda m: m[1] + host + m[3], rest, count=1)
    return line + newline + rest

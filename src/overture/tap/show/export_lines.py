"""Lines of JSON to a file or down a pipe. A file is made for the user alone: it holds what was said to a model."""

import sys
from collections.abc import Iterable

from ...discover.disk.write_file import open_replacement
from ...errors import ConfigError


def export_lines(lines: Iterable[str], path: str | None) -> None:
    """Write them as they come."""
    if path is None:
        for line in lines:
            sys.stdout.buffer.write(line.encode())
        sys.stdout.buffer.flush()
        return
    try:
        with open_replacement(path, mode=0o600) as file:
            file.writelines(line.encode() for line in lines)
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(f"{path!r} can't be written: {said.lower()}.") from None

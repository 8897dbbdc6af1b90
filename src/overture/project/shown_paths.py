"""Paths as a person reads them: from where the project begins, or `~/…`, or in full."""

from collections.abc import Callable

from ..discover.disk.decode_text import readable
from ..discover.disk.walk import at_or_above, folders
from ..text.paths import shown_path
from .project import Settled
from .wanted import link_roots


def project_top(settled: Settled) -> str:
    """The topmost folder on the way to the working directory that is of the project, as it is called there."""
    real, project = settled.reader().real_or, link_roots(settled).project
    return next((each for each in folders(settled.cwd, None) if at_or_above(project, real(each))), settled.cwd)


def shown_in(settled: Settled | None) -> Callable[[str], str]:
    """How paths are written in a project; without one, in full."""
    ends = (project_top(settled), settled.home) if settled else ("", "")
    top, home = (readable(end.rstrip("/")) for end in ends)
    return lambda path: shown_path(readable(path), top, home)

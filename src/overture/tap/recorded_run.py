"""A run: one start of the tap, or one import, by which calls were seen."""

from typing import Annotated

from ..model.struct import Frozen, note


class Run(Frozen, frozen=True):
    """One start of the tap, or one import."""

    id: str
    started: Annotated[str, note("ISO 8601 with offset")]
    program: Annotated[str, note("what was run, e.g. claude; or the file that was imported")] = ""
    command: Annotated[tuple[str, ...], note("as it was started; what looks like a secret is not in it")] = ()
    cwd: str = ""
    upstreams: Annotated[tuple[str, ...], note("the providers, by address, to which calls may go")] = ()
    ended: Annotated[str, note("ISO 8601 with offset; empty: it runs, or it was killed")] = ""
    missing: Annotated[tuple[str, ...], note("what could not be recorded, and why")] = ()

"""The calls of a run as a page in one file, for the user alone: it holds what was said to a model."""

from collections.abc import Sequence

from ...discover.disk.write_file import write_file
from ...errors import ConfigError
from ...known_models.model_facts import TableForm
from ...terminal.output import print_hint
from ...terminal.progress import report_step
from ..store.kept_call import KeptCall


def write_page(path: str, place: str, table: TableForm, calls: Sequence[KeptCall]) -> int:
    """Write it; calls of several runs are more than one page tells."""
    from ..page.calls_file import calls_file

    runs = {call.head.run for call in calls}
    if len(runs) != 1:
        said = "No call is recorded in that time." if not runs else f"These are calls of {len(runs)} runs."
        raise ConfigError(f"{said} -o writes one run: leave out --since, or give the id of a run.")
    report_step("looking for the files behind the calls")
    page = calls_file(place, table, runs.pop()).encode()
    try:
        write_file(path, page, mode=0o600)
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(f"{path!r} can't be written: {said.lower()}.") from None
    print_hint(f"{path}: {len(page):,} bytes; open it in a browser")
    return 0

"""One prompt -> the page about it, with every answer that the page asks for inside."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...known_models.model_facts import TableForm
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Found
from ...project.project import Settled
from ..problems import RefusedError
from .draw_sheet import Drawn, draw, looks
from .draw_sheet import Place as Folders
from .reports.agents_grid import agents_here
from .reports.file_view import file_view
from .reports.findings import page_findings
from .reports.looked_at import files_to_show, looked_at
from .reports.place import Place, Roots, find_roots
from .single_file import single_page


class Reported(NamedTuple):
    """What is reported on."""

    prompt: Prompt
    found: Found
    settled: Settled | None
    """None: the prompt was made of a state alone."""
    models: TableForm
    with_files: bool = False


def report_page(told: Reported) -> str:
    """The page. It says of itself when it was made, as whoever reads it does so later."""
    folders = Folders(told.settled.cwd, told.settled.home) if told.settled else Folders("", "")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    sheet = draw(told.prompt, looks(told.found), folders, told.models, Drawn(1, now)).sheet
    place = Place(told.prompt, told.found, told.settled)
    roots = find_roots(place)
    answers: dict[str, Any] = {"/page/sheet": sheet, "/page/files": looked_at(place, roots)}
    answers["/page/check"] = page_findings(place, roots)
    if told.settled is not None:
        answers["/page/agents"] = agents_here(place, None, everyone=False)
    if told.with_files:
        answers |= _texts(place, roots)
    return single_page(answers, sheet.project or sheet.recipe)


def _texts(place: Place, roots: Roots) -> dict[str, Any]:
    """The files behind the prompt, by what the page asks; those that can't be shown are left out."""
    found: dict[str, Any] = {}
    for id, path in files_to_show(place, roots).items():
        try:
            found[f"/page/file/{id}"] = file_view(place, roots, id, path)
        except RefusedError:
            continue
    return found

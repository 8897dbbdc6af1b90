"""One prompt -> the page about it, with every answer that the page asks for inside."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...known_models.model_facts import TableForm
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Discovery
from ...project.resolve import ResolvedProject, make_project_path_printer
from ...session.publish.draw_sheet import SheetDetails, SheetPlace, draw_sheet
from ..reports.agents_grid import agents_here
from ..reports.behind import Behind, Roots, find_roots
from ..reports.file_view import file_view
from ..reports.findings import page_findings
from ..reports.looked_at import files_to_show, looked_at
from ..service.problems import RefusedError
from .single_file import single_page


class Reported(NamedTuple):
    """What is reported on."""

    prompt: Prompt
    found: Discovery
    settled: ResolvedProject | None
    """None: the prompt was made of a state alone."""
    models: TableForm
    with_files: bool = False


def report_page(told: Reported) -> str:
    """The page. It says of itself when it was made, as whoever reads it does so later."""
    place = SheetPlace(told.settled.cwd if told.settled else "", make_project_path_printer(told.settled))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    drawn = SheetDetails(1, now).looking(told.found.looked_at)
    sheet = draw_sheet(told.prompt, place, told.models, drawn).sheet
    behind = Behind(told.prompt, told.found, told.settled)
    roots = find_roots(behind)
    answers: dict[str, Any] = {"/page/sheet": sheet, "/page/files": looked_at(behind, roots)}
    answers["/page/check"] = page_findings(behind, roots)
    if told.settled is not None:
        answers["/page/agents"] = agents_here(behind, None, everyone=False)
    if told.with_files:
        answers |= _texts(behind, roots)
    return single_page(answers, sheet.project or sheet.recipe)


def _texts(behind: Behind, roots: Roots) -> dict[str, Any]:
    """The files behind the prompt, by what the page asks; those that can't be shown are left out."""
    found: dict[str, Any] = {}
    for id, path in files_to_show(behind, roots).items():
        try:
            found[f"/page/file/{id}"] = file_view(behind, roots, id, path)
        except RefusedError:
            continue
    return found

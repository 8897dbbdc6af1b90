"""`GET /page/files`: every path that was looked at, and what became of it."""

from ...agents.why_file import explain_looks
from ...report.sheet.make_sheet import file_id
from ...report.sheet.sheet_files import READ_OUTCOMES, SheetFiles, list_sheet_files
from ...report.why import list_fates
from .behind import Behind, Roots


def looked_at(behind: Behind, roots: Roots) -> SheetFiles:
    """The rows, in the words of `overture explain --why`."""
    looks = behind.found.looked_at
    told = zip(looks, list_fates(looks, behind.prompt), strict=True)
    fates = explain_looks(behind.settled, behind.prompt, behind.found) if behind.settled else told
    return list_sheet_files(behind.prompt, fates, behind.shown, roots.names)


def files_to_show(behind: Behind, roots: Roots) -> dict[str, str]:
    """The files whose text may be asked for, by their ids."""
    looks = (look.path for look in behind.found.looked_at if look.outcome in READ_OUTCOMES)
    return {file_id(path): path for path in looks if roots.names(path)}

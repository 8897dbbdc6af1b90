"""`GET /page/files`: every path that was looked at, and what became of it."""

from ....project.agents.fates_of_agent import fates_of_looks
from ....report.page.file_rows import READ, FilesAnswer, file_rows
from ....report.page.make_sheet import file_id
from ....report.why import recorded
from .place import Place, Roots


def looked_at(place: Place, roots: Roots) -> FilesAnswer:
    """The rows, in the words of `overture explain --why`."""
    looks = place.found.looked_at
    told = zip(looks, recorded(looks, place.prompt), strict=True)
    fates = fates_of_looks(place.settled, place.prompt, place.found) if place.settled else told
    return file_rows(place.prompt, fates, place.shown, roots.names)


def files_to_show(place: Place, roots: Roots) -> dict[str, str]:
    """The files whose text may be asked for, by their ids."""
    looks = (look.path for look in place.found.looked_at if look.outcome in READ)
    return {file_id(path): path for path in looks if roots.names(path)}

"""`GET /page/file/ID`: one file as it lies on disk now. Never by a path, and never from outside the roots."""

from ....discover.disk.decode_text import NoTextError, decode
from ....discover.disk.why_not import why_not
from ....discover.disk.world import World, read_start
from ....report.page.file_text import BEYOND, BINARY, MOST, FileText, binary_file, file_text
from ...problems import RefusedError, problem_of
from .place import Place, Roots


def file_view(place: Place, roots: Roots, id: str, path: str) -> FileText:
    """The file of an id that is known."""
    name = place.shown(path)
    if place.settled is None:
        raise no_file(f"{name}: of this prompt no file is known.")
    data, size = _read(place.settled.world, roots, path, name)
    if b"\0" in data:
        return binary_file(id, path, name)
    try:
        text, _ = decode(data, path)
    except NoTextError as why:
        return binary_file(id, path, name, f"{BINARY} {why}.")
    if size > MOST:
        text = text.removesuffix("\ufffd")  # the cut may have parted a character
    return file_text(id, path, name, text, size, place.prompt.state.secrets)


def _read(world: World, roots: Roots, path: str, name: str) -> tuple[bytes, int]:
    try:
        real = world.real(path)
        if not roots.holds(real):
            raise no_file(f"{name} leads out of the project and of home, and is not shown.")
        return read_start(world, real, MOST + BEYOND)
    except OSError as problem:
        raise no_file(f"{name} can't be read: {why_not(world, path, problem)}.") from None


def no_file(said: str) -> RefusedError:
    """There is no such file, in words."""
    return RefusedError(problem_of("not-found", said, "id"))

"""`GET /page/file/ID`: one file as it lies on disk now. Never by a path, and never from outside the roots."""

from ...discover.disk.open_file import NoTextError, decode_text
from ...discover.disk.paths import explain_unusable_path
from ...discover.disk.world import read_file_start
from ...project.resolve import ResolvedProject
from ...report.sheet.sheet_files import BINARY, EXTRA_BYTES, MAX_FILE_BYTES, FileText, make_binary_file, make_file_text
from ..service.problems import RefusedError, problem_of
from .behind import Behind, Roots


def file_view(behind: Behind, roots: Roots, id: str, path: str) -> FileText:
    """The file of an id that is known."""
    name = behind.shown(path)
    if behind.settled is None:
        raise no_file(f"{name}: of this prompt no file is known.")
    outside = (look.detail for look in behind.found.looked_at if (look.path, look.outcome) == (path, "outside"))
    if (why := next(outside, None)) is not None:
        raise no_file(f"{name} is not shown: {why}.")
    data, size = _read(behind.settled, roots, path, name)
    if b"\0" in data:
        return make_binary_file(id, path, name)
    try:
        text, _ = decode_text(data, path)
    except NoTextError as why:
        return make_binary_file(id, path, name, f"{BINARY}: {why}")
    if size > MAX_FILE_BYTES:
        text = text.removesuffix("\ufffd")  # the cut may have parted a character
    return make_file_text(id, path, name, text, size, behind.prompt.state.secrets)


def _read(settled: ResolvedProject, roots: Roots, path: str, name: str) -> tuple[bytes, int]:
    world = settled.world
    try:
        real = world.real(path)
        if not roots.holds(real) or settled.reader().is_beyond(path, real):
            raise no_file(f"{name} leads out of the project, and is not shown.")
        return read_file_start(world, real, MAX_FILE_BYTES + EXTRA_BYTES)
    except OSError as problem:
        raise no_file(f"{name} can't be read: {explain_unusable_path(world, path, problem)}.") from None


def no_file(said: str) -> RefusedError:
    """There is no such file, in words."""
    return RefusedError(problem_of("not-found", said, "id"))

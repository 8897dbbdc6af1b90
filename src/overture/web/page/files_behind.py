"""The files behind the prompt on the page: which were read, and their texts."""

from typing import NamedTuple

from ...agents.why_file import explain_looks
from ...discover.discover import ResolvedProject
from ...discover.disk.paths import contains_path, explain_unusable_path
from ...discover.disk.read_file import NoTextError, decode_text, read_file_start
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Discovery
from ...project.resolve import find_project_roots, find_top_folder, make_project_path_printer
from ...report.sheet.make_sheet import file_id
from ...report.sheet.sheet_files import (
    BINARY,
    EXTRA_BYTES,
    MAX_FILE_BYTES,
    READ_OUTCOMES,
    FileText,
    SheetFiles,
    list_sheet_files,
    make_binary_file,
    make_file_text,
)
from ...report.why import list_path_statuses
from ...text.path_printer import PathPrinter
from ..service.problems import RefusedError, problem_of


class PromptBackground(NamedTuple):
    """One prompt and its project."""

    prompt: Prompt
    found: Discovery
    project: ResolvedProject | None
    """None: the prompt was made of a state alone, and no file of this disk is known to be behind it."""

    @property
    def shown(self) -> PathPrinter:
        """How paths are written for a person."""
        return make_project_path_printer(self.project)


class ShownRoots(NamedTuple):
    """The folders of which files may be shown, found once: the project and home."""

    project: str
    """Where the project begins, with all links followed."""
    named: tuple[str, ...]
    """As they are called on the way there."""
    real: tuple[str, ...]
    """With all links followed."""

    def names(self, path: str) -> bool:
        """Whether a path lies below one of them, by its name alone."""
        return any(contains_path(top, path) and path != top for top in (*self.named, *self.real))

    def holds(self, real: str) -> bool:
        """Whether a path of which all links were followed lies below one of them."""
        return any(contains_path(top, real) and real != top for top in self.real)


NOWHERE = ShownRoots("", (), ())


def find_roots(background: PromptBackground) -> ShownRoots:
    """The roots of a project; a home that is the whole disk is none."""
    project = background.project
    if project is None:
        return NOWHERE
    real, root = project.reader().real_or, find_project_roots(project).project
    homes = [project.home] if real(project.home) != "/" else []
    return ShownRoots(root, (find_top_folder(project), *homes), (root, *map(real, homes)))


def looked_at(background: PromptBackground, roots: ShownRoots) -> SheetFiles:
    """The rows, in the words of `overture explain --why`."""
    looks = background.found.looked_at
    pairs = zip(looks, list_path_statuses(looks, background.prompt), strict=True)
    statuses = explain_looks(background.project, background.prompt, background.found) if background.project else pairs
    return list_sheet_files(background.prompt, statuses, background.shown, roots.names)


def files_to_show(background: PromptBackground, roots: ShownRoots) -> dict[str, str]:
    """The files whose text may be asked for, by their ids."""
    paths = (look.path for look in background.found.looked_at if look.outcome in READ_OUTCOMES)
    return {file_id(path): path for path in paths if roots.names(path)}


def file_view(background: PromptBackground, roots: ShownRoots, id: str, path: str) -> FileText:
    """The file of an id that is known."""
    name = background.shown(path)
    if background.project is None:
        raise no_file(f"{name} can't be shown: this page reads no files.")
    outside = (look.detail for look in background.found.looked_at if (look.path, look.outcome) == (path, "outside"))
    if (why := next(outside, None)) is not None:
        raise no_file(f"{name} is not shown: {why}.")
    data, size = _read(background.project, roots, path, name)
    if b"\0" in data:
        return make_binary_file(id, path, name)
    try:
        text, _ = decode_text(data, path)
    except NoTextError as why:
        return make_binary_file(id, path, name, f"{BINARY}: {why}")
    if size > MAX_FILE_BYTES:
        text = text.removesuffix("\ufffd")  # the cut may have parted a character
    return make_file_text(id, path, name, text, size, background.prompt.state.secrets)


def _read(project: ResolvedProject, roots: ShownRoots, path: str, name: str) -> tuple[bytes, int]:
    world = project.world
    try:
        real = world.real(path)
        if not roots.holds(real) or project.reader().is_beyond(path, real):
            raise no_file(f"{name} leads out of the project and is not shown.")
        return read_file_start(world, real, MAX_FILE_BYTES + EXTRA_BYTES)
    except OSError as problem:
        raise no_file(f"{name} can't be read: {explain_unusable_path(world, path, problem)}.") from None


def no_file(message: str) -> RefusedError:
    """There is no such file, in words."""
    return RefusedError(problem_of("not-found", message, "id"))

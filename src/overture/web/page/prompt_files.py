"""The files behind the prompt on the page: every path that was looked at, and a file's text with its secrets hidden."""

from collections.abc import Callable, Iterable
from typing import Annotated, NamedTuple

from ...discovery.discover import ResolvedProject
from ...discovery.files import MAX_FILE_BYTES as MAX_READ_BYTES
from ...discovery.files import explain_unusable_path, refuse_pointer
from ...discovery.paths import contains_path
from ...discovery.reader import NoTextError, decode_text
from ...model.prompt.prompt import Prompt
from ...model.state.discovery import Discovery, Look, Outcome
from ...model.state.state import Secrets
from ...model.struct import Frozen, note
from ...project.resolve import find_top_folder, make_project_path_printer
from ...report.sheet.make_sheet import file_id
from ...report.stats_and_cut_notes import sum_by_file
from ...report.why import PathStatus, list_path_statuses
from ...text.invisible import escape_invisible
from ...text.normalize import normalize_newlines
from ...text.path_printer import PathPrinter
from ...text.secrets.find_and_hide import hide_secrets
from ...text.truncate import move_out_of_secret
from ..service.problems import RefusedError, problem_of

READ_OUTCOMES = ("loaded", "cleared", "duplicate", "skipped", "lazy")
"""What has been read, under this name or another, if only to see that it can't be used, or not yet."""
MAX_FILE_BYTES = 2_000_000
"""Bytes of a file that are shown."""
EXTRA_BYTES = 64_000
"""Bytes that are read besides: a key that begins before the cut and ends behind it is known for one."""
BINARY = "not text, not shown"


class SheetFile(Frozen, frozen=True, omit_defaults=False):
    """One path that was looked at."""

    id: Annotated[str | None, note("the id of its text; none: it was not read, or is elsewhere")]
    path: str
    shown: Annotated[str, note("the path for a person")]
    what: Annotated[str, note("what was searched for there: context, skill, system, …")]
    outcome: Annotated[Outcome, note("the outcome as one word, e.g. loaded or absent")]
    detail: Annotated[str, note("the same in a sentence")]
    outside: Annotated[bool, note("it is outside the repository")]
    tokens: Annotated[int, note("tokens of the prompt that come from it")]


class SheetFiles(Frozen, frozen=True):
    """All paths that were looked at."""

    files: tuple[SheetFile, ...]


def list_sheet_files(
    prompt: Prompt, statuses: Iterable[tuple[Look, PathStatus]], shown: PathPrinter, may_show: Callable[[str], bool]
) -> SheetFiles:
    """The rows: loaded first, as the prompt has them; then what was skipped; last what does not exist."""
    cost = sum_by_file(prompt, prompt.counted_blocks)
    order = {path: rank for rank, path in enumerate(cost)}
    rows = [
        SheetFile(
            file_id(look.path) if look.outcome in READ_OUTCOMES and may_show(look.path) else None,
            look.path, shown(look.path), look.what, look.outcome, shown.within(status.said), look.outside,
            cost.get(look.path, 0),
        )
        for look, status in statuses
    ]  # fmt: skip
    rows.sort(key=lambda row: (_rank_sheet_file(row), order.get(row.path, len(order))))
    # A path that was looked at several times has one row for each outcome: the best one.
    return SheetFiles(tuple({(row.path, row.detail): row for row in reversed(rows)}.values())[::-1])


def _rank_sheet_file(row: SheetFile) -> int:
    """The order of rows: in the prompt, read, skipped, absent."""
    if row.outcome == "absent":
        return 3
    return 0 if row.tokens and row.outcome == "loaded" else 1 if row.outcome in READ_OUTCOMES else 2


class FileText(Frozen, frozen=True):
    """A file as it is on disk."""

    id: str
    path: str
    shown: Annotated[str, note("the path for a person")]
    text: str
    lines: Annotated[int, note("how many lines the text has")]
    cut: Annotated[str | None, note("why the text is incomplete")] = None


def make_file_text(id: str, path: str, name: str, text: str, size: int, secrets: Secrets) -> FileText:
    """The text of a file of `size` bytes, from its first bytes, without what the prompt does to tags and headings."""
    cut = None
    if size > MAX_FILE_BYTES:
        text = _truncate_shown_text(text)
        cut = f"truncated: the first {len(text.encode('utf-8', 'replace')):,} of {size:,} bytes are shown"
    text = normalize_newlines(text.removeprefix("\ufeff"))
    text = escape_invisible(hide_secrets(text) if secrets == "redact" else text)
    lines = text.count("\n") + (not text.endswith("\n")) if text else 0
    return FileText(id, path, name, text, lines, cut)


def _truncate_shown_text(text: str) -> str:
    """The shown beginning, up to the end of a line if there is one; no key is split."""
    at = len(text.encode("utf-8", "replace")[:MAX_FILE_BYTES].decode("utf-8", "ignore"))
    line = text.rfind("\n", at // 2, at) + 1
    return text[: move_out_of_secret(text, line or at)]


class PromptBackground(NamedTuple):
    """One prompt and its project."""

    prompt: Prompt
    found: Discovery
    project: ResolvedProject | None
    """None: the prompt was made of a state alone, and no file of this disk is known as its source."""

    @property
    def shown(self) -> PathPrinter:
        """How paths are written for a person."""
        return make_project_path_printer(self.project)


class ShownRoots(NamedTuple):
    """The folders whose files may be shown, found once: the project and home."""

    project: str
    """Where the project begins, with all links followed."""
    named: tuple[str, ...]
    """As they are called on the way there."""
    real: tuple[str, ...]
    """With all links followed."""

    def names(self, path: str) -> bool:
        """Whether a path is below one of them, by its name alone."""
        return any(contains_path(top, path) and path != top for top in (*self.named, *self.real))

    def holds(self, real: str) -> bool:
        """Whether a path with all links followed is below one of them."""
        return any(contains_path(top, real) and real != top for top in self.real)


NOWHERE = ShownRoots("", (), ())


def find_roots(background: PromptBackground) -> ShownRoots:
    """The folders below which the page shows files: project and home; a home that is the whole disk is none."""
    project = background.project
    if project is None:
        return NOWHERE
    real, root = project.reader().real_or, project.place().top
    homes = [project.home] if real(project.home) != "/" else []
    return ShownRoots(root, (find_top_folder(project), *homes), (root, *map(real, homes)))


def looked_at(background: PromptBackground, roots: ShownRoots) -> SheetFiles:
    """The rows, in the words of `overture explain --why`."""
    looks = background.found.looked_at
    pairs = zip(looks, list_path_statuses(looks, background.prompt), strict=True)
    return list_sheet_files(background.prompt, pairs, background.shown, roots.names)


def files_to_show(background: PromptBackground, roots: ShownRoots) -> dict[str, str]:
    """The files whose text may be requested, by their ids."""
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
        return FileText(id, path, name, "", 0, BINARY)
    try:
        text, _ = decode_text(data, path)
    except NoTextError as why:
        return FileText(id, path, name, "", 0, f"{BINARY}: {why}")
    if size > MAX_FILE_BYTES:
        text = text.removesuffix("\ufffd")  # the cut may have parted a character
    return make_file_text(id, path, name, text, size, background.prompt.state.secrets)


def _read(project: ResolvedProject, roots: ShownRoots, path: str, name: str) -> tuple[bytes, int]:
    """The first bytes of a file that the page shows, and its size."""
    world = project.world
    try:
        real = world.real(path)
        if not roots.holds(real) or project.reader().check(path, real):
            raise no_file(f"{name} leads out of the project and is not shown.")
        data = refuse_pointer(world.read(real, MAX_READ_BYTES, is_real=True))
        return data[: MAX_FILE_BYTES + EXTRA_BYTES], len(data)
    except OSError as problem:
        raise no_file(f"{name} can't be read: {explain_unusable_path(world, path, problem)}.") from None


def no_file(message: str) -> RefusedError:
    """There is no such file, in words."""
    return RefusedError(problem_of("not-found", message, "id"))

"""Finds the two revisions that `diff` names, and builds the prompt of each, so that they can be compared."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ..discovery.git import Revision
from ..discovery.tree_files import GitObjects, TreeFiles, make_revision_world
from ..discovery.world import World, make_absolute
from ..errors import ConfigError, OvertureError, find_similar
from ..project.find_recipe import list_recipe_names
from ..providers.render import sent_tools
from ..providers.write.tools import tools_text
from ..recipes import BUILTIN
from ..terminal.gather_state import gather_state
from ..terminal.option_values import counter_for
from ..terminal.options import CommandOptions, load_settings
from ..text.path_printer import make_root_printer, readable_path
from ..tokens.load_tokenizer import find_counter
from .name_revisions import GitRepository, find_git_repository, find_merge_base, find_revision
from .revision_diff import RevisionDiff, RevisionInfo, RevisionSide, compare_sides

RANGE = re.compile(r"(?P<before>(?!:/).*?)(?P<dots>\.\.\.?)(?P<after>(?!/).*)")
REVISION = re.compile(r"[~^@{]|\.\.(?!/)|^HEAD$")
"""What no recipe and hardly a file has in its name."""


class RevisionPair(NamedTuple):
    """The two to compare. `after` is None for the working tree."""

    repository: GitRepository
    before: Revision
    after: Revision | None
    cwd: str


def find_named_revisions(
    before: str, after: str | None, options: CommandOptions, *, forced: bool
) -> RevisionPair | None:
    """The revisions that two arguments name, or one; None if both are recipes or files.

    A name that can be both is a revision only if the other one can be nothing else, or is missing.
    """
    names = [before] if after is None else [before, after]
    known = _list_recipes(options)
    own_names = [] if forced else [name for name in names if _is_recipe_or_file(name, known)]
    if after is not None and len(own_names) == 2:
        return None
    cwd = make_absolute(World(), options.cwd or ".")
    try:
        repository = find_git_repository(_find_existing_folder(cwd))
        first, second = _find_revisions(repository, before, after)
    except ConfigError as problem:
        raise problem if forced else _explain_unknown(names, own_names, known, problem) from None
    if options.no_discover:
        raise ConfigError("--no-discover reads no files, so two revisions would be equal.", hint="Omit it.")
    return RevisionPair(repository, first, second, _find_folder_in_repository(cwd, repository.root))


def _list_recipes(options: CommandOptions) -> list[str]:
    """The recipes that can be named. A configuration that can't be read is no reason not to look at earlier ones."""
    try:
        return list_recipe_names(load_settings(options))
    except OvertureError:
        return list(BUILTIN)


def _is_recipe_or_file(name: str, known: list[str]) -> bool:
    """Whether it is a recipe or a file: those came before revisions, and keep their names."""
    if name in known or name.endswith(".toml"):
        return True
    world = World()
    try:
        entry = world.look(world.real(name))
    except (OSError, ValueError):
        return False
    return entry is not None and entry.kind != "dir"


def _explain_unknown(names: list[str], own_names: list[str], known: list[str], problem: ConfigError) -> ConfigError:
    if len(names) == 1 and own_names:
        missing = f"AFTER is missing: {names[0][:80]!r} is a recipe or a file."
        return ConfigError(missing, hint="Pass another one to compare it with.")
    strange = next((name for name in names if name not in own_names and repr(name[:80]) in str(problem)), None)
    if own_names and strange is None:
        other = next(name for name in names if name not in own_names)
        message = f"{own_names[0][:80]!r} is a recipe or a file, and {other[:80]!r} is not."
        return ConfigError(message, hint="Pass two recipes or files, or two revisions.", cause=str(problem))
    name = strange or names[0]
    if REVISION.search(name):
        return problem
    file = "a file (it is a directory)" if is_existing_folder(World(), name) else "a file"
    why = problem.message.replace(f"{name[:80]!r} names", "as a revision it names", 1)
    return ConfigError(
        f"{name[:80]!r} is neither a recipe ({', '.join(known)}) nor {file}; {why}",
        message=f"{name[:80]!r} is neither a recipe nor {file}; {why}",
        cause=problem.cause, hint=problem.hint, tip=problem.tip or find_similar(name[:80], known),
    )  # fmt: skip


def _find_revisions(repository: GitRepository, before: str, after: str | None) -> tuple[Revision, Revision | None]:
    """The one or two revisions that the arguments name, also as a range."""
    ranges = [name for name in (before, after) if name and RANGE.fullmatch(name)]
    if after is not None and ranges:
        raise ConfigError(f"{ranges[0][:80]!r} is a range, which names two revisions.", hint="Pass only the range.")
    match = RANGE.fullmatch(before)
    if match is None:
        first = find_revision(repository, before)
        return first, None if after is None else find_revision(repository, after)
    first, last = (find_revision(repository, match[side] or "HEAD") for side in ("before", "after"))
    return find_merge_base(repository, first, last) if match["dots"] == "..." else first, last


def _find_existing_folder(path: str) -> str:
    """The folder, or the nearest above it that is there: a revision may have one that the working tree has not."""
    world = World()
    while path != "/" and not is_existing_folder(world, path):
        path = path.rpartition("/")[0] or "/"
    return path


def is_existing_folder(world: World, path: str) -> bool:
    """Whether a folder is there, or a link to one."""
    try:
        entry = world.look(world.real(path))
    except OSError:
        return False
    return entry is not None and entry.kind == "dir"


def _find_folder_in_repository(cwd: str, root: str) -> str:
    """The working directory, written from the real path of the root; links below that are the revision's."""
    world, here = World(), cwd
    while here != "/" and not (is_existing_folder(world, here) and world.real(here) == root):
        here = here.rpartition("/")[0] or "/"
    if here != "/":
        return root + cwd[len(here) :]
    there = _find_existing_folder(cwd)
    return world.real(there) + cwd[len(there) :]


WORKING_TREE = "working tree"


def build_and_compare(wanted: RevisionPair, objects: GitObjects, options: CommandOptions) -> RevisionDiff:
    """Build the prompts of both revisions, and compare them."""
    root = wanted.repository.root
    printer = make_root_printer(root)
    trees = [objects.commit(revision)[0] if revision else None for revision in (wanted.before, wanted.after)]
    now = World().machine.now()
    worlds = [make_revision_world(root, tree, now) for tree in trees]
    asks = [options._replace(cwd=wanted.cwd, world=world) for world in worlds]
    revisions = [_describe_revision(revision, objects) for revision in (wanted.before, wanted.after)]
    before = _build_side(revisions[0], asks[0], reported=True)
    after = _build_side(revisions[1], asks[1])
    later = list(map(printer.relative, _find_changed_on_demand(worlds[0], worlds[1], before, after)))
    if before.prompt is None and after.prompt is None:
        raise ConfigError(
            "Neither side has a prompt.", cause=f"{before.place.name}: {before.place.why}", hint="Pass another --cwd."
        )
    notes = dict.fromkeys(note for revision in (wanted.before, wanted.after) if revision for note in revision.notes)
    for side, world in zip(revisions, worlds, strict=True):
        for path in sorted(world.disk.empty_submodules) if isinstance(world.disk, TreeFiles) else ():
            notes[f"{printer.relative(path)} is a submodule: in {side.name} it is treated as empty"] = None
    comparison = compare_sides(before, after, readable_path(root), tuple(map(readable_path, notes)))
    return replace(comparison, later=tuple(later))


def _describe_revision(revision: Revision | None, objects: GitObjects) -> RevisionInfo:
    if revision is None:
        return RevisionInfo(WORKING_TREE)
    return RevisionInfo(readable_path(revision.name), revision.commit, objects.commit(revision)[1])


def _build_side(revision: RevisionInfo, options: CommandOptions, *, reported: bool = False) -> RevisionSide:
    """The prompt of one side. `reported`: an error is the reason for no prompt, since a change may fix it."""
    if not is_existing_folder(options.world, options.cwd or "."):
        _check_complete(revision, options)
        why = f"the folder {readable_path(options.cwd or '.')!r} does not exist."
        return RevisionSide(replace(revision, why=why))
    try:
        gathered = gather_state(options)
        prompt = gathered.build().counted(counter_for(options) or find_counter())
    except OvertureError as problem:
        _check_complete(revision, options)
        if not reported:
            raise problem.within(revision.name) from None
        return RevisionSide(replace(revision, why=readable_path(str(problem))))
    _check_complete(revision, options)
    return RevisionSide(revision, prompt, gathered.found, tools_text(sent_tools(prompt)))


def _find_changed_on_demand(old: World, new: World, before: RevisionSide, after: RevisionSide) -> Iterator[str]:
    """The skills with the same entry in the prompt, and another text when they are used."""
    sides = (side.prompt.state.skills if side.prompt else () for side in (before, after))
    was, now = ({skill.location: skill for skill in skills} for skills in sides)
    for path in [path for path in now if path in was]:
        try:
            texts = [world.read(path).replace(b"\r\n", b"\n") for world in (old, new)]
        except OSError:
            continue
        if was[path] == now[path] and texts[0] != texts[1]:
            yield path


def _check_complete(revision: RevisionInfo, options: CommandOptions) -> None:
    """What a partial clone lacks would look as if it had never been there."""
    files = options.world.disk
    if not isinstance(files, TreeFiles) or not files.missing:
        return
    paths = [readable_path(path[len(files.root) :].lstrip("/")) for path in files.missing]
    more = f" and {len(paths) - 3:,} more" if len(paths) > 3 else ""
    raise ConfigError(
        f"{revision.name}: this clone does not have {', '.join(map(repr, paths[:3]))}{more}, "
        "and nothing is fetched here.",
        hint=f"`git show {(revision.commit or '')[:12]}:{paths[0]}` fetches one, if a remote has it.",
    )

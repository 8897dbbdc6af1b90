"""Names of revisions and ranges lead to two commits, or to one and the working tree, each with its world."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, NamedTuple

from ..discovery.configuration.config import load_config
from ..discovery.git import Revision
from ..discovery.place import locate
from ..discovery.tree_files import GitObjects, Tree, TreeFiles, read_working_tree
from ..discovery.world import TOP, Machine, World, make_absolute
from ..errors import ConfigError, OvertureError, find_similar
from ..known_agents import AGENTS
from ..model.struct import Frozen, note
from ..project.find_recipe import list_recipe_names
from ..recipes import BUILTIN
from ..terminal.options import CommandOptions, load_settings
from ..text.path_printer import readable_path
from .name_revisions import GitRepository, find_git_repository, find_merge_base, find_revision

RANGE = re.compile(r"(?P<before>(?!:/).*?)(?P<dots>\.\.\.?)(?P<after>(?!/).*)", re.DOTALL)
REVISION = re.compile(r"[~^@{]|\.\.(?!/)|^HEAD$")
"""What no recipe and hardly a file has in its name."""
WORKING_TREE = "working tree"


class RevisionInfo(Frozen, frozen=True, omit_defaults=False):
    """A revision, or the working tree."""

    name: str
    commit: Annotated[str | None, note("its hash; null: the working tree")] = None
    subject: Annotated[str, note("the first line of its message")] = ""
    why: Annotated[str, note("why nothing is read there")] = ""

    @property
    def short(self) -> str:
        """`HEAD~1 (471e663)`; a hash is not repeated."""
        if self.commit is None:
            return f"the {self.name}"
        return self.name[:12] if self.commit.startswith(self.name) else f"{self.name} ({self.commit[:7]})"


class Names(NamedTuple):
    """The arguments of `diff`, sorted."""

    subjects: tuple[str, ...]
    """Agents, or one recipe; none: what the project says."""
    files: tuple[str, str] | None
    """Two recipes or files that are compared with each other."""
    revisions: tuple[str, ...]
    """Otherwise: a range, a revision, or two."""

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(name for name in self.subjects if name in AGENTS)


def sort_names(names: Sequence[str], options: CommandOptions) -> Names:
    """A name that a recipe, an agent or a file has is that; any other one is a revision."""
    known = _list_recipes(options)
    own = [_is_recipe_or_file(name, known) for name in names]
    first = own.index(False) if False in own else len(names)
    subjects, rest = tuple(names[:first]), tuple(names[first:])
    if not rest and len(names) in (2, 3):
        return Names(subjects[:-2], (names[-2], names[-1]), ())
    if not rest and len(names) == 1:
        message = f"AFTER is missing: {names[0][:80]!r} is a recipe or a file."
        raise ConfigError(message, hint="Pass another one to compare it with, or a revision.")
    ranges = [name for name in rest if RANGE.fullmatch(name)]
    if ranges and ranges[0] == rest[-1] != rest[0]:
        message = f"{rest[0][:80]!r} is neither an agent, a recipe nor a file."
        raise ConfigError(message, noun="agent", tip=find_similar(rest[0][:80], known))
    if len(rest) > 1 and ranges:
        raise ConfigError(f"{ranges[0][:80]!r} is a range, which names two revisions.", hint="Pass only the range.")
    if len(rest) not in (1, 2):
        raise ConfigError(f"{len(names)} names can't be compared.", hint="Pass a range, or two revisions or files.")
    if any(own[first:]):
        message = f"{rest[1][:80]!r} is a recipe or a file, and {rest[0][:80]!r} is not."
        raise ConfigError(message, hint=f"Pass two of a kind; a branch of that name: {rest[0]}..{rest[1]}")
    others = [name for name in subjects if name not in AGENTS]
    if others and len(subjects) > 1:
        raise ConfigError(f"{others[0][:80]!r} is no agent.", hint="Pass agents, or one recipe, before the revisions.")
    return Names(subjects, None, rest)


def _list_recipes(options: CommandOptions) -> list[str]:
    """The recipes that can be named. A configuration that can't be read is no reason not to look at earlier ones."""
    try:
        return list_recipe_names(load_settings(options))
    except OvertureError:
        return list(dict.fromkeys((*BUILTIN, *AGENTS)))


def _is_recipe_or_file(name: str, known: Sequence[str]) -> bool:
    if name in known or name.endswith(".toml"):
        return True
    if name == "HEAD":  # also a file in a bare repository
        return False
    try:
        entry = World().look(World().real(name))
    except (OSError, ValueError):
        return False
    return entry is not None and entry.kind != "dir"


class RevisionPair(NamedTuple):
    """The two to compare. `after` is None for the working tree."""

    repository: GitRepository
    before: Revision
    after: Revision | None
    cwd: str
    """Where agents start in both."""

    @property
    def root(self) -> str:
        return self.repository.root

    @property
    def folder(self) -> str:
        """The same in a project at `TOP`."""
        return TOP + self.cwd[len(self.root) :]


def find_pair(names: Sequence[str], options: CommandOptions) -> RevisionPair:
    """The commits to which a range, one name or two lead."""
    cwd = make_absolute(World(), options.cwd or ".")
    repository = find_git_repository(_find_existing_folder(cwd))
    cwd = _find_folder_in_repository(cwd, repository.root)
    match = RANGE.fullmatch(names[0])
    try:
        if match is None:
            first, *others = (find_revision(repository, name) for name in names)
            return RevisionPair(repository, first, others[0] if others else None, cwd)
        first, last = (find_revision(repository, match[side] or "HEAD") for side in ("before", "after"))
    except ConfigError as problem:
        raise _explain_unknown(names, _list_recipes(options), problem) from None
    if match["dots"] == "...":
        first = find_merge_base(repository, first, last)
    return RevisionPair(repository, first, last, cwd)


def _explain_unknown(names: Sequence[str], known: Sequence[str], problem: ConfigError) -> ConfigError:
    """A name that leads nowhere may have been meant as a recipe or a file."""
    name = next((each for each in names if repr(each[:80]) in str(problem)), None)
    if name is None or REVISION.search(name):
        return problem
    file = "a file (it is a directory)" if World().is_folder(name) else "a file"
    why = problem.message.replace(f"{name[:80]!r} names", "as a revision it names", 1)
    return ConfigError(
        f"{name[:80]!r} is neither a recipe ({', '.join(known)}) nor {file}; {why}",
        message=f"{name[:80]!r} is neither a recipe nor {file}; {why}",
        cause=problem.cause, hint=problem.hint, tip=problem.tip or find_similar(name[:80], known),
    )  # fmt: skip


def _find_existing_folder(path: str) -> str:
    """The folder, or the nearest above it that is there: a revision may have one that the working tree has not."""
    while path != "/" and not World().is_folder(path):
        path = path.rpartition("/")[0] or "/"
    return path


def _find_folder_in_repository(cwd: str, root: str) -> str:
    """The working directory, written from the real path of the root; links below that are the revision's."""
    world, here = World(), cwd
    while here != "/" and not (world.is_folder(here) and world.real(here) == root):
        here = here.rpartition("/")[0] or "/"
    if here != "/":
        return root + cwd[len(here) :]
    there = _find_existing_folder(cwd)
    return world.real(there) + cwd[len(there) :]


ReadTree = tuple[RevisionInfo, Tree]


def read_tree(root: str, revision: Revision | None, objects: GitObjects) -> ReadTree:
    """Everything in a revision, or in the working tree without what git ignores."""
    if revision is None:
        return RevisionInfo(WORKING_TREE), read_working_tree(root)
    tree, subject = objects.commit(revision)
    return RevisionInfo(readable_path(revision.name), revision.commit, subject), tree


def find_own_recipe(world: World, folder: str) -> str | None:
    """The recipe that a project's overture.toml names; settings that can't be read are reported by what needs them."""
    with suppress(OvertureError):
        value = load_config(locate(folder, world=world)).get("recipe").value
        return str(value).removeprefix(f"{TOP}/") if value else None
    return None


def make_shared_world(tree: Tree) -> World:
    """A project as everybody has it, at `TOP`: nothing outside it, nobody's home, variables or clock."""
    return World(TreeFiles(TOP, tree), Machine(), facts={}, within=TOP)


def check_complete(info: RevisionInfo, world: World) -> None:
    """What a partial clone lacks would look as if it had never been there."""
    files: Any = world.disk
    if not isinstance(files, TreeFiles) or not files.missing:
        return
    paths = [readable_path(path[len(files.root) :].lstrip("/")) for path in files.missing]
    more = f" and {len(paths) - 3:,} more" if len(paths) > 3 else ""
    raise ConfigError(
        f"{info.name}: this clone does not have {', '.join(map(repr, paths[:3]))}{more}, and nothing is fetched here.",
        hint=f"`git show {(info.commit or '')[:12]}:{paths[0]}` fetches one, if a remote has it.",
    )


def list_submodule_notes(info: RevisionInfo, world: World) -> list[str]:
    """The submodules in which something was looked for."""
    files: Any = world.disk
    found = sorted(files.empty_submodules) if isinstance(files, TreeFiles) else []
    start = len(files.start) if found else 0
    return [f"{readable_path(path[start:])} is a submodule: in {info.name} it is treated as empty" for path in found]

"""What files name and the project lacks: looked up once for the rules about references."""

from collections.abc import Mapping
from posixpath import normpath

from ..discovery.reader import FileReader, Sighting
from ..lazy import cached
from ..model.struct import Frozen
from .input import CheckInput
from .project_tree import ProjectTree, find_defined_commands, find_missing_paths, find_moved_paths


class ProjectFacts(Frozen, frozen=True):
    """The facts of the project that its pages may mention."""

    commands: Mapping[str, frozenset[str]] = {}
    missing: Mapping[str, frozenset[str]] = {}
    respelled: Mapping[str, str] = {}
    moved: Mapping[str, str] = {}
    elsewhere: Mapping[str, str] = {}


@cached
def find_facts(inputs: CheckInput) -> ProjectFacts:
    """Look up what the files name. Nothing that is not named is looked for."""
    if inputs.world is None or inputs.reader is None:
        return ProjectFacts()
    root, reader = inputs.root, inputs.reader
    inside = tuple(page for page in inputs.pages if page.path.startswith(root.rstrip("/") + "/"))
    tree = ProjectTree(inputs.world, root)
    missing = find_missing_paths(tree, inside, inputs.cwd, lambda path: _sight(reader, path))
    places = _list_places(missing, root)
    respelled = {place: path for place in places if (path := tree.find_by_letters(place))}
    has_history = bool(missing) and inputs.world.is_machine
    moved = find_moved_paths(root, places - respelled.keys(), tree.paths) if has_history else {}
    elsewhere = {name: only for names in missing.values() for name in names if (only := tree.find_by_name(name))}
    return ProjectFacts(find_defined_commands(tree, inside), missing, respelled, moved, elsewhere)


def _sight(reader: FileReader, path: str) -> Sighting | None:
    result = reader.look_at(path)
    return result if isinstance(result, Sighting) else None


def _list_places(missing: Mapping[str, frozenset[str]], root: str) -> set[str]:
    """The paths where the missing files should be, below the root: from there on, or beside the page."""
    below = {page: page.rpartition("/")[0].removeprefix(root.rstrip("/")).strip("/") for page in missing}
    names = [(below[page], name.strip("@()").strip("/")) for page, page_names in missing.items() for name in page_names]
    return {normpath(place) for folder, name in names for place in (name, f"{folder}/{name}".strip("/"))}

"""Two revisions -> what differs: each is built as `overture build` would build it there."""

from collections.abc import Iterator

from msgspec.structs import replace

from ...discover.disk.decode_text import readable
from ...discover.disk.world import World
from ...discover.load_tokenizer import find_counter
from ...discover.revisions.find_revisions import Revision
from ...discover.revisions.git_objects import GitObjects
from ...discover.revisions.steady_world import SteadyWorld
from ...discover.revisions.tree_world import TreeWorld
from ...errors import ConfigError, OvertureError
from ...model.state.files import Skill
from ...providers.request.render import sent_tools
from ...providers.request.tools import tools_text
from ...terminal.gather_state import counter_for, gather
from ...terminal.options import Ask
from .changed_lines import from_root
from .compare_sides import Side, compare_sides
from .named_revisions import Wanted, is_folder
from .revision_diff import Place, RevisionDiff

HERE = "working tree"


def compare_revisions(wanted: Wanted, ask: Ask) -> RevisionDiff:
    """Build both, and compare them."""
    root = wanted.repository.root
    steady = SteadyWorld(root)
    with GitObjects(root) as objects:
        worlds = [_world(steady, revision, root, objects) for revision in (wanted.before, wanted.after)]
        asks = [ask._replace(cwd=wanted.cwd, world=world) for world in worlds]
        places = [_place(revision, objects) for revision in (wanted.before, wanted.after)]
        before = _before(places[0], asks[0])
        after = _after(places[1], asks[1])
        later = [from_root(path, root) for path in _read_later(worlds[0], worlds[1], before, after)]
    if before.prompt is None and after.prompt is None:
        raise ConfigError(f"Neither side has a prompt. {before.place.name}: {before.place.why} Give another --cwd.")
    notes = dict.fromkeys(note for revision in (wanted.before, wanted.after) if revision for note in revision.notes)
    for place, world in zip(places, worlds, strict=True):
        for path in sorted(world.submodules) if isinstance(world, TreeWorld) else ():
            notes[f"{from_root(path, root)} is a submodule: in {place.name} it counts as empty"] = None
    told = compare_sides(before, after, readable(root), tuple(map(readable, notes)))
    return replace(told, later=tuple(later))


def _world(steady: SteadyWorld, revision: Revision | None, root: str, objects: GitObjects) -> World:
    return steady if revision is None else TreeWorld(steady, root, objects.commit(revision).tree, objects)


def _place(revision: Revision | None, objects: GitObjects) -> Place:
    if revision is None:
        return Place(HERE)
    return Place(readable(revision.name), revision.commit, objects.commit(revision).subject)


def _before(place: Place, ask: Ask) -> Side:
    """A change that mends what could not be built has to be seen: here an error is the reason for no prompt."""
    try:
        return _side(place, ask)
    except OvertureError as problem:
        _check_complete(place, ask)
        return Side(Place(place.name, place.commit, place.subject, readable(str(problem))))


def _after(place: Place, ask: Ask) -> Side:
    try:
        return _side(place, ask)
    except OvertureError as problem:
        _check_complete(place, ask)
        raise type(problem)(f"{place.name}: {problem}") from None


def _side(place: Place, ask: Ask) -> Side:
    if not is_folder(ask.world, ask.cwd or "."):
        _check_complete(place, ask)
        return Side(
            Place(place.name, place.commit, place.subject, f"the folder {readable(ask.cwd or '.')!r} is not there.")
        )
    gathered = gather(ask)
    prompt = gathered.build().counted(counter_for(ask) or find_counter())
    _check_complete(place, ask)
    return Side(place, prompt, gathered.found, tools_text(sent_tools(prompt)))


def _read_later(old: World, new: World, before: Side, after: Side) -> Iterator[str]:
    """The skills that say the same in the prompt, and something else when they are used."""
    was, now = (_skills(side) for side in (before, after))
    for path in [path for path in now if path in was]:
        try:
            texts = [world.read(path).replace(b"\r\n", b"\n") for world in (old, new)]
        except OSError:
            continue
        if was[path] == now[path] and texts[0] != texts[1]:
            yield path


def _skills(side: Side) -> dict[str, Skill]:
    return {skill.location: skill for skill in side.prompt.state.skills} if side.prompt else {}


def _check_complete(place: Place, ask: Ask) -> None:
    """What a partial clone lacks would look as if it had never been there."""
    world = ask.world
    if not isinstance(world, TreeWorld) or not world.missing:
        return
    paths = [readable(path[len(world.root) :].lstrip("/")) for path in world.missing]
    more = f" and {len(paths) - 3:,} more" if len(paths) > 3 else ""
    raise ConfigError(
        f"{place.name}: this clone does not have {', '.join(map(repr, paths[:3]))}{more}, and nothing is fetched "
        f"here. `git show {(place.commit or '')[:12]}:{paths[0]}` brings one, where a remote has it."
    )

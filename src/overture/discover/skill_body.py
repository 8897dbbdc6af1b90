"""A skill -> its full instructions and the files that lie beside them, read when it is loaded."""

from ..model.files import Skill
from ..model.tidy import tidy
from .frontmatter import Frontmatter, parse
from .reader import Reader, decode
from .world import World

MOST = 100
DEEPEST = 4


def read_skill_body(reader: Reader, skill: Skill, roots: tuple[str, ...]) -> str:
    """The text below the frontmatter. What can't be read is an OSError that says why."""
    if skill.body is not None:
        return tidy(skill.body)[0]
    folder, _, name = skill.location.rpartition("/")
    for root in roots:
        sighting = reader.sight(folder, name, root, "skill")
        if sighting is not None:
            text, _ = tidy(decode(reader.world.read(sighting.real), skill.location)[0])
            parsed = parse(text)
            if isinstance(parsed, Frontmatter):
                text, _ = tidy("\n".join(text.split("\n")[parsed.body_line - 1 :]))
            return text
    raise OSError(reader.looked[-1].detail or "it is not there any more")


def find_resources(world: World, skill: Skill) -> tuple[str, ...]:
    """The files that lie in a skill's folder, by absolute path, sorted; links and hidden files are left out."""
    top, _, own = skill.location.rpartition("/")
    found: list[str] = []
    todo = [(top, 1)]
    while todo and len(found) <= MOST:
        folder, depth = todo.pop()
        try:
            names = world.names(folder)
        except OSError:
            continue
        for name, kind in names:
            path = f"{folder}/{name}"
            if name.startswith(".") or (folder == top and name == own):
                continue
            if kind == "file":
                found.append(path)
            elif kind == "dir" and depth < DEEPEST:
                todo.append((path, depth + 1))
    return tuple(sorted(found)[:MOST])

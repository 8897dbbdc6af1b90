"""A skill -> its full instructions and the files that lie beside them, read when it is loaded."""

from ...model.state.files import Skill
from ...text.normalize import tidy
from ..disk.reader import Reader, decode
from ..disk.world import World
from ..formats.frontmatter import Frontmatter, parse

MOST = 100
DEEPEST = 4


def read_skill_body(reader: Reader, skill: Skill, roots: tuple[str, ...]) -> tuple[str, int]:
    """The text below the frontmatter, and the line at which it begins. What can't be read is an OSError: why."""
    if skill.body is not None:
        text, skipped = tidy(skill.body)
        return text, 1 + skipped
    folder, _, name = skill.location.rpartition("/")
    for root in roots:
        sighting = reader.sight(folder, name, root, "skill")
        if sighting is not None:
            text, skipped = tidy(decode(reader.world.read(sighting.real), skill.location)[0])
            parsed = parse(text)
            if not isinstance(parsed, Frontmatter):
                return text, 1 + skipped
            body, blank = tidy(text[parsed.body :])
            return body, parsed.body_line + skipped + blank
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

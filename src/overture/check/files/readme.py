"""A context file that repeats the README: an agent reads it twice, and pays for it twice."""

from collections.abc import Iterator

from ..finding import Finding
from ..ground import Ground, Page
from ..rule import Rule
from ..said.units import Unit, units

CODE = "readme-repeated"
FEWEST = 4
"""Instructions that are in both, at the least."""
WORDS = 6
SHARE = 0.4


def look(ground: Ground) -> Iterator[Finding]:
    """One finding for a file of which a large part stands in the README."""
    readmes = [page for page in ground.pages if page.kind == "readme"]
    for readme in readmes:
        known = {words for _, words in _counted(readme)}
        for page in ground.pages:
            if page.kind == "instructions":
                own = _counted(page)
                shared = [unit for unit, words in own if words in known]
                if len(shared) >= FEWEST and len(shared) >= SHARE * len(own):
                    yield _finding(page, readme, shared, len(own))


def _counted(page: Page) -> list[tuple[Unit, tuple[str, ...]]]:
    return [(unit, words) for unit in units(page.text) if len(words := unit.words) >= WORDS]


def _finding(page: Page, readme: Page, shared: list[Unit], count: int) -> Finding:
    name = readme.path.rpartition("/")[2]
    message = (
        f"{len(shared)} of its {count} instructions stand in {name} too: keep what only agents need, and write "
        f"`See [{name}]({name})` for the rest"
    )
    return Finding(CODE, "warning", message, page.path, shared[0].line)


RULES = (Rule(CODE, "warning", "a context file that repeats the README", look),)

"""Files and folders that a page names and that the project does not have."""

from collections.abc import Iterator

from ..finding import Finding
from ..ground import Ground
from ..rule import Rule
from ..said.mentions import mentions

CODE = "missing-path"


def look(ground: Ground) -> Iterator[Finding]:
    """One finding for each name that a page gives of what is nowhere, where it does so first."""
    for page in ground.pages:
        gone = set(ground.project.missing.get(page.path, ()))
        for each in mentions(page) if gone else ():
            if each.kind == "path" and each.key in gone:
                gone.remove(each.key)
                message = f"`{each.target}` is nowhere in the project: mend the path, or take it out"
                yield Finding(CODE, "warning", message, page.path, each.line, each.column)


RULES = (Rule(CODE, "warning", "a path that the project does not have", look),)

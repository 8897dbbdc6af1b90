"""Instruction files that lie in the project and that the recipe does not read."""

from collections.abc import Iterator

from ..finding import Finding, Severity
from ..ground import Ground
from ..rule import Rule

CODE = "unread-instructions"


def look(ground: Ground) -> Iterator[Finding]:
    """Each is worth a word; where no other is read, more than that."""
    loaded = any(look.what == "context" and look.outcome == "loaded" for look in ground.looks)
    severity: Severity = "info" if loaded else "warning"
    for each in ground.looks:
        if each.what == "context" and each.outcome == "unread" and not each.outside:
            path = each.path.rpartition("/")[0] if "*" in each.path else each.path
            said = f"recipe {ground.prompt.recipe.name!r} does not read it: {each.detail}"
            yield Finding(CODE, severity, said, path)


RULES = (Rule(CODE, "info", "an instruction file that this recipe does not read", look),)

"""A path -> the regular file there, as far as an agent follows links; said where it leads out of the project."""

import posixpath

from ....model.diagnostic import warning
from ....model.recipe.wants.wanted_instructions import Files
from ...disk.reader import Reader, Refusal, Sighting
from ...disk.walk import at_or_above
from .folders_of_step import Ground


class Sightings:
    """Finds the files of one step."""

    def __init__(self, reader: Reader, step: Files, ground: Ground) -> None:
        self.reader, self.step, self.ground = reader, step, ground

    def at(self, path: str, what: str, *, rule: bool) -> Sighting | None:
        """The regular file at a path, if links may lead there and it was not met under another name."""
        links = self._links(rule)
        root = self.ground.project if links == "inside" else "/"
        seen = self.reader.look_at(path, root)
        if isinstance(seen, Refusal):
            outside = "it leads out of the project, and this agent does not follow it"
            self.refuse(path, what, seen.outcome, outside if seen.outcome == "outside" else seen.detail)
            return None
        if (
            links == "never"
            and seen.real != f"{self.reader.real_or(path.rpartition('/')[0])}/{path.rpartition('/')[2]}"
        ):
            self.refuse(path, what, "skipped", "it is a link, and this agent does not follow links")
            return None
        first = self.reader.first_name(seen, what) if self.step.same_file == "once" else seen
        if first is not None and not self._is_users(path) and self._strays(seen.real):
            said = (
                f"it leads out of the project, to {seen.real}: the agent reads it, and so does whoever sees its prompt"
            )
            self.reader.diagnostics.append(warning("leads-outside", said, path))
        return first

    def _is_users(self, path: str) -> bool:
        """Whether the step looks under home for it, not in the project."""
        own = any(name.startswith("~/") for name in self.step.names) and at_or_above(self.ground.home, path)
        return self.step.where == "home" or (own and not at_or_above(self.ground.project, path))

    def _strays(self, real: str) -> bool:
        """Whether a file lies neither in the project, nor in a folder above it, nor under home where agents look."""
        if at_or_above(self.reader.real_or(self.ground.project), real):
            return False  # as nearly all do
        homes = [posixpath.join(self.ground.home, place) for place in self.step.at_home]
        if any(at_or_above(self.reader.real_or(home), real) for home in homes):
            return False
        return not _lies_beside(real.rpartition("/")[0], {self.reader.real_or(each) for each in self.ground.above})

    def refuse(self, path: str, what: str, outcome: str, detail: str) -> None:
        """Note why a file is not read, and say it where that is a fault."""
        known = {"outside": "outside", "unreadable": "unreadable"}.get(outcome, "skipped")
        self.reader.note(path, what, known, detail, self.step.step)  # type: ignore[arg-type]
        if outcome == "unreadable":
            self.reader.diagnostics.append(warning(f"{what}-unreadable", f"not used: {detail}", path))

    def _links(self, rule: bool) -> str:
        """How far links lead: those to rules may end sooner."""
        own = self.step.conditions.links if rule and self.step.conditions else None
        return own or self.step.links


def _lies_beside(folder: str, above: set[str]) -> bool:
    """Whether a folder is one of those on the way, or one of an agent's own in it: `.claude`, `.claude/rules`."""
    while folder not in above:
        folder, _, name = folder.rpartition("/")
        if not name.startswith(".") and name not in ("rules", "instructions", "steering"):
            return False
    return True

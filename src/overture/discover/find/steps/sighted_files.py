"""A path -> the regular file there, as far as an agent follows links; said where it leads out of the project."""

from ....model.diagnostic import warning
from ....model.recipe.wants.wanted_instructions import Files
from ...boundary import Reach
from ...disk.reader import Reader, Refusal, Sighting
from ...disk.walk import at_or_above
from .folders_of_step import Ground


class Sightings:
    """Finds the files of one step."""

    def __init__(self, reader: Reader, step: Files, ground: Ground) -> None:
        self.reader, self.step, self.ground = reader, step, ground

    def at(self, path: str, what: str, *, rule: bool, reach: Reach | None = None) -> Sighting | None:
        """The regular file at a path, if links may lead there and it was not met under another name."""
        links = self._links(rule)
        seen = self.reader.look_at(path, "/", reach)
        if links == "inside" and reach is None and self._leaves_project(path, seen):
            self.refuse(path, what, "outside", "it leads out of the project, and this agent does not follow it")
            return None
        if isinstance(seen, Refusal):
            self.refuse(path, what, seen.outcome, seen.detail)
            return None
        if (
            links == "never"
            and seen.real != f"{self.reader.real_or(path.rpartition('/')[0])}/{path.rpartition('/')[2]}"
        ):
            self.refuse(path, what, "skipped", "it is a link, and this agent does not follow links")
            return None
        return self.reader.first_name(seen, what) if self.step.same_file == "once" else seen

    def _leaves_project(self, path: str, seen: Sighting | Refusal) -> bool:
        """Whether a link leads out of the project, wherever that is."""
        if isinstance(seen, Refusal):
            return seen.outcome == "outside"
        return not self.reader.is_plain(path, seen.real) and not at_or_above(
            self.reader.real_or(self.ground.project), seen.real
        )

    def refuse(self, path: str, what: str, outcome: str, detail: str) -> None:
        """Note why a file is not read, and say it where that is a fault."""
        known = {"outside": "outside", "unreadable": "unreadable"}.get(outcome, "skipped")
        self.reader.note(path, what, known, detail, self.step.step)  # type: ignore[arg-type]
        if outcome == "unreadable" or detail.startswith("outside "):
            self.reader.diagnostics.append(warning(f"{what}-{outcome}", f"not used: {detail}", path))

    def _links(self, rule: bool) -> str:
        """How far links lead: those to rules may end sooner."""
        own = self.step.conditions.links if rule and self.step.conditions else None
        return own or self.step.links

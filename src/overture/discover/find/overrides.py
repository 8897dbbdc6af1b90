"""SYSTEM.md and APPEND_SYSTEM.md: the project's, or else the one under home, never both."""

from ...model.diagnostic import Diagnostic
from ...model.recipe.wants.wanted_files import OverrideFiles
from ...model.state.files import Origin, Overrides
from ...text.normalize import tidy
from ..disk.reader import Reader
from .context_files import exists


def find_overrides(
    reader: Reader, wants: OverrideFiles, cwd: str, link_root: str, home: str
) -> tuple[Overrides | None, dict[str, Origin]]:
    """Both texts, as far as they are there, and where they came from."""
    places = ((f"{cwd.rstrip('/')}/{wants.project}", link_root), (f"{home.rstrip('/')}/{wants.home}", home))
    origins: dict[str, Origin] = {}
    texts: dict[str, str] = {}
    for field, name in (("system", wants.system), ("append", wants.append)):
        taken: str | None = None
        for folder, root in places:
            path = f"{folder}/{name}"
            if taken is not None:
                there = exists(reader, path)
                reader.note(path, field, "shadowed" if there else "absent", f"by {taken}" if there else "")
                continue
            sighting = reader.sight(folder, name, root, field)
            given = reader.load(sighting, field, _text) if sighting else None
            if given is not None:
                taken = path
                texts[field], line = given
                origins[f"overrides.{field}"] = Origin(path, line)
                reader.note(path, field, "loaded" if texts[field] else "cleared", "" if texts[field] else "it is empty")
    return (Overrides(**texts) if texts else None), origins


def _text(text: str, _: str) -> tuple[tuple[str, int], tuple[Diagnostic, ...]]:
    kept, skipped = tidy(text)
    return (kept, 1 + skipped), ()

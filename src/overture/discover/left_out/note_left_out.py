"""All that lies in the project and is not read, named in a few lines."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...model.recipe.wants.wanted_files import Wants
from ..configuration.keys import Features
from ..disk.project_root import Roots
from ..disk.reader import Reader
from ..disk.repository import Way
from ..disk.walk import absolute, at_or_above
from .other_instructions import note_above, note_other_instructions, read_listing
from .other_skills import Known, note_other_skills
from .settings_lines import adding_folders


class Places(NamedTuple):
    """Where was looked, and where settings are written."""

    way: Way
    roots: Roots
    home: str
    settings: str
    """The folder of the overture.toml that counts, or of the one that would."""


def note_left_out(
    reader: Reader, wants: Wants, features: Features, places: Places, facts: Mapping[str, Any], searched: set[str]
) -> None:
    """Name instruction files and skills that the recipe does not read, with the setting that adds them."""
    way, roots, home, settings = places
    project = [folder for folder in way.walk if at_or_above(roots.project, reader.real_or(folder))]
    listings = {folder: read_listing(reader, folder) for folder in project}
    if wants.context:
        note_other_instructions(reader, wants.context, listings, roots, facts["context_files"], home)
        note_above(reader, wants.context, way.left, way.checkout)
    if wants.skills:
        names = {skill.name for skill in facts["skills"]}
        named = [absolute(reader.world, folder) for folder in features.skills_extra_dirs]
        note_other_skills(
            reader,
            listings,
            Known(searched, roots.project, names, wants.skills.depth),
            lambda more: adding_folders(named, more, settings, home),
        )

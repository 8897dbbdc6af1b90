"""Switches for discovery, by the names that Opal's document gives them."""

from typing import Annotated

from .struct import Frozen, note


class Features(Frozen, frozen=True):
    """What discovery may look for."""

    context_enabled: Annotated[bool, note("load project files")] = True
    context_filenames: Annotated[tuple[str, ...] | None, note("their names, in place of the recipe's")] = None
    context_nested: Annotated[bool | None, note("deliver those below cwd in a session; null: as the recipe says")] = (
        None
    )
    skills_enabled: Annotated[bool, note("load skills")] = True
    skills_extra_dirs: Annotated[tuple[str, ...], note("further folders with skills, last in order")] = ()
    links_allow: Annotated[tuple[str, ...], note("folders that links may lead to, outside the project")] = ()
    extensions_enabled: Annotated[bool, note("load extensions of the configuration and of installed packages")] = True

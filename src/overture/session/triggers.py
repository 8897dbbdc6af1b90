"""Names the events after which a prompt is built again."""

from typing import Annotated, Literal

from ..model.struct import Frozen, note

TriggerName = Literal[
    "start",
    "resume",
    "tools",
    "reload",
    "resources",
    "registry",
    "file",
    "model",
    "state",
    "budget",
    "fold",
    "extensions",
]
"""start · resume: from a save · tools: the active ones were set · reload · resources: more skills, context or templates
· registry: tools came or went · file: one changed on disk · model · state: a field was given · budget: another was
set · fold: what messages told of the prompt was put into it · extensions: what one brought or took away"""

READING_TRIGGERS = frozenset(("start", "reload", "resources", "file"))
"""Those after which the disk is looked at again. The others have all they need."""

RESOLVING_TRIGGERS = frozenset(("start", "reload"))
"""Those after which the configuration is read again."""


CLOCK_TRIGGERS = frozenset(("start", "tools", "reload", "resources", "registry"))
"""Those that move a clock which follows rebuilds. What the others bring is in the prompt, and the time stays."""


class Trigger(Frozen, frozen=True):
    """One event."""

    name: TriggerName
    reason: str


class Resources(Frozen, frozen=True):
    """More files to discover, added by a program or a `resources_discover` hook."""

    skills: Annotated[tuple[str, ...], note("folders whose subfolders contain a SKILL.md")] = ()
    context: Annotated[tuple[str, ...], note("project files")] = ()
    prompts: Annotated[tuple[str, ...], note("folders with templates, or .md files")] = ()
    themes: Annotated[tuple[str, ...], note("files for user interfaces; never in a prompt")] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(path for name in self.__struct_fields__ for path in getattr(self, name))

    def __add__(self, other: "Resources") -> "Resources":
        """Both, each path once."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.__struct_fields__)
        return Resources(*(tuple(dict.fromkeys((*mine, *theirs))) for mine, theirs in pairs))

    def __sub__(self, other: "Resources") -> "Resources":
        """Those that the other does not have."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.__struct_fields__)
        return Resources(*(tuple(path for path in mine if path not in theirs) for mine, theirs in pairs))

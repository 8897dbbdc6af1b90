"""A lock: what prompts are made of, by digest and number, without a word of them."""

from typing import Annotated, Literal

from msgspec import Meta

from ..model.struct import Frozen, note

VERSION = 1
NAME = "overture.lock"

Where = Literal["system", "user", "tools"]
Said = Literal["whole", "cut", "nothing"]
"""How much of a file the prompt says, as far as the recipe says it at all: of a skill, its line in the menu."""
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Meta(ge=0)]


class LockedSection(Frozen, frozen=True, omit_defaults=False):
    """What one section says."""

    name: str
    place: Annotated[Where, note("the system prompt, the user's message, or the tools of the request")]
    tokens: Count
    sha256: Digest


class LockedFile(Frozen, frozen=True):
    """A file that the prompt is made of."""

    path: Annotated[str, note("from the project's root")]
    kind: Annotated[str, note("what it is read for: context, rule, skill, recipe, …")]
    said: Said
    tokens: Annotated[Count, note("how many the prompt has from it")]
    sha256: Annotated[Digest, note("of its bytes, with line ends as git keeps them")]
    skill: Annotated[str | None, note("the skill's name")] = None
    sections: Annotated[tuple[str, ...], note("those that say something of it")] = ()


class LockedPrompt(Frozen, frozen=True, omit_defaults=False):
    """One recipe in one folder."""

    recipe: str
    cwd: Annotated[str, note("the folder that the agent works in, from the project's root")]
    fingerprint: Annotated[str, note("of all sections, in their order")]
    tokens: Annotated[Count, note("of all sections")]
    tokenizer: str
    options: Annotated[tuple[str, ...], note("the names of those that were given and change the prompt")] = ()
    sections: tuple[LockedSection, ...] = ()
    files: tuple[LockedFile, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Which prompt it is."""
        return self.recipe, self.cwd

    @property
    def label(self) -> str:
        """How it is called: `codex`, `codex in services/api`."""
        return label(*self.key)


class Lock(Frozen, frozen=True, omit_defaults=False):
    """All prompts of a project that are locked, sorted."""

    prompts: tuple[LockedPrompt, ...] = ()
    about: str = ""
    overture_lock: int = VERSION

    @property
    def by_key(self) -> dict[tuple[str, str], LockedPrompt]:
        """Each prompt by recipe and folder."""
        return {prompt.key: prompt for prompt in self.prompts}


def label(recipe: str, cwd: str) -> str:
    """A recipe, and the folder where that is not the project's own."""
    return recipe if cwd == "." else f"{recipe} in {cwd}"

"""A Guard holds the tags and headings that text from outside may not write in this prompt."""

import re
from functools import lru_cache
from typing import NamedTuple

from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import SLOT
from ...model.state.state import Secrets
from ...text.fences_and_headings import FILE_HEADING, first_sign, is_file_path, last_sign, plain_heading
from ...text.lookalikes import fold_text, merge_strokes
from ...text.scan_for_marks import UNFINISHED, TagMark, first_word

ENTITY = r"&(?:lt|#\w+);"
TYPE = re.compile(
    r"""(\w+)(?:\[[\w\s"'.,]*\]|[*&?!]|\.\.\.)*"""
    rf"""(?:(\s?\Z)|\s?{ENTITY}|\s?[,|&]\s?[\w"'?&*({{\[]|\sextends\s\w)"""
)
"""A type in program code: `User`, `Skill[]`, `User*`, `User, Error`, `Task extends Job`.

An escaped bracket counts as a bracket, so that contained text is read in the same way again.
"""


class HeadingTemplate(NamedTuple):
    """A heading that contains a value: the text before the value and after it, as headings are compared."""

    before: str
    after: str

    @property
    def has_words(self) -> bool:
        """Whether it has words besides the value. Without words, only a line with a file path is such a heading."""
        return bool(self.before.strip("# ") or self.after)

    def fits(self, line: str) -> bool:
        """Whether a line is such a heading, which untrusted text may not write."""
        if not (line.startswith(f"{self.before} ") and line.endswith(self.after)):
            return False
        return self.has_words or is_file_path(line.removeprefix(f"{self.before} "))

    def begins(self, line: str) -> bool:
        """Whether a line that continues may become such a heading."""
        return f"{self.before} ".startswith(line) or (line.startswith(f"{self.before} ") and self.has_words)

    @property
    def signs(self) -> frozenset[str]:
        """The names that a scan finds in every text with such a heading."""
        if not self.has_words:
            return frozenset((FILE_HEADING,))
        return frozenset((first_sign(self.before) if self.before.strip("# ") else last_sign(self.after),))


class Guard(NamedTuple):
    """What untrusted text may not write."""

    tags: frozenset[str]
    headings: frozenset[str]
    names: frozenset[str]
    """The first words of the tags, and the headings; if there are tags, also the sign of an unfinished tag."""
    capitals: frozenset[str] = frozenset()
    """The tags that begin with a capital."""
    unfinished: bool = True
    """Whether it includes a tag or heading that the text begins and the following text may finish."""
    shows: bool = False
    """Whether secrets stay as they are."""
    attributed: frozenset[str] = frozenset()
    """The tags that always have an attribute: without one, `<skill>` is a placeholder."""
    children: frozenset[str] = frozenset()
    """Elements inside the tags. Elsewhere, only an element with an attribute is read as one of them."""
    templates: frozenset[HeadingTemplate] = frozenset()
    """Headings that contain a value."""

    def extended(self, names: tuple[str, ...]) -> "Guard":
        """The same guard with the child elements and heading lines around one part."""
        more = _guard_names(names)
        return self._replace(
            tags=self.tags | more.tags,
            headings=self.headings | more.headings,
            names=self.names | more.names,
            capitals=self.capitals | more.capitals,
            templates=self.templates | more.templates,
        )

    def without(self, names: tuple[str, ...]) -> "Guard":
        """The same guard without these names, for words that a value may follow."""
        less = _guard_names(names)
        tags, lines = self.tags - less.tags, self.headings - less.headings
        children, templates = self.children - less.tags, self.templates - less.templates
        signs = lines.union(map(first_word, tags), children, *(template.signs for template in templates))
        return Guard(tags, lines, signs, self.capitals & tags, False, self.shows, frozenset(), children, templates)

    @property
    def guards_headings(self) -> bool:
        """Whether any heading is guarded."""
        return bool(self.headings or self.templates)

    def is_heading(self, line: str) -> bool:
        """Whether a line, as headings are compared, is a guarded heading."""
        return line in self.headings or any(template.fits(line) for template in self.templates)

    def may_become_heading(self, line: str) -> bool:
        """Whether a line that continues may become a guarded heading."""
        return any(h.startswith(line) for h in self.headings) or any(t.begins(line) for t in self.templates)

    def is_frame(self, mark: TagMark, text: str) -> bool:
        """Whether a reader takes the mark for a tag of the prompt."""
        lead = mark.lead
        if mark.ended and self.unfinished and any(name.startswith(lead) for name in self.tags):
            return True
        if not any(lead.startswith(name) and _ends_name(lead, len(name)) for name in self.tags):
            return "=" in lead and first_word(lead) in self.children
        if first_word(lead) in self.attributed and SLOT_TAG.match(text, mark.at):
            return False
        name = _find_type_name(text, mark)
        return name is None or name in self.capitals


SLOT_TAG = re.compile(r"<[A-Za-z][A-Za-z0-9_ -]{0,62}>")
"""A placeholder, `<skill>` or `<Skill Name>`: plain words without any attribute."""


def _find_type_name(text: str, mark: TagMark) -> str | None:
    """The first name in a type of program code, `Promise<User>`: directly after a word, with a capital."""
    at = mark.at
    if not (at and text[at] == "<" and text[at - 1].isalnum() and text[at + 1 : at + 2].isupper()):
        return None
    match = TYPE.match(mark.lead)
    if match is None or (mark.ended and match[2] is not None):
        return None
    # Program code has no letters that only look like those of a tag, or that hide characters between them.
    return match[1] if merge_strokes(text[at + 1 : at + 1 + len(match[1])].lower()) == match[1] else None


def _ends_name(lead: str, end: int) -> bool:
    """Whether a tag's name ends there: `identity.` and `identity x` are read as `identity`, `identity-2` is not."""
    rest = lead[end : end + 2]
    if not rest:
        return True
    return not (rest[0].isalnum() or rest[0] in "_-:" or (rest[0] == "." and rest[1:].isalnum()))


def make_guard(
    tags: frozenset[str], headings: frozenset[str] = frozenset(), children: frozenset[str] = frozenset()
) -> Guard:
    """The guard of a prompt with these tags, headings and elements inside of tags, as they are written."""
    read, inner = frozenset(map(fold_text, tags)), frozenset(map(fold_text, children))
    firsts = {UNFINISHED, *map(first_word, read)} if tags else set()
    capitals = frozenset([fold_text(tag) for tag in tags if tag[:1].isupper()])
    lines = frozenset([plain_heading(line) for line in headings if SLOT not in line])
    ends = [line.split(SLOT, 1) for line in headings if SLOT in line]
    templates = frozenset([HeadingTemplate(plain_heading(before), fold_text(after)) for before, after in ends])
    names = lines.union(firsts, inner, *(template.signs for template in templates))
    return Guard(read, lines, names, capitals, children=inner, templates=templates)


EMPTY_GUARD = make_guard(frozenset())
SAFE_TEXT_GUARD = EMPTY_GUARD._replace(shows=True)
"""For texts that are sanitized already: their secrets are hidden."""


def _guard_names(names: tuple[str, ...]) -> Guard:
    """The guard of these names alone, tags and headings mixed."""
    lines = frozenset([name for name in names if name.startswith("#")])
    return make_guard(frozenset(names) - lines, lines)


# The guards of a prompt, and of the messages sent with it.
# They have every tag and heading that the recipe can write in any state, even of sections that are skipped now. So the
# bytes of a block depend on its own inputs alone, and a section that appears does not change the blocks before it.


SKILL_TAG = "skill"
RESOURCES_TAG = "skill-resources"


def recipe_guard(recipe: Recipe, secrets: Secrets = "redact") -> Guard:
    """The guard with every frame that this recipe can write."""
    return _make_recipe_guard(recipe)._replace(shows=secrets == "show")


@lru_cache(maxsize=64)
def _make_recipe_guard(recipe: Recipe) -> Guard:
    tags, headings, children = recipe.frames
    return make_guard(tags, headings, children)


def prompt_guard(prompt: Prompt) -> Guard:
    """The guard for text in this prompt."""
    return recipe_guard(prompt.recipe, prompt.state.secrets)


def message_guard(prompt: Prompt | None) -> Guard:
    """The guard for text in a message with this prompt: the prompt's frames, and those of messages."""
    guard = prompt_guard(prompt) if prompt is not None else make_guard(frozenset())
    return guard.extended((SKILL_TAG, RESOURCES_TAG))._replace(attributed=frozenset((fold_text(SKILL_TAG),)))

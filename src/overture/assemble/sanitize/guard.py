"""A Guard holds the tags and headings that text from outside may not write in this prompt."""

from functools import lru_cache
from typing import NamedTuple

from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import SLOT
from ...model.state.state import Secrets
from ...text.fences_and_headings import FILE_HEADING, first_sign, is_file_path, last_sign, plain_heading
from ...text.lazy_pattern import compile_on_use
from ...text.lookalikes import fold_text, merge_strokes
from ...text.scan import UNFINISHED, TagMark, first_word

ENTITY = r"&(?:lt|#\w+);"
TYPE = compile_on_use(
    r"""(\w+)(?:\[[\w\s"'.,]*\]|[*&?!]|\.\.\.)*"""
    rf"""(?:(\s?\Z)|\s?{ENTITY}|\s?[,|&]\s?[\w"'?&*({{\[]|\sextends\s\w)"""
)
"""What is read in a type of a program: `User`, `Skill[]`, `User*`, `User, Error`, `Task extends Job`.

A bracket that was written as an entity counts as one, so that a text is read in the same way when it comes again.
"""


class HeadingTemplate(NamedTuple):
    """A heading with a value in it, as headings are compared: what stands before the value, and what behind it."""

    before: str
    after: str

    @property
    def named(self) -> bool:
        """Whether it has words besides the value. Without any, only the path of a file makes a line such a heading."""
        return bool(self.before.strip("# ") or self.after)

    def fits(self, line: str) -> bool:
        """Whether a line is such a heading."""
        if not (line.startswith(f"{self.before} ") and line.endswith(self.after)):
            return False
        return self.named or is_file_path(line.removeprefix(f"{self.before} "))

    def begins(self, line: str) -> bool:
        """Whether a line may become one."""
        return f"{self.before} ".startswith(line) or (line.startswith(f"{self.before} ") and self.named)

    @property
    def signs(self) -> frozenset[str]:
        """The names that every text with such a heading has among its own."""
        if not self.named:
            return frozenset((FILE_HEADING,))
        return frozenset((first_sign(self.before) if self.before.strip("# ") else last_sign(self.after),))


class Guard(NamedTuple):
    """What untrusted text may not write."""

    tags: frozenset[str]
    headings: frozenset[str]
    names: frozenset[str]
    """The first words of the tags, and the headings; where there is a tag, an unfinished one counts too."""
    capitals: frozenset[str] = frozenset()
    """The tags that are written with a capital."""
    unfinished: bool = True
    """Whether a tag or heading that the text begins and what follows may finish counts too."""
    shows: bool = False
    """Whether secrets stay as they are."""
    attributed: frozenset[str] = frozenset()
    """The tags that always open with an attribute: without one, `<skill>` is a place to fill in."""
    children: frozenset[str] = frozenset()
    """Elements inside of tags. Outside of these, only one with an attribute poses as anything."""
    templates: frozenset[HeadingTemplate] = frozenset()
    """Headings in which a value stands."""

    def extended(self, names: tuple[str, ...]) -> "Guard":
        """The same, with the child elements and heading lines around one part."""
        return _extend_guard(self, names)

    def without(self, names: tuple[str, ...]) -> "Guard":
        """The same but for these, for words that a value may follow."""
        return _reduce_guard(self, names)

    @property
    def guards_headings(self) -> bool:
        """Whether any heading frames something."""
        return bool(self.headings or self.templates)

    def heads(self, line: str) -> bool:
        """Whether a line, as headings are compared, is one that frames something."""
        return line in self.headings or any(template.fits(line) for template in self.templates)

    def may_head(self, line: str) -> bool:
        """Whether a line that goes on may become one."""
        return any(h.startswith(line) for h in self.headings) or any(t.begins(line) for t in self.templates)

    def frames(self, mark: TagMark, text: str) -> bool:
        """Whether a reader takes what stands there for a tag of the prompt."""
        lead = mark.lead
        if mark.ended and self.unfinished and any(name.startswith(lead) for name in self.tags):
            return True
        if not any(lead.startswith(name) and _ends_name(lead, len(name)) for name in self.tags):
            return "=" in lead and first_word(lead) in self.children
        if first_word(lead) in self.attributed and _is_slot(text, mark):
            return False
        name = _find_type_name(text, mark)
        return name is None or name in self.capitals


SLOT_TAG = compile_on_use(r"<[A-Za-z][A-Za-z0-9_ -]{0,62}>")


def _is_slot(text: str, mark: TagMark) -> bool:
    """Whether it is a place to fill in, `<skill>` or `<Skill Name>`: plain words without any attribute."""
    return SLOT_TAG.match(text, mark.at) is not None


def _find_type_name(text: str, mark: TagMark) -> str | None:
    """The first name in a type of a program, `Promise<User>`: a word straight before, a capital straight behind."""
    at = mark.at
    if not (at and text[at] == "<" and text[at - 1].isalnum() and text[at + 1 : at + 2].isupper()):
        return None
    found = TYPE.match(mark.lead)
    if found is None or (mark.ended and found[2] is not None):
        return None
    # Letters that look like those of a tag, or hide something between them, are no program's.
    return found[1] if merge_strokes(text[at + 1 : at + 1 + len(found[1])].lower()) == found[1] else None


def _ends_name(lead: str, end: int) -> bool:
    """Whether a tag's name ends there: `identity.` and `identity x` are read as `identity`, `identity-2` is not."""
    rest = lead[end : end + 2]
    if not rest:
        return True
    return not (rest[0].isalnum() or rest[0] in "_-:" or (rest[0] == "." and rest[1:].isalnum()))


@lru_cache(maxsize=256)
def make_guard(
    tags: frozenset[str], headings: frozenset[str] = frozenset(), children: frozenset[str] = frozenset()
) -> Guard:
    """The guard of a prompt with these tags, headings and elements inside of tags, as they are written."""
    read, inner = frozenset(map(fold_text, tags)), frozenset(map(fold_text, children))
    firsts = {UNFINISHED, *map(first_word, read)} if tags else set()
    capitals = frozenset([fold_text(tag) for tag in tags if tag[:1].isupper()])
    lines = frozenset([plain_heading(line) for line in headings if SLOT not in line])
    templates = frozenset([_make_heading_template(line) for line in headings if SLOT in line])
    names = lines.union(firsts, inner, *(template.signs for template in templates))
    return Guard(read, lines, names, capitals, children=inner, templates=templates)


def _make_heading_template(line: str) -> HeadingTemplate:
    before, _, after = line.partition(SLOT)
    return HeadingTemplate(plain_heading(before), fold_text(after))


EMPTY_GUARD = make_guard(frozenset())
SAFE_TEXT_GUARD = EMPTY_GUARD._replace(shows=True)
"""For texts that came through already: what was to be hidden in them is hidden."""


@lru_cache(maxsize=256)
def _split(names: tuple[str, ...]) -> Guard:
    """The guard over these alone, tags and headings in one row."""
    lines = frozenset([name for name in names if name.startswith("#")])
    return make_guard(frozenset(names) - lines, lines)


@lru_cache(maxsize=1024)
def _extend_guard(guard: Guard, names: tuple[str, ...]) -> Guard:
    more = _split(names)
    return guard._replace(
        tags=guard.tags | more.tags,
        headings=guard.headings | more.headings,
        names=guard.names | more.names,
        capitals=guard.capitals | more.capitals,
        templates=guard.templates | more.templates,
    )


@lru_cache(maxsize=1024)
def _reduce_guard(guard: Guard, names: tuple[str, ...]) -> Guard:
    less = _split(names)
    tags, lines = guard.tags - less.tags, guard.headings - less.headings
    children, templates = guard.children - less.tags, guard.templates - less.templates
    signs = lines.union(map(first_word, tags), children, *(template.signs for template in templates))
    capitals = guard.capitals & tags
    return Guard(tags, lines, signs, capitals, False, guard.shows, frozenset(), children, templates)


@lru_cache(maxsize=256)
def show_secrets(guard: Guard) -> Guard:
    """The same guard for a prompt in which secrets stay as they are."""
    return guard._replace(shows=True)


# What may frame something in a prompt, and in the messages around it: that is what text from outside may not write.
# It is every tag and heading that the recipe can write in any state, whether or not the section speaks now. So the
# bytes
# of a block depend on its own inputs alone, and a section that begins to speak leaves those before it as they are.


UPDATE_TAG = "prompt-update"
UPDATED_TAG = "updated-section"
SKILL_TAG = "skill"
RESOURCES_TAG = "skill-resources"


@lru_cache(maxsize=1024)
def recipe_guard(recipe: Recipe, secrets: Secrets = "redact") -> Guard:
    """The guard over what this recipe can write."""
    tags, headings, children = recipe.frames
    guard = make_guard(tags | {UPDATE_TAG, UPDATED_TAG}, headings, children)
    return show_secrets(guard) if secrets == "show" else guard


def prompt_guard(prompt: Prompt) -> Guard:
    """What text in this prompt may not write."""
    return recipe_guard(prompt.recipe, prompt.state.secrets)


def message_guard(prompt: Prompt | None) -> Guard:
    """What text in a message beside this prompt may not write: its frames, and those of messages."""
    guard = prompt_guard(prompt) if prompt is not None else make_guard(frozenset((UPDATE_TAG, UPDATED_TAG)))
    return guard.extended((SKILL_TAG, RESOURCES_TAG))._replace(attributed=frozenset((fold_text(SKILL_TAG),)))

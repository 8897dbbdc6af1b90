"""Templates: `{{ name }}` placeholders are filled in one pass, and the frames in a template are found."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from ..errors import RecipeError, suggest
from ..model.recipe.body import Body, Group, Part
from ..model.recipe.section import SLOT
from ..model.source import from_state
from ..model.state.agent_and_runtime import Runtime

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")

TemplatePiece = tuple[str, str | None, int]
MAX_REPEATED_CHARS = 4_000_000
"""The characters of all values that are filled in again: more than any model's context window."""


class FillRoom:
    """How many characters may be filled into one text.

    The first use of a value has no limit; a short text that repeats one value could grow without bound.
    """

    def __init__(self) -> None:
        self.left = MAX_REPEATED_CHARS
        self.names: set[str] = set()

    def refuses(self, name: str, size: int) -> str | None:
        """Why a value of this size is not filled in again; None if it is."""
        if name in self.names:
            self.left -= size
        self.names.add(name)
        if self.left >= 0:
            return None
        return f"{{{{{name:.200}}}}} is filled in so often that it has more than {MAX_REPEATED_CHARS:,} characters"


def split_placeholders(
    template: str, pattern: re.Pattern[str] = PLACEHOLDER, *, escapes: bool = True
) -> Iterator[TemplatePiece]:
    """`(text, None, line)` for literal text and `(original, name, line)` for a placeholder, in order.

    With `escapes`, two backslashes before `{{` are one, and a single one escapes it.
    """
    words: list[str] = []
    at, line = 0, 1
    for match in (_compile_slash_pattern(pattern) if escapes else pattern).finditer(template):
        if match.start() < at:
            continue  # it begins within escaped braces
        words.append(template[at : match.start()])
        at = match.end()
        name = match[match.re.groups]
        if name is None:
            slashes = len(match[1])
            literal = "{{" if slashes % 2 else ""
            words.append("\\" * (slashes // 2) + literal)
            at += len(literal)
            continue
        text_before, words = "".join(words), []
        yield text_before, None, line
        line += text_before.count("\n")
        yield match[0], name, line
        line += match[0].count("\n")
    yield "".join(words) + template[at:], None, line


@cache
def _compile_slash_pattern(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Backslashes before `{{`, or else a placeholder. A row of backslashes matches only from its first one."""
    return re.compile(rf"(?<!\\)(\\++)(?=\{{\{{)|{pattern.pattern}")


TEMPLATE_PLACE = re.compile(r"\{\{ *([\w.-]+) *\}\}")


@lru_cache(maxsize=1024)
def split_template(template: str) -> tuple[str, ...]:
    """Words and names of values, alternating; the first item is words."""
    return tuple(TEMPLATE_PLACE.split(template))


def fill_template(template: str, values: Mapping[str, Part | Group]) -> tuple[Part | Group | str, ...]:
    """The words with their values; a missing value adds nothing."""
    pieces = split_template(template)
    parts: list[Part | Group | str] = [pieces[0]] if pieces[0] else []
    for name, words in zip(pieces[1::2], pieces[2::2], strict=True):
        if name in values:
            parts.append(values[name])
        if words:
            parts.append(words)
    return tuple(parts)


TEMPLATE_MARK = re.compile(r"^(#{1,6} )|<(/?)([A-Za-z][\w-]*)((?:[^<>/]|/(?!>))*)>", re.MULTILINE)
TEMPLATE_VALUES = re.compile(r"\{\{.*\}\}")


def find_template_frames(*templates: str) -> tuple[tuple[str, ...], ...]:
    """The tags, the headings, and what is inside a tag in these templates; not in code, no tag that is never closed."""
    frames = [each for template in templates for each in _scan_template_frames(template)]
    outer = [name for name, depth in frames if not depth]
    inner = dict.fromkeys(name for name, depth in frames if depth and name not in outer)
    tags = dict.fromkeys(name for name in outer if not name.startswith("#"))
    return tuple(tags), tuple(dict.fromkeys(n for n in outer if n not in tags)), tuple(inner)


def _scan_template_frames(template: str) -> Iterator[tuple[str, int]]:
    """The name of each tag or heading, and how many tags contain it."""
    from ..text.markdown import blank_code

    marks = list(TEMPLATE_MARK.finditer(blank_code(template)))
    stack: list[str] = []
    for at, mark in enumerate(marks):
        closes, name = mark[2], mark[3]
        if mark[1]:
            line = template[mark.start() :].partition("\n")[0].rstrip()
            if line.strip("# "):
                yield TEMPLATE_VALUES.sub(SLOT, line), len(stack)
        elif closes and name in stack:
            del stack[len(stack) - 1 - stack[::-1].index(name) :]
        elif not closes and any(later[2] and later[3] == name for later in marks[at + 1 :]):
            yield name, len(stack)
            stack.append(name)


AROUND = ("runtime.cwd",)
"""The placeholders of a text above or below a list."""


def check_placeholders(key: str, template: str, known: Sequence[str], where: str, *, prefix: str = "") -> None:
    """Raise for a placeholder that has no value: it would be empty in every prompt. `prefix` begins further ones."""
    for name in split_template(template)[1::2]:
        if name not in known and not (prefix and name.startswith(prefix)):
            hint = f"{suggest(name, known)} Known: {', '.join(known)}."
            raise RecipeError(f"{where}: `{key}` fills in {{{{ {name} }}}}, which has no value there.{hint}")


def add_around(opens: str, closes: str, body: Body, runtime: Runtime | None) -> Body:
    """A list between the texts above and below it; what is no list stays as it is."""
    if not isinstance(body, Group):
        return body
    cwd = Part((runtime.cwd if runtime else None) or "", from_state("runtime.cwd"), single=True)
    above, below = (fill_template(text, {"runtime.cwd": cwd}) for text in (opens, closes))
    return Group((*above, body, *below), sep="") if above or below else body

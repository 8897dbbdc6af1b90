"""Prompt templates: .md files that are called as `/name`."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from ...assemble.gate.admit import admit
from ...assemble.gate.guard import PASSED
from ...assemble.gate.report_foreign_text import Contained, reports
from ...model.diagnostic import Diagnostic, warning
from ...model.source import Source, from_file
from ...model.struct import Frozen, note
from ...text.fences import open_fence
from ...text.frontmatter import Frontmatter, parse, plain_text
from ...text.normalize import one_line, tidy
from ..disk.reader import Reader
from ..disk.why_not import why_not


class Template(Frozen, frozen=True):
    """One template, as a .md file gives it."""

    name: Annotated[str, note("the file's name without .md")]
    text: str
    path: str
    description: Annotated[str, note("of the frontmatter, or else the first line")] = ""


LONGEST = 60
"""Characters of a first line that stand as a description."""


def find_templates(reader: Reader, places: Iterable[tuple[str, str]]) -> dict[str, Template]:
    """The templates of all places, each a folder or a file and the root that its links may not leave."""
    found: dict[str, Template] = {}
    for place, root in places:
        for folder, name in _files(reader, place):
            sighting = reader.sight(folder, name, root, "template")
            template: Template | None = reader.load(sighting, "template", read_template) if sighting else None
            if template is None:
                continue
            winner = found.setdefault(template.name, template)
            taken = winner is not template
            reader.note(template.path, "template", "shadowed" if taken else "loaded", f"by {winner.path}" * taken)
            if taken:
                message = f"not used: {winner.path} has the same name, /{template.name}, and comes first"
                reader.diagnostics.append(warning("template-collision", message, template.path))
    return found


def _files(reader: Reader, place: str) -> list[tuple[str, str]]:
    if place.endswith(".md"):
        folder, _, name = place.rpartition("/")
        return [(folder, name)]
    try:
        if reader.world.look(place) is None:
            reader.note_absent(place, "template")
            return []
        names = reader.world.names(place)
    except OSError as problem:
        reader.refuse(place, "template", "unreadable", why_not(reader.world, place, problem))
        return []
    return [(place, name) for name, kind in names if name.endswith(".md") and kind in ("file", "link")]


def read_template(text: str, path: str) -> tuple[Template, tuple[Diagnostic, ...]]:
    """The template of a file; frontmatter is no part of its text."""
    text, skipped = tidy(text)
    parsed = parse(text) if text.startswith("---") else None
    described, line = "", 1 + skipped
    notes: tuple[Diagnostic, ...] = ()
    if isinstance(parsed, Frontmatter):
        described = one_line(plain_text(parsed.fields.get("description")))
        text, blank = tidy(text[parsed.body :])
        line = parsed.body_line + skipped + blank
    elif parsed is not None:
        notes = (warning("template-invalid", parsed.message, path, parsed.line + skipped),)
    text, more = _made_safe(text, from_file(path, line))
    name = path.rpartition("/")[2].removesuffix(".md")
    return Template(name, text, path, described or _first_line(text)), (*notes, *more)


def _made_safe(text: str, source: Source) -> tuple[str, Iterator[Diagnostic]]:
    """A template without control tokens, hidden characters and a code block left open.

    Frames are seen to when it is called: only then it is known beside which prompt.
    """
    text, found = admit(text, PASSED)
    if fence := open_fence(text):
        return text + fence.closing(), reports((*found, Contained("open-fence", 1, fence.line)), source, "", {})
    return text, reports(found, source, "", {})


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].strip()
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"

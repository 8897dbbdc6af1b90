"""What an agent writes around the files that it reads, with a word in brackets for what differs."""

import re

from known_agents import Known, is_guessed
from names_in_words import begun

from overture.recipes.toml.make_section import SectionForm

PLACE = re.compile(r"\{\{ *([\w.]+) *\}\}")
WORDS = {
    "text": "the text",
    "runtime.cwd": "the working directory",
    "relative": "relative path",
    "in_project": "path in the project",
    "opened": "path, from the name of the opened folder on",
    "nearby": "path, relative to the working directory if it is below it",
    "front.applyTo": "applyTo",
    "front.paths": "paths",
    "front.description": "description",
    "alias": "short path",
    "file": "file name",
}
PARTS = {
    "": "{}",
    "touched": "those of {} that are loaded on demand",
    "waiting": "those of {} that wait for a file",
    "model": "those of {} that the model asks for",
}
"""Of a step, which of its files a section tells."""


def frames(known: Known) -> str:
    """Each section of its prompt that tells of files or skills."""
    shown = [section for section in known.sections if known.order_is_known or section.opens]
    unknown = [] if len(shown) == len(known.sections) else ["The frames of all other files are unknown.\n"]
    return "\n".join([*(_frame(known, section) for section in shown), *unknown]) if shown else "Unknown.\n"


def _frame(known: Known, section: SectionForm) -> str:
    of = begun(_of(known, section) or "skills")
    head = f"{of}, {'in the first message' if section.place == 'user' else 'in the system prompt'}"
    templates = _templates(section)
    if is_guessed(section):
        return f"{head}: unknown.\n"
    if not section.opens and not section.closes and templates == ["{{ text }}"]:
        return f"{head}: only the text.\n"
    between = section.turning if section.turning is not None else section.between
    return f"{head}:\n\n{_block(section.opens + between.join(templates) + section.closes)}"


def _of(known: Known, section: SectionForm) -> str:
    """The rules of which a section tells; some it tells once a file in play makes them count."""
    by_kind: dict[str, list[str]] = {}
    for step, _, kind in (name.partition(":") for name in section.files):
        by_kind.setdefault(kind, []).append(step)
    said = [PARTS[kind].format(known.called(steps)) for kind, steps in sorted(by_kind.items())]
    return ", and ".join(said)


def _templates(section: SectionForm) -> list[str]:
    if section.menu is not None:
        return [section.menu]
    given = section.each if isinstance(section.each, dict) else {"": section.each}
    found = list(dict.fromkeys(given.values()))
    return found * 2 if section.turning is not None and len(found) == 1 else found


def _block(text: str) -> str:
    """Indented, since frames have fences in them."""
    said = PLACE.sub(lambda found: f"[{WORDS.get(found[1], found[1])}]", text)
    return "".join(f"    {line}\n" if line else "\n" for line in said.splitlines())

"""An agent that misses a file -> the changes that its own rules allow. Whether one helps is found out by trying it."""

import posixpath
from collections.abc import Iterator

from ...discover.disk.walk import at_or_above
from ...model.other_tools import INSTRUCTIONS
from ...model.recipe.wants.wanted_instructions import Files
from .advice import Change
from .possible_settings import Place, Refused, possible_settings
from .shared_texts import Shared, is_own, text_at
from .standing import Told


def possible_changes(place: Place, told: Told, shared: Shared) -> Iterator[Change | Refused]:
    """What stays in one place first: lines that import, settings, then new files and links."""
    steps = [step for step in told.wants.files if step.kind == "instructions" and step.where != "home"]
    for step in steps:
        yield from _imports(place, step, shared, new=False)
    yield from possible_settings(place, told, shared)
    for step in steps:
        yield from _imports(place, step, shared, new=True)
    for step in steps:
        yield from _links(place, step, shared)


def _named(step: Files, shared: Shared) -> Iterator[str]:
    """The paths at which a step would look beside a text: names by which people keep instructions.

    In its own folder alone: above it the text would reach further than it does, and below nobody would look for it.
    Never in a file that is one person's own: what mends it has to be shared.
    """
    for name in step.names:
        for each in name.split("|"):
            if each in INSTRUCTIONS and "*" not in each and not is_own(each):
                yield posixpath.join(shared.folder, each)


def _imports(place: Place, step: Files, shared: Shared, *, new: bool) -> Iterator[Change]:
    if step.imports is None:
        return
    for path in _named(step, shared):
        fits = not step.imports.names or posixpath.basename(path) in step.imports.names
        if path == shared.path or not fits or not at_or_above(place.root, path):
            continue
        lies = place.world.look(path)
        line = f"@{posixpath.relpath(shared.path, posixpath.dirname(path))}"
        said = f"{posixpath.relpath(path, place.root)}: a line `{line}`"
        if new and lies is None:
            yield Change(path, "file", said, None, f"{line}\n")
        elif not new and lies is not None and lies.kind == "file":
            before = text_at(place.world, path)
            if before is not None:
                yield Change(path, "import", said, before, with_line(before, line))


def with_line(text: str, line: str) -> str:
    """A text with a line at its top; at its end, where it begins with frontmatter."""
    end = "\r\n" if "\r\n" in text else "\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    if body.startswith("---"):
        return f"{text.rstrip()}{end}{end}{line}{end}"
    return f"{mark}{line}{end}{end}{body.lstrip(chr(13) + chr(10))}" if body.strip() else f"{mark}{line}{end}"


def _links(place: Place, step: Files, shared: Shared) -> Iterator[Change]:
    if step.links == "never":
        return
    for path in _named(step, shared):
        if path != shared.path and at_or_above(place.root, path) and place.world.look(path) is None:
            leads = posixpath.relpath(shared.path, posixpath.dirname(path))
            yield Change(path, "link", f"{posixpath.relpath(path, place.root)}: a link to {leads}", link=leads)

"""The files that an agent reads later or never, and why."""

from collections.abc import Iterator

from ...model.recipe.wants.wanted_instructions import Kind
from ...model.state.discovery import Look
from ..instruction_files import each_once, files_of_own
from ..report.agent_report import AgentFile, Status
from .seen import IGNORED, Seen, known_of, left, step_of
from .told import KINDS
from .why_read import why_later
from .why_unread import Asked, why_unread


def untold_files(seen: Seen) -> Iterator[AgentFile]:
    """Files that are read later or never, and why."""
    met = {look.path for look in seen.found.looked_at if look.outcome not in IGNORED}
    later = [file for file in seen.place.files if file.path in seen.later and file.path not in met]
    for look in sorted(left(seen.found), key=lambda look: look.outcome != "lazy"):
        if look.outcome == "lazy":
            yield _left_file(seen, look, "lazy")
    for file in later:
        look = seen.later[file.path]
        why, kind = why_later(file.folder, look.what), KINDS.get(look.what, "instructions")
        tokens = seen.sizes.get(file.path, 0)
        yield AgentFile(file.path, kind, "lazy", why, tokens, step=look.step, known=known_of(step_of(seen, look.step)))
    for look in left(seen.found):
        if look.outcome != "lazy" and not _is_folder_again(seen, look):
            yield _left_file(seen, look, "unread")
    yield from _unmet(seen, met)


def _is_folder_again(seen: Seen, look: Look) -> bool:
    """Whether it is a folder of skills that is another by a link: its files are listed, each with its other name."""
    below = f"{look.path}/"
    return look.outcome == "duplicate" and any(file.path.startswith(below) for file in seen.place.files)


def _left_file(seen: Seen, look: Look, status: Status) -> AgentFile:
    kind, known = KINDS.get(look.what, "instructions"), known_of(step_of(seen, look.step))
    same = _same(seen, look.path)
    why = _the_same(seen, same) if same and look.outcome == "shadowed" else _words(look)
    return AgentFile(look.path, kind, status, why, 0, step=look.step, known=known, same=same)


def _unmet(seen: Seen, met: set[str]) -> Iterator[AgentFile]:
    """Files that it does not even look for here."""
    asked = Asked(seen.settled, seen.wants)
    # Settings may have put other names in the place of its own.
    steps = (*seen.wants.files, *seen.settled.recipe.wants.files)
    for file in each_once((*seen.place.files, *files_of_own(seen.settled.world, steps, seen.place.walk))):
        if file.path not in met and file.path not in seen.later:
            kind: Kind = (
                "skill" if file.skill else "rule" if "/" in file.name and "rule" in file.name else "instructions"
            )
            same, there = _same(seen, file.path), seen.inner.get(file.path)
            why = _the_same(seen, same) if same else _words(there) if there else why_unread(asked, file)
            yield AgentFile(file.path, kind, "unread", why, same=same)


def _same(seen: Seen, path: str) -> str | None:
    """The name by which the agent reads the same file."""
    same = seen.read.get(seen.place.real.get(path, ""))
    return same if same != path else None


def _the_same(seen: Seen, path: str) -> str:
    return f"the same file as {path}, which is read{' later' if path in seen.later else ''}"


def _words(look: Look) -> str:
    said = {
        "cleared": look.detail or "it is empty",
        "shadowed": f"shadowed {look.detail}" if look.detail.startswith("by ") else look.detail,
        "duplicate": look.detail or "another file says the same",
        "waiting": "nobody has approved it",
    }
    return said.get(look.outcome) or look.detail or look.outcome

"""One agent in one place -> what becomes of each instruction file there."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import structs

from ...assemble.build import build
from ...model.diagnostic import Diagnostic
from ...model.prompt.prompt import Prompt
from ...model.recipe.wanted_files import Wants
from ...model.recipe.wanted_instructions import Evidence, Files, Kind
from ...model.state.discovery import Found, Look
from ...report.agents.agent_report import AgentFile, AgentReport, Status
from ...sections.told.limits import Taken, taken
from ...tokens.counter import ESTIMATE, Counter
from ..project import Settled
from .instruction_files import Lying, each_once, files_of_own
from .told_of_files import told_of_files
from .why_read import why_cut, why_later, why_loaded
from .why_unread import Asked, why_unread

KINDS: dict[str, Kind] = {
    "context": "instructions", "rule": "rule", "skill": "skill", "command": "command", "agent": "agent",
    "settings": "settings", "system": "instructions", "append": "instructions",
}  # fmt: skip
IGNORED = ("absent", "off")


class Place(NamedTuple):
    """What lies in a project, whoever reads it."""

    files: tuple[Lying, ...]
    real: Mapping[str, str]
    """Each path of those, with all links followed."""
    walk: tuple[str, ...] = ()
    """The folders from the project's top down to the working directory."""
    counter: Counter = ESTIMATE
    notes: tuple[Diagnostic, ...] = ()


class Seen(NamedTuple):
    """What was found for an agent, and the prompt that is made of it."""

    settled: Settled
    place: Place
    found: Found
    prompt: Prompt
    wants: Wants
    before: frozenset[str]
    """Files that it is told without the files that it works on; empty where it works on none."""
    later: Mapping[str, Look]
    """Files that are read once the agent works in their folders."""
    sizes: Mapping[str, int]
    """Tokens of those."""
    read: Mapping[str, str]
    """The files that it is told, at the start or later, by their paths with all links followed."""
    inner: Mapping[str, Look]
    """Files that are not read there either, and why."""


def report_agent(settled: Settled, place: Place, used: tuple[str, ...] = ()) -> AgentReport:
    """What the agent of a project reads."""
    seen = _seen(settled, place)
    facts = settled.recipe.agent
    assert facts is not None
    files = _in_order(_each_once([*_told(seen), *_not_told(seen)]))
    return AgentReport(
        settled.recipe.name,
        facts.title,
        facts.version,
        facts.checked,
        facts.known,
        files,
        sum(file.tokens for file in files if file.status in ("loaded", "cut")),
        tuple(dict.fromkeys((*seen.prompt.diagnostics, *place.notes))),
        used,
        facts.own,
        exact=place.counter.exact,
    )


def _each_once(files: Iterable[AgentFile]) -> Iterable[AgentFile]:
    found: dict[str, AgentFile] = {}
    for file in files:
        found.setdefault(file.path, file)
    return found.values()


def _in_order(files: Iterable[AgentFile]) -> tuple[AgentFile, ...]:
    """Those that are told as they are told, then what is read later, then what is not."""
    return tuple(sorted(files, key=lambda file: ("cut", "lazy", "unread").index(file.status.replace("loaded", "cut"))))


def _seen(settled: Settled, place: Place) -> Seen:
    first = settled._replace(touching=()).find() if settled.touching else None
    found = settled.find(first)
    prompt = build(settled.recipe, found.state, found=found.diagnostics, counting=place.counter)
    wants = found.wants or settled.recipe.wants
    more = _working_everywhere(settled, found, wants, place.files)
    known = _loaded(found)
    later = {path: look for path, look in (_loaded(more) if more else {}).items() if path not in known and look.step}
    inner = {look.path: look for look in _left(more)} if more else {}
    real = settled.reader().real_or
    later |= _linked_elsewhere(later, inner, real)
    texts = {file.path: file.content for file in more.state.context_files} if more and later else {}
    sizes = {path: place.counter.by_lines(texts.get(path) or texts.get(look.path, "")) for path, look in later.items()}
    read = {real(path): path for path in (*later, *known)}
    before = frozenset(_loaded(first) if first else ())
    return Seen(settled, place, found, prompt, wants, before, later, sizes, read, inner)


def _linked_elsewhere(
    later: Mapping[str, Look], inner: Mapping[str, Look], real: Callable[[str], str]
) -> dict[str, Look]:
    """Other names of files that are read later, in other folders: whoever works in one alone reads it by that name."""
    known = {real(path): look for path, look in later.items()}
    same = {path: known.get(real(path)) for path, look in inner.items() if look.outcome == "duplicate"}
    return {p: look for p, look in same.items() if look and posixpath.dirname(look.path) != posixpath.dirname(p)}


def _loaded(found: Found) -> dict[str, Look]:
    """Each file that is loaded, as it was met first."""
    loaded: dict[str, Look] = {}
    for look in found.looked_at:
        if look.outcome == "loaded":
            loaded.setdefault(look.path, look)
    return loaded


def _working_everywhere(settled: Settled, found: Found, wants: Wants, lying: Iterable[Lying]) -> Found | None:
    """What would be found by an agent that works on a file in each of the folders."""
    if not any(step.where in ("below", "project") for step in wants.files):
        return None
    inner = tuple(dict.fromkeys(f"{file.folder.rstrip('/')}/_" for file in lying))
    return settled._replace(touching=(*settled.touching, *inner)).find(found)


def _told(seen: Seen) -> Iterator[AgentFile]:
    """The files that the agent is told at the start, in its order."""
    told, looks, cuts = told_of_files(seen.prompt), _loaded(seen.found), _cuts(seen)
    for path in [*(path for path in told if path in looks), *(path for path in looks if path not in told)]:
        tokens, frame = told.get(path, (0, None))
        text = looks[path].what in ("context", "rule")
        file = _file(seen, looks[path], tokens, frame if text else None, cuts.get(path))
        again = [look.detail for look in _again(seen.found, looks[path]) if look.detail]
        yield structs.replace(file, why=f"{file.why}; told again, {again[0]}") if again else file


def _again(found: Found, first: Look) -> Iterator[Look]:
    """Further times that a file is told, as where another imports it."""
    return (look for look in found.looked_at if look.path == first.path and look.outcome == "loaded" and look != first)


def _cuts(seen: Seen) -> dict[str, Taken]:
    files = seen.found.state.context_files
    cut = taken(files, seen.wants.limits, {})
    return {files[index].path: each for index, each in cut.items()}


def _file(seen: Seen, look: Look, tokens: int, frame: str | None, cut: Taken | None) -> AgentFile:
    kind, step = KINDS.get(look.what, "instructions"), _step(seen, look.step)
    touched = bool(seen.settled.touching) and look.path not in seen.before
    if cut is None:
        why = why_loaded(look, step, seen.settled.cwd, _root(seen))
        return AgentFile(
            look.path, kind, "loaded", why, tokens, None, None, frame, look.step, _known(step), None, touched
        )
    file = next(file for file in seen.found.state.context_files if file.path == look.path)
    lines = file.line + file.content.rstrip("\n").count("\n")
    status: Status = "cut" if cut.chars else "unread"
    why = why_cut(_title(seen), cut.limit)
    frame = frame if cut.chars else None
    return AgentFile(
        look.path, kind, status, why, tokens, cut.last_line, lines, frame, look.step, _known(step), None, touched
    )


def _title(seen: Seen) -> str:
    return seen.settled.recipe.agent.title if seen.settled.recipe.agent else seen.settled.recipe.name


def _root(seen: Seen) -> str | None:
    runtime = seen.found.state.runtime
    return runtime.project if runtime else None


def _step(seen: Seen, name: str) -> Files | None:
    return next((step for step in seen.wants.files if step.step == name), None) if name else None


def _known(step: Files | None) -> Evidence | None:
    return step.known if step else None


def _not_told(seen: Seen) -> Iterator[AgentFile]:
    """Files that are read later or never, and why."""
    met = {look.path for look in seen.found.looked_at if look.outcome not in IGNORED}
    later = [file for file in seen.place.files if file.path in seen.later and file.path not in met]
    for look in sorted(_left(seen.found), key=lambda look: look.outcome != "lazy"):
        if look.outcome == "lazy":
            yield _left_file(seen, look, "lazy")
    for file in later:
        look = seen.later[file.path]
        why, kind = why_later(file.folder), KINDS.get(look.what, "instructions")
        tokens = seen.sizes.get(file.path, 0)
        yield AgentFile(file.path, kind, "lazy", why, tokens, step=look.step, known=_known(_step(seen, look.step)))
    for look in _left(seen.found):
        if look.outcome != "lazy":
            yield _left_file(seen, look, "unread")
    yield from _unmet(seen, met)


def _left(found: Found) -> Iterator[Look]:
    return (look for look in found.looked_at if look.outcome not in (*IGNORED, "loaded"))


def _left_file(seen: Seen, look: Look, status: Status) -> AgentFile:
    kind, known = KINDS.get(look.what, "instructions"), _known(_step(seen, look.step))
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

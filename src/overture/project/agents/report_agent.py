"""One agent in one place -> what becomes of each instruction file there."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...assemble.build import build
from ...discover.load_tokenizer import find_counter
from ...model.prompt.prompt import Prompt
from ...model.recipe.wanted_files import Wants
from ...model.recipe.wanted_instructions import Evidence, Kind
from ...model.state.discovery import Found, Look
from ...report.agents.agent_report import AgentFile, AgentReport, Status
from ...report.explain import explain
from ...sections.told.limits import Taken, taken
from ..project import Settled
from .instruction_files import Lying
from .why_unread import Asked, why_unread

KINDS: dict[str, Kind] = {
    "context": "instructions", "rule": "rule", "skill": "skill", "command": "command", "agent": "agent",
    "settings": "settings", "system": "instructions", "append": "instructions",
}  # fmt: skip
IGNORED = ("absent", "off")


class Seen(NamedTuple):
    """What was found for an agent, and the prompt that is made of it."""

    settled: Settled
    found: Found
    prompt: Prompt
    wants: Wants
    later: dict[str, Look]
    """Files that are read once the agent works in their folders."""


def report_agent(settled: Settled, lying: Iterable[Lying], used: tuple[str, ...] = ()) -> AgentReport:
    """What the agent of a project reads. `lying` are the instruction files there, whoever reads them."""
    lying = list(lying)
    seen = _seen(settled, lying)
    facts = settled.recipe.agent
    assert facts is not None
    files: dict[str, AgentFile] = {}
    for file in (*_told(seen), *_not_told(seen, lying)):
        files.setdefault(file.path, file)
    return AgentReport(
        settled.recipe.name,
        facts.title,
        facts.version,
        facts.checked,
        facts.known,
        tuple(files.values()),
        sum(file.tokens for file in files.values() if file.status in ("loaded", "cut")),
        tuple(dict.fromkeys(seen.prompt.diagnostics)),
        used,
        facts.own,
    )


def _seen(settled: Settled, lying: list[Lying]) -> Seen:
    found = settled.find()
    prompt = build(settled.recipe, found.state, found=found.diagnostics, counting=find_counter)
    wants = found.wants or settled.recipe.wants
    return Seen(settled, found, prompt, wants, _later(settled, found, wants, lying))


def _later(settled: Settled, found: Found, wants: Wants, lying: list[Lying]) -> dict[str, Look]:
    """What is read besides, once the agent works in each of the folders."""
    if not any(step.where in ("below", "project") for step in wants.files):
        return {}
    inner = tuple(dict.fromkeys(f"{file.folder.rstrip('/')}/_" for file in lying))
    more = settled._replace(touching=(*settled.touching, *inner)).find(found)
    known = {look.path for look in found.looked_at if look.outcome == "loaded"}
    return {
        look.path: look for look in more.looked_at if look.outcome == "loaded" and look.path not in known and look.step
    }


def _told(seen: Seen) -> Iterator[AgentFile]:
    """The files that the agent is told at the start, in its order."""
    told = explain(seen.prompt, seen.found)
    tokens: dict[str, int] = {}
    for block in told.blocks:
        for share in block.shares:
            if share.source.kind == "file" and share.source.path:
                tokens[share.source.path] = tokens.get(share.source.path, 0) + share.tokens
    looks = {look.path: look for look in seen.found.looked_at if look.outcome == "loaded"}
    cuts = _cuts(seen)
    for path in [*(path for path in tokens if path in looks), *(path for path in looks if path not in tokens)]:
        yield _file(seen, looks[path], tokens.get(path, 0), cuts.get(path))


def _cuts(seen: Seen) -> dict[str, Taken]:
    files = seen.found.state.context_files
    cut = taken(files, seen.wants.limits, {})
    return {files[index].path: each for index, each in cut.items()}


def _file(seen: Seen, look: Look, tokens: int, cut: Taken | None) -> AgentFile:
    kind, known = KINDS.get(look.what, "instructions"), _known(seen, look.step)
    if cut is None:
        return AgentFile(
            look.path, kind, "loaded", look.detail or _by_rule(seen, look), tokens, step=look.step, known=known
        )
    file = next(file for file in seen.found.state.context_files if file.path == look.path)
    lines = file.line + file.content.count("\n")
    together = "a file" if cut.limit.over == "file" else "of all these files together"
    said = "and it says so" if cut.limit.says else "and it does not say so"
    facts = seen.settled.recipe.agent
    whose = facts.title if facts else seen.settled.recipe.name
    why = f"{whose} takes {cut.limit.most:,} {cut.limit.unit} {together}, {said}"
    status: Status = "cut" if cut.chars else "unread"
    return AgentFile(look.path, kind, status, why, tokens, cut.last_line, lines, step=look.step, known=known)


def _by_rule(seen: Seen, look: Look) -> str:
    step = next((step for step in seen.wants.files if step.step == look.step), None)
    return step.remark if step else ""


def _known(seen: Seen, step: str) -> Evidence | None:
    found = next((each for each in seen.wants.files if each.step == step), None)
    return found.known if found else None


def _not_told(seen: Seen, lying: list[Lying]) -> Iterator[AgentFile]:
    """Files that are read later or never, and why."""
    for look in seen.found.looked_at:
        if look.outcome not in (*IGNORED, "loaded"):
            status: Status = "lazy" if look.outcome == "lazy" else "unread"
            kind = KINDS.get(look.what, "instructions")
            yield AgentFile(look.path, kind, status, _words(look), 0, step=look.step, known=_known(seen, look.step))
    met = {look.path for look in seen.found.looked_at if look.outcome not in IGNORED}
    asked = Asked(seen.settled, seen.wants)
    for file in lying:
        if file.path in met:
            continue
        if (later := seen.later.get(file.path)) is not None:
            why = f"it is read when the agent works on a file in {file.folder}"
            yield AgentFile(file.path, KINDS.get(later.what, "instructions"), "lazy", why, 0, step=later.step)
        else:
            kind = "skill" if file.skill else "rule" if "/" in file.name and "rule" in file.name else "instructions"
            yield AgentFile(file.path, kind, "unread", why_unread(asked, file))


def _words(look: Look) -> str:
    said = {
        "cleared": "it is empty",
        "duplicate": look.detail or "another file says the same",
        "waiting": "nobody has approved it",
    }
    return said.get(look.outcome) or look.detail or look.outcome

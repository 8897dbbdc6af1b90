"""Why an agent is not told a text, in words that lead to what can be done about it."""

import json
import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from ...model.recipe.wants.wanted_instructions import Files
from ...model.state.discovery import Look
from ...sections.told.limits import Taken, taken
from ..report.agent_report import AgentReport
from .advice import Change
from .missing import Missing
from .plan_changes import Plan

STOPPED = ": where that lies"


class Cause(NamedTuple):
    """A reason, the same for several texts and agents."""

    words: str
    """A sentence without its end; `{files}` are the texts."""
    where: str = ""
    """The file that is in the way."""
    room: bool = False
    """There is not enough of it."""


def why_missing(plan: Plan, missing: Missing, report: AgentReport | None) -> Cause:
    """The first of the agent's rules that explains it."""
    title, told = missing.standing.title, plan.told(missing)
    files = told.found.state.context_files
    for index, cut in taken(files, told.wants.limits, {}).items():
        if files[index].path == missing.shared.path:
            return _cut(title, cut, files[index].line + files[index].content.count("\n"))
    look = next((look for look in told.found.looked_at if look.path == missing.shared.path and look.step), None)
    step = next((step for step in told.wants.files if look and step.step == look.step), None)
    if look and step and look.outcome == "shadowed" and step.unless and STOPPED in look.detail:
        return _stopped(plan, title, step, look, report)
    found = next((file for file in report.files if file.path == missing.shared.path), None) if report else None
    why = found.why if found and found.status not in ("loaded", "cut") else ""
    # That it does not read what it is not told, goes without saying.
    plain = why.startswith(f"{title} does not read ")
    near = why.replace(f"{plan.place.root.rstrip('/')}/", "")
    return Cause(f"{title} is not told {{files}}{f': {near}' if why and not plain else ''}")


def _cut(title: str, cut: Taken, lines: int) -> Cause:
    limit = cut.limit
    room = f"{limit.most:,} {limit.unit}"
    if not cut.chars:
        return Cause(f"{title} drops {{files}}, because the files before it use up its {room}", room=True)
    per = "of a file" if limit.over == "file" else "of all such files together"
    return Cause(
        f"{title} reads {{files}} only up to line {cut.last_line:,} of {lines:,}, because {room} {per} is its most",
        room=True,
    )


def _stopped(plan: Plan, title: str, step: Files, look: Look, report: AgentReport | None) -> Cause:
    """One file switches others off."""
    by = look.detail.removeprefix("by ").partition(STOPPED)[0]
    names = {posixpath.basename(name) for name in step.names}
    off = [f for f in report.of("unread") if posixpath.basename(f.path) in names and not f.same] if report else []
    far = "anywhere above" if step.up == "root" else "between here and the repository's root"
    some = f"{len(off)} of yours" if len(off) > 1 else "{files}"
    return Cause(
        f"{title} reads {step.names[0]} only where no {posixpath.basename(step.unless[0])} lies {far}; "
        f"the one at {shown(plan, by)} switches off {some}",
        by,
    )


def names_it(plan: Plan, change: Change, cause: Cause, title: str) -> str | None:
    """The sentence for a setting by which a further file is read; None for other changes."""
    if change.kind != "setting" or cause.room or cause.where:
        return None
    key, _, value = change.said.partition(": ")[2].partition(" = ")
    given = json.loads(value)
    does = f"names {given[-1]}" if isinstance(given, list) else f"is {value}"
    return f"{title} reads {{files}} once {key} in {shown(plan, change.path)} {does}"


def what_helps(plan: Plan, change: Change, cause: Cause) -> str:
    """What a change does, for the end of a sentence."""
    path = "it" if cause.where == change.path else shown(plan, change.path)
    line = change.said.partition(": ")[2]
    return {
        "import": f"{line} in {path} brings the text back" if cause.where else f"{line} in {path} brings it",
        "setting": f"{line} in {path} {'makes room' if cause.room else 'brings it'}",
        "file": f"a new {path} with {line} brings it",
        "link": f"{path}, {line}, brings it",
    }[change.kind]


def by_hand(plan: Plan, missing: Sequence[Missing], hints: Sequence[str]) -> str:
    """What somebody can do where no change is safe."""
    if hints:
        return hints[0]
    told = plan.told(missing[0])
    read = [f.path for f in told.found.state.context_files if f.path.startswith(f"{plan.place.root.rstrip('/')}/")]
    places = [name for step in told.wants.files if step.where != "home" for name in step.names if "*" not in name]
    near = [path for path in read if posixpath.dirname(path) == missing[0].shared.folder] or read
    where = shown(plan, near[-1]) if near else next(iter(places), "")
    return f"what it is to know has to be written into {where} by hand" if where else "nothing here can change that"


def shown(plan: Plan, path: str) -> str:
    """A path as one writes it in the project; one outside in full."""
    root = plan.place.root.rstrip("/")
    return path.removeprefix(f"{root}/")

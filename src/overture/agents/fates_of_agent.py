"""`why` for an agent of somebody else's: its own rules answer, as no setting of ours changes what it reads."""

from collections.abc import Iterator

from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Found, Look
from ..project.asked_path import ask_about
from ..project.project import Settled
from ..report.why import Fate, recorded, why
from .fates_of_file import fate_of, paths_meant
from .report.agent_report import AgentFile, AgentReport
from .report_agents import report_settled

FEW = 60
"""Paths of which is found out what would have them read: each costs a few looks around."""


def fates(settled: Settled, prompt: Prompt, found: Found, name: str) -> tuple[Fate, ...]:
    """What became of each path that is meant, for any recipe."""
    if settled.recipe.agent is None:
        return why(name, name, prompt, found, ask_about(settled, found, name))
    report = report_settled(settled)
    meant = paths_meant([report], name, settled.cwd, settled.home, settled.world)
    if not meant.there:
        return tuple(Fate(path, "missing", "no such file.") for path in meant.paths)
    return tuple(_fate(report, path, prompt) for path in meant.paths)


def fates_of_looks(settled: Settled, prompt: Prompt, found: Found) -> Iterator[tuple[Look, Fate]]:
    """Every path that was looked at, and what became of it, in the words of `fates`."""
    if settled.recipe.agent is not None:
        report = report_settled(settled)
        for look, fate in zip(found.looked_at, recorded(found.looked_at, prompt), strict=True):
            yield look, fate if look.outcome == "absent" else _fate(report, look.path, prompt)
        return
    left = FEW
    for look, fate in zip(found.looked_at, recorded(found.looked_at, prompt), strict=True):
        helped = left > 0 and (look.outcome == "outside" or look.detail.startswith("by /"))
        left -= helped
        asked = ask_about(settled, found, look.path) if helped else ()
        yield look, why(look.path, look.path, prompt, found, asked)[0] if asked else fate


def _fate(report: AgentReport, path: str, prompt: Prompt) -> Fate:
    file = next((file for file in report.files if file.path == path), None)
    if file is None or file.status == "unread":
        told = fate_of(report, path)
        return Fate(
            path,
            told.status if told.status == "unread" else "folder",
            f"not read: {told.why}." if told.status == "unread" else f"{told.why}.",
        )
    if file.status == "lazy":
        return Fate(path, "lazy", f"not in the prompt at first: {file.why}.")
    return _told(file, prompt)


def _told(file: AgentFile, prompt: Prompt) -> Fate:
    spans = [span for span in prompt.spans if span.source.kind == "file" and span.source.path == file.path]
    if not spans:
        return Fate(file.path, "loaded", f"loaded, and not in the prompt: {file.why}.")
    chars = sum(span.end - span.start for span in spans)
    cut = f", up to line {file.last_line} of {file.lines}" if file.status == "cut" else ""
    said = f"in the prompt: {chars:,} characters, from character {spans[0].start:,} on{cut}: {file.why}."
    return Fate(file.path, "cut" if file.status == "cut" else "loaded", said, chars)

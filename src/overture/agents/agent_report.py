"""An agent's report holds each file that it loads, truncates or skips; by agent, by file, and as JSON."""

import posixpath
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal

from ..model.agent_rules import Evidence, FileKind
from ..model.diagnostic import Diagnostic
from ..model.recipe.recipe import OwnPrompt
from ..model.struct import Frozen, as_json, note

Status = Literal["loaded", "truncated", "on_demand", "skipped"]
"""loaded: whole, at the start · truncated: in part · on_demand: later, or only its name · skipped: never"""
FileStatus = Literal["loaded", "truncated", "listed", "on_demand", "skipped"]
"""The same in JSON. listed: only the name and the description, as of a skill"""
STATUS_WORDS: Mapping[FileStatus, str] = {"on_demand": "loaded on demand"}
"""The words for people that differ from those of JSON."""
LISTED_KINDS: tuple[FileKind, ...] = ("skill", "command", "agent")
"""The kinds of files that menus list, sometimes without a description."""
NO_FILES = "No instruction files or skills here."


class AgentFile(Frozen, frozen=True):
    """One file, and what an agent does with it."""

    path: str
    kind: FileKind
    status: Status
    why: Annotated[str, note("the reason: the agent's rule that applies")] = ""
    tokens: Annotated[int, note("tokens that the agent loads, or would load on demand")] = 0
    last_line: Annotated[int | None, note("of a truncated file: the last line that is loaded in full; 0: none")] = None
    lines: Annotated[int | None, note("of a truncated file: how many lines it has")] = None
    step: Annotated[str, note("the step of the agent's recipe that found it")] = ""
    known: Annotated[Evidence | None, note("how that step is known")] = None
    same: Annotated[str | None, note("of a skipped file: the path under which the same file is loaded")] = None
    touched: Annotated[bool, note("loaded only because of the files that the agent works on")] = False
    told_lines: Annotated[
        tuple[tuple[int, int], ...], note("first and last lines that are loaded; others are replaced or stripped")
    ] = ()
    order_fixed: Annotated[
        bool, note("false: the agent's order, or its choice among several files, may differ from run to run")
    ] = True
    repeated: Annotated[bool, note("loaded a second time, since another file imports it")] = False
    alias_of: Annotated[str | None, note("the file with the same text: the target of its link, or its only import")] = (
        None
    )


class AgentReport(Frozen, frozen=True):
    """What one agent loads and skips here."""

    name: str
    title: str
    version: str
    checked: date
    known: Evidence
    files: Annotated[
        tuple[AgentFile, ...], note("files in the order in which the agent loads them, then the skipped ones")
    ]
    tokens: Annotated[int, note("tokens of all files and skills that it loads, without its own prompt")]
    findings: tuple[Diagnostic, ...] = ()
    used: Annotated[tuple[str, ...], note("signs that it is set up here: paths and programs")] = ()
    own: OwnPrompt = OwnPrompt()
    tokenizer: str = "estimate"
    exact: Annotated[bool, note("false: the tokens are an estimate")] = False

    @property
    def order_fixed(self) -> bool:
        """Whether the agent loads the same files in the same order on every machine."""
        return all(file.order_fixed for file in self.files)

    def of(self, *status: Status) -> tuple[AgentFile, ...]:
        """The files with one of these statuses: `report.of("loaded", "truncated")`."""
        return tuple(file for file in self.files if file.status in status)


class FileGridRow(Frozen, frozen=True):
    """One file."""

    path: str
    kind: FileKind
    by: Annotated[
        tuple[AgentFile | None, ...], note("what each agent does with it; none: the agent does not look for it")
    ]


class FileGrid(Frozen, frozen=True):
    """Files and agents."""

    agents: tuple[str, ...]
    rows: tuple[FileGridRow, ...]


def make_file_grid(reports: Sequence[AgentReport]) -> FileGrid:
    """Every file that any of the agents reads or might, outermost first; settings are no instructions."""
    files: dict[str, dict[str, AgentFile]] = {}
    for report in reports:
        for file in report.files:
            if file.kind != "settings":
                files.setdefault(file.path, {})[report.name] = file
    names = tuple(report.name for report in reports)
    rows = []
    for path in sorted(files, key=_sort_key):
        by = files[path]
        first = next((file for file in by.values() if file.status != "skipped"), next(iter(by.values())))
        rows.append(FileGridRow(path, first.kind, tuple(map(by.get, names))))
    return FileGrid(names, tuple(rows))


def _sort_key(path: str) -> tuple[int, str, str]:
    folder, name = posixpath.split(path)
    return folder.count("/") if "/." not in folder else folder.partition("/.")[0].count("/"), folder, name


def describe_status(file: AgentFile | None) -> str:
    """The status of a report's file in words: `loaded`, `truncated after line 412`; `same`: loaded by another name."""
    if file is None:
        return "skipped"
    if file.status == "truncated":
        return f"truncated after line {file.last_line:,}" if file.last_line else "truncated in its first line"
    return "same" if file.same else STATUS_WORDS.get(status := name_status(file), status)


def name_status(file: AgentFile) -> FileStatus:
    """What becomes of a file, in the words of JSON."""
    return "listed" if file.status == "loaded" and file.kind in LISTED_KINDS else file.status


def reports_to_data(reports: Sequence[AgentReport]) -> dict[str, Any]:
    """`{"agents": […]}`."""
    return {"agents": [_report_to_data(report) for report in reports]}


def _report_to_data(report: AgentReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "title": report.title,
        "version": report.version,
        "checked": report.checked.isoformat(),
        "known": report.known,
        "used": list(report.used),
        "files": [_make_file_data(file) for file in report.files],
        "order_fixed": report.order_fixed,
        "tokens": report.tokens,
        "tokenizer": report.tokenizer,
        "exact": report.exact,
        "own": as_json(report.own),
        "findings": [_make_diagnostic_data(note) for note in report.findings],
    }


def _make_file_data(file: AgentFile) -> dict[str, Any]:
    data: dict[str, Any] = {"path": file.path, "kind": file.kind, "status": name_status(file)}
    data |= {"why": file.why, "tokens": file.tokens}
    optional = {name: getattr(file, name) for name in ("last_line", "lines", "same", "alias_of")}
    data |= {name: value for name, value in optional.items() if value is not None}
    data |= {name: value for name in ("step", "known", "touched") if (value := getattr(file, name))}
    return data if file.order_fixed else {**data, "order_fixed": False}


def _make_diagnostic_data(note: Diagnostic) -> dict[str, Any]:
    return {
        "code": note.code,
        "severity": note.level,
        "message": note.message,
        "path": note.path,
        "line": note.line,
        "column": note.column,
        "fixable": False,
    }


def grid_to_data(grid: FileGrid) -> dict[str, Any]:
    """`{"agents": [name], "files": [{"path", "kind", "by": {name: {"how", "status", "why", …}}}]}`."""
    return {
        "agents": list(grid.agents),
        "files": [
            {
                "path": row.path,
                "kind": row.kind,
                "by": {
                    name: {"how": describe_status(file), **_make_status_data(file)}
                    for name, file in zip(grid.agents, row.by, strict=True)
                },
            }
            for row in grid.rows
        ],
    }


def _make_status_data(file: AgentFile | None) -> dict[str, Any]:
    if file is None:
        return {"status": "skipped", "why": "it is not looked for"}
    return {
        key: value
        for key, value in _make_file_data(file).items()
        if key in ("status", "why", "tokens", "last_line", "same")
    }

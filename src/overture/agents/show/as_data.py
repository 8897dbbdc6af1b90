"""Reports of agents -> plain data, for JSON: every key is always there, but those that only some files have."""

from collections.abc import Sequence
from typing import Any

from ...model.diagnostic import Diagnostic
from ...model.struct import as_json
from ..report.agent_report import AgentFile, AgentReport
from .file_grid import Grid, fate


def agents_data(reports: Sequence[AgentReport]) -> dict[str, Any]:
    """`{"agents": […]}`."""
    return {"agents": [_agent(report) for report in reports]}


def _agent(report: AgentReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "title": report.title,
        "version": report.version,
        "checked": report.checked.isoformat(),
        "known": report.known,
        "used": list(report.used),
        "files": [_file(file) for file in report.files],
        "order_fixed": report.order_fixed,
        "tokens": report.tokens,
        "exact": report.exact,
        "own": as_json(report.own),
        "findings": [_finding(note) for note in report.findings],
    }


def _file(file: AgentFile) -> dict[str, Any]:
    data = {"path": file.path, "kind": file.kind, "status": file.status, "why": file.why, "tokens": file.tokens}
    more = {"last_line": file.last_line, "lines": file.lines, "frame": file.frame, "same": file.same}
    given = {name: value for name, value in more.items() if value is not None}
    told = {"step": file.step, "known": file.known, "touched": file.touched}
    arbitrary = {} if file.order_fixed else {"order_fixed": False}
    return {**data, **given, **{name: value for name, value in told.items() if value}, **arbitrary}


def _finding(note: Diagnostic) -> dict[str, Any]:
    return {
        "code": note.code,
        "severity": note.level,
        "message": note.message,
        "path": note.path,
        "line": note.line,
        "column": note.column,
        "fixable": False,
    }


def grid_data(grid: Grid) -> dict[str, Any]:
    """`{"agents": [name], "files": [{"path", "kind", "by": {name: {"how", "status", "why", …}}}]}`."""
    return {
        "agents": list(grid.agents),
        "files": [
            {
                "path": row.path,
                "kind": row.kind,
                "by": {
                    name: {"how": fate(file), **_fate(file)} for name, file in zip(grid.agents, row.by, strict=True)
                },
            }
            for row in grid.rows
        ],
    }


def _fate(file: AgentFile | None) -> dict[str, Any]:
    if file is None:
        return {"status": "unread", "why": "it is not looked for"}
    return {key: value for key, value in _file(file).items() if key in ("status", "why", "tokens", "last_line", "same")}

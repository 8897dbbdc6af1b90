"""`overture agents --why FILE`: what each agent makes of one file, a line each."""

from collections.abc import Sequence

from ...terminal.terminal import dim, style, table, tell, visible, write_json
from ..fates_of_file import Answer, fates_of_file
from ..report.agent_report import AgentReport
from .words import Near

COLOURS = {"loaded": "green", "cut": "yellow", "lazy": "cyan", "unread": "bright_black"}
WORDS = {"loaded": "read", "cut": "cut", "lazy": "later", "unread": "not read"}


def show_why(reports: Sequence[AgentReport], path: str, near: Near, *, as_json: bool) -> int:
    """What became of it, agent by agent; 1 where there is no such file."""
    answer = fates_of_file(reports, path, near.cwd, near.home)
    if as_json:
        write_json({"files": [{"path": each, "by": by} for each, by in answer.files]})
    elif not answer.there:
        tell(f"{visible(answer.files[0][0])}: no such file.")
    else:
        show_answer(answer, near)
    return 0 if answer.there else 1


def show_answer(answer: Answer, near: Near) -> None:
    """A file, and a line for each agent."""
    for path, by in answer.files:
        tell(style(visible(near(path)), bold=True))
        rows = [
            (fate.name, style(WORDS[fate.status], fg=COLOURS[fate.status]), dim(visible(near.within(fate.why))))
            for fate in by
        ]
        table(rows or [("no agent is used here: `--all` asks all", "", "")])

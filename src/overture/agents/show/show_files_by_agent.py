"""Shows which agents load each instruction file: grouped by answer, or as a grid of the agents that are named."""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from msgspec.structs import replace

from ...discovery.world import World
from ...known_agents import AGENTS
from ...known_agents.file_owners import match_known_file
from ...terminal.output import (
    PIPE_WIDTH,
    dim,
    escape_controls,
    print_error,
    print_line,
    print_table,
    print_wrapped,
    style,
    terminal_width,
    write_json,
)
from ...terminal.table_layout import GAP, measure_width
from ...text.path_printer import PathPrinter
from ...text.words import join_words
from ..agent_report import NO_FILES, AgentReport, FileGrid, FileGridRow, describe_status, make_file_grid
from ..explain_file import match_paths
from ..file_answers import FileAnswer, answer_for_file
from .agent_table_cells import (
    find_group_folder,
    generalize_reason,
    group_many,
    is_attachment,
    join_file_names,
    pluralize_kind,
)

GRID_COLOURS = {
    "loaded": "green",
    "listed": "green",
    "same": "green",
    "loaded on demand": "cyan",
    "skipped": "bright_black",
}
MEANINGS = {
    "loaded": "all of it, at the start",
    "listed": "only name and description",
    "loaded on demand": "when the agent works on certain files",
    "same": "loaded under another name",
}
NO_SKILLS = "No skills here."


def show_files(
    reports: Sequence[AgentReport], printer: PathPrinter, everything: bool, *, named: bool, only_skills: bool = False
) -> None:
    """A grid where the agents are named and it fits; else each file with the agents grouped by answer."""
    grid = make_file_grid(reports)
    if not grid.rows:
        print_line(NO_SKILLS if only_skills else NO_FILES)
        return
    rows = merge_rows(grid.rows, printer, everything)
    wide = GAP * len(grid.agents) + max(measure_width(name) for name, _ in rows)
    columns = zip(grid.agents, *(statuses for _, statuses in rows), strict=True)
    wide += sum(max(map(measure_width, column)) for column in columns)
    if not named or wide > (terminal_width() or PIPE_WIDTH):
        show_answers(list_answers(reports, grid, everything=everything), printer, everything)
        return
    cells = [
        (escape_controls(name), *(style(how, fg=GRID_COLOURS.get(how, "yellow")) for how in statuses))
        for name, statuses in rows
    ]
    print_table(cells, "", heads=("file", *grid.agents), wraps=())
    shown = {status for _, statuses in rows for status in statuses}
    if legend := [f"{word}: {meaning}" for word, meaning in MEANINGS.items() if word in shown]:
        print_line()
        print_wrapped(dim("    ".join(legend)))


def merge_rows(
    rows: Sequence[FileGridRow], printer: PathPrinter, everything: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """A name and the statuses of each row; many of one folder with the same statuses as one."""

    def make_key(row: FileGridRow) -> object:
        is_alone = everything or row.kind == "instructions"
        return row.path if is_alone else (_find_row_folder(row), row.kind, _describe_row_statuses(row))

    return [
        (_name_rows(group, printer) if group[1:] else printer(group[0].path), _describe_row_statuses(group[0]))
        for group in group_many(rows, make_key)
    ]


def _name_rows(rows: Sequence[FileGridRow], printer: PathPrinter) -> str:
    """Many rows of one folder: `.cursor/rules (12 rules)`."""
    return f"{printer(_find_row_folder(rows[0]))} ({len(rows)} {pluralize_kind(rows[0].kind)})"


def _find_row_folder(row: FileGridRow) -> str:
    return next(find_group_folder(file) for file in row.by if file is not None)


def _describe_row_statuses(row: FileGridRow) -> tuple[str, ...]:
    return tuple(describe_status(file) for file in row.by)


# `--files` without names, and `--why FILE`: each file, and the agents grouped by what they do with it.


class FileAnswers(NamedTuple):
    """A file under all its names, or several of one folder, and what agents do with it."""

    rows: Sequence[FileGridRow]
    answers: tuple[FileAnswer, ...]
    used: Set[str]
    """The agents in use."""

    @property
    def paths(self) -> list[str]:
        """All names of the file that agents answer for."""
        return [row.path for row in self.rows]

    @property
    def rank(self) -> tuple[int, int]:
        """The order in which files are shown: those that most agents load first, those that none looks for last."""
        loaded = [a for a in self.answers if a.status in ("loaded", "truncated", "listed") and a.is_looked_for]
        return -sum(len(answer.agents) for answer in loaded), not any(a.is_looked_for for a in self.answers)

    @property
    def key(self) -> object:
        """The same for files that the list of files and their agents shows in one row."""
        one = self.rows[0]
        answers = tuple((a.status, generalize_reason(one.path, a.why), a.agents) for a in self.answers)
        return one.path if one.kind == "instructions" else (_find_row_folder(one), one.kind, answers)

    @property
    def is_meant(self) -> bool:
        """Whether it is for agents: a Makefile that only an agent not in use here loads is for people."""
        loading = {name for answer in self.answers if answer.status != "skipped" for name in answer.agents}
        if self.rows[0].kind == "skill" and "/." in _find_row_folder(self.rows[0]):
            return True
        return len(loading) != 1 or bool(loading & self.used) or any(map(match_known_file, self.paths))

    @property
    def loading_titles(self) -> tuple[str, ...]:
        """The agents that load or list it, at their start or later."""
        return tuple(title for answer in self.answers if answer.status != "skipped" for title in answer.titles)

    @property
    def is_shown(self) -> bool:
        """Whether it is shown with its agents without `--all`."""
        return self.is_meant and (bool(self.loading_titles) or self.rows[0].kind == "instructions")


def list_answers(reports: Sequence[AgentReport], grid: FileGrid, *, everything: bool) -> list[list[FileAnswers]]:
    """The rows: each a file, or many of one folder with the same answers."""
    used = {report.name for report in reports if report.used or len(reports) < len(AGENTS)}
    answers = [
        FileAnswers(rows, answer_for_file(reports, [row.path for row in rows]), used)
        for rows in _group_rows_by_text(grid)
    ]
    ranked = sorted(answers, key=lambda one: one.rank)
    return group_many(ranked, lambda each: each.paths[0] if everything else each.key)


def _group_rows_by_text(grid: FileGrid) -> list[list[FileGridRow]]:
    """The rows of the grid, names of one file together: first its own, then those of links to it."""
    groups: dict[str, list[FileGridRow]] = {}
    by_path = {row.path: row for row in grid.rows}
    for row in grid.rows:
        alias = next((file.alias_of for file in row.by if file is not None and file.alias_of), None)
        target = by_path.get(alias) if alias else None
        groups.setdefault(row.path if target and _is_loaded_alone(row, target) else alias or row.path, []).append(row)
    return [sorted(rows, key=lambda row: row.path != path) for path, rows in groups.items()]


def _is_loaded_alone(row: FileGridRow, target: FileGridRow) -> bool:
    """Whether some agent loads a file that only imports another, and does not follow the import."""
    return any(
        file and file.status != "skipped" and not (other and (other.status != "skipped" or other.same))
        for file, other in zip(row.by, target.by, strict=True)
    )


def show_answers(rows: Sequence[Sequence[FileAnswers]], printer: PathPrinter, everything: bool) -> None:
    """A table: the file, and who loads it. Files that no agent loads are only counted, unless with `--all`."""
    shown = [group for group in rows if everything or group[0].is_shown]
    cells: list[tuple[str, str]] = []
    named: dict[object, str] = {}
    for group in shown:
        name, answer = _describe_answers(group, printer, everything)
        key = answer, tuple(each.agents for each in group[0].answers)  # the sentence counts most of the agents
        again = f"the same agents as {named[key]}" if key in named else answer
        named.setdefault(key, escape_controls(name.partition(" (")[0]))
        # A long answer that was printed once need not be compared with the next ones.
        cells.append((style(escape_controls(name), bold=True), dim(again) if len(again) < len(answer) // 2 else answer))
    print_table(cells, "", heads=("file", "agents"))
    unshown = [each for group in rows if not (everything or group[0].is_shown) for each in group]
    notes = list(_describe_unshown(unshown, printer))
    for index, each in enumerate(notes):
        if cells or index:
            print_line()
        print_wrapped(dim(each))


def _describe_answers(group: Sequence[FileAnswers], printer: PathPrinter, everything: bool) -> tuple[str, str]:
    """The name of a row, and what agents do with its files."""
    one, answers = group[0], group[0].answers
    name = join_file_names([printer(path) for path in one.paths])
    if len(group) > 1:
        name = _name_rows([each.rows[0] for each in group], printer)
        answers = tuple(replace(each, why=generalize_reason(one.paths[0], each.why)) for each in answers)
    sentences = [printer.within(each.describe(everyone=everything)) for each in answers if each.is_looked_for]
    return name, "; ".join(sentences) or dim("no agent looks for it")


def _describe_unshown(unshown: Sequence[FileAnswers], printer: PathPrinter) -> Iterator[str]:
    """What the table omits: files that are for people, and files that no agent loads."""
    by_agent: dict[str, list[str]] = {}
    for each in unshown:
        if each.loading_titles and not each.is_meant:
            by_agent.setdefault(each.loading_titles[0], []).append(escape_controls(printer(each.paths[0])))
    yield from (f"{title} would load {join_words(files)} as well (`--all`)." for title, files in by_agent.items())
    if others := [each for each in unshown if not _is_skill_page(each) and not each.loading_titles]:
        kinds = {each.rows[0].kind for each in others}
        some = escape_controls(printer(others[0].paths[0]))
        many = f"{len(others)} more {pluralize_kind(kinds.pop() if len(kinds) == 1 else '')}, such as {some}"
        yield f"No agent loads {many if others[1:] else some} (`--all`)."


def _is_skill_page(each: FileAnswers) -> bool:
    return each.rows[0].kind == "skill" and is_attachment(each.paths[0])


def show_why(
    reports: Sequence[AgentReport], path: str, printer: PathPrinter, *, as_json: bool, everything: bool = False
) -> int:
    """What the agents do with a file, a line for each answer; 2 if there is no such file."""
    matched = match_paths(reports, path, printer.folder, printer.home, World())
    answers_by_path = [(each, answer_for_file(reports, [each])) for each in matched.paths]
    if as_json:
        write_json({"files": [{"path": each, "answers": answers} for each, answers in answers_by_path]})
    if not matched.there:
        print_error(f"error: No such file: `{escape_controls(path)}`")
    for each, answers in answers_by_path if matched.there and not as_json else ():
        print_wrapped(style(printer(each), bold=True))
        for answer in answers:
            sentence = printer.within(answer.describe(everyone=everything))
            print_wrapped(sentence if answer.is_looked_for else dim(sentence), "  ")
    # It plans for instructions, and not for a single skill.
    texts = [answers for each, answers in answers_by_path if not each.lower().endswith("/skill.md")]
    if not as_json and any(answer.why.startswith("hidden by ") for answers in texts for answer in answers):
        print_wrapped(dim("hint: `overture agents --fix` shows how to make more agents load it"))
    return 0 if matched.there else 2

"""Searches all steps of an agent's recipe for files; of those with one name some are hidden, and the rest sorted."""

from collections.abc import Sequence
from functools import partial

from ...model.file_steps import FileStep
from ...model.skill_dirs import HelperListing
from ...model.state.files import Skill, TextFile
from ...model.wants import Wants
from ..disk.file_reader import FileReader
from ..disk.search_scope import SearchScope
from .search_one_step import StepSearch


def find_step_files(
    reader: FileReader,
    wants: Wants,
    scope: SearchScope,
    exclude: tuple[str, ...] = (),
    skills: Sequence[Skill] = (),
) -> tuple[TextFile, ...]:
    """All files of all steps. `exclude` are patterns of paths that the agent's settings exclude.

    `skills` are the agent's skills: one may hide a command of its name.
    """
    found: list[TextFile] = []
    folders: list[tuple[str, str]] = []
    names: dict[str, set[str]] = {}
    for step in wants.files:
        taking = StepSearch(reader, step, scope, exclude, found)
        taking.names.update(*(names.get(each, ()) for each in step.hidden_by))
        names[step.step] = taking.names
        named_files = [(file, (step.step, taking.folder)) for file in taking.files()]
        if step.listing is not None:
            named_files = _remove_hidden_names(reader, step, step.listing, skills, named_files)
        if step.listing is not None and step.order in ("name", "here"):
            named_files.sort(key=partial(_rank_named_file, step, scope))
        found += [file for file, _ in named_files]
        folders += [folder for _, folder in named_files]
        if step.among:
            mixed = {step.among, *(each.step for each in wants.files if each.among == step.among)}
            found, folders = _sort_step_files(found, folders, mixed, None if step.order == "path" else scope)
    return tuple(found)


NamedFile = tuple[TextFile, tuple[str, str]]


def _remove_hidden_names(
    reader: FileReader, step: FileStep, listing: HelperListing, skills: Sequence[Skill], named_files: list[NamedFile]
) -> list[NamedFile]:
    """The sub-agents, commands and skills of a step that remain, of those of all steps with one name."""
    hiding = listing.hidden_by_skill
    winners = {
        skill.name: skill.location
        for skill in (skills if hiding != "never" else ())
        if hiding == "any" or not skill.disable_model_invocation
    }
    if listing.same_name != "all":
        last = listing.same_name == "last"
        first = {file.called: file.path for file, _ in (named_files if last else reversed(named_files))}
        winners = first | winners
    visible = []
    for named_file in named_files:
        file = named_file[0]
        if (winner := winners.get(file.called, file.path)) == file.path:
            visible.append(named_file)
            continue
        # It was recorded as loaded before all files were read: the record keeps only the final outcome.
        reader.looked[:] = [record for record in reader.looked if (record.path, record.step) != (file.path, step.step)]
        reader.note(file.path, step.kind, "hidden", f"by {winner}, which has the same name", step.step)
    return visible


def _rank_named_file(step: FileStep, scope: SearchScope, named_file: NamedFile) -> tuple[bool, str]:
    """The sort key of a sub-agent or a command: by name, and those in cwd may come first."""
    file, (_, folder) = named_file
    capitals = step.listing is not None and step.listing.capitals
    return step.order == "here" and folder != scope.cwd, file.called if capitals else file.called.casefold()


def _sort_step_files(
    files: list[TextFile], folders: list[tuple[str, str]], steps: set[str], scope: SearchScope | None
) -> tuple[list[TextFile], list[tuple[str, str]]]:
    """The files of some steps, folder by folder or by path, at the position of the first of them."""
    mixed = [index for index, (step, _) in enumerate(folders) if step in steps]
    rank = {folder: number for number, folder in enumerate(scope.above)} if scope else {}
    ordered = sorted(mixed, key=lambda index: (rank.get(folders[index][1], -1), "" if scope else files[index].path))
    order = [*range(len(files))]
    for target, index in zip(mixed, ordered, strict=True):
        order[target] = index
    return [files[index] for index in order], [folders[index] for index in order]

"""Searches all steps of an agent's recipe for files; of those with one name some are hidden, and the rest sorted."""

from collections.abc import Sequence
from typing import NamedTuple

from ...model.file_steps import FileStep
from ...model.skill_dirs import HelperListing
from ...model.state.files import Skill, TextFile
from ...model.wants import Wants
from ..disk.file_reader import FileReader
from ..disk.search_scope import SearchScope
from .search_one_step import StepSearch


class StepFile(NamedTuple):
    """A file, with the step that found it and the folder in which it was looked for."""

    file: TextFile
    step: str
    folder: str


def find_step_files(
    reader: FileReader, wants: Wants, scope: SearchScope, exclude: tuple[str, ...] = (), skills: Sequence[Skill] = ()
) -> tuple[TextFile, ...]:
    """All files of all steps. `exclude` are patterns of paths that the agent's settings exclude.

    `skills` are the agent's skills: one may hide a command of its name.
    """
    found: list[StepFile] = []
    names: dict[str, set[str]] = {}
    for step in wants.files:
        taking = StepSearch(reader, step, scope, exclude, [each.file for each in found])
        taking.names.update(*(names.get(each, ()) for each in step.hidden_by))
        names[step.step] = taking.names
        files = [StepFile(file, step.step, taking.folder) for file in taking.files()]
        if step.listing is not None:
            files = _remove_hidden_names(reader, step, step.listing, skills, files)
            if step.order in ("name", "here"):
                _sort_helpers(files, step.listing, scope.cwd if step.order == "here" else None)
        found += files
        if step.among:
            mixed = {step.among, *(each.step for each in wants.files if each.among == step.among)}
            _mix_files(found, mixed, None if step.order == "path" else scope)
    return tuple(each.file for each in found)


def _remove_hidden_names(
    reader: FileReader, step: FileStep, listing: HelperListing, skills: Sequence[Skill], files: list[StepFile]
) -> list[StepFile]:
    """The sub-agents, commands and skills of a step that remain, of those of all steps with one name."""
    hiding = listing.hidden_by_skill
    winners = {
        skill.name: skill.location
        for skill in (skills if hiding != "never" else ())
        if hiding == "any" or not skill.disable_model_invocation
    }
    if listing.same_name != "all":
        last = listing.same_name == "last"
        winners = {file.called: file.path for file, *_ in (files if last else reversed(files))} | winners
    visible = []
    for each in files:
        path = each.file.path
        if (winner := winners.get(each.file.called, path)) == path:
            visible.append(each)
            continue
        # It was recorded as loaded before all files were read: the record keeps only the final outcome.
        reader.looked[:] = [record for record in reader.looked if (record.path, record.step) != (path, step.step)]
        reader.note(path, step.kind, "hidden", f"by {winner}, which has the same name", step.step)
    return visible


def _sort_helpers(files: list[StepFile], listing: HelperListing, first: str | None) -> None:
    """Sort sub-agents or commands by name; those in the folder `first` come first."""
    files.sort(key=lambda each: each.file.called if listing.capitals else each.file.called.casefold())
    files.sort(key=lambda each: first is not None and each.folder != first)


def _mix_files(found: list[StepFile], steps: set[str], scope: SearchScope | None) -> None:
    """Sort the files of some steps folder by folder, or by path, in the positions that they have together."""
    mixed = [at for at, each in enumerate(found) if each.step in steps]
    rank = {folder: number for number, folder in enumerate(scope.above)} if scope else {}
    files = [found[at] for at in mixed]
    files.sort(key=lambda each: (rank.get(each.folder, -1), "" if scope else each.file.path))
    for at, each in zip(mixed, files, strict=True):
        found[at] = each

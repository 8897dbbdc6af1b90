"""Records the approvals of the user, and takes them back."""

import json
from collections.abc import Callable, Iterable

import msgspec

from ...errors import ConfigError, explain_write_errors
from ..disk.paths import contains_path
from ..disk.world import World
from ..disk.write_file import lock_folder, write_file
from .approvals import Approval, Approvals, ApprovalsFile, approvals_path, compute_approved_digest, read_approvals


def remove_approvals(approvals: Approvals, path: str) -> Approvals:
    """Approvals without those of a file, or of all below a folder; a file outside is approved for no project then."""
    settings, files = (
        {name: digest for name, digest in known.items() if not contains_path(path, name)}
        for known in (approvals.settings, approvals.files)
    )
    filtered = {
        project: {name: digest for name, digest in reached.items() if not contains_path(path, name)}
        for project, reached in approvals.outside.items()
        if not contains_path(path, project)
    }
    outside = {project: reached for project, reached in filtered.items() if reached}
    return approvals._replace(settings=settings, files=files, outside=outside)


def add_approvals(approvals: Approvals, more: Approvals) -> Approvals:
    """Approvals with further ones."""
    outside = {name: dict(folders) for name, folders in approvals.outside.items()}
    for project, files in more.outside.items():
        outside[project] = {**outside.get(project, {}), **files}
    settings, files = {**approvals.settings, **more.settings}, {**approvals.files, **more.files}
    return approvals._replace(settings=settings, files=files, outside=outside)


def change_approvals(world: World, home: str, change: Callable[[Approvals], Approvals]) -> Approvals:
    """Change the current file, and nothing that another process writes meanwhile; returns the earlier content."""
    path = approvals_path(world, home)
    with explain_write_errors(path), lock_folder(path, folders=0o700):
        before = read_approvals(world, home)
        if before.problem:
            raise ConfigError(f"{path}: {before.problem}.", hint="Fix it, or delete it and run `overture trust` again.")
        new = change(before)
        settings, files, outside = (dict(sorted(each.items())) for each in (new.settings, new.files, new.outside))
        stored = ApprovalsFile(settings=settings, files=files, outside=outside)  # type: ignore[arg-type]
        write_file(path, json.dumps(msgspec.to_builtins(stored), indent=1).encode() + b"\n", mode=0o600)
        return before


def approve_files(world: World, paths: Iterable[str], when: str, *, settings: bool = False) -> dict[str, Approval]:
    """Approvals of these files with their current content."""
    found = {world.real(path): compute_approved_digest(world, path, settings=settings) for path in paths}
    return {path: Approval(digest, when) for path, digest in found.items() if digest is not None}

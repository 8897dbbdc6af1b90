"""Files outside a project that the user allows it to reach: approved by path and content, or by trusting its folder."""

from functools import cache

from ..discover.configuration.approvals import read_approvals
from ..discover.configuration.projects_word import project_folder, real_or
from ..discover.configuration.values import Config
from ..discover.disk.reader import ANY_CONTENT, Approved
from ..discover.disk.walk import at_or_above
from ..discover.disk.world import World


def allowing(world: World, config: Config, cwd: str, home: str) -> Approved:
    """What says which files outside the project may be read. Nothing is read before somebody asks."""

    @cache
    def digests() -> dict[str, str]:
        kept = read_approvals(world, home).outside.get(project_folder(world, cwd), {})
        return {path: approval.sha256 for path, approval in kept.items()}

    @cache
    def is_trusted() -> bool:
        here = real_or(world, cwd)
        return any(at_or_above(real_or(world, folder), here) for folder in config.get("trusted").value)

    def approved(real: str) -> str | None:
        return ANY_CONTENT if is_trusted() else digests().get(real)

    return approved
